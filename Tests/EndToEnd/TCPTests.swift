import Domain
import Support
import Testing

extension EndToEnd {
    /// Two processes, one listening on the loopback, the other connecting.
    @Suite("Two nodes over TCP")
    final class TCPTests {
        private let folder: TemporaryDirectory
        private let lisa: SatchelNode
        private let carl: SatchelNode

        init() throws {
            folder = try TemporaryDirectory()
            lisa = try SatchelNode("lisa", in: folder, options: ["--nickname", "lisa", "--air", "off"])
            try lisa.start(["--listen", "127.0.0.1:0"])
            carl = try SatchelNode("carl", in: folder, options: ["--nickname", "carl", "--air", "off"])
            try carl.start(["--connect", try lisa.address])
            try lisa.meet(carl)
            try carl.meet(lisa)
        }

        @Test("messages go both ways, public and private")
        func bothWays() throws {
            for (sender, receiver) in [(lisa, carl), (carl, lisa)] {
                let open = try sender.json("send", "--wait", "sent", "from \(sender.name) to all")
                let sealed = try sender.json("send", "--to", receiver.name, "--wait", "delivered", "and to you")
                let received = try receiver.receive(2)
                #expect(received.map { $0["text"] } == [.string("from \(sender.name) to all"), "and to you"])
                #expect(received.map { $0["id"] } == [open["ids"]?.array?.first, sealed["ids"]?.array?.first])
            }
            let link = try #require(try carl.json("status")["links"]?.array?.first)
            #expect(link["name"]?.string == "tcp:\(try lisa.address)")
            #expect(link["isOutgoing"] == true)
            #expect(link["isAuthenticated"] == true)
        }

        @Test("the connection comes back when the listener has restarted, and so does the session")
        func reconnect() throws {
            let address = try lisa.address
            _ = try carl.json("send", "--to", "lisa", "--wait", "delivered", "before")
            let before = try #require(try carl.history().last?["sequence"]?.unsigned)
            #expect(try lisa.stop() == 0)
            try carl.events().wait(after: before) { $0["kind"] == "left" && $0["name"] == "lisa" }
            let lisaBefore = try #require(try lisa.history().last?["sequence"]?.unsigned)
            try lisa.start(["--listen", address])
            #expect(try lisa.address == address)
            try carl.meet(lisa, after: before)
            try lisa.meet(carl, after: lisaBefore)
            _ = try carl.json("send", "--to", "lisa", "--wait", "delivered", "after")
            _ = try lisa.json("send", "--to", "carl", "--wait", "delivered", "welcome back")
            #expect(try lisa.receive(2).map { $0["text"] } == ["before", "after"])
            #expect(try carl.receive(1).map { $0["text"] } == ["welcome back"])
        }
    }
}
