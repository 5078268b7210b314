import Domain
import Foundation
import Testing

@testable import App

/// Two homes on one air, each with a node in this process.
private struct Pair {
    let alice: TemporaryHome
    let bob: TemporaryHome
    let nodes: [RunningNode]

    init() throws {
        alice = try TemporaryHome()
        bob = try TemporaryHome()
        let air = alice.path + "/air"
        nodes = [
            try alice.start(["--nickname", "alice"], air: air), try bob.start(["--nickname", "bob"], air: air),
        ]
        try Self.wait(at: alice, forConnected: "bob")
        try Self.wait(at: bob, forConnected: "alice")
    }

    /// Waits for the event that the peer announced itself on a link.
    private static func wait(at home: TemporaryHome, forConnected name: String) throws {
        let invocation = try ArgumentParser.parse(["status"], verbs: Verbs.all.map(\.spec))
        let context = CommandContext(invocation: invocation, environment: home.environment, output: .standard)
        let connection = try NodeConnection.open(context.places())
        _ = try connection.subscribe(after: 0)
        while let message = try connection.next(timeout: .seconds(20)) {
            if message.params["kind"] == "connected", message.params["name"]?.string == name { return }
        }
        Issue.record("\(name) did not appear")
    }

    func stop() { for node in nodes { node.stop() } }
}

@Suite("Running nodes", .serialized)
struct RunningNodeTests {
    @Test("two nodes on one air talk in public and in private, and the log keeps it when they have stopped")
    func talk() throws {
        let pair = try Pair()
        defer { pair.stop() }
        let said = pair.alice.run("send", "--wait", "sent", "--timeout", "20", "hello", "all")
        #expect(said.code == .done, "\(said.notes)")
        #expect(said.answer.split(separator: "\n").count == 1)
        let secret = pair.alice.run(
            "send", "--to", "bob", "--wait", "delivered", "--timeout", "20", "--json", "for you \u{1B}[1m")
        #expect(secret.code == .done, "\(secret.notes)")
        #expect(try JSONValue(parsing: secret.answer)["status"] == "delivered")

        let received = pair.bob.run("recv", "--count", "2", "--timeout", "20", "--json")
        #expect(received.code == .done)
        let lines = try received.answer.split(separator: "\n").map { try JSONValue(parsing: $0.utf8) }
        #expect(lines.map { $0["text"]?.string } == ["hello all", "for you \u{1B}[1m"])
        #expect(lines.map { $0["senderName"]?.string } == ["alice", "alice"])
        let cursor = try #require(try JSONValue(parsing: received.notes)["cursor"]?.unsigned)

        // A terminal sees no control characters.
        #expect(!pair.bob.run("recv").answer.contains("\u{1B}"))
        #expect(pair.bob.run("recv", "--after", String(cursor)).answer.isEmpty)
        pair.stop()
        let stored = pair.bob.run("recv", "--json")
        #expect(stored.code == .done)
        #expect(stored.answer == received.answer)
    }

    @Test("a ping comes back, and names are resolved or refused with the candidates")
    func ping() throws {
        let pair = try Pair()
        defer { pair.stop() }
        let result = pair.alice.run("ping", "bob", "--json")
        #expect(result.code == .done, "\(result.notes)")
        #expect(try JSONValue(parsing: result.answer)["roundTrip"]?.integer != nil)
        #expect(pair.alice.run("ping", "carol").code == .notFound)
        #expect(pair.alice.run("send", "--to", "carol", "x").code == .notFound)
        #expect(pair.alice.run("send", "--to", "bob", "  ").code == .badInput)
        let peers = try JSONValue(parsing: pair.alice.run("peers", "--json").answer)["peers"]?.array
        #expect(peers?.map { $0["nickname"] } == ["bob"])
    }

    @Test("a file goes to everyone and lies in the receiver's folder")
    func file() throws {
        let pair = try Pair()
        defer { pair.stop() }
        let content = Data((0..<3000).map { UInt8(truncatingIfNeeded: $0 &* 7) })
        try content.write(to: URL(fileURLWithPath: pair.alice.path + "/data.bin"))
        let sent = pair.alice.run("send", "--file", pair.alice.path + "/data.bin", "--wait", "sent", "--timeout", "30")
        #expect(sent.code == .done, "\(sent.notes)")
        let received = pair.bob.run("recv", "--count", "1", "--timeout", "30", "--json")
        let event = try JSONValue(parsing: received.answer)
        #expect(event["type"] == "file")
        let path = try #require(event["path"]?.string)
        #expect(path.hasPrefix(pair.bob.path + "/data/media/"))
        #expect(FileManager.default.contents(atPath: path) == content)
    }

