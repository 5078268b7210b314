import Domain
import Foundation
import Testing

/// Bluetooth controllers that hear each other, without a radio: `Tests/Interop/virtual_air.py` in a process of its own.
///
/// One host at a time may use each; what befalls adapters and links is asked for here. Every call returns when it has
/// happened.
public final class VirtualAir: Sendable {
    /// How the controllers are made.
    public struct Options: Sendable {
        /// The length of an ACL buffer, in bytes.
        public var bufferLength = 251
        /// How many of them there are: the credits of the host.
        public var bufferCount = 8
        /// Controllers of Bluetooth 4.0: without extended commands, data length extension and PHYs.
        public var isLegacy = false
        /// The peers of an adapter that vanishes learn of it by supervision timeout, as in nature, and not at once.
        public var hasNaturalTimeouts = false
        /// The controllers are on TCP ports too.
        public var listensOnTCP = false
        /// What hardware of today does.
        public init() {}
    }

    /// What one controller is doing.
    public struct Adapter: Sendable {
        /// Whether its socket is there.
        public let isPresent: Bool
        /// Whether a host uses it.
        public let hasHost: Bool
        /// Whether it advertises.
        public let isAdvertising: Bool
        /// Whether it scans.
        public let isScanning: Bool
        /// Whom it tries to connect to, as text.
        public let connecting: String?
        /// Its random address, as text.
        public let address: String
        /// Its TCP port.
        public let port: UInt64?
        /// Its links.
        public let links: [Link]
    }

    /// One end of a link.
    public struct Link: Sendable {
        /// The connection handle.
        public let handle: UInt64
        /// Whether this end connected.
        public let isCentral: Bool
        /// The address of the far end, as text.
        public let peer: String
        /// The far end's controller; `nil` when it is gone and nobody has noticed.
        public let index: UInt64?
        /// Packets that wait in this end's controller.
        public let waiting: UInt64
    }

    /// What one controller has carried and refused since the start.
    public struct Counts: Sendable {
        fileprivate let json: JSONValue
        private func count(_ name: String) -> UInt64 { json[name]?.unsigned ?? 0 }

        /// HCI commands.
        public var commands: UInt64 { count("commands") }
        /// Commands that were refused, and attempts to connect that ended because the peer was connected already.
        public var refused: UInt64 { count("refused") }
        /// Commands whose parameters were too short or made no sense.
        public var malformed: UInt64 { count("malformed") }
        /// ACL packets from the host, and the bytes in them.
        public var sent: (packets: UInt64, bytes: UInt64) { (count("data_sent"), count("bytes_sent")) }
        /// ACL packets to the host, and the bytes in them.
        public var received: (packets: UInt64, bytes: UInt64) { (count("data_received"), count("bytes_received")) }
        /// ACL packets that the host sent without credit, for no link, or longer than the buffers: its mistakes.
        public var mistakes: UInt64 { count("overflows") + count("strays") + count("too_long") }
    }

    private let folder: TemporaryDirectory
    private let process: ChildProcess
    private let control: RequestSocket

    /// Starts the air and waits until every controller listens.
    public init(adapters count: Int, _ options: Options = Options()) throws {
        folder = try TemporaryDirectory()
        var arguments = [
            folder.path, String(count), "--acl", String(options.bufferLength), "--nbuf", String(options.bufferCount),
        ]
        if options.isLegacy { arguments.append("--legacy") }
        if options.hasNaturalTimeouts { arguments.append("--natural-timeouts") }
        if options.listensOnTCP { arguments += ["--tcp", "0"] }
        process = try InteropPython.start("virtual_air.py", arguments)
        _ = try process.line(.output, within: SatchelNode.patience) { $0 == "READY" }
        control = try RequestSocket(path: folder.file("ctl"))
    }

    /// The path of a controller's socket.
    public func path(of index: Int) -> String { folder.file("hci\(index)") }

    /// A controller as `--adapter` names it.
    public func address(of index: Int) -> String { "h4:unix:\(path(of: index))" }

    /// The processor time that the air has taken so far, in seconds; `nil` when it has ended.
    public var processorTime: Double? { process.processorTime }

