import Domain
import Support
import Testing

extension EndToEnd {
    /// Mail for somebody whose node does not run.
    @Suite("Outbox")
    final class OutboxTests {
        private let folder: TemporaryDirectory
        private let ada: SatchelNode
        private let bea: SatchelNode

        init() throws {
            folder = try TemporaryDirectory()
            let air = folder.file("air")
            ada = try SatchelNode("ada", in: folder, options: ["--nickname", "ada", "--air", air])
            bea = try SatchelNode("bea", in: folder, options: ["--nickname", "bea", "--air", air])
        }

        @Test("what is written to somebody who is away outlives the writer's kill, and arrives once")
        func away() throws {
            try ada.start()
            try bea.start()
            try ada.meet(bea)
            try bea.stop()
            let answer = try ada.json("send", "--to", "bea", "--wait", "queued", "when you are back")
            #expect(answer["status"] == "queued")
            let id = try #require(answer["ids"]?.array?.first?.string)
            try ada.kill()
            try ada.start()
            #expect(try ada.json("status")["queuedMessages"] == 1)
            let late = try ada.run("send", "--to", "bea", "--wait", "delivered", "--timeout", "1", "and this")
            #expect(late.status == 75 && late.notes.contains("stays queued"), "\(late.notes)")

            try bea.start()
            _ = try bea.receive(2)
            try ada.events().wait { $0["id"]?.string == id && $0["status"] == "delivered" }
            let texts = try bea.history().filter { $0["type"] == "privateMessage" }.compactMap { $0["text"]?.string }
            #expect(texts.sorted() == ["and this", "when you are back"])
            try ada.events().wait { $0["status"] == "delivered" && $0["id"]?.string != id }
            #expect(try ada.json("status")["queuedMessages"] == 0)
        }
    }
}
