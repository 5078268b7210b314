import Domain
import Foundation
import Glibc
import Testing

/// A real node: the built program in a process of its own, with a home of its own, driven as a person would.
///
/// Nothing of the user who runs the tests is touched: HOME and all XDG directories lie in the node's own folder.
public final class SatchelNode {
    /// How long anything may take that has no bound of its own; generous, for machines that do much else.
    public static let patience = 120.0

    /// The nickname, and the name of the home.
    public let name: String
    /// The folder that `--home` names.
    public let home: String
    private let folder: TemporaryDirectory
    private let program: String
    private let options: [String]
    private let environment: [String: String]
    private var process: ChildProcess?
    private var feed: EventFeed?

    /// What a command printed and how it ended.
    public struct Outcome {
        /// The exit status.
        public let status: Int32
        /// Standard output.
        public let output: String
        /// Standard error.
        public let notes: String

        /// Standard output as one JSON document; throws when it is not exactly that.
        public var json: JSONValue { get throws { try JSONValue(parsing: output) } }
        /// Standard output as one JSON document a line.
        public var jsonLines: [JSONValue] {
            get throws { try output.split(separator: "\n").map { try JSONValue(parsing: $0.utf8) } }
        }
    }

    /// Describes a node; nothing runs before ``start(_:)``.
    ///
    /// - Parameters:
    ///   - folder: Where the home is made; short, for the control socket's path is bounded.
    ///   - options: What `run` gets beside the home; airs and addresses.
    public init(_ name: String, in folder: TemporaryDirectory, options: [String]) throws {
        self.name = name
        self.folder = folder
        self.options = options
        home = folder.file(name)
        program = try BuiltProgram("satchel").url.path
        var environment = ["HOME": home, "TMPDIR": home]
        for directory in ["CONFIG", "DATA", "CACHE", "STATE", "RUNTIME"] {
            environment["XDG_\(directory)\(directory == "RUNTIME" ? "_DIR" : "_HOME")"] = home
        }
        environment["PATH"] = ProcessInfo.processInfo.environment["PATH"]
        // The adapter of whoever runs the tests is left alone, unless the options name it.
        environment["SATCHEL_LINKS_ADAPTER"] = "off"
        self.environment = environment
        try FileManager.default.createDirectory(
            atPath: home, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }

    deinit {
        // Before the folder goes: a node that runs would make its files again.
        feed = nil
        process = nil
    }

    // MARK: The process

    /// Starts the node and waits until it says that it is up.
    ///
    /// - Parameter more: Options for this start alone.
    public func start(_ more: [String] = []) throws {
        let process = try launch(more)
        do {
            _ = try process.line(.errors, within: Self.patience) { $0.contains(" is up, process ") }
        } catch {
            self.process = nil
            throw error
        }
    }

    /// Starts the node without waiting; for starts that are to be refused.
    @discardableResult
    public func launch(_ more: [String] = []) throws -> ChildProcess {
        let process = try spawn(["run"] + options + more)
        self.process = process
        return process
    }

    /// The running process; its standard error is the log.
    public var log: ChildProcess { get throws { try #require(process, "\(name) was not started") } }

    /// The TCP address that the node listens on.
    public var address: String {
        get throws {
            let line = try log.line(.errors, within: Self.patience) { $0.contains("listening on ") }
            return String(try #require(line.split(separator: " ").last))
        }
    }

    /// Asks the node to leave, and waits until it has.
    ///
    /// - Returns: The exit status.
    @discardableResult
    public func stop() throws -> Int32 {
        feed = nil
        let process = try log
        process.send(SIGTERM)
        defer { self.process = nil }
        return try process.exitStatus(within: Self.patience)
    }

    /// Ends the node as a power cut would.
    public func kill() throws {
        feed = nil
        try log.send(SIGKILL)
        try log.exitStatus(within: Self.patience)
        process = nil
    }

    /// The most memory that the process ever held, in bytes, by the kernel's account.
    public var peakMemory: Int { get throws { try log.peakMemory } }

    // MARK: Commands

    /// Starts a command that talks to this node.
    public func spawn(_ words: [String]) throws -> ChildProcess {
        try ChildProcess(program, ["--home", home] + words, environment: environment)
    }

    /// Runs a command to its end.
    public func run(_ words: [String]) throws -> Outcome {
        let process = try spawn(words)
        let status = try process.exitStatus(within: Self.patience)
        return Outcome(status: status, output: process.text(.output), notes: process.text(.errors))
    }

    /// Runs a command to its end.
    public func run(_ words: String...) throws -> Outcome { try run(words) }

    /// Runs a command that must succeed, and answers its one JSON document.
    public func json(_ words: String..., sourceLocation: SourceLocation = #_sourceLocation) throws -> JSONValue {
        // In front, because what follows -- is no option.
        let outcome = try run(["--json"] + words)
        try #require(outcome.status == 0, "\(name): \(words): \(outcome.notes)", sourceLocation: sourceLocation)
        return try outcome.json
    }

    /// What `recv --json` prints until `count` messages and files have come.
    public func receive(
        _ count: Int, after cursor: UInt64 = 0, sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> [JSONValue] {
        let outcome = try run(
            "recv", "--json", "--count", String(count), "--after", String(cursor), "--timeout",
            String(Int(Self.patience)))
        try #require(outcome.status == 0, "\(name): \(outcome.notes)", sourceLocation: sourceLocation)
        return try outcome.jsonLines
    }

    /// The whole event log as it stands now.
    public func history() throws -> [JSONValue] {
        let outcome = try run("recv", "--all", "--json")
        try #require(outcome.status == 0, "\(outcome.notes)")
        return try outcome.jsonLines
    }

    /// Follows the event log from its beginning, from the first use on until the node stops.
    public func events() throws -> EventFeed {
        if let feed { return feed }
        let new = EventFeed(try spawn(["recv", "--follow", "--all", "--json"]))
        feed = new
        return new
    }

    /// A counter of `status --json`.
    public func counter(_ name: String) throws -> UInt64 {
        try #require(json("status")["counters"]?[name]?.unsigned, "there is no counter \(name)")
    }

    /// What `peers --json` says of a peer by its nickname.
    public func peer(_ nickname: String) throws -> JSONValue? {
        try json("peers")["peers"]?.array?.first { $0["nickname"]?.string == nickname }
    }

    /// Our identifier.
    public var identifier: String { get throws { try #require(json("identity")["id"]?.string) } }

    /// Waits until a peer is a neighbour, or is heard of through others.
    ///
    /// - Parameter sequence: Only what the log holds behind this event counts.
    public func meet(_ peer: SatchelNode, directly: Bool = true, after sequence: UInt64 = 0) throws {
        let kinds = directly ? ["connected"] : ["connected", "appeared"]
        try events().wait(after: sequence) { event in
            event["type"] == "peer" && event["name"]?.string == peer.name
                && kinds.contains(event["kind"]?.string ?? "")
        }
    }
}

/// The events of a node as `recv --follow` prints them, to be waited for.
public final class EventFeed {
    private let process: ChildProcess
    private var parsed: [JSONValue] = []

    init(_ process: ChildProcess) { self.process = process }

    /// Waits for an event; those that came before count too.
    ///
    /// - Parameters:
    ///   - sequence: Only events behind this one count.
    ///   - seconds: How long to wait.
    @discardableResult
    public func wait(
        after sequence: UInt64 = 0, within seconds: Double = SatchelNode.patience,
        where isWanted: (JSONValue) -> Bool
    ) throws -> JSONValue {
        let deadline = Date(timeIntervalSinceNow: seconds)
        var position = 0
        while true {
            while position < parsed.count {
                let event = parsed[position]
                position += 1
                if event["sequence"]?.unsigned ?? 0 > sequence, isWanted(event) { return event }
            }
            let left = max(0, deadline.timeIntervalSinceNow)
            let line = try process.line(.output, from: position, within: left) { _ in true }
            parsed.append(try JSONValue(parsing: line))
        }
    }
}
