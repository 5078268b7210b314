import Domain
import Foundation
import Glibc
import Support
import Testing

extension EndToEnd {
    /// What scripts rely on: exit codes, one document on standard output, and everything else on standard error.
    @Suite("Command line")
    struct CommandLineTests {
        private let folder: TemporaryDirectory

        init() throws { folder = try TemporaryDirectory() }

        private func node(_ name: String, _ options: String..., air: String = "air") throws -> SatchelNode {
            try SatchelNode(name, in: folder, options: ["--air", folder.file(air)] + options)
        }

        @Test(
            "a slip of the finger ends with 64 and a suggestion",
            arguments: [
                (["stauts"], "status"), (["recvv"], "recv"), (["status", "--jsno"], "--json"),
                (["recv", "--folow"], "--follow"),
                (["send", "--wait", "delivred", "x"], "delivered"),
            ])
        func usage(words: [String], suggestion: String) throws {
            let outcome = try node("nobody").run(words)
            #expect(outcome.status == 64)
            #expect(outcome.output.isEmpty)
            #expect(outcome.notes.contains("did you mean '\(suggestion)'?"), "\(outcome.notes)")
        }

        @Test(
            "verbs that need a node end with 69 and say how to start one",
            arguments: [["status"], ["peers"], ["ping", "bob"], ["send", "hello"], ["recv", "--follow"]])
        func notRunning(words: [String]) throws {
            let nobody = try node("nobody")
            let outcome = try nobody.run(words)
            #expect(outcome.status == 69)
            #expect(outcome.output.isEmpty)
            #expect(outcome.notes.contains("satchel run --home \(nobody.home)"))
            let error = try nobody.run(words + ["--json"])
            #expect(error.output.isEmpty)
            #expect(try JSONValue(parsing: error.notes)["error"]?["code"]?.integer == 69)
        }

        @Test("a second node on one home is refused with the process of the first, which goes on")
        func second() throws {
            let first = try node("first")
            try first.start()
            let second = try first.spawn(["run", "--air", "off"])
            #expect(try second.exitStatus(within: SatchelNode.patience) == 73)
            #expect(second.text(.errors).contains("process \(try first.log.id) "), "\(second.text(.errors))")
            #expect(try first.json("status")["process"]?.integer == Int64(try first.log.id))
        }

        @Test("folders to meet in and none at all cannot both be wanted")
        func airs() throws {
            let start = try node("undecided").spawn(["run", "--air", "off", "--air", folder.file("other")])
            #expect(try start.exitStatus(within: SatchelNode.patience) == 78)
            #expect(start.text(.errors).contains("\"off\""))
        }

