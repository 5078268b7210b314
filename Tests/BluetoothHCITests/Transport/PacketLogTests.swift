import Foundation
import Support
import Synchronization
import Testing

@testable import BluetoothHCI

/// Reads a packet log from the format's description, not from our writer.
private struct Snoop {
    struct Record: Equatable {
        var data: [UInt8]
        var flags: UInt32
        var drops: UInt32
        /// Microseconds since 1970.
        var time: Int64
    }

    struct Broken: Error {}

    var records: [Record] = []

    init(_ bytes: [UInt8]) throws {
        var rest = bytes[...]
        func take(_ count: Int) throws -> [UInt8] {
            guard rest.count >= count else { throw Broken() }
            defer { rest = rest.dropFirst(count) }
            return Array(rest.prefix(count))
        }
        func number(_ count: Int) throws -> UInt64 { try take(count).reduce(0) { $0 << 8 | UInt64($1) } }
        guard try take(8) == [0x62, 0x74, 0x73, 0x6E, 0x6F, 0x6F, 0x70, 0], try number(4) == 1, try number(4) == 1002
        else { throw Broken() }
        while !rest.isEmpty {
            let (original, included) = (try number(4), try number(4))
            guard original == included else { throw Broken() }
            let (flags, drops) = (UInt32(try number(4)), UInt32(try number(4)))
            // The format's description gives the start of the year 2000 in its own time, by which to convert.
            let time = Int64(try number(8)) - 0x00E0_3AB4_4A67_6000 + 946_684_800_000_000
            records.append(Record(data: try take(Int(included)), flags: flags, drops: drops, time: time))
        }
    }
}

@Suite("Packet log")
struct PacketLogTests {
    private static let time: Int64 = 1_893_456_000_123_456

    private func log(_ directory: TemporaryDirectory) throws -> PacketLog {
        try PacketLog(path: directory.file("log")) { Issue.record("\($0)") }
    }

    @Test("a log reads back: direction, kind, order, time")
    func readBack() throws {
        let directory = try TemporaryDirectory()
        let log = try log(directory)
        let packets: [([UInt8], Bool, UInt32)] = [
            ([1, 3, 12, 0], true, 2), ([4, 14, 4, 1, 3, 12, 0], false, 3), ([2, 64, 0, 1, 0, 9], true, 0),
            ([2, 64, 32, 1, 0, 9], false, 1), ([5, 1, 0, 0, 0], false, 1),
        ]
        for (place, packet) in packets.enumerated() {
            log.record(packet.0, sent: packet.1, at: Self.time + Int64(place))
        }
        log.record([], sent: true, at: Self.time)
        log.close()
        let expected = packets.enumerated().map { place, packet in
            Snoop.Record(data: packet.0, flags: packet.2, drops: 0, time: Self.time + Int64(place))
        }
        #expect(try Snoop(directory.read("log")).records == expected)
        #expect(try directory.mode("log") == 0o600)
    }

    @Test("times beyond all reason are no trap", arguments: [.min, -1, 0, .max] as [Int64])
    func times(time: Int64) throws {
        let directory = try TemporaryDirectory()
        let log = try log(directory)
        log.record([4, 0xFF, 0], sent: false, at: time)
        log.close()
        #expect(try directory.read("log").count == 16 + 24 + 3)
    }

    @Test("it can be read while it is written, from its first moment")
    func live() throws {
        let directory = try TemporaryDirectory()
        let log = try log(directory)
        #expect(try Snoop(directory.read("log")).records.isEmpty)
        // Wakes for each change of the file, so that nothing is slept for.
        let notify = inotify_watch(directory.file("log"))
        defer { close(notify) }
        log.record([4, 0xFF, 0], sent: false, at: Self.time)
        var entry = pollfd(fd: notify, events: Int16(POLLIN), revents: 0)
        #expect(poll(&entry, 1, 10_000) == 1)
        #expect(try Snoop(directory.read("log")).records.count == 1)
        log.close()
    }

