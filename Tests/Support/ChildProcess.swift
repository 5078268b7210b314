import Foundation
import Glibc
import Synchronization
import Testing

/// A program that runs beside the test; what it prints is read line by line while it runs.
///
/// Every wait has an end: what does not happen in time is thrown, with what the program had printed by then. The program
/// is killed when the value goes.
public final class ChildProcess: Sendable {
    /// Where a program prints to.
    public enum Stream: Sendable {
        /// Standard output.
        case output
        /// Standard error.
        case errors
    }

    /// The process.
    public let id: pid_t
    private let transcript: Transcript

    /// Two programs that start at the same time must not inherit each other's pipes: these would then never end.
    private static let spawning = Mutex<Void>(())

    /// Starts a program with nothing on its standard input.
    ///
    /// - Parameters:
    ///   - program: A path.
    ///   - arguments: Without the program's own name.
    ///   - environment: All of it: nothing is inherited.
    public init(_ program: String, _ arguments: [String], environment: [String: String]) throws {
        let (process, output, errors) = try Self.spawning.withLock { _ in
            let (output, errors) = (try Self.makePipe(), try Self.makePipe())
            defer {
                close(output.write)
                close(errors.write)
            }
            let process = try Self.spawn(
                program, arguments, environment, output: output.write, errors: errors.write)
            return (process, output.read, errors.read)
        }
        id = process
        transcript = Transcript(
            process: process,
            command: ([program.split(separator: "/").last.map(String.init) ?? program] + arguments)
                .joined(separator: " "))
        let transcript = transcript
        Thread.detachNewThread { transcript.read(output: output, errors: errors) }
    }

    deinit {
        send(SIGKILL)
        _ = try? exitStatus(within: 30)
    }

    // MARK: Watching

    /// The whole lines so far.
    public func lines(_ stream: Stream) -> [String] { transcript.state.look { $0.text(stream).lines } }

    /// All that was printed so far, as one text.
    public func text(_ stream: Stream) -> String { transcript.state.look { $0.text(stream).all } }

    /// Waits for a line.
    ///
    /// - Parameters:
    ///   - start: How many lines from the beginning are passed over.
    ///   - seconds: How long to wait.
    public func line(
        _ stream: Stream, from start: Int = 0, within seconds: Double, where isWanted: (String) -> Bool
    ) throws -> String {
        var position = start
        return try transcript.wait(within: seconds, for: "a line") { state in
            let lines = state.text(stream).lines
            while position < lines.count {
                defer { position += 1 }
                if isWanted(lines[position]) { return .found(lines[position]) }
            }
            return state.status == nil ? nil : .never
        }
    }

    /// Waits for the end: the exit status, or 128 and the number of the signal that ended it.
    @discardableResult
    public func exitStatus(within seconds: Double) throws -> Int32 {
        try transcript.wait(within: seconds, for: "the end") { $0.status.map { .found($0) } }
    }

    /// Whether it has not ended yet.
    public var isRunning: Bool { transcript.state.look { $0.status == nil } }

    /// Sends a signal, unless it has ended.
    public func send(_ signal: Int32) { transcript.send(signal) }

    /// The processor time of all its threads so far, in seconds; `nil` when it has ended.
    public var processorTime: Double? {
        var (clock, time) = (clockid_t(), timespec())
        guard clock_getcpuclockid(id, &clock) == 0, clock_gettime(clock, &time) == 0 else { return nil }
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    /// The most memory that it ever held, in bytes, by the kernel's account.
    public var peakMemory: Int {
        get throws {
            let status = try String(contentsOfFile: "/proc/\(id)/status", encoding: .utf8)
            let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") })
            let words = line.split(separator: " ", omittingEmptySubsequences: true)
            let number = words.compactMap { Int($0.trimmingCharacters(in: .whitespaces)) }.first
            return try #require(number) * 1024
        }
    }

    // MARK: Starting

    private static func makePipe() throws -> (read: Int32, write: Int32) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw POSIXError(.EMFILE) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (ends[0], ends[1])
    }