    @Test("an air that several users share may be used, one that others could tamper with not")
    func sharedAir() throws {
        let home = try TemporaryHome()
        let air = home.path + "/shared"
        try FileManager.default.createDirectory(atPath: air, withIntermediateDirectories: false)
        for (mode, isFit) in [(0o777, false), (0o1777, true)] {
            try #require(chmod(air, mode_t(mode)) == 0)
            let finding = home.run("doctor", "--air", air)
            #expect(finding.code == (isFit ? .done : .refused))
            let refusal: ExitCode?
            do throws(Failure) {
                try home.start(air: air).stop()
                refusal = nil
            } catch {
                refusal = error.code
            }
            #expect(refusal == (isFit ? nil : .refused))
        }
    }

    @Test("the folder around the usual air must be ours and closed, with --home too")
    func looseAirParent() throws {
        let home = try TemporaryHome()
        let parent = home.path + "/satchel"
        try FileManager.default.createDirectory(atPath: parent, withIntermediateDirectories: false)
        try #require(chmod(parent, 0o777) == 0)
        let places = try home.places()
        #expect(Places.parent(of: places.air) == parent)
        let refusal = #expect(throws: Failure.self) { try LinkSetup.prepare(places.air, isUsual: true) }
        #expect(refusal?.code == .refused)
        #expect(home.run("doctor").code == .refused)
    }

    @Test("the cursor is told when the printing fails, and does not pass what was not printed")
    func cursorAfterFailure() throws {
        let pair = try Pair()
        defer { pair.stop() }
        #expect(pair.alice.run("send", "--wait", "sent", "--timeout", "20", "hello").code == .done)
        let all = pair.bob.run("recv", "--count", "1", "--timeout", "20", "--json")
        let sequence = try #require(try JSONValue(parsing: all.answer)["sequence"]?.unsigned)
        let failed = pair.bob.run("recv", "--count", "1", "--on-message", "/nonexistent/program")
        #expect(failed.code == .notFound)
        #expect(failed.notes.contains("cursor: \(sequence - 1)"))
    }

    @Test("'--after now' tells the log's end, with a node and without one")
    func afterNow() throws {
        let pair = try Pair()
        defer { pair.stop() }
        #expect(pair.alice.run("send", "--wait", "sent", "--timeout", "20", "hello").code == .done)
        pair.stop()
        let all = pair.alice.run("recv", "--all")
        let now = pair.alice.run("recv", "--after", "now")
        #expect(now.code == .done)
        #expect(now.answer.isEmpty)
        #expect(now.notes == all.notes)
        #expect(now.notes != "cursor: 0\n")
    }

    @Test("a program gets each message as JSON, and no shell sees it")
    func handler() throws {
        let pair = try Pair()
        defer { pair.stop() }
        let program = pair.bob.path + "/keep; touch x"
        let kept = pair.bob.path + "/kept"
        try Data("#!/bin/sh\ncat >> \(kept)\nexit 3\n".utf8).write(to: URL(fileURLWithPath: program))
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: program)
        #expect(pair.alice.run("send", "--wait", "sent", "$(touch y) `id`").code == .done)
        let received = pair.bob.run("recv", "--count", "1", "--timeout", "20", "--on-message", program)
        #expect(received.code == .done)
        #expect(received.answer.isEmpty)
        #expect(received.notes.contains("ended with 3"))
        let message = try JSONValue(parsing: try #require(FileManager.default.contents(atPath: kept)))
        #expect(message["text"] == "$(touch y) `id`")
        let missing = pair.bob.run("recv", "--count", "1", "--timeout", "20", "--on-message", "/nonexistent/program")
        #expect(missing.code == .notFound)
    }

    @Test("waiting ends in time: 124 for what did not come")
    func timeouts() throws {
        let home = try TemporaryHome()
        let node = try home.start()
        defer { node.stop() }
        #expect(home.run("recv", "--count", "1", "--timeout", "0.1").code == .timeout)
        #expect(home.run("recv", "--timeout", "0").code == .timeout)
        #expect(home.run("recv").code == .done)
        // Nobody is here who could hear it.
        #expect(home.run("send", "hello").code == .notYet)
    }

    @Test("a second node on one home is refused with 73 and the process that holds it")
    func second() throws {
        let home = try TemporaryHome()
        let node = try home.start()
        defer { node.stop() }
        let refusal = #expect(throws: Failure.self) { try home.start() }
        #expect(refusal?.code == .cannotWrite)
        #expect(refusal?.message.contains("process \(ProcessInfo.processInfo.processIdentifier)") == true)
    }

