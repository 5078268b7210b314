import Foundation
import Testing

@testable import SocketLinks

@Suite("Air directory")
struct AirDirectoryTests {
    private let folder: TemporaryDirectory
    private var air: String { folder["air"] }

    init() throws { folder = try TemporaryDirectory() }

    private func mode(_ path: String) throws -> mode_t {
        var status = stat()
        try #require(stat(path, &status) == 0)
        return status.st_mode & 0o7777
    }

    @Test("a missing directory is made for us alone, an existing one used")
    func creation() throws {
        _ = try AirDirectory(path: air)
        #expect(try mode(air) == 0o700)
        _ = try AirDirectory(path: air)
    }

    @Test("a missing parent is an error that names the path")
    func missingParent() {
        let path = folder["no/air"]
        let error = #expect(throws: SocketLinksError.self) { try AirDirectory(path: path) }
        #expect(error == .system(action: "create the air directory", subject: path, code: ENOENT))
        #expect(error?.description.contains(path) == true)
    }

    @Test("a file in its place is refused")
    func file() throws {
        try #require(FileManager.default.createFile(atPath: air, contents: nil))
        #expect(throws: SocketLinksError.notADirectory(air)) { try AirDirectory(path: air) }
    }

    @Test("empty paths and zero bytes are refused", arguments: ["", "a\0b"])
    func unusable(path: String) {
        let error = #expect(throws: SocketLinksError.self) { try AirDirectory(path: path) }
        guard case .unsafeDirectory(path, _) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test("a path that leaves no room for a socket's name is refused, with the path and the limit")
    func length() throws {
        // "/" and sixteen digits and ".air" follow.
        let fits = folder[String(repeating: "d", count: 107 - 21 - folder.path.utf8.count - 1)]
        let station = try AirStation(AirName(rawValue: 1), in: AirDirectory(path: fits), backlog: 1)
        station.withdraw()
        let long = fits + "d"
        let socket = long + "/0000000000000000.air"
        let error = #expect(throws: SocketLinksError.pathTooLong(socket, length: 108, limit: 107)) {
            try AirDirectory(path: long)
        }
        #expect(error?.description.contains(socket) == true && error?.description.contains("107") == true)
        #expect(!FileManager.default.fileExists(atPath: long))
    }

    @Test("directories that others could tamper with are refused", arguments: [0o777, 0o770, 0o720, 0o702] as [mode_t])
    func writable(mode: mode_t) throws {
        try #require(mkdir(air, 0o700) == 0 && chmod(air, mode) == 0)
        let error = #expect(throws: SocketLinksError.self) { try AirDirectory(path: air) }
        guard case .unsafeDirectory(air, let reason) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(reason.contains("could replace our socket"))
    }

    @Test("private, readable and sticky directories are good", arguments: [0o700, 0o755, 0o1777, 0o1770] as [mode_t])
    func safe(mode: mode_t) throws {
        try #require(mkdir(air, 0o700) == 0 && chmod(air, mode) == 0)
        _ = try AirDirectory(path: air)
    }

    @Test("another user's directory is refused, root's is not")
    func owner() {
        #expect(AirDirectory.danger(owner: 1001, mode: 0o700, user: 1000) != nil)
        #expect(AirDirectory.danger(owner: 1001, mode: 0o1777, user: 1000) != nil)
        #expect(AirDirectory.danger(owner: 0, mode: 0o1777, user: 1000) == nil)
        #expect(AirDirectory.danger(owner: 1000, mode: 0o700, user: 1000) == nil)
    }

    @Test(
        "the socket lets in whom the directory lets in",
        arguments: [(0o700, 0o600, 0o600), (0o755, 0o600, 0o600), (0o1770, 0o660, 0o640), (0o1777, 0o666, 0o644)]
            as [(mode_t, mode_t, mode_t)])
    func modes(directory: mode_t, socket: mode_t, lock: mode_t) throws {
        try #require(mkdir(air, 0o700) == 0 && chmod(air, directory) == 0)
        let station = try AirStation(AirName(rawValue: 1), in: AirDirectory(path: air), backlog: 1)
        defer { station.withdraw() }
        #expect(try mode(air + "/0000000000000001.air") == socket)
        #expect(try mode(air + "/0000000000000001.lck") == lock)
    }

