import Domain
import Foundation
import NativeCryptography
import Support
import Testing

extension EndToEnd {
    /// Three processes on a line: Alice and Bob share an air, Bob and Carol another one. Alice and Carol have no link.
    @Suite("Three nodes on a line")
    final class LineTests {
        private let nodes: NodesOnALine
        private var folder: TemporaryDirectory { nodes.folder }
        private var alice: SatchelNode { nodes.alice }
        private var bob: SatchelNode { nodes.bob }
        private var carol: SatchelNode { nodes.carol }

        init() throws { nodes = try NodesOnALine() }

        @Test("the ends of the line are no neighbours and know each other through the middle")
        func line() throws {
            for (node, other) in [(alice, "carol"), (carol, "alice")] {
                let peer = try #require(try node.peer(other))
                #expect(peer["isConnected"] == false)
                #expect(peer["isReachable"] == true)
                #expect(try node.json("status")["links"]?.array?.count == 1)
            }
            #expect(try bob.json("status")["links"]?.array?.count == 2)
            let ping = try alice.json("ping", "carol")
            #expect(ping["hops"] == 2)
        }

        @Test("a public message crosses the line")
        func publicMessage() throws {
            let sent = try alice.json("send", "--wait", "sent", "hello, whole line")
            let received = try carol.receive(1)[0]
            #expect(received["type"] == "publicMessage")
            #expect(received["text"] == "hello, whole line")
            #expect(received["senderName"] == "alice")
            #expect(received["sender"]?.string == (try alice.identifier))
            #expect(received["id"] == sent["ids"]?.array?.first)
            #expect(try bob.receive(1).map { $0["id"] } == [received["id"]])
        }

        @Test("a private message is delivered and read, and the middle sees nothing of it")
        func privateMessage() throws {
            let sent = try alice.json("send", "--to", "carol", "--wait", "delivered", "just for you")
            #expect(sent["status"] == "delivered")
            let received = try carol.receive(1)[0]
            #expect(received["type"] == "privateMessage")
            #expect(received["text"] == "just for you")
            let id = try #require(received["id"]?.string)
            #expect(sent["ids"] == [.string(id)])

            try carol.markRead([id], from: try alice.identifier)
            try alice.events().wait { $0["type"] == "status" && $0["status"] == "read" && $0["id"]?.string == id }
            let statuses = try alice.history().filter { $0["type"] == "status" }
            #expect(statuses.map { $0["status"]?.string } == ["sending", "sent", "delivered", "read"])
            #expect(statuses.allSatisfy { $0["id"]?.string == id })
            #expect(try !bob.run("recv", "--all", "--json").output.contains("just for you"))
        }

        @Test("a private text of 1,000 characters arrives in its parts, in order")
        func longText() throws {
            let text = (0..<124).map { String(format: "%07d ", $0) }.joined() + "the end."
            #expect(text.count == 1000)
            let sent = try alice.json("send", "--to", "carol", "--wait", "delivered", "--", text)
            let ids = try #require(sent["ids"]?.array)
            #expect(ids.count > 1)
            let parts = try carol.receive(ids.count)
            #expect(parts.map { $0["id"] } == ids)
            // Each part begins with its mark, "(1/5) ".
            #expect(parts.compactMap { $0["text"]?.string?.dropFirst(6) }.joined() == text)
            #expect(try carol.run("recv", "--json").jsonLines.count == ids.count)
        }

        @Test("a file of 200 KiB is put together again at the far end", .timeLimit(.minutes(15)))
        func file() throws {
            var dice = SystemRandomNumberGenerator()
            let content = (0..<200 * 1024).map { _ in UInt8.random(in: 0...255, using: &dice) }
            try folder.write(content, to: "noise.bin")
            let sent = try alice.json("send", "--file", folder.file("noise.bin"), "--wait", "sent")
            #expect(sent["status"] == "sent")
            let received = try carol.receive(1)[0]
            #expect(received["type"] == "file")
            #expect(received["name"] == "noise.bin")
            #expect(received["size"]?.integer == 204_800)
            #expect(received["isPrivate"] == false)
            #expect(received["id"] == sent["ids"]?.array?.first)
            let digest = NativeCryptography().sha256(content.span).hex
            #expect(received["sha256"]?.string == digest)
            let path = try #require(received["path"]?.string)
            #expect(path.hasPrefix(carol.home + "/data/media/"))
            let stored = Array(try Data(contentsOf: URL(fileURLWithPath: path)))
            #expect(stored.count == content.count)
            #expect(NativeCryptography().sha256(stored.span).hex == digest)
        }
    }
}
