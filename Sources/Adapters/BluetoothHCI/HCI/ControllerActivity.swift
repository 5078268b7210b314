import Domain

extension Controller {
    /// What the controller does beside its connections.
    struct Activity: Hashable, Sendable {
        /// Whether it advertises; an accepted connection ends that.
        var isAdvertising = false
        /// Whether advertising is off for the time of an attempt to connect, and begins again by itself after it.
        var isAdvertisingPaused = false
        /// Whether it scans.
        var isScanning = false
        /// To whom it tries to connect; still set while the attempt is being cancelled.
        var connecting: DeviceAddress?
        /// Whether a change of one of these is under way.
        var isBusy = false
    }

    /// What was asked for and refused; of connecting, ``ControllerDelegate/connectEnded(_:_:)`` tells.
    enum Refusal: Hashable, Sendable {
        /// To advertise, or to stop it.
        case advertising
        /// To scan, or to stop it.
        case scanning
    }

    /// Connectable, scannable, undirected advertising in legacy PDUs (ADV_IND) from our random address.
    struct Advertising: Hashable, Sendable {
        /// The longest data of one packet, in bytes (Core Specification, Vol 4, Part E, 7.8.7).
        static let limit = 31

        /// The AD structures of the main packet, 31 bytes at most; more is refused.
        var data: [UInt8]
        /// The AD structures of the scan response, 31 bytes at most; more is refused.
        var scanResponse: [UInt8] = []
        /// How often, 20 ms to 10.24 s; what lies outside is brought inside. By default 100–200 ms (spec: ble-gatt §3).
        var interval: ClosedRange<Milliseconds> = 100...200
    }

    /// Scanning from our random address, for as long as it is not stopped.
    struct Scanning: Hashable, Sendable {
        /// Whether scan responses are asked for.
        var isActive = true
        /// From the start of one window to the start of the next, 2.5 ms to 10.24 s.
        var interval: Milliseconds
        /// How long it listens in each interval, at most all of it.
        var window: Milliseconds
        /// Whether the controller reports a device once only.
        var filtersDuplicates = false
    }

    /// What went wrong so far, for the status.
    struct Counters: Hashable, Sendable {
        /// Events of a kind that we do not know, vendor events among them.
        var unknownEvents = 0
        /// Packets that are shorter than they say, or hold impossible values.
        var malformedPackets = 0
        /// Answers to commands that nobody waits for, late ones among them.
        var strayAnswers = 0
        /// Commands that were not answered in time.
        var unansweredCommands = 0
        /// Data and events for connections that we do not know.
        var unknownHandles = 0
        /// Credits that were returned without having been taken.
        var surplusCredits = 0
        /// Credits that we took back since nobody returned them.
        var reclaimedCredits = 0
        /// Connections that took no data any more and were ended.
        var stalledConnections = 0
        /// Times that the controller said that we overran its buffers.
        var bufferOverflows = 0

        /// Those that are not zero, by name.
        var byName: [String: UInt64] {
            let all = [
                "unknownEvents": unknownEvents, "malformedPackets": malformedPackets, "strayAnswers": strayAnswers,
                "unansweredCommands": unansweredCommands, "unknownHandles": unknownHandles,
                "surplusCredits": surplusCredits, "reclaimedCredits": reclaimedCredits,
                "stalledConnections": stalledConnections, "bufferOverflows": bufferOverflows,
            ]
            return all.compactMapValues { $0 > 0 ? UInt64($0) : nil }
        }
    }
}
