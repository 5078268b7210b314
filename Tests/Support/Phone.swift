import Domain
import Foundation
import Testing

/// A phone, played by an independent GATT host: `Tests/Interop/phone.py` in a process of its own.
///
/// It does by itself what a phone does, in the order and at the times of its manner, and reports all of it.
public final class Phone: Sendable {
    /// What kind of phone. Source: spec, ble-gatt §6.
    public enum Manner: String, Sendable, CaseIterable {
        /// Exchanges the MTU at once and discovers only what it looks for; announces 50 ms after subscribing.
        case ios
        /// Pauses, discovers everything, announces 400 ms after subscribing; counts every enabling CCCD write.
        case android
    }

    /// Something that happened to the phone.
    public struct Event: Sendable {
        /// `connected`, `notified` and so on; `phone.py` lists them.
        public let name: String
        /// When, in milliseconds of CLOCK_MONOTONIC.
        public let time: Double
        /// Its place among the phone's events.
        public let index: Int
        /// All of it.
        public let json: JSONValue

        /// Which of the phone's links it is about.
        public var link: UInt64? { json["link"]?.unsigned }
        /// The bytes that it carries.
        public var bytes: [UInt8]? { json["hex"]?.string.flatMap { Hex.decode($0) } }
        /// Milliseconds between another event and this one.
        public func delay(after other: Event) -> Double { time - other.time }
    }

    /// The random address that it advertises and connects with, as text.
    public let address: String
    private let folder: TemporaryDirectory
    private let process: ChildProcess
    private let control: RequestSocket

    /// Switches a phone on.
    ///
    /// - Parameters:
    ///   - adapter: As `--adapter` names it: `h4:unix:…` or `h4:tcp:…`.
    ///   - manner: What kind of phone.
    ///   - mtu: The ATT MTU that it asks for and offers.
    ///   - peerID: Eight bytes in the scan response, as Android sends them; none as iOS.
    public init(_ adapter: String, manner: Manner, mtu: Int = 517, peerID: [UInt8] = []) throws {
        folder = try TemporaryDirectory()
        let transport = adapter.replacing("h4:unix:", with: "unix:").replacing("h4:tcp:", with: "tcp-client:")
        process = try InteropPython.start(
            "phone.py",
            [
                transport, "--control", folder.file("control"), "--manner", manner.rawValue, "--mtu", String(mtu),
                "--peer-id", Hex.encode(peerID),
            ])
        let line = try process.line(.output, within: SatchelNode.patience) { $0.contains("\"event\": \"up\"") }
        address = try #require(JSONValue(parsing: line)["address"]?.string)
        control = try RequestSocket(path: folder.file("control"))
    }

    // MARK: What it is told

    /// Advertises until told otherwise, links or not.
    public func advertise(_ on: Bool = true) throws { try control.ask("advertise", ["on": .bool(on)]) }

    /// Connects to an address, or to the first stranger that advertises the service. Returns at once.
    public func connect(to address: String? = nil) throws {
        try control.ask("connect", ["address": .optional(address)])
    }

    /// Sets what it sends as its announce, in its own time, on every fresh link from now on.
    public func setAnnounce(_ bytes: [UInt8]?) throws {
        try control.ask("announce", ["hex": .optional(bytes.map { Hex.encode($0) })])
    }

    /// Sends a value by Write Command on its client links, or on one of them.
    public func write(_ bytes: [UInt8], on link: UInt64? = nil, withResponse: Bool = false) throws {
        try control.ask(
            "write",
            [
                "hex": .string(Hex.encode(bytes)), "link": link.map { .number($0) }, "response": .bool(withResponse),
            ])
    }

    /// Notifies the subscribers of a value, or one of them.
    public func notify(_ bytes: [UInt8], on link: UInt64? = nil) throws {
        try control.ask("notify", ["hex": .string(Hex.encode(bytes)), "link": link.map { .number($0) }])
    }

    /// Writes the CCCD once more on its client links, or on one of them.
    public func subscribe(_ on: Bool = true, on link: UInt64? = nil) throws {
        try control.ask("subscribe", ["on": .bool(on), "link": link.map { .number($0) }])
    }

    /// Tries to pair.
    ///
    /// - Returns: `paired`, or text that says how it was refused.
    public func pair(on link: UInt64? = nil) throws -> String {
        try control.ask("pair", ["link": link.map { .number($0) }]).string ?? ""
    }

    /// Asks for other connection intervals, in milliseconds.
    public func askForIntervals(_ range: ClosedRange<Double>, on link: UInt64? = nil) throws {
        try control.ask(
            "parameters",
            [
                "low": .number(String(range.lowerBound)), "high": .number(String(range.upperBound)),
                "link": link.map { .number($0) },
            ])
    }

    /// Ends a link, or all of them.
    public func disconnect(_ link: UInt64? = nil) throws {
        try control.ask("disconnect", ["link": link.map { .number($0) }])
    }

    /// Switches it off; nobody is told.
    public func quit() throws {
        try control.ask("quit")
        try process.exitStatus(within: SatchelNode.patience)
    }

    // MARK: What it reports

    /// How many events there have been: the place to wait from for what comes next.
    public var mark: Int { process.lines(.output).count }

    /// The events so far.
    public func events(_ name: String? = nil, from start: Int = 0) throws -> [Event] {
        try process.lines(.output).enumerated().dropFirst(start).map { index, line in try event(line, index) }
            .filter { name == nil || $0.name == name }
    }

    /// Waits for an event; those that came before count too.
    ///
    /// - Parameters:
    ///   - name: What kind.
    ///   - start: How many events from the beginning are passed over.
    @discardableResult
    public func event(
        _ name: String, from start: Int = 0, within seconds: Double = SatchelNode.patience,
        where isWanted: (Event) -> Bool = { _ in true }
    ) throws -> Event {
        var index = start
        var found: Event?
        _ = try process.line(.output, from: start, within: seconds) { line in
            defer { index += 1 }
            guard let event = try? event(line, index), event.name == name, isWanted(event) else { return false }
            found = event
            return true
        }
        return try #require(found)
    }

    /// Waits until bytes reached the phone: by notification as client, by write as server.
    @discardableResult
    public func receive(
        from start: Int = 0, within seconds: Double = SatchelNode.patience, where isWanted: ([UInt8]) -> Bool
    ) throws -> Event {
        var index = start
        var found: Event?
        _ = try process.line(.output, from: start, within: seconds) { line in
            defer { index += 1 }
            guard let event = try? event(line, index), ["notified", "written"].contains(event.name),
                let bytes = event.bytes, isWanted(bytes)
            else { return false }
            found = event
            return true
        }
        return try #require(found)
    }

    private func event(_ line: String, _ index: Int) throws -> Event {
        let json = try JSONValue(parsing: line)
        return Event(
            name: json["event"]?.string ?? "", time: json["t"]?.double ?? 0, index: index, json: json)
    }
}
