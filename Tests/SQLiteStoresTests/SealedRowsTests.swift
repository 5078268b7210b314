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

    @Test("neither text nor names nor keys are in the files, the write-ahead log included")
    func nothingPlain() throws {
        let journal = try home.open()
        let recorder = Recorder()
        journal.start(reporting: recorder.reports)
        let secret = identity(3, nickname: "NICKNAME-OF-BOB")
        _ = journal.append(.event(event(1, text: "THE-SECRET-TEXT")))
        _ = journal.append(.identity(secret))
        journal.close()
        let again = try home.open()
        again.start(reporting: recorder.reports)
        _ = again.append(.event(event(2, text: "THE-SECRET-TEXT")))
        try recorder.wait(for: .logged(2))
        #expect(try home.directory.names() == ["satchel.db", "satchel.db-shm", "satchel.db-wal"])
        for file in try home.directory.names() {
            let bytes = try home.directory.read(file)
            #expect(!bytes.isEmpty)
            #expect(try home.directory.mode(file) == 0o600)
            for plain in ["THE-SECRET-TEXT", "NICKNAME-OF-BOB", "publicMessage", "alice", secret.noiseKey.bytes.hex] {
                #expect(!bytes.contains(Array(plain.utf8)), "\(plain) in \(file)")
            }
            #expect(!bytes.contains(secret.noiseKey.bytes.bytes))
        }
        again.close()
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
}
