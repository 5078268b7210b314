import Application
import Dispatch
import Domain
import Foundation
import Support
import Testing

@testable import BluetoothHCI

/// One node's radios over virtual controllers, with everything that they report.
final class RadioStation: Sendable {
    /// What was reported so far.
    struct Seen: Sendable {
        var ups: [LinkDescription] = []
        var downs: [(link: LinkID, reason: String)] = []
        var frames: [(bytes: [UInt8], link: LinkID)] = []
        var writables: [LinkID] = []
        var adapterDowns = 0
        var logs: [String] = []

        /// Links that are up now.
        var alive: [LinkDescription] { ups.filter { up in !downs.contains { $0.link == up.id } } }
    }

    /// Draws and numbers for the radios; a run with the same seed has the same addresses.
    private final class Draws: Sendable {
        private let state: Watched<UInt64>
        init(_ seed: UInt64) { state = Watched(seed) }
        func next() -> UInt64 {
            state.change { value in
                value &+= 1
                return value &* 0x9E37_79B9_7F4A_7C15
            }
        }
        func count() -> UInt64 {
            state.change { value in
                value += 1
                return value
            }
        }
    }

    let radios: BluetoothHCI
    private let witness = Watched(Seen())

    /// Starts radios on the adapters.
    ///
    /// - Parameters:
    ///   - seed: What the addresses are drawn from; another one for each station.
    ///   - timers: Makes the timers of each radio.
    ///   - onFrame: Runs on the radio's queue for each frame, which waits for it.
    init(
        _ adapters: [String], service: BluetoothService = .production, seed: UInt64,
        timers: @escaping @Sendable (DispatchQueue) -> any RadioTimers = { DispatchTimers(queue: $0) },
        onFrame: @escaping @Sendable ([UInt8]) -> Void = { _ in }
    ) throws {
        var configuration = BluetoothConfiguration(adapters: try adapters.map { try AdapterAddress(parsing: $0) })
        configuration.service = service
        let (witness, links, draws) = (witness, Draws(0), Draws(seed << 32))
        radios = try BluetoothHCI(
            configuration, randomness: { draws.next() }, nextLinkID: { LinkID(rawValue: links.count()) },
            handlers: BluetoothHandlers(
                linkUp: { link in witness.change { $0.ups.append(link) } },
                linkDown: { link, reason in witness.change { $0.downs.append((link, reason)) } },
                frame: { frame, link in
                    onFrame(frame)
                    witness.change { $0.frames.append((frame, link)) }
                },
                linkWritable: { link in witness.change { $0.writables.append(link) } },
                adapterDown: { witness.change { $0.adapterDowns += 1 } },
                log: { level, text in witness.change { $0.logs.append("\(level): \(text)") } }),
            timers: timers)
        radios.start()
    }

    deinit { radios.stop() }

    /// What was seen so far.
    var seen: Seen { witness.look { $0 } }

    /// Waits until the closure makes something of what was seen; a test that waits in vain fails with the log.
    @discardableResult
    func until<Value>(
        within seconds: Double = SatchelNode.patience, _ what: String, _ match: (Seen) throws -> Value?
    ) throws -> Value {
        let value = try witness.wait(within: seconds, until: match)
        return try #require(value, "\(what): \(seen.logs.joined(separator: "\n")) \(radios.adapters)")
    }

    /// Waits for a link that is up, of one kind or any.
    func link(isOutgoing: Bool? = nil, besides: Set<LinkID> = []) throws -> LinkDescription {
        try until("a link") { seen in
            seen.alive.first { link in
                !besides.contains(link.id) && (isOutgoing.map { $0 == link.isOutgoing } ?? true)
            }
        }
    }

    /// Waits for a frame.
    @discardableResult
    func frame(_ bytes: [UInt8]) throws -> LinkID {
        try until("the frame \(bytes.prefix(8))") { seen in seen.frames.first { $0.bytes == bytes }?.link }
    }
}

/// A frame that a link can carry: bytes that name it, of a length. It begins as a version 1 packet does, so that it can be
/// told from the next one in a stream of notifications.
func numberedFrame(_ number: Int, count: Int = 100) -> [UInt8] {
    precondition((30...1000).contains(count))
    let payload = count - 22
    var bytes: [UInt8] = [1, 0x42, 7]
    bytes += [0, 0, 0, 0] + (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    bytes += [0, UInt8(payload >> 8), UInt8(payload & 0xFF)]
    bytes += [UInt8](repeating: 0xAA, count: 8)
    bytes += (0..<payload).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ number) }
    return bytes
}
