import Application
import Dispatch
import Domain
import Synchronization

/// Links over Bluetooth LE to phones and to other nodes: we own the controller through HCI, in both roles at once.
///
/// Each adapter is a radio of its own with a queue of its own; one that is missing or lost is taken again as soon as it is
/// there, and meanwhile the others and all other links go on. Every method returns at once, from any thread, but
/// ``stop()``.
///
/// Source: spec, ble-gatt.
public final class BluetoothHCI: LinkLayer, Sendable {
    private let configuration: BluetoothConfiguration
    private let random: @Sendable () -> UInt64
    private let nextLinkID: @Sendable () -> LinkID
    private let handlers: BluetoothHandlers
    private let packetLog: PacketLog?
    private let desk = LinkDesk()
    private let timers: @Sendable (DispatchQueue) -> any RadioTimers
    /// One for each adapter, in the order of the configuration.
    let hosts: [RadioHost]
    private let statuses: Mutex<[AdapterStatus]>

    /// How long the goodbyes to all connections may take in all, before the adapters are closed without: a controller
    /// needs one connection interval for each, and one that has died must not hold up a stop.
    private static let stopTimeout = DispatchTimeInterval.seconds(2)

    /// Describes the radios; nothing is opened before ``start()`` but the packet log.
    ///
    /// - Parameters:
    ///   - randomness: 64 uniform bits, for our addresses; called from any thread.
    ///   - nextLinkID: A fresh number, shared with the other link layers of the node.
    /// - Throws: ``BluetoothError`` when the packet log cannot be written.
    public convenience init(
        _ configuration: BluetoothConfiguration, randomness: @escaping @Sendable () -> UInt64,
        nextLinkID: @escaping @Sendable () -> LinkID, handlers: BluetoothHandlers
    ) throws(BluetoothError) {
        try self.init(
            configuration, randomness: randomness, nextLinkID: nextLinkID, handlers: handlers,
            timers: { DispatchTimers(queue: $0) })
    }

    /// The same with timers of the caller's.
    init(
        _ configuration: BluetoothConfiguration, randomness: @escaping @Sendable () -> UInt64,
        nextLinkID: @escaping @Sendable () -> LinkID, handlers: BluetoothHandlers,
        timers: @escaping @Sendable (DispatchQueue) -> any RadioTimers
    ) throws(BluetoothError) {
        self.timers = timers
        self.configuration = configuration
        random = randomness
        self.nextLinkID = nextLinkID
        self.handlers = handlers
        if let path = configuration.packetLog {
            packetLog = try PacketLog(path: path) { handlers.log(.warning, $0) }
        } else {
            packetLog = nil
        }
        hosts = configuration.adapters.map(RadioHost.init)
        statuses = Mutex(configuration.adapters.map { AdapterStatus(address: $0, state: .opening) })
    }

    /// How the adapters stand, in the order of the configuration.
    public var adapters: [AdapterStatus] { statuses.withLock { $0 } }

    /// Begins to open the adapters. What cannot be opened is reported in ``adapters`` and tried again.
    public func start() {
        for (number, host) in hosts.enumerated() {
            host.start(
                RadioSettings(
                    address: configuration.adapters[number], number: number, configuration: configuration, desk: desk,
                    packetLog: packetLog, random: random, nextLinkID: nextLinkID, timers: timers,
                    handlers: handlers,
                    publish: { [weak self] status in self?.statuses.withLock { $0[number] = status } }))
        }
    }

    /// Disconnects every link (each is reported as down), closes the adapters, and waits until that is done. Not from a
    /// handler. Further calls do nothing.
    public func stop() {
        let group = DispatchGroup()
        for host in hosts {
            group.enter()
            host.stop { group.leave() }
        }
        _ = group.wait(timeout: .now() + Self.stopTimeout)
        packetLog?.close()
    }

    /// Hands over one whole frame, 1 byte to the link's limit, and returns at once.
    public func send(_ frame: [UInt8], on link: LinkID) -> SendOutcome {
        let admission = desk.send(frame, on: link)
        if let radio = admission.wakes, hosts.indices.contains(radio) { hosts[radio].post { $0.fetch() } }
        return admission.outcome
    }

    /// Closes a link; its end is reported.
    public func close(_ link: LinkID) {
        guard let radio = desk.radio(of: link), hosts.indices.contains(radio) else { return }
        hosts[radio].post { $0.close(link) }
    }

    /// A train of fragments follows: meanwhile the radios do not listen for strangers (spec: mesh §19).
    public func trainStarts(of count: Int) {
        for host in hosts { host.post { $0.pauseScanning(forTrainOf: count) } }
    }
}
