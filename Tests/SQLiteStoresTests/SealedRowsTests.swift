import Application
import Domain
import Foundation
import Support
import Testing

@testable import SQLiteStores

@Suite("Sealed rows")
struct SealedRowsTests {
    let home: JournalHome

    init() throws { home = try JournalHome() }

    /// What must not be found: texts, names and identifiers as text, keys and identifiers as bytes.
    private func secrets(_ peers: [PeerIdentity]) -> [[UInt8]] {
        let texts = [
            "THE-SECRET-TEXT", "NICKNAME-OF-BOB", "ALIAS-OF-BOB", "alice", "m-77", "publicMessage", "nickname",
        ]
        let counters = Metric.allCases.map(\.rawValue) + ["metric", "7000000001", "7000000002"]
        let sender = PeerID(rawValue: 0xFEDC_BA98_7654_3210)
        var keys: [[UInt8]] = [Array(sender.hex.utf8)]
        keys.append([0xFE, 0xDC, 0xBA, 0x98, 0x76, 0x54, 0x32, 0x10])
        for key in peers.flatMap({ [$0.noiseKey.bytes] + ($0.signingKey.map { [$0.bytes] } ?? []) }) {
            keys += [key.bytes, Array(key.hex.utf8)]
        }
        let data = Bytes32(
            high: 0x0707_0707_0707_0707_0707_0707_0707_0707, low: 0x0707_0707_0707_0707_0707_0707_0707_0707)
        return (texts + counters).map { Array($0.utf8) } + keys + [data.bytes]
    }

    private func look(for secrets: [[UInt8]], in files: [String]) throws {
        #expect(try home.directory.names() == files)
        for file in files {
            let bytes = try home.directory.read(file)
            #expect(!bytes.isEmpty)
            #expect(try home.directory.mode(file) == 0o600)
            for secret in secrets {
                #expect(!bytes.contains(secret), "\(String(decoding: secret, as: UTF8.self)) in \(file)")
            }
        }
    }

    @Test("neither texts nor names nor keys are in the files, whatever was written, replaced and removed")
    func nothingPlain() throws {
        var peer = identity(0x2BCD_EF01_2345_6789, nickname: "NICKNAME-OF-BOB")
        peer.signingKey = SigningPublicKey(Bytes32(high: 0x1122_3344_5566_7788, low: 99))
        let message = Event.privateMessage(
            ChatMessage(
                id: "m-77", sender: PeerID(rawValue: 0xFEDC_BA98_7654_3210), senderName: "alice",
                peer: PeerID(rawValue: 0xFEDC_BA98_7654_3210), text: "THE-SECRET-TEXT",
                sentAt: WallTime(milliseconds: 7_000_000_001), receivedAt: WallTime(milliseconds: 7_000_000_002),
                isOwn: false))
        let all = secrets([peer])
        for round in 1...3 {
            let journal = try home.open()
            let recorder = Recorder()
            journal.start(reporting: recorder.reports)
            _ = journal.append(
                [.event(message), .identity(peer)] + Metric.allCases.map { .put(.metric($0, 7_000_000_001)) })
            try recorder.wait(for: .committed(1))
            peer.nickname = round == 1 ? "ALIAS-OF-BOB" : "NICKNAME-OF-BOB"
            _ = journal.append([.identity(peer), .event(event(round, text: "THE-SECRET-TEXT"))])
            _ = journal.append(Metric.allCases.dropFirst(round).map { .put(.metric($0, 7_000_000_002)) })
            _ = journal.append(Metric.allCases.prefix(round).map { .remove(Record.metric($0, 0).key) })
            try recorder.wait(for: .committed(4))
            try look(for: all, in: ["satchel.db", "satchel.db-shm", "satchel.db-wal"])
            journal.close()
            try look(for: all, in: ["satchel.db"])
        }
    }

    @Test("equal events are sealed differently")
    func nonces() throws {
        let journal = try home.open()
        for _ in 1...2 { _ = journal.append(.event(event(1))) }
        journal.close()
        #expect(try home.database().number("SELECT count(DISTINCT sealed) FROM event") == 2)
        #expect(try home.database().number("SELECT count(DISTINCT length(sealed)) FROM event") == 1)
    }

    @Test("rows that changed places do not open; the others still do")
    func swapped() throws {
        try home.log(1...4)
        try home.database().execute(
            """
            UPDATE event SET sequence = 100 WHERE sequence = 2;
            UPDATE event SET sequence = 2 WHERE sequence = 3;
            UPDATE event SET sequence = 3 WHERE sequence = 100;
            """)
        #expect(try home.open().events(after: 0, limit: 2).map(\.sequence) == [1, 4])
    }

    @Test("a peer's record under another peer's name does not open and is counted")
    func swappedIdentity() throws {
        let journal = try home.open()
        for number in 1...3 { _ = journal.append(.identity(identity(number))) }
        journal.close()
        try home.database().execute(
            "UPDATE identity SET sealed = (SELECT sealed FROM identity WHERE changed = 2) WHERE changed = 1")
        let read = try home.open().identities()
        #expect(read.records == [identity(2), identity(3)])
        #expect(read.damaged == 1)
    }

    @Test(
        "a row with one bit changed, cut short, or emptied does not open",
        arguments: [
            "substr(sealed, 1, length(sealed) - 1) || x'00'", "substr(sealed, 1, 27)", "substr(sealed, 1, 5)", "x''",
        ])
    func damaged(expression: String) throws {
        try home.log(1...3)
        try home.database().execute("UPDATE event SET sealed = CAST(\(expression) AS BLOB) WHERE sequence = 2")
        #expect(try home.open().events(after: 0, limit: 9).map(\.sequence) == [1, 3])
    }

    @Test("another data key is refused, and the database stays as it was")
    func wrongKey() throws {
        try home.log(1...2)
        let before = try home.directory.read("satchel.db")
        #expect(throws: JournalError.wrongDataKey(path: home.path)) { try home.open(key: 8) }
        #expect(try home.directory.read("satchel.db") == before)
        #expect(try home.open().bounds() == 1...2)
    }

    @Test("whom an entry concerns cannot be seen, nor that two stores have an entry with the same name")
    func tags() throws {
        let seal = home.seal()
        let tags = [RecordKey(.metric, [1]), RecordKey(.metric, [2]), RecordKey(.metric, [])].map { seal.tag(of: $0) }
        #expect(Set(tags).count == 3 && tags.allSatisfy { $0.count == 32 })
        #expect(seal.tag(of: RecordKey(.metric, [1])) == tags[0])
        // A peer's pin and an entry under the same key bytes have nothing in common.
        let key = identity(1).noiseKey
        #expect(seal.tag(of: RecordKey(.metric, key.bytes.bytes)) != seal.tag(of: key))
    }

    @Test("a row opens in its own place only, and not as a row of another table")
    func places() {
        let seal = home.seal()
        let tag = seal.tag(of: RecordKey(.metric, [1]))
        let sealed = seal.seal([1, 2, 3], for: .record(kind: 1, tag: tag))
        #expect(seal.open(sealed, for: .record(kind: 1, tag: tag)) == [1, 2, 3])
        #expect(seal.open(sealed, for: .record(kind: 2, tag: tag)) == nil)
        #expect(seal.open(sealed, for: .record(kind: 1, tag: Array(tag.reversed()))) == nil)
        #expect(seal.open(sealed, for: .identity(tag)) == nil && seal.open(sealed, for: .keyCheck) == nil)
    }
}
