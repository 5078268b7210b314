import Application
import Domain
import Foundation
import Support
import Synchronization
import Testing

@testable import MediaFolder

/// What a media folder reported.
private enum Report: Hashable, Sendable {
    case stored(UInt64, String)
    case failed(UInt64)
}

/// A media folder's place, a clock that tests turn, and what was reported.
private final class Home: Sendable {
    static let day: Int64 = 86_400
    let directory: TemporaryDirectory
    let time = Mutex<Int64>(Int64(Date.now.timeIntervalSince1970))
    let reports = Mutex<[Report]>([])
    let reason = Mutex("")

    init() throws { directory = try TemporaryDirectory() }

    var root: String { directory.file("media") }

    func open(_ policy: MediaPolicy = MediaPolicy()) throws(MediaError) -> MediaFolder {
        try MediaFolder(
            root: root, policy: policy, random: { 0xfeed },
            now: { [self] in WallTime(milliseconds: UInt64(time.withLock { $0 } * 1000)) })
    }

    func start(_ folder: MediaFolder) {
        folder.start(
            reporting: MediaReports(
                stored: { [self] ticket, path in
                    let relative = path.hasPrefix(root + "/") ? String(path.dropFirst(root.count + 1)) : path
                    reports.withLock { $0.append(.stored(ticket.rawValue, relative)) }
                },
                failed: { [self] ticket, text in
                    reason.withLock { $0 = text }
                    reports.withLock { $0.append(.failed(ticket.rawValue)) }
                }))
    }

    /// Stores files one after the other and answers the reports.
    func store(
        _ files: [(name: String, content: [UInt8])], category: FileCategory = .file, policy: MediaPolicy = MediaPolicy()
    ) throws -> [Report] {
        let folder = try open(policy)
        reports.withLock { $0 = [] }
        start(folder)
        for file in files { _ = folder.store(file.content, name: file.name, category: category) }
        folder.close()
        return reports.withLock { $0 }
    }

    func names(_ folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: root + "/" + folder).sorted()
    }

    func age(_ file: String, seconds: Int64) throws {
        let date = Date(timeIntervalSince1970: TimeInterval(time.withLock { $0 } - seconds))
        try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: root + "/" + file)
    }

    func put(_ file: String, bytes: Int, age: Int64) throws {
        let url = URL(fileURLWithPath: root + "/" + file)
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(count: bytes).write(to: url)
        try self.age(file, seconds: age)
    }
}

@Suite("Media folder")
struct MediaFolderTests {
    private let home: Home

    init() throws { home = try Home() }

