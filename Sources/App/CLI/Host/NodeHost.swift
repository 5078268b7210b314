import Application
import BluetoothHCI
import ControlSocket
import Dispatch
import Domain
import NativeCryptography

/// Owns the node: the one isolation domain in which everything that it does happens, in order of arrival.
///
/// Adapters hand over with ``post(_:)``, never with a task: the order of tasks is not defined, that of a queue is.
actor NodeHost {
    /// Answers a request of the control protocol, once.
    typealias Reply = @Sendable (ControlReply) -> Void

    /// What the node says beside its events, for the log and for subscribers.
    struct Listeners: Sendable {
        /// Takes log lines.
        let log: @Sendable (LogLevel, String) -> Void
        /// Keeps our name, so that the next start knows it.
        let nicknameChanged: @Sendable (String) -> Void
        /// Takes the wish to wipe everything.
        let panic: PanicRequest
    }

    private nonisolated let executor: QueueExecutor
    nonisolated let listeners: Listeners
    private nonisolated let clock = SystemClock()
    private var node: Node<NativeCryptography>?
    /// Where notices go while the control socket is open.
    private var server: ControlServer?
    /// Who waits for the end of a ping.
    private var pings: [UInt64: Reply] = [:]
    private(set) var card: JSONValue = .null
    /// How the Bluetooth adapters stand.
    private(set) var adapters: @Sendable () -> [AdapterStatus] = { [] }

    /// The queue on which everything runs.
    nonisolated var queue: DispatchQueue { executor.queue }
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// Makes a host without a node.
    init(listeners: Listeners) {
        executor = QueueExecutor(queue: DispatchQueue(label: "satchel.node", qos: .userInitiated))
        self.listeners = listeners
    }

    /// Hands over to the node and returns at once; from any thread, order is kept.
    nonisolated func post(_ body: @escaping @Sendable (isolated NodeHost) -> Void) {
        queue.async { self.assumeIsolated { body($0) } }
    }

    /// Does something with the node and waits for it; from any thread but the node's own.
    nonisolated func perform<Result: Sendable>(_ body: @Sendable (isolated NodeHost) -> Result) -> Result {
        queue.sync { self.assumeIsolated { body($0) } }
    }

    // MARK: Life

    /// What a node is made of.
    struct Parts: Sendable {
        let keys: IdentityKeys<NativeCryptography>
        let nickname: Nickname
        let stored: StoredState
        let settings: NodeSettings
        let cryptography: NativeCryptography
        let randomness: SystemRandomness
        let links: any LinkLayer & Sendable
        /// How the Bluetooth adapters stand; asked from the node's queue.
        let adapters: @Sendable () -> [AdapterStatus]
        let journal: any Journal & Sendable
        let files: any FileStore & Sendable
        let compression: any Compression
        let normalization: any TextNormalization
    }

    /// Makes the node; nothing happens before ``start()``.
    func make(_ parts: Parts) {
        // The scheduler fires on our queue; the node that it wakes is the one that stands here then.
        let scheduler = DispatchScheduler(queue: queue, clock: clock) { [weak self] timer in
            self?.assumeIsolated { $0.node?.fired(timer) }
        }
        let ports = NodePorts(
            clock: clock, scheduler: scheduler, randomness: parts.randomness, links: parts.links,
            journal: parts.journal, files: parts.files, events: Notices(host: self), compression: parts.compression,
            normalization: parts.normalization)
        node = Node(
            keys: parts.keys, nickname: parts.nickname, stored: parts.stored, settings: parts.settings, ports: ports,
            cryptography: parts.cryptography)
        adapters = parts.adapters
        card = IdentityCard(of: parts.keys, cryptography: parts.cryptography).json(nickname: nil)
    }

    /// Begins to announce.
    func start() { node?.start() }

    /// Changes our name, and sees to it that the next start knows it.
    func rename(to name: String) throws(Refusal) {
        guard let node else { return }
        listeners.nicknameChanged(try node.setNickname(name))
    }

    /// Takes over whether the operator vouches for the clock.
    func trustClock(_ isTrusted: Bool) { node?.trustClock(isTrusted) }

    /// The time that a later start may rely on to have passed; `nil` when the clock is wrong.
    var recordableTime: WallTime? {
        guard let node, !node.clock.judgement.isWrong else { return nil }
        return SystemClock.wall
    }

    /// Name and identifier, for the log.
    var summary: String { node.map { "\($0.report.nickname) (\($0.id.hex))" } ?? "no node" }

    /// Tells subscribers of notices from now on.
    func attach(_ server: ControlServer?) { self.server = server }

    /// Says goodbye; answers whether there is a link that must stay up to carry it.
    func sayGoodbye() -> Bool {
        guard let node else { return false }
        node.stop()
        return !node.report.links.isEmpty
    }

    /// Forgets the node for a wipe: it says nothing any more, not even goodbye, and whoever runs it does the rest.
    func panic() {
        discard()
        listeners.panic.make()
    }

    /// Forgets the node; what still arrives goes nowhere.
    func discard() {
        node = nil
        // The radios are not held for the sake of a question that nobody asks any more.
        adapters = { [] }
        for reply in pings.values {
            reply(.failure(ControlError(code: Int(ExitCode.notRunning.rawValue), message: "the node stops")))
        }
        pings = [:]
    }

    // MARK: What adapters report

    /// A link came up.
    func linkUp(_ description: LinkDescription) { node?.linkUp(description) }
    /// A link is gone.
    func linkDown(_ link: LinkID) { node?.linkDown(link) }
    /// A frame arrived.
    func receive(_ frame: [UInt8], on link: LinkID) { node?.receive(frame, on: link) }
    /// A full link takes frames again.
    func linkWritable(_ link: LinkID) { node?.linkWritable(link) }
    /// A Bluetooth adapter is gone, after its links: what its addresses stood for is void.
    func adapterWentDown() { node?.adapterWentDown() }
    /// Everything up to this change is durable.
    func committed(_ commit: CommitID) { node?.committed(commit) }
    /// This change will never be durable.
    func commitFailed(_ commit: CommitID, reason: String) { node?.commitFailed(commit, reason: reason) }
    /// A received file is on the disk.
    func fileStored(_ ticket: FileTicket, path: String) { node?.fileStored(ticket, path: path) }
    /// A received file could not be written.
    func fileFailed(_ ticket: FileTicket, reason: String) { node?.fileFailed(ticket, reason: reason) }
    /// The event log reaches up to here: subscribers are told, after the node knows.
    func logged(upTo sequence: UInt64) { server?.logged(upTo: sequence) }

    // MARK: What the node says

    /// Takes a notice of the node.
    func take(_ notice: Notice) {
        switch notice {
        case .log(let level, let text): listeners.log(level, text)
        case .ping(let result): pings.removeValue(forKey: result.id)?(.success(result.json))
        case .fileProgress: break
        }
        server?.notice(notice)
    }
}

extension NodeHost {
    /// Does something with the node, for the control methods; `nil` while there is none.
    func withNode<Result>(_ body: (Node<NativeCryptography>) throws(Refusal) -> Result) throws(Refusal) -> Result? {
        guard let node else { return nil }
        return try body(node)
    }

    /// Remembers who waits for the end of a ping.
    func expect(ping id: UInt64, _ reply: @escaping Reply) { pings[id] = reply }
}

/// Passes the node's notices to its host.
private final class Notices: EventSink {
    private weak var host: NodeHost?

    init(host: NodeHost) { self.host = host }

    /// The node emits on the host's own queue only.
    func emit(_ notice: Notice) { host?.assumeIsolated { $0.take(notice) } }
}