    @Test("a station is two files, gone when it withdraws")
    func station() throws {
        let station = try AirStation(AirName(rawValue: 0xA1), in: AirDirectory(path: air), backlog: 1)
        #expect(try folder.files("air").sorted() == ["00000000000000a1.air", "00000000000000a1.lck"])
        #expect(station.isIntact)
        station.withdraw()
        #expect(try folder.files("air") == [])
        #expect(!station.isIntact)
    }

    @Test("the dead are swept, the living and strangers' files never")
    func sweep() throws {
        let directory = try AirDirectory(path: air)
        let living = try AirStation(AirName(rawValue: 1), in: directory, backlog: 1)
        for file in ["0000000000000002.air", "0000000000000002.lck", "0000000000000003.new", "0000000000000004.air"] {
            try #require(FileManager.default.createFile(atPath: "\(air)/\(file)", contents: nil))
        }
        let strangers = ["notes.air", "0000000000000002.txt", "000000000000000G.lck"]
        for file in strangers { try #require(FileManager.default.createFile(atPath: "\(air)/\(file)", contents: nil)) }
        let other = try AirDirectory(path: air)
        other.sweep(files: try other.files(), except: AirName(rawValue: 9))
        let kept = ["0000000000000001.air", "0000000000000001.lck"] + strangers
        #expect(try folder.files("air").sorted() == kept.sorted())
        #expect(living.isIntact)
    }

    @Test("a lock file whose lock can be had, but which is no longer the one of that name, is left alone")
    func replaced() throws {
        let directory = try AirDirectory(path: air)
        let path = air + "/0000000000000007.lck"
        let old = Descriptor(open(path, O_RDWR | O_CREAT, 0o600))
        try #require(unlink(path) == 0)
        let new = Descriptor(open(path, O_RDWR | O_CREAT, 0o600))
        #expect(!directory.isStill(old, "0000000000000007.lck"))
        #expect(directory.isStill(new, "0000000000000007.lck"))
    }

    @Test("a pipe or a link with a lock's name neither blocks the sweep nor leads it astray")
    func traps() throws {
        let directory = try AirDirectory(path: air)
        let target = folder["precious"]
        try #require(FileManager.default.createFile(atPath: target, contents: nil))
        try #require(mkfifo(air + "/0000000000000001.lck", 0o600) == 0)
        try #require(symlink(target, air + "/0000000000000002.lck") == 0)
        directory.sweep(files: try directory.files(), except: AirName(rawValue: 9))
        #expect(FileManager.default.fileExists(atPath: target))
        #expect(try folder.files("air").sorted() == ["0000000000000001.lck", "0000000000000002.lck"])
    }

    @Test("nodes that start while others sweep all come up whole", .timeLimit(.minutes(1)))
    func race() async throws {
        let path = air
        _ = try AirDirectory(path: path)
        let starters = 2
        let broken = try await withThrowingTaskGroup(of: Int?.self) { group in
            for starter in 1...starters {
                group.addTask {
                    var broken = 0
                    for round in 1...300 {
                        let name = AirName(rawValue: UInt64(starter * 1000 + round))
                        let station = try AirStation(name, in: AirDirectory(path: path), backlog: 1)
                        if !station.isIntact { broken += 1 }
                        station.withdraw()
                    }
                    return broken
                }
            }
            group.addTask {
                let directory = try AirDirectory(path: path)
                while !Task.isCancelled {
                    directory.sweep(files: try directory.files(), except: AirName(rawValue: 1))
                    await Task.yield()
                }
                return nil
            }
            var (broken, finished) = (0, 0)
            while finished < starters, let result = try await group.next() {
                broken += result ?? 0
                finished += 1
            }
            group.cancelAll()
            return broken
        }
        #expect(broken == 0)
        #expect(try folder.files("air") == [])
    }

    @Test("names are sixteen lower-case digits and sort as their numbers do")
    func names() {
        #expect(AirName(rawValue: 0xABC).description == "0000000000000abc")
        #expect(AirName(file: "0000000000000abc.air", suffix: .socket) == AirName(rawValue: 0xABC))
        for file in ["abc.air", "0000000000000ABC.air", "0000000000000abc.lck", "+000000000000abc.air", ".air", ""] {
            #expect(AirName(file: file, suffix: .socket) == nil)
        }
        #expect(AirName(rawValue: 9) < AirName(rawValue: 10))
        #expect(AirName(rawValue: 9).description < AirName(rawValue: 10).description)
    }
}