    @Test(
        "a file arrives whole, in its category's folder, for its owner alone",
        arguments: [FileCategory.image, .audio, .file])
    func stored(category: FileCategory) throws {
        let content = (0..<70_000).map { UInt8(truncatingIfNeeded: $0) }
        #expect(
            try home.store([("a.png", content)], category: category)
                == [.stored(1, "\(category.rawValue)/incoming/a.png")])
        #expect(try home.directory.read("media/\(category.rawValue)/incoming/a.png") == content)
        #expect(try home.directory.mode("media/\(category.rawValue)/incoming/a.png") == 0o600)
        for folder in ["media", "media/\(category.rawValue)", "media/\(category.rawValue)/incoming"] {
            #expect(try home.directory.mode(folder) == 0o700)
        }
        #expect(try home.names("\(category.rawValue)/incoming") == ["a.png"])
    }

    @Test("tickets rise at once; reports come in their order")
    func order() throws {
        let folder = try home.open()
        let tickets = ["a", "b"].map { folder.store([], name: $0, category: .file).rawValue }
        #expect(tickets == [1, 2])
        home.start(folder)
        folder.close()
        #expect(home.reports.withLock { $0 } == [.stored(1, "files/incoming/a"), .stored(2, "files/incoming/b")])
    }

    @Test("nothing is overwritten: numbers to 99, then a random name, then a refusal")
    func numbers() throws {
        let files = (0..<102).map { (name: "a.b.txt", content: [UInt8($0)]) }
        let reports = try home.store(files)
        #expect(reports[0] == .stored(1, "files/incoming/a.b.txt"))
        #expect(reports[1] == .stored(2, "files/incoming/a.b (1).txt"))
        #expect(reports[99] == .stored(100, "files/incoming/a.b (99).txt"))
        #expect(reports[100] == .stored(101, "files/incoming/a.b (000000000000feed).txt"))
        // The tests' random number is always the same one.
        #expect(reports[101] == .failed(102))
        for (index, report) in reports.dropLast().enumerated() {
            guard case .stored(_, let path) = report else { continue }
            #expect(try home.directory.read("media/" + path) == [UInt8(index)])
        }
        #expect(try home.names("files/incoming").count == 101)
    }

    @Test(
        "a name that could lead elsewhere or hide is not used",
        arguments: ["", ".", "..", "../x", "/etc/x", "a/b", "a\\b", "a\u{0}b", "a\nb", ".part-1", ".bashrc"])
    func unsafeNames(name: String) throws {
        #expect(try home.store([(name, [1])]) == [.stored(1, "files/incoming/blocked_000000000000feed")])
        #expect(try home.directory.names() == ["media"])
    }

    @Test("a long name is cut between scalars and keeps its ending", arguments: ["x", "é", "😀", "e\u{301}"])
    func longNames(character: String) throws {
        let name = String(repeating: character, count: 250) + ".jpeg"
        for number in 1...2 {
            guard case .stored(_, let path)? = try home.store([(name, [1])]).first else {
                Issue.record("not stored")
                return
            }
            let leaf = path.dropFirst("files/incoming/".count)
            #expect(leaf.utf8.count <= 255 && leaf.hasSuffix(number == 1 ? ".jpeg" : " (1).jpeg"))
            #expect(leaf.unicodeScalars.first == character.unicodeScalars.first)
        }
    }

    @Test("the oldest files over all folders make room, live recordings never")
    func quota() throws {
        _ = try home.open()
        try home.put("images/incoming/new.png", bytes: 400, age: 10)
        try home.put("files/incoming/oldest.bin", bytes: 300, age: 40)
        try home.put("voicenotes/incoming/old.m4a", bytes: 200, age: 30)
        try home.put("voicenotes/incoming/voice_live_1.m4a", bytes: 100, age: 50)
        var policy = MediaPolicy()
        policy.quota = 1000
        #expect(
            try home.store([("a", [UInt8](repeating: 1, count: 300))], policy: policy) == [
                .stored(1, "files/incoming/a")
            ])
        #expect(try home.names("files/incoming") == ["a"])
        #expect(try home.names("voicenotes/incoming") == ["old.m4a", "voice_live_1.m4a"])
        try home.age("files/incoming/a", seconds: 20)
        _ = try home.store([("b", [UInt8](repeating: 1, count: 200))], policy: policy)
        #expect(try home.names("voicenotes/incoming") == ["voice_live_1.m4a"])
        #expect(try home.names("files/incoming") == ["a", "b"])
        #expect(try home.names("images/incoming") == ["new.png"])
    }

    @Test("a file beyond the quota fails and evicts nothing; one that live recordings leave no room for fails")
    func beyondQuota() throws {
        _ = try home.open()
        try home.put("images/incoming/keep.png", bytes: 400, age: 10)
        var policy = MediaPolicy()
        policy.quota = 500
        #expect(try home.store([("a", [UInt8](repeating: 1, count: 501))], policy: policy) == [.failed(1)])
        #expect(home.reason.withLock { $0 }.contains("exceed the quota of 500"))
        #expect(try home.names("images/incoming") == ["keep.png"])
        try home.put("voicenotes/incoming/voice_live_1.m4a", bytes: 400, age: 10)
        #expect(try home.store([("a", [UInt8](repeating: 1, count: 101))], policy: policy) == [.failed(1)])
        #expect(try home.names("voicenotes/incoming") == ["voice_live_1.m4a"])
        #expect(try home.names("files/incoming").isEmpty)
    }

    @Test("files go after seven days, at start and with a later day's first file; outgoing ones too")
    func retention() throws {
        _ = try home.open()
        try home.put("images/incoming/old.png", bytes: 1, age: 7 * Home.day + 5)
        try home.put("images/outgoing/old.png", bytes: 1, age: 7 * Home.day + 5)
        try home.put("images/incoming/fresh.png", bytes: 1, age: 7 * Home.day - 5)
        let folder = try home.open()
        #expect(try home.names("images/incoming") == ["fresh.png"])
        #expect(try home.names("images/outgoing").isEmpty)
        home.time.withLock { $0 += Home.day }
        home.start(folder)
        _ = folder.store([1], name: "a", category: .file)
        folder.close()
        #expect(try home.names("images/incoming").isEmpty)
        #expect(try home.names("files/incoming") == ["a"])
    }

    @Test("a clock that reads 1970 removes nothing")
    func clockBehind() throws {
        _ = try home.open()
        try home.put("images/incoming/a.png", bytes: 1, age: 0)
        home.time.withLock { $0 = 0 }
        _ = try home.open()
        #expect(try home.names("images/incoming") == ["a.png"])
    }

    @Test("what a crash left unfinished is gone after the next start, and is never shown")
    func unfinished() throws {
        _ = try home.open()
        try home.put("files/incoming/.part-1", bytes: 5, age: 1)
        try home.put("files/incoming/whole", bytes: 5, age: 1)
        _ = try home.open()
        #expect(try home.names("files/incoming") == ["whole"])
    }

    @Test("a link in a folder's place is not followed")
    func links() throws {
        try FileManager.default.createDirectory(atPath: home.root, withIntermediateDirectories: false)
        try FileManager.default.createDirectory(
            atPath: home.directory.file("elsewhere"), withIntermediateDirectories: false)
        try FileManager.default.createSymbolicLink(
            atPath: home.root + "/images", withDestinationPath: home.directory.file("elsewhere"))
        let error = #expect(throws: MediaError.self) { try home.open() }
        #expect(error?.path == home.root + "/images")
        #expect(try FileManager.default.contentsOfDirectory(atPath: home.directory.file("elsewhere")).isEmpty)
    }

    @Test("a link in a file's place is neither followed nor replaced")
    func fileLink() throws {
        _ = try home.open()
        try home.directory.write([9], to: "target")
        try FileManager.default.createSymbolicLink(
            atPath: home.root + "/files/incoming/a", withDestinationPath: home.directory.file("target"))
        #expect(try home.store([("a", [1])]) == [.stored(1, "files/incoming/a (1)")])
        #expect(try home.directory.read("target") == [9])
    }

    @Test("a place that cannot be is named")
    func noPlace() throws {
        try home.directory.write([1], to: "media")
        #expect(throws: MediaError(home.root, reason: "Not a directory")) { try home.open() }
    }

    @Test("a folder that vanished fails the file, and says so")
    func vanished() throws {
        let folder = try home.open()
        try FileManager.default.removeItem(atPath: home.root)
        home.start(folder)
        _ = folder.store([1], name: "a", category: .file)
        folder.close()
        #expect(home.reports.withLock { $0 } == [.failed(1)])
        #expect(home.reason.withLock { $0 }.contains("No such file or directory"))
    }

    @Test("files that find no room in the queue fail; a closed folder takes none")
    func fullQueue() throws {
        var policy = MediaPolicy()
        policy.queueLimit = 10
        let files: [(name: String, content: [UInt8])] = [
            ("a", [UInt8](repeating: 1, count: 8)), ("b", [1, 2, 3]), ("c", [1, 2]),
        ]
        let folder = try home.open(policy)
        for file in files { _ = folder.store(file.content, name: file.name, category: .file) }
        home.start(folder)
        folder.close()
        _ = folder.store([1], name: "d", category: .file)
        folder.close()
        #expect(
            home.reports.withLock { $0 } == [
                .stored(1, "files/incoming/a"), .failed(2), .stored(3, "files/incoming/c"), .failed(4),
            ])
    }

    @Test("where the disk takes no more, the file fails with the reason and leaves nothing")
    func diskFull() async throws {
        // A process of its own: the limit holds for every file that a process writes.
        await #expect(processExitsWith: .success) {
            signal(SIGXFSZ, SIG_IGN)
            var limit = rlimit(rlim_cur: 65_536, rlim_max: 65_536)
            setrlimit(__rlimit_resource_t(UInt32(RLIMIT_FSIZE.rawValue)), &limit)
            let home = try Home()
            let reports = try home.store([
                ("big", [UInt8](repeating: 1, count: 65_537)), ("small", [UInt8](repeating: 1, count: 65_536)),
            ])
            #expect(reports == [.failed(1), .stored(2, "files/incoming/small")])
            #expect(home.reason.withLock { $0 }.contains("File too large"))
            #expect(try home.names("files/incoming") == ["small"])
        }
    }
}
