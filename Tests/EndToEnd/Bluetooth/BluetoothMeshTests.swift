import Domain
import Support
import Testing

extension EndToEnd {
    /// More than two processes in one virtual air.
    @Suite("A mesh over Bluetooth", .needsInteropPython)
    struct BluetoothMeshTests {
        @Test("eight in one room: everyone hears everyone's message once")
        func room() throws {
            // Two that have both opened as many links as they may are no neighbours, and hear each other through the rest.
            let room = try BluetoothRoom.met((0..<8).map { "node\($0)" }, directly: false)
            for node in room.nodes { try node.status { $0["links"]?.array?.count ?? 0 >= 6 } }
            for node in room.nodes { _ = try node.json("send", "--wait", "sent", "here is \(node.name)") }
            for node in room.nodes {
                let others = room.nodes.filter { $0 !== node }.map { "here is \($0.name)" }
                for text in others { try node.hears(text) }
            }
            // Each got seven copies of every message, from those who heard it too; they are over by the last one's.
            for node in room.nodes {
                let others = room.nodes.filter { $0 !== node }.map { "here is \($0.name)" }
                #expect(try node.heardTexts().sorted() == others)
            }
            for adapter in try room.air.adapters() {
                let peers = adapter.links.map(\.peer)
                #expect(Set(peers).count == peers.count, "two connections to one neighbour")
                #expect(peers.count >= 6)
            }
            #expect(try room.mistakes == [UInt64](repeating: 0, count: 8))
        }

        @Test("a chain of three whose ends are out of range of each other: public, private and ping go across")
        func chain() throws {
            let room = try BluetoothRoom(["ada", "bea", "cleo"], apart: [(0, 2)])
            let (ada, bea, cleo) = (room.nodes[0], room.nodes[1], room.nodes[2])
            for (node, other) in [(ada, cleo), (cleo, ada)] {
                try node.meet(bea)
                try node.meet(other, directly: false)
                let peer = try #require(try node.peer(other.name))
                #expect(peer["isConnected"] == false)
                #expect(peer["isReachable"] == true)
            }
            try talk(ada, cleo)
            try bea.hears("ada on the weather, to all")
            #expect(try !bea.run("recv", "--all", "--json").output.contains("to you"))
            #expect(try ada.json("ping", "cleo")["hops"] == 2)
            #expect(try room.air.adapters().map(\.links.count) == [1, 2, 1])
            #expect(try ada.heardTexts().count == 2 && cleo.heardTexts().count == 2)
            #expect(try room.mistakes == [0, 0, 0])
        }

        @Test("who walks into range becomes a neighbour, who walks out of it does not stay one")
        func walk() throws {
            let room = try BluetoothRoom(["ada", "bea", "cleo"], apart: [(0, 2)])
            let (ada, bea, cleo) = (room.nodes[0], room.nodes[1], room.nodes[2])
            try ada.meet(bea)
            try cleo.meet(bea)
            try room.air.unblock(0, 2)
            try ada.meet(cleo)
            try cleo.meet(ada)
            let mark = try ada.lastEvent
            try room.air.block(0, 2)
            // Bea still carries what they say.
            try ada.status { status in status["links"]?.array?.count == 1 }
            try talk(ada, cleo, "distance")
            #expect(try ada.history().contains { $0["sequence"]?.unsigned ?? 0 > mark && $0["senderName"] == "cleo" })
            #expect(try ada.peer("cleo")?["isConnected"] == false)
        }
    }
}