    private static func spawn(
        _ program: String, _ arguments: [String], _ environment: [String: String], output: Int32, errors: Int32
    ) throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
        posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO)
        // What the test process blocks or ignores, the program must not.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        sigaddset(&signals, SIGPIPE)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))

        // C wants lists of C strings with a null behind the last.
        var words: [UnsafeMutablePointer<CChar>?] = ([program] + arguments).map { strdup($0) } + [nil]
        var variables: [UnsafeMutablePointer<CChar>?] = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for text in words + variables { free(text) } }
        var process: pid_t = 0
        let code = posix_spawn(&process, program, &actions, &attributes, &words, &variables)
        guard code == 0 else { throw POSIXError(POSIXErrorCode(rawValue: code) ?? .EIO) }
        return process
    }
}

/// What a program did not do in time.
public struct Unmet: Error, CustomStringConvertible {
    /// What was awaited, and what the program had printed by then.
    public let description: String
}

/// What a program printed and how it ended; filled by one thread, awaited by others.
private final class Transcript: Sendable {
    struct Text: Sendable {
        private(set) var lines: [String] = []
        private var rest: [UInt8] = []

        mutating func append(_ bytes: ArraySlice<UInt8>) {
            for byte in bytes {
                if byte == 0x0A {
                    lines.append(String(decoding: rest, as: UTF8.self))
                    rest.removeAll(keepingCapacity: true)
                } else {
                    rest.append(byte)
                }
            }
        }

        var all: String { lines.map { $0 + "\n" }.joined() + String(decoding: rest, as: UTF8.self) }
    }

    struct State: Sendable {
        var output = Text()
        var errors = Text()
        var status: Int32?

        func text(_ stream: ChildProcess.Stream) -> Text { stream == .output ? output : errors }
    }

    enum Answer<Result> {
        case found(Result)
        case never
    }

    private let process: pid_t
    private let command: String
    let state = Watched(State())

    init(process: pid_t, command: String) {
        self.process = process
        self.command = command
    }

    /// Under the lock, under which the process is buried too: until then its number belongs to nobody else.
    func send(_ signal: Int32) { state.change { if $0.status == nil { kill(process, signal) } } }

    func wait<Result>(
        within seconds: Double, for what: String, until check: (State) -> Answer<Result>?
    ) throws -> Result {
        switch state.wait(within: seconds, until: check) {
        case .found(let result): return result
        case .never: throw unmet("\(what) did not come, and the program has ended")
        case nil: throw unmet("\(what) did not come in \(seconds) s")
        }
    }

    private func unmet(_ problem: String) -> Unmet {
        func tail(_ text: Text) -> String { text.lines.suffix(25).map { "    " + $0 }.joined(separator: "\n") }
        let state = state.look { $0 }
        return Unmet(
            description: """
                \(command): \(problem); it printed \(state.output.lines.count) lines, the last being
                \(tail(state.output))
                  and on standard error
                \(tail(state.errors))
                """)
    }

    // MARK: The reading thread

    func read(output: Int32, errors: Int32) {
        var open = [output, errors]
        var buffer = [UInt8](repeating: 0, count: 64 * 1024)
        while !open.isEmpty {
            var entries = open.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            guard poll(&entries, nfds_t(entries.count), -1) > 0 else { continue }
            for entry in entries where entry.revents != 0 {
                let count = Glibc.read(entry.fd, &buffer, buffer.count)
                if count > 0 {
                    state.change { state in
                        if entry.fd == output {
                            state.output.append(buffer[..<count])
                        } else {
                            state.errors.append(buffer[..<count])
                        }
                    }
                } else if count == 0 || errno != EINTR {
                    close(entry.fd)
                    open.removeAll { $0 == entry.fd }
                }
            }
        }
        bury()
    }

    private func bury() {
        var information = siginfo_t()
        // It stays a zombie until its number is not used any more.
        while waitid(P_PID, id_t(process), &information, WEXITED | WNOWAIT) != 0, errno == EINTR {}
        state.change { state in
            var status: Int32 = 0
            while waitpid(process, &status, 0) < 0, errno == EINTR {}
            let signal = status & 0x7F
            state.status = signal == 0 ? status >> 8 & 0xFF : 128 + signal
        }
    }
}
