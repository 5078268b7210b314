import Dispatch
import Domain
import Glibc
import Synchronization

/// Writes HCI packets to a file in btsnoop format, which Wireshark and btmon read. One file serves all adapters.
///
/// Packets are written on a queue of the log's own, at the latest a second after they came: a slow disk never holds up a
/// radio. What does not fit into memory meanwhile is left out, and the log says how many packets that were. When the
/// disk refuses (it is full), the log ends, says so once, and everything else goes on.
///
/// The format, all numbers most significant byte first: a head of eight bytes of name, version and kind of link; then per
/// packet its length, the length that is included, flags (1: from the controller, 2: command or event), how many packets
/// were left out so far, and the time in microseconds since the year 0 (as the format counts it). Kind 1002 is HCI with H4 indicators.
public final class PacketLog: Sendable {
    private struct State {
        /// -1 once closed.
        var file: Int32
        var waiting: [UInt8] = []
        var leftOut: UInt32 = 0
        var isFlushDue = false
    }

    private let state: Mutex<State>
    private let path: String
    private let report: @Sendable (String) -> Void
    private let queue = DispatchQueue(label: "satchel.packet-log", qos: .utility)

    /// `btsnoop`, version 1, H4.
    private static let head = Array("btsnoop\0".utf8) + bytes(UInt32(1)) + bytes(UInt32(1002))
    /// Midnight of 1 January 1970 in the format's time, in microseconds.
    private static let epoch: UInt64 = 0x00DC_DDB3_0F2F_8000

    /// Begins a log. A file that is there is overwritten; it is for its owner's eyes alone.
    ///
    /// - Parameters:
    ///   - path: The file. A symbolic link is refused: following one would overwrite whatever it names.
    ///   - report: Takes the message when the log ends early.
    /// - Throws: ``BluetoothError/system(action:subject:code:)``.
    public convenience init(path: String, report: @escaping @Sendable (String) -> Void) throws(BluetoothError) {
        // Not blocking, for the case that the path is a pipe; and not cut before it is known what it is.
        let flags = O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
        let file = open(path, flags, 0o600)
        guard file >= 0 else { throw .system(action: "write the packet log", subject: path, code: errno) }
        var status = stat()
        var code: Int32 = 0
        if fstat(file, &status) != 0 || fchmod(file, 0o600) != 0 {
            code = errno
        } else if status.st_mode & S_IFMT != S_IFREG {
            code = EINVAL
        } else if ftruncate(file, 0) != 0 {
            code = errno
        }
        guard code == 0 else {
            Glibc.close(file)
            throw .system(action: "write the packet log", subject: path, code: code)
        }
        self.init(file: file, path: path, report: report)
    }

    /// Writes to an open file, which is closed here.
    init(file: Int32, path: String, report: @escaping @Sendable (String) -> Void) {
        self.path = path
        self.report = report
        state = Mutex(State(file: file))
        // At once: a log without packets is a log too.
        state.withLock { $0.waiting = Self.head }
        flush()
    }

    deinit {
        // Nobody else is here any more, not even on the queue.
        flush()
        state.withLock { if $0.file >= 0 { Glibc.close($0.file) } }
    }

    /// Records a packet.
    ///
    /// - Parameters:
    ///   - packet: The whole packet, indicator included.
    ///   - sent: Whether it goes to the controller.
    ///   - microseconds: The time since 1970, in microseconds.
    public func record(_ packet: [UInt8], sent: Bool, at microseconds: Int64) {
        let isDue = state.withLock { state in
            guard state.file >= 0, let indicator = packet.first else { return false }
            guard state.waiting.count + packet.count <= BluetoothPolicy.logBacklog else {
                state.leftOut = state.leftOut == .max ? .max : state.leftOut + 1
                return false
            }
            let isCommandOrEvent = indicator == 1 || indicator == 4
            let length = Self.bytes(UInt32(clamping: packet.count))
            state.waiting += length
            state.waiting += length
            state.waiting += Self.bytes((sent ? 0 : 1) | (isCommandOrEvent ? 2 : 0) as UInt32)
            state.waiting += Self.bytes(state.leftOut)
            state.waiting += Self.bytes(Self.epoch &+ UInt64(bitPattern: microseconds))
            state.waiting += packet
            defer { state.isFlushDue = true }
            return !state.isFlushDue
        }
        guard isDue else { return }
        queue.asyncAfter(deadline: .now() + .milliseconds(Int(BluetoothPolicy.logDelay.count))) { [weak self] in
            self?.flush()
        }
    }

    /// Writes what waits and ends the log; further packets are not recorded.
    public func close() {
        // On the queue, behind a flush that is under way.
        queue.sync {
            flush()
            end()
        }
    }

    private func flush() {
        let (file, bytes) = state.withLock { state in
            defer { (state.waiting, state.isFlushDue) = ([], false) }
            return (state.file, state.waiting)
        }
        guard file >= 0, !bytes.isEmpty, let code = Self.write(bytes, to: file) else { return }
        end()
        report("the packet log \(path) ends here: \(errorText(code))")
    }

    private func end() {
        let file = state.withLock { state in
            defer { (state.file, state.waiting) = (-1, []) }
            return state.file
        }
        if file >= 0 { Glibc.close(file) }
    }

    /// Writes all of it, or none: what a full disk took of it would be half a packet. Returns the `errno`.
    private static func write(_ bytes: [UInt8], to file: Int32) -> Int32? {
        let before = lseek(file, 0, SEEK_CUR)
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                let code = count < 0 ? errno : ENOSPC
                if before >= 0 { ftruncate(file, before) }
                return code
            }
            rest = rest.dropFirst(count)
        }
        return nil
    }

    private static func bytes<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
        withUnsafeBytes(of: number.bigEndian) { Array($0) }
    }
}