    @Test("what waits is written when the log is let go")
    func letGo() throws {
        let directory = try TemporaryDirectory()
        do {
            let log = try log(directory)
            log.record([4, 0xFF, 0], sent: false, at: Self.time)
        }
        #expect(try Snoop(directory.read("log")).records.count == 1)
    }

    @Test("after the end nothing is recorded, and ending twice is nothing")
    func ended() throws {
        let directory = try TemporaryDirectory()
        let log = try log(directory)
        log.close()
        log.record([4, 0xFF, 0], sent: false, at: Self.time)
        log.close()
        #expect(try Snoop(directory.read("log")).records.isEmpty)
    }

    @Test("adapters write at the same time, and no record is torn")
    func together() throws {
        let directory = try TemporaryDirectory()
        let log = try log(directory)
        DispatchQueue.concurrentPerform(iterations: 4) { adapter in
            for number in 0..<500 {
                let data = [UInt8](repeating: UInt8(adapter), count: number % 50)
                log.record([2, UInt8(adapter)] + data, sent: false, at: Int64(number))
            }
        }
        log.close()
        let records = try Snoop(directory.read("log")).records
        for adapter in 0..<4 as Range<UInt8> {
            let own = records.filter { $0.data[1] == adapter }
            #expect(own.map { $0.time } == Array(0..<500))
            #expect(own.allSatisfy { $0.data.dropFirst(2).allSatisfy { $0 == adapter } })
        }
        #expect(records.count == 2000)
    }

    @Test("what a slow disk leaves no room for is left out and counted")
    func slowDisk() throws {
        let directory = try TemporaryDirectory()
        let log = try log(directory)
        let packet = [2] + [UInt8](repeating: 0, count: 65_535)
        // All of these come before the first flush, a second after the first.
        for _ in 0..<100 { log.record(packet, sent: true, at: 0) }
        log.record([4], sent: true, at: 0)
        log.close()
        let records = try Snoop(directory.read("log")).records
        let kept = BluetoothPolicy.logBacklog / (packet.count + 24)
        #expect(records.count == kept + 1)
        #expect(records.last?.drops == UInt32(100 - kept))
    }

    @Test("a full disk ends the log with one message")
    func fullDisk() throws {
        let messages = Mutex<[String]>([])
        let full = open("/dev/full", O_WRONLY | O_CLOEXEC)
        try #require(full >= 0)
        let log = PacketLog(file: full, path: "/var/log/radio") { text in messages.withLock { $0.append(text) } }
        for _ in 0..<3 { log.record([4, 0xFF, 0], sent: false, at: Self.time) }
        log.close()
        #expect(
            messages.withLock { $0 } == ["the packet log /var/log/radio ends here: No space left on device"])
    }

    @Test("an older log is overwritten and taken from others' eyes")
    func older() throws {
        let directory = try TemporaryDirectory()
        try directory.write([UInt8](repeating: 7, count: 1000), to: "log")
        try directory.setMode(0o644, of: "log")
        try log(directory).close()
        #expect(try directory.read("log").count == 16)
        #expect(try directory.mode("log") == 0o600)
    }

    @Test("what is no file of one's own is left alone")
    func refused() throws {
        let directory = try TemporaryDirectory()
        try directory.write([7], to: "other")
        symlink(directory.file("other"), directory.file("link"))
        mkfifo(directory.file("pipe"), 0o600)
        for name in ["link", "pipe", "none/log", ""] {
            let path = directory.file(name)
            let error = #expect(throws: BluetoothError.self) {
                try PacketLog(path: path) { Issue.record("\($0)") }
            }
            guard case .system(let action, path, _) = error else {
                Issue.record("\(String(describing: error))")
                continue
            }
            #expect(action == "write the packet log")
        }
        #expect(try directory.read("other") == [7])
    }
}

/// A descriptor that becomes readable when a file is changed.
private func inotify_watch(_ path: String) -> Int32 {
    let descriptor = inotify_init1(Int32(IN_CLOEXEC))
    inotify_add_watch(descriptor, path, UInt32(IN_MODIFY))
    return descriptor
}
