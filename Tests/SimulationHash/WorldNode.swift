import Application
import Domain
import InMemory

/// One node of a simulated world, through all its crashes: what survives them, and the node that runs now.
package final class WorldNode {
    /// Its place in the world, from 0.
    package let index: Int
    /// Its radio.
    package let endpoint: Endpoint
    /// Its disk.
    package let journal: MemoryJournal
    /// Its files.
    package let files: MemoryFiles
    /// Its clock.
    package let clock: NodeClock
    /// The node that runs; `nil` while it is down.
    package private(set) var node: Node<ModelCryptography>?
    /// How often it was started.
    package private(set) var lives = 0
    /// Sees each frame before the node does.
    package var received: (([UInt8], LinkID) -> Void)?
    /// Sees each notice.
    package var noticed: ((Notice) -> Void)?

    private let air: SimulatedAir
    private let scheduler: NodeScheduler
    private let randomness: SeededRandomness
    private let keys: IdentityKeys<ModelCryptography>

    init(_ index: Int, in air: SimulatedAir, randomness: SeededRandomness, _ conditions: Conditions) {
        self.index = index
        self.air = air
        self.randomness = randomness
        let setUp = randomness.fork("set-up")
        endpoint = air.makeEndpoint("node\(index)")
        clock = NodeClock(
            air.time, skew: Milliseconds(setUp.number(in: -conditions.clockSkew...conditions.clockSkew)))
        scheduler = NodeScheduler(air.time)
        journal = MemoryJournal(air.time, delay: conditions.commitDelay, randomness: randomness)
        journal.failureProbability = conditions.commitFailure
        files = MemoryFiles(air.time, delay: conditions.commitDelay, randomness: randomness)
        files.failureProbability = conditions.commitFailure
        let cryptography = ModelCryptography()
        keys = IdentityKeys(
            noise: cryptography.makeSecret(count: 32, from: setUp),
            signing: cryptography.makeSecret(count: 32, from: setUp),
            data: cryptography.makeSecret(count: 32, from: setUp))
    }

    /// Starts the node with what its disk holds.
    func start() {
        lives += 1
        let life = randomness.fork("life \(lives)")
        let sink = NoticeRelay { [weak self] in self?.noticed?($0) }
        let ports = NodePorts(
            clock: clock, scheduler: scheduler, randomness: life, links: endpoint, journal: journal, files: files,
            events: sink, compression: NoCompression(), normalization: IdentityNormalization())
        let node = Node(
            keys: keys,
            nickname: Nickname(own: endpoint.name, normalization: IdentityNormalization(), randomness: life),
            knownIdentities: journal.identities(), ports: ports, cryptography: ModelCryptography())
        self.node = node
        // All by way of `self`, so that a node that crashed is released and hears nothing more.
        scheduler.fire = { [weak self] in self?.node?.fired($0) }
        endpoint.linkUp = { [weak self] in self?.node?.linkUp($0) }
        endpoint.linkDown = { [weak self] in self?.node?.linkDown($0) }
        endpoint.linkWritable = { [weak self] in self?.node?.linkWritable($0) }
        endpoint.frame = { [weak self] frame, link in
            self?.received?(frame, link)
            self?.node?.receive(frame, on: link)
        }
        journal.committed = { [weak self] in self?.node?.committed($0) }
        journal.commitFailed = { [weak self] in self?.node?.commitFailed($0, reason: $1) }
        files.stored = { [weak self] in self?.node?.fileStored($0, path: $1) }
        files.failed = { [weak self] in self?.node?.fileFailed($0, reason: $1) }
        node.start()
    }

    /// Crashes the node: everything that is not on its disk is gone.
    func crash() {
        air.crash(endpoint)
        scheduler.cancelAll()
        journal.crash()
        files.crash()
        node = nil
    }
}

/// Passes notices on.
private final class NoticeRelay: EventSink {
    private let pass: (Notice) -> Void

    init(_ pass: @escaping (Notice) -> Void) { self.pass = pass }

    func emit(_ notice: Notice) { pass(notice) }
}
