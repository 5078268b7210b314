import Domain
import Foundation
import Support
import Testing

extension EndToEnd {
    /// Two processes, each on its own virtual controller.
    @Suite("Two nodes over Bluetooth", .needsInteropPython)
    final class BluetoothPairTests {
        private let room: BluetoothRoom
        private var ada: SatchelNode { room.nodes[0] }
        private var bea: SatchelNode { room.nodes[1] }

        init() throws { room = try BluetoothRoom.met(["ada", "bea"]) }

        @Test("they have one connection, a client link here and a server link there, bound, and proved by a session")
        func links() throws {
            let both = [(ada, bea), (bea, ada)]
            for (node, other) in both {
                let links = try node.links
                #expect(links.count == 1)
                #expect(links.first?["peer"]?.string == (try other.identifier))
                #expect(links.first?["frameLimit"] == 512)
            }
            let directions = try both.map { try $0.0.links.first?["isOutgoing"]?.bool }
            #expect(Set(directions) == [true, false])
            try talk(ada, bea)
            for (node, other) in both {
                let link = try node.links.first
                #expect(link?["isAuthenticated"] == true)
                #expect(try node.peer(other.name)?["isSecure"] == true)
                #expect(try node.logs("on the air as").contains("Bluetooth 5.0 controller 00:1A:7D:00:00:0"))
                let adapter = try node.adapter
                #expect(adapter["state"] == "ready")
                #expect(adapter["isAdvertising"] == true && adapter["isScanning"] == true)
                #expect(adapter["connections"]?.array?.map { $0["mtu"] } == [517])
            }
            // The controllers agree: one connection, and no mistake of a host.
            #expect(try room.air.adapters().map(\.links.count) == [1, 1])
            #expect(try room.mistakes == [0, 0])
        }

        @Test("each hears the other once, in public and in private, also long texts in parts")
        func chat() throws {
            try talk(ada, bea)
            let text = (0..<124).map { String(format: "%07d ", $0) }.joined() + "the end."
            let sent = try ada.json("send", "--to", "bea", "--wait", "delivered", "--", text)
            let ids = try #require(sent["ids"]?.array)
            let parts = try ids.map { id in try bea.events().wait { $0["id"] == id }["text"]?.string ?? "" }
            #expect(ids.count > 1)
            #expect(parts.map { $0.dropFirst(6) }.joined() == text)
            #expect(try bea.heardTexts().count == 2 + parts.count)
            #expect(try ada.heardTexts().count == 2)
            let ping = try ada.json("ping", "bea")
            #expect(ping["hops"] == 1)
        }

        @Test("a file of 200 KiB for everyone arrives", .timeLimit(.minutes(15)))
        func file() throws {
            let seconds = try sendFile(200 * 1024, from: ada, to: bea, in: room.folder)
            print("Bluetooth: a file of 200 KiB took \(figure(seconds)) s from node to node")
            #expect(try room.mistakes == [0, 0])
        }

        @Test("who stops says goodbye, and who comes back is found again")
        func goodbye() throws {
            let mark = try ada.lastEvent
            #expect(try bea.stop() == 0)
            try ada.events().wait(after: mark) { $0["kind"] == "left" && $0["name"] == "bea" }
            #expect(try room.air.adapters().map(\.links.count) == [0, 0])
            let last = try bea.lastEvent
            try bea.start()
            try ada.meet(bea, after: mark)
            try bea.meet(ada, after: last)
            try talk(ada, bea)
        }
    }
}
