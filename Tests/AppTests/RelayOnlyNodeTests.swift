import Domain
import Foundation
import Testing

@testable import App

@Suite("A relay-only node", .serialized)
struct RelayOnlyNodeTests {
    private static func identity(of home: TemporaryHome) throws -> JSONValue {
        try JSONValue(parsing: home.run("identity", "--json").answer)
    }

    /// Every file under a folder whose bytes or path hold one of the needles.
    private static func files(under folder: String, holding needles: [[UInt8]]) throws -> [String] {
        let names = try #require(FileManager.default.enumerator(atPath: folder)).compactMap { $0 as? String }
        try #require(!names.isEmpty)
        return names.filter { name in
            let content = FileManager.default.contents(atPath: folder + "/" + name).map { [UInt8]($0) } ?? []
            return needles.contains { needle in
                Data(content).range(of: Data(needle)) != nil || Data(name.utf8).range(of: Data(needle)) != nil
            }
        }
    }

    @Test("two starts give two identities, and neither leaves a trace on the disk")
    func throwAway() throws {
        let home = try TemporaryHome()
        var seen: Set<String> = []
        for _ in 0..<2 {
            let node = try home.start(["--relay-only"])
            defer { node.stop() }
            let identity = try Self.identity(of: home)
            let id = try #require(identity["id"]?.string)
            #expect(identity["role"] == "relay")
            #expect(identity["nickname"]?.string == "relay-\(id.prefix(4))")
            #expect(seen.insert(id).inserted)
            let keys = try ["noiseKey", "signingKey", "fingerprint", "id"].map { name in
                try #require(identity[name]?.string)
            }
            let needles = try keys.map { Array($0.utf8) } + keys.map { try #require(Hex.decode($0)) }
            #expect(try Self.files(under: home.path, holding: needles) == [])
            node.stop()
            #expect(try Self.files(under: home.path, holding: needles) == [])
            let data = try home.places().data
            #expect(!FileManager.default.fileExists(atPath: data + "/identity.vault"))
            #expect(!FileManager.default.fileExists(atPath: data + "/nickname"))
            #expect(try FileManager.default.contentsOfDirectory(atPath: data + "/relay") == [])
        }
    }

    @Test("what an earlier run left is gone at the start, links and all, and not what they lead to")
    func emptied() throws {
        let home = try TemporaryHome()
        let places = try home.places()
        let (folder, outside) = (places.data + "/relay", home.path + "/outside")
        let files = FileManager.default
        try files.createDirectory(atPath: folder + "/media/deep", withIntermediateDirectories: true)
        for path in [places.data, folder] {
            try files.setAttributes([.posixPermissions: 0o700], ofItemAtPath: path)
        }
        try files.createDirectory(atPath: outside, withIntermediateDirectories: true)
        for path in [folder + "/satchel.sqlite", folder + "/media/deep/file", outside + "/kept"] {
            try Data("rubbish".utf8).write(to: URL(fileURLWithPath: path))
        }
        try files.createSymbolicLink(atPath: folder + "/link", withDestinationPath: outside)
        try home.start(["--relay-only"]).stop()
        #expect(try files.contentsOfDirectory(atPath: folder) == [])
        #expect(files.fileExists(atPath: outside + "/kept"))
    }

    @Test("the identity of the same home is not touched")
    func besideAnIdentity() throws {
        let home = try TemporaryHome()
        let first = try home.start(["--nickname", "pebble"])
        let own = try Self.identity(of: home)
        first.stop()
        let vault = try home.places().data + "/identity.vault"
        let before = FileManager.default.contents(atPath: vault)
        let relay = try home.start(["--relay-only"])
        #expect(try Self.identity(of: home)["id"] != own["id"])
        relay.stop()
        #expect(FileManager.default.contents(atPath: vault) == before)
        let again = try home.start()
        defer { again.stop() }
        #expect(try Self.identity(of: home)["id"] == own["id"])
        #expect(try Self.identity(of: home)["nickname"] == "pebble")
    }

    @Test("send and chat are refused with 77 and the reason; status shows the role")
    func refusals() throws {
        let home = try TemporaryHome()
        let node = try home.start(["--relay-only", "--nickname", "mast"])
        defer { node.stop() }
        #expect(try Self.identity(of: home)["nickname"] == "mast")
        let sent = home.run("send", "hello")
        #expect(sent.code == .refused)
        #expect(sent.notes.contains("only relays"))
        let chat = home.run("chat")
        #expect(chat.code == .refused)
        #expect(chat.notes.contains("only relays"))
        #expect(home.run("status").answer.contains("relay only"))
        #expect(try JSONValue(parsing: home.run("status", "--json").answer)["role"] == "relay")
        node.stop()
        let offline = home.run("chat", "--relay-only")
        #expect(offline.code == .refused)
        #expect(home.run("doctor", "--relay-only").answer.contains("under keys that it throws away"))
    }

    @Test("two members talk through it")
    func between() throws {
        let (alice, relay, bob) = (try TemporaryHome(), try TemporaryHome(), try TemporaryHome())
        let (left, right) = (relay.path + "/left", relay.path + "/right")
        let nodes = [
            try relay.start(["--relay-only", "--air", right], air: left),
            try alice.start(["--nickname", "alice"], air: left), try bob.start(["--nickname", "bob"], air: right),
        ]
        defer { for node in nodes { node.stop() } }
        try alice.awaitPeer("bob")
        let sent = alice.run("send", "--to", "bob", "--wait", "delivered", "--timeout", "30", "through the mast")
        #expect(sent.code == .done, "\(sent.notes)")
        #expect(relay.run("recv", "--all", "--json", "--after", "0").answer.contains("through the mast") == false)
        let id = try #require(try Self.identity(of: relay)["id"]?.string)
        let lost = alice.run("send", "--to", id, "--wait", "delivered", "--timeout", "2", "anybody there?")
        #expect(lost.code == .notYet, "\(lost.notes)")
    }
}