    @Test("the identity and a made-up name survive a restart")
    func restart() throws {
        let home = try TemporaryHome()
        let first = try home.start()
        let before = home.run("identity", "--json").answer
        #expect(home.run("doctor").code == .done)
        first.stop()
        #expect(home.run("status").code == .notRunning)
        let second = try home.start()
        defer { second.stop() }
        #expect(home.run("identity", "--json").answer == before)
        #expect(try JSONValue(parsing: before)["nickname"]?.string?.hasPrefix("anon") == true)
    }

    @Test("a start that is refused leaves nothing behind that keeps the next from starting")
    func refusedStart() throws {
        let home = try TemporaryHome()
        let refusal = #expect(throws: Failure.self) { try home.start(["--nickname", "no#where"]) }
        #expect(refusal?.code == .configuration)
        let address = #expect(throws: Failure.self) { try home.start(["--listen", "nonsense"]) }
        #expect(address?.code == .configuration)
        let node = try home.start(["--nickname", "fine"])
        #expect(home.run("status").answer.contains("fine"))
        node.stop()
    }

    @Test("keys go to another home sealed, and nothing is overwritten")
    func export() throws {
        let (home, other) = (try TemporaryHome(), try TemporaryHome())
        let node = try home.start()
        let passphrase = home.path + "/passphrase"
        try Data("correct horse\n".utf8).write(to: URL(fileURLWithPath: passphrase))
        let backup = home.path + "/backup"
        let words = ["--export-passphrase-file", passphrase]
        let loose = home.run("identity", "export", backup, words[0], words[1])
        #expect(loose.code == .refused)
        #expect(loose.notes.contains("chmod 600"))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: passphrase)
        #expect(home.run("identity", "export", backup, words[0], words[1]).code == .done)
        #expect(home.run("identity", "export", backup, words[0], words[1]).code == .cannotWrite)
        #expect(home.run("identity", "import", backup, words[0], words[1]).code == .cannotWrite)
        #expect(other.run("identity", "import", backup, words[0], words[1]).code == .done)
        node.stop()
        #expect(home.run("identity", "--json").answer == other.run("identity", "--json").answer)
    }

    @Test("reading the configuration again changes the name, and says what needs a restart")
    func reload() throws {
        let home = try TemporaryHome()
        let log = Recorder()
        try home.configure("{ nickname: 'one' }")
        let node = try home.start(log: log)
        defer { node.stop() }
        try home.configure("{ nickname: 'two', log: { level: 'debug' }, links: { listen: ['127.0.0.1:0'] } }")
        let invocation = try ArgumentParser.parse(["run"], verbs: Verbs.all.map(\.spec))
        let context = CommandContext(invocation: invocation, environment: home.environment, output: log.output)
        let new = try context.configuration(in: context.places())
        node.reload(new, style: RunVerb.style(new, isJSON: false))
        node.log.flush()
        #expect(home.run("status").answer.contains("two"))
        #expect(log.notes.contains("links.listen needs a restart"))
        // What the node started with counts, not what was read last.
        node.reload(new, style: RunVerb.style(new, isJSON: false))
        node.log.flush()
        #expect(log.notes.components(separatedBy: "links.listen needs a restart").count == 3)
    }

    @Test("methods and parameters that the node does not know are refused")
    func protocolFaults() throws {
        let home = try TemporaryHome()
        let node = try home.start()
        defer { node.stop() }
        let invocation = try ArgumentParser.parse(["status"], verbs: Verbs.all.map(\.spec))
        let context = CommandContext(invocation: invocation, environment: home.environment, output: .standard)
        let connection = try NodeConnection.open(context.places())
        let calls: [(String, JSONValue?)] = [
            ("sing", nil), ("send", nil), ("send", .object(["text": 5])),
            ("sendFile", .object(["name": "a", "content": "%"])),
            ("markRead", .object(["peer": "x", "ids": [1]])), ("ping", []),
        ]
        for (method, params) in calls {
            let failure = #expect(throws: Failure.self) { try connection.call(method, params) }
            #expect(failure?.code == .protocolFault, "\(method)")
        }
        #expect(try connection.call("version")["version"]?.string == Version.number)
        #expect(try connection.call("nickname", .object(["name": "renamed"]))["nickname"] == "renamed")
        #expect(try connection.call("identity")["nickname"] == "renamed")
    }
}
