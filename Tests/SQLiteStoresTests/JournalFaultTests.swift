import Application
import Domain
import Foundation
import Support
import Testing

@testable import SQLiteStores

/// The file system's view of who this thread is; glibc's, not in the Swift overlay.
@_silgen_name("setfsuid") private func setfsuid(_ user: UInt32) -> Int32

@Suite("Journal on a bad day")
struct JournalFaultTests {
    let home: JournalHome

    init() throws { home = try JournalHome() }

    @Test("a full database fails what does not fit, with the reason, and takes what fits again later")
    func full() throws {
        var policy = JournalPolicy()
        policy.pageLimit = 60
        let journal = try home.open(policy: policy)
        let recorder = Recorder()
        _ = journal.append(.event(event(1)))
        journal.start(reporting: recorder.reports)
        try recorder.wait(for: .logged(1))
        let big = journal.append(.event(event(2, text: String(repeating: "x", count: 400_000))))
        try recorder.wait(for: .failed(big.rawValue))
        #expect(recorder.reason.contains("database or disk is full"))
        _ = journal.append(.event(event(3)))
        journal.close()
        #expect(recorder.all == [.committed(1), .logged(1), .failed(2), .committed(3), .logged(2)])
        #expect(try home.open().events(after: 0, limit: 9).map(\.event) == [event(1), event(3)])
    }

    @Test("a group that fails leaves nothing behind")
    func atomicGroup() throws {
        var policy = JournalPolicy()
        policy.pageLimit = 60
        let journal = try home.open(policy: policy)
        let recorder = Recorder()
        _ = journal.append(.identity(identity(1)))
        _ = journal.append(.event(event(1)))
        _ = journal.append(.event(event(2, text: String(repeating: "x", count: 400_000))))
        journal.start(reporting: recorder.reports)
        journal.close()
        #expect(recorder.all == [.failed(1), .failed(2), .failed(3)])
        #expect(try home.open().bounds() == nil)
        #expect(try home.open().identities().records.isEmpty)
    }

    @Test("a place that cannot be is named")
    func noPlace() throws {
        try home.directory.write([1], to: "file")
        let path = home.directory.file("file/satchel.db")
        #expect(throws: JournalError.unusable(path: path, reason: "Not a directory")) { try home.open(path: path) }
        #expect(throws: JournalError.self) { try home.open(path: home.directory.file("missing/satchel.db")) }
        #expect(try home.directory.names() == ["file"])
    }