        @Test("a name that fits two peers is refused with both, and one that fits none is refused")
        func names() throws {
            let asker = try node("asker", "--nickname", "asker")
            let (one, two) = (try node("one", "--nickname", "twin"), try node("two", "--nickname", "twin"))
            for node in [asker, one, two] { try node.start() }
            let twins = [try one.identifier, try two.identifier]
            for id in twins {
                try asker.events().wait { $0["kind"] == "connected" && $0["peer"]?.string == id }
            }
            for words in [["send", "--to", "twin", "x"], ["ping", "twin"]] {
                let outcome = try asker.run(words)
                #expect(outcome.status == 67)
                #expect(outcome.output.isEmpty)
                for id in twins { #expect(outcome.notes.contains("candidate: \(id)"), "\(outcome.notes)") }
            }
            #expect(try asker.run("send", "--to", twins[0], "--wait", "delivered", "you").status == 0)
            #expect(try one.receive(1)[0]["text"] == "you")
            let outcome = try asker.run("send", "--to", "nobody", "x")
            #expect(outcome.status == 66)
            #expect(outcome.output.isEmpty)
            #expect(outcome.notes.contains("satchel peers"))
        }

        @Test("with --json exactly one document is on standard output")
        func oneDocument() throws {
            let (alice, bob) = (try node("alice", "--nickname", "alice"), try node("bob", "--nickname", "bob"))
            for node in [alice, bob] { try node.start() }
            try alice.meet(bob)
            for words in [
                ["status"], ["peers"], ["identity"], ["ping", "bob"], ["send", "hello"], ["version"], ["config"],
                ["send", "--to", "bob", "--wait", "delivered", "hello"], ["help", "send"], ["doctor"],
            ] {
                let outcome = try alice.run(words + ["--json"])
                #expect(outcome.status == 0, "\(words): \(outcome.notes)")
                _ = try outcome.json
                #expect(outcome.output.split(separator: "\n", omittingEmptySubsequences: false).count == 2, "\(words)")
            }
            #expect(try bob.receive(2).map { $0["text"] } == ["hello", "hello"])
        }

        @Test("SIGTERM leaves politely: the peers hear a goodbye", arguments: [SIGTERM, SIGINT])
        func goodbye(signal: Int32) throws {
            let (alice, bob) = (try node("alice", "--nickname", "alice"), try node("bob", "--nickname", "bob"))
            for node in [alice, bob] { try node.start() }
            try alice.meet(bob)
            try bob.meet(alice)
            let process = try bob.log
            process.send(signal)
            #expect(try process.exitStatus(within: SatchelNode.patience) == 0)
            try alice.events().wait { $0["kind"] == "left" && $0["name"] == "bob" }
            #expect(try alice.peer("bob") == nil)
            // Bob's socket and lock file are gone from the air.
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.file("air")).count == 2)
        }

        @Test("SIGHUP reads the configuration again")
        func reload() throws {
            let node = try node("node")
            try folder.write(Array("{ nickname: 'before' }".utf8), to: "node/config.json5")
            try node.start()
            #expect(try node.json("status")["nickname"] == "before")
            try folder.write(Array("{ nickname: 'after', log: { json: true } }".utf8), to: "node/config.json5")
            try node.log.send(SIGHUP)
            let line = try node.log.line(.errors, within: SatchelNode.patience) { $0.contains("was read again") }
            #expect(try JSONValue(parsing: line)["level"] == "info")
            #expect(try node.json("status")["nickname"] == "after")
            // What is wrong now is reported, and changes nothing.
            try folder.write(Array("{ nickname: ".utf8), to: "node/config.json5")
            try node.log.send(SIGHUP)
            _ = try node.log.line(.errors, within: SatchelNode.patience) { $0.contains("was not read again") }
            #expect(try node.json("status")["nickname"] == "after")
        }

        @Test("a key file that others can read is refused, with the way to mend it")
        func looseKey() throws {
            let node = try node("node")
            try node.start()
            let identity = try node.identifier
            try node.stop()
            let key = "node/data/vault.key"
            try folder.setMode(0o644, of: key)
            let refused = try node.launch()
            #expect(try refused.exitStatus(within: SatchelNode.patience) == 77)
            #expect(refused.text(.errors).contains("chmod 600 \(folder.file(key))"), "\(refused.text(.errors))")
            #expect(try folder.mode(key) == 0o644)
            try folder.setMode(0o600, of: key)
            try node.start()
            #expect(try node.identifier == identity)
        }

        @Test("a damaged vault is refused and left as it is", arguments: [0, 20, -1])
        func damagedVault(place: Int) throws {
            let node = try node("node")
            try node.start()
            try node.stop()
            let vault = "node/data/identity.vault"
            var bytes = try folder.read(vault)
            bytes[place < 0 ? bytes.count - 1 : place] ^= 1
            try folder.write(bytes, to: vault)
            try folder.setMode(0o600, of: vault)
            let refused = try node.launch()
            #expect(try refused.exitStatus(within: SatchelNode.patience) == 65)
            #expect(refused.text(.errors).contains("nothing was changed"), "\(refused.text(.errors))")
            #expect(try folder.read(vault) == bytes)
        }
    }
}
