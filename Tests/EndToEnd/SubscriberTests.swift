import Domain
import Foundation
import Glibc
import Support
import Testing

extension EndToEnd {
    /// Nothing is lost because nobody was listening, or because somebody listened slowly.
    @Suite("Subscribers")
    final class SubscriberTests {
        private let folder: TemporaryDirectory
        private let alice: SatchelNode
        private let bob: SatchelNode

        init() throws {
            folder = try TemporaryDirectory()
            let air = folder.file("air")
            alice = try SatchelNode("alice", in: folder, options: ["--nickname", "alice", "--air", air])
            bob = try SatchelNode("bob", in: folder, options: ["--nickname", "bob", "--air", air])
            try alice.start()
            try bob.start()
            try alice.meet(bob)
            try bob.meet(alice)
        }

        /// Sends texts to Bob and waits until he has the last.
        private func tellBob(_ range: Range<Int>) throws -> [String] {
            let texts = range.map { "number \($0)" }
            for text in texts {
                _ = try alice.json("send", "--to", "bob", "--wait", text == texts.last ? "delivered" : "queued", text)
            }
            return texts
        }

        @Test("who comes late gets all, and who comes back with the cursor gets the rest, also after a restart")
        func cursor() throws {
            let texts = try tellBob(0..<12)
            let first = try bob.run("recv", "--count", "5", "--timeout", "60", "--json")
            #expect(try first.jsonLines.compactMap { $0["text"]?.string } == Array(texts.prefix(5)))
            let cursor = try #require(JSONValue(parsing: first.notes)["cursor"]?.unsigned)
            let before = try #require(try alice.history().last?["sequence"]?.unsigned)
            try bob.stop()
            let bobBefore = try #require(try bob.history().last?["sequence"]?.unsigned)
            // The store answers while no node runs.
            let rest = try bob.run("recv", "--after", String(cursor), "--json")
            #expect(rest.status == 0)
            #expect(try rest.jsonLines.compactMap { $0["text"]?.string } == Array(texts.suffix(7)))
            try bob.start()
            try alice.meet(bob, after: before)
            try bob.meet(alice, after: bobBefore)
            let more = try tellBob(12..<14)
            let news = try bob.receive(9, after: cursor)
            #expect(news.compactMap { $0["text"]?.string } == Array(texts.suffix(7)) + more)
            #expect(try bob.run("recv", "--count", "1", "--timeout", "0", "--after", "now").status == 124)
        }

        @Test("one that stands still loses nothing, and does not hold up the node or the other")
        func slow() throws {
            let slow = try bob.spawn(["recv", "--follow", "--json"])
            let quick = try bob.spawn(["recv", "--follow", "--json"])
            let texts = try tellBob(0..<1)
            for follower in [slow, quick] { _ = try follower.line(.output, within: SatchelNode.patience) { _ in true } }
            slow.send(SIGSTOP)
            let all = texts + (try tellBob(1..<15))
            _ = try quick.line(.output, within: SatchelNode.patience) { $0.contains("\"number 14\"") }
            #expect(slow.lines(.output).count == 1)
            slow.send(SIGCONT)
            _ = try slow.line(.output, within: SatchelNode.patience) { $0.contains("\"number 14\"") }
            for follower in [slow, quick] {
                let heard = try follower.lines(.output).compactMap { try JSONValue(parsing: $0.utf8)["text"]?.string }
                #expect(heard == all)
            }
        }

        @Test("one that is killed goes on behind what it had")
        func killed() throws {
            let first = try bob.spawn(["recv", "--follow", "--json"])
            var texts = try tellBob(0..<6)
            let line = try first.line(.output, within: SatchelNode.patience) { $0.contains("\"number 3\"") }
            first.send(SIGKILL)
            try first.exitStatus(within: SatchelNode.patience)
            let cursor = try #require(JSONValue(parsing: line)["sequence"]?.unsigned)
            texts += try tellBob(6..<8)
            #expect(try bob.receive(4, after: cursor).compactMap { $0["text"]?.string } == Array(texts.suffix(4)))
        }

        @Test("a program gets each message as JSON on its input, one run for each, in order")
        func program() throws {
            let (program, kept) = (folder.file("keep"), folder.file("kept"))
            try folder.write(Array("#!/bin/sh\ncat >> '\(kept)'\n".utf8), to: "keep")
            try folder.setMode(0o700, of: "keep")
            let texts = try tellBob(0..<3)
            let outcome = try bob.run("recv", "--count", "3", "--timeout", "60", "--on-message", program)
            #expect(outcome.status == 0, "\(outcome.notes)")
            #expect(outcome.output.isEmpty)
            let lines = String(decoding: try folder.read("kept"), as: UTF8.self).split(separator: "\n")
            let messages = try lines.map { try JSONValue(parsing: $0.utf8) }
            #expect(messages.compactMap { $0["text"]?.string } == texts)
            #expect(messages.allSatisfy { $0["type"] == "privateMessage" && $0["senderName"] == "alice" })
        }
    }
}