    @Test("a directory that we may not write to is named")
    func readOnly() throws {
        // As root the thread becomes nobody for the file system; otherwise the mode is enough.
        try FileManager.default.createDirectory(
            atPath: home.directory.file("closed"), withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o555])
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: home.directory.path)
        let path = home.directory.file("closed/satchel.db")
        let user = setfsuid(65_534)
        let error = #expect(throws: JournalError.self) { try home.open(path: path) }
        _ = setfsuid(UInt32(bitPattern: user))
        #expect(error == .unusable(path: path, reason: "Permission denied"))
    }

    @Test("a database in a directory that we may not write to is named, and stays as it is")
    func readOnlyWithDatabase() throws {
        try home.log(1...3)
        let before = try home.directory.read("satchel.db")
        let manager = FileManager.default
        if getuid() == 0 { try manager.setAttributes([.ownerAccountID: 65_534], ofItemAtPath: home.path) }
        try manager.setAttributes([.posixPermissions: 0o555], ofItemAtPath: home.directory.path)
        let user = setfsuid(65_534)
        let error = #expect(throws: JournalError.self) { try home.open() }
        _ = setfsuid(UInt32(bitPattern: user))
        #expect(error == .unusable(path: home.path, reason: "no files can be made in its directory"))
        #expect(error.map { "\($0)".contains("\(home.path): ") } == true, "\(String(describing: error))")
        try manager.setAttributes([.posixPermissions: 0o755], ofItemAtPath: home.directory.path)
        #expect(try home.directory.read("satchel.db") == before)
        #expect(try home.directory.names() == ["satchel.db"])
        #expect(try home.open().bounds() == 1...3)
    }

    @Test("a database that was full when the node stopped is read at the start, and takes what fits")
    func fullAtStart() throws {
        var policy = JournalPolicy()
        policy.pageLimit = 60
        let journal = try home.open(policy: policy)
        let recorder = Recorder()
        journal.start(reporting: recorder.reports)
        _ = journal.append(.put(.metric(.queued, 7)))
        var number = 0
        var isCommitted = true
        while isCommitted, number < 1000 {
            number += 1
            isCommitted = try recorder.isCommitted(
                journal.append(.event(event(number, text: String(repeating: "x", count: 3000)))))
        }
        journal.close()
        #expect(number > 5 && number < 1000)
        let again = try home.open(policy: policy)
        #expect(try again.records().records == [.metric(.queued, 7)])
        #expect(try again.bounds() == 1...UInt64(number - 1))
        let second = Recorder()
        again.start(reporting: second.reports)
        _ = again.append(.put(.metric(.queued, 8)))
        again.close()
        #expect(second.all == [.committed(1)])
    }

    @Test("a corrupt database is set aside, whole, and a new one made", arguments: [0, 100, 4096 * 2])
    func corrupt(offset: Int) throws {
        try home.log(1...200)
        var bytes = try home.directory.read("satchel.db")
        for index in offset..<(offset + 64) { bytes[index] = 0xA5 }
        try home.directory.write(bytes, to: "satchel.db")
        let journal = try home.open()
        let aside = try #require(journal.setAside)
        #expect(aside == home.path + ".corrupt-1700000000000")
        #expect(try home.directory.read("satchel.db.corrupt-1700000000000") == bytes)
        #expect(try journal.bounds() == nil)
        journal.close()
        try home.log(1...2)
        // No cursor into the old log lies in or above the new one.
        #expect(try home.open().bounds() == 1_700_000_000_001...1_700_000_000_002)
    }

    @Test("a second corrupt database does not replace the first one set aside")
    func corruptTwice() throws {
        for number in [UInt8(1), 2] {
            try home.directory.write([UInt8](repeating: number, count: 4096), to: "satchel.db")
            try home.open().close()
        }
        #expect(try home.directory.read("satchel.db.corrupt-1700000000000").first == 1)
        #expect(try home.directory.read("satchel.db.corrupt-1700000000000-1").first == 2)
    }

    @Test(
        "a write-ahead log that makes no sense is passed over: the database is as it was before",
        arguments: [0, 32, 4096])
    func brokenLog(length: Int) throws {
        try home.log(1...3)
        try home.directory.write([UInt8](repeating: 0x5A, count: length), to: "satchel.db-wal")
        let journal = try home.open()
        #expect(journal.setAside == nil)
        #expect(try journal.bounds() == 1...3)
        journal.close()
        try home.log(4...4)
        #expect(try home.open().bounds() == 1...4)
    }

    @Test("a newer schema is refused and left alone")
    func newer() throws {
        try home.log(1...2)
        try home.database().execute("PRAGMA user_version = 99")
        #expect(throws: JournalError.newerSchema(path: home.path, version: 99)) { try home.open() }
        #expect(try home.directory.names() == ["satchel.db"])
        try home.database().execute("PRAGMA user_version = \(JournalSchema.migrations.count)")
        #expect(try home.open().bounds() == 1...2)
    }

    @Test("another program's database is refused and left alone")
    func foreign() throws {
        try home.directory.write([], to: "satchel.db")
        try home.database().execute("CREATE TABLE mine (a)")
        #expect(throws: JournalError.foreign(path: home.path)) { try home.open() }
        try home.database().execute("DROP TABLE mine; PRAGMA application_id = 5")
        #expect(throws: JournalError.foreign(path: home.path)) { try home.open() }
        #expect(try home.database().number("PRAGMA application_id") == 5)
    }
}