    /// The most memory that the air's process ever held, in bytes, by the kernel's account.
    public var peakMemory: Int { get throws { try process.peakMemory } }

    // MARK: The host's side

    /// Closes the host's socket and ends the links.
    public func unplug(_ index: Int) throws { try control.ask("unplug", ["i": .number(index)]) }

    /// Closes the host's socket, ends the links, and keeps the adapter away until ``insert(_:)``.
    public func remove(_ index: Int) throws { try control.ask("remove", ["i": .number(index)]) }

    /// Puts a removed adapter in again.
    public func insert(_ index: Int) throws { try control.ask("insert", ["i": .number(index)]) }

    /// Lets the firmware hang: neither the host nor the air hears of it.
    public func mute(_ index: Int) throws { try control.ask("mute", ["i": .number(index)]) }

    /// Ends the hang.
    public func unmute(_ index: Int) throws { try control.ask("unmute", ["i": .number(index)]) }

    /// Sends the host a Hardware Error event.
    public func hardwareError(_ index: Int, code: UInt8 = 0x42) throws {
        try control.ask("hwerr", ["i": .number(index), "code": .number(code)])
    }

    /// Sends the host any bytes.
    public func send(_ bytes: [UInt8], toHostOf index: Int) throws {
        try control.ask("raw", ["i": .number(index), "hex": .string(Hex.encode(bytes))])
    }

    /// Swallows the next Number Of Completed Packets events.
    public func loseCredits(_ index: Int, events: Int) throws {
        try control.ask("events_lost", ["i": .number(index), "n": .number(events)])
    }

    /// Sends the next Number Of Completed Packets events twice.
    public func repeatCredits(_ index: Int, events: Int) throws {
        try control.ask("twice", ["i": .number(index), "n": .number(events)])
    }

    // MARK: The air

    /// Puts two out of range of each other; a link between them ends by supervision timeout.
    public func block(_ one: Int, _ other: Int) throws {
        try control.ask("block", ["i": .number(one), "j": .number(other)])
    }

    /// Brings two into range of each other.
    public func unblock(_ one: Int, _ other: Int) throws {
        try control.ask("unblock", ["i": .number(one), "j": .number(other)])
    }

    /// Sets the part of advertising events that is not heard, 0...1.
    public func setLoss(_ part: Double) throws { try control.ask("loss", ["p": .number(String(part))]) }

    /// Sets how strong an adapter hears the others, or one of them, in dBm.
    public func setSignal(_ strength: Int8, at index: Int, of other: Int? = nil) throws {
        try control.ask(
            "rssi", ["i": .number(index), "v": .number(strength), "j": other.map { .number($0) }])
    }

    /// Ends the links of an adapter, or those to one other; both hosts hear the reason.
    public func drop(_ index: Int, to other: Int? = nil, reason: UInt8 = 0x08) throws {
        try control.ask(
            "drop", ["i": .number(index), "j": other.map { .number($0) }, "reason": .number(reason)])
    }

    // MARK: What is

    /// What every controller is doing.
    public func adapters() throws -> [Adapter] { try control.ask("list").array?.map(Adapter.init) ?? [] }

    /// What every controller has carried and refused.
    public func counts() throws -> [Counts] { try control.ask("stats").array?.map(Counts.init) ?? [] }
}

extension VirtualAir.Adapter {
    fileprivate init(_ json: JSONValue) {
        isPresent = json["present"]?.bool ?? false
        hasHost = json["host"]?.bool ?? false
        isAdvertising = json["adv"]?.bool ?? false
        isScanning = json["scan"]?.bool ?? false
        connecting = json["connecting"]?.string
        address = json["address"]?.string ?? ""
        port = json["port"]?.unsigned
        links = json["conns"]?.array?.compactMap(VirtualAir.Link.init) ?? []
    }
}

extension VirtualAir.Link {
    fileprivate init?(_ json: JSONValue) {
        guard let fields = json.array, fields.count == 5, let handle = fields[0].unsigned else { return nil }
        self.handle = handle
        isCentral = fields[1].unsigned == 0
        peer = fields[2].string ?? ""
        index = fields[3].unsigned
        waiting = fields[4].unsigned ?? 0
    }
}
