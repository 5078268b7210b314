import Application
import Domain

/// Whole nodes under a virtual clock, joined by simulated links: for tests, and for simulations of a crowd.
///
/// Everything follows from the seed.
public final class World<C: Cryptography> {
    /// The one clock of this world.
    public let time = VirtualTime()
    /// The links.
    public let air: SimulatedAir
    /// The nodes in the order in which they were added; a crashed one keeps its place.
    public private(set) var members: [Member<C>] = []
    /// Draws everything that is random in this world.
    public let randomness: SeededRandomness
    private let cryptography: C
    private let compression: any Compression
    private let normalization: any TextNormalization

    /// Makes an empty world.
    ///
    /// - Parameters:
    ///   - compression: Shared by all nodes; ``NoCompression`` for large crowds.
    public init(
        seed: UInt64, cryptography: C, compression: any Compression = NoCompression(),
        normalization: any TextNormalization = IdentityNormalization()
    ) {
        randomness = SeededRandomness(seed: seed)
        air = SimulatedAir(time, randomness: randomness.fork("air"))
        self.cryptography = cryptography
        self.compression = compression
        self.normalization = normalization
    }

    /// Adds a node and starts it.
    public func addNode(_ name: String, settings: NodeSettings = NodeSettings()) -> Member<C> {
        let dice = randomness.fork("node \(members.count) \(name)")
        let member = Member(
            name: name, settings: settings, dice: dice, keys: makeKeys(dice), world: self, cryptography: cryptography,
            compression: compression, normalization: normalization)
        members.append(member)
        member.start()
        return member
    }

    /// Joins two nodes by a link.
    public func connect(
        _ first: Member<C>, _ second: Member<C>, _ profile: LinkProfile = LinkProfile(latency: 1...5)
    ) -> Connection {
        air.connect(first.endpoint, second.endpoint, profile)
    }

    private func makeKeys(_ dice: SeededRandomness) -> IdentityKeys<C> {
        IdentityKeys(
            noise: cryptography.makeSecret(count: 32, from: dice),
            signing: cryptography.makeSecret(count: 32, from: dice),
            data: cryptography.makeSecret(count: 32, from: dice))
    }
}

/// One node of a ``World``, with the parts of it that outlive a crash: identity, journal, files.
public final class Member<C: Cryptography> {
    /// The nickname.
    public let name: String
    /// What its operator decided; read at each start.
    public var settings: NodeSettings
    /// A time that its operator knows to have passed; read at each start.
    public var clockFloor = WallTime(milliseconds: 0)
    /// The node that runs now; `nil` while it is down.
    public private(set) var node: Node<C>?
    /// Its side of the air.
    public let endpoint: Endpoint
    /// Its clocks.
    public let clock: NodeClock
    /// Its disk.
    public let journal: MemoryJournal
    /// Its files.
    public let files: MemoryFiles
    /// Its notices.
    public let notices = NoticeRecorder()
    /// Its identity.
    public let keys: IdentityKeys<C>
    private let scheduler: NodeScheduler
    private let dice: SeededRandomness
    private let cryptography: C
    private let compression: any Compression
    private let normalization: any TextNormalization

    init(
        name: String, settings: NodeSettings, dice: SeededRandomness, keys: IdentityKeys<C>, world: World<C>,
        cryptography: C, compression: any Compression, normalization: any TextNormalization
    ) {
        self.name = name
        self.settings = settings
        self.dice = dice
        self.keys = keys
        self.cryptography = cryptography
        self.compression = compression
        self.normalization = normalization
        endpoint = world.air.makeEndpoint(name)
        clock = NodeClock(world.time)
        journal = MemoryJournal(world.time, randomness: dice.fork("disk"))
        files = MemoryFiles(world.time, randomness: dice.fork("files"))
        scheduler = NodeScheduler(world.time)
    }

    /// The node's identifier, also while it is down.
    public var id: PeerID {
        PeerID(of: cryptography.agreementPublicKey(of: keys.noise), using: cryptography)
    }

    /// The events that the node's disk holds.
    public var events: [Event] { journal.events.map(\.event) }

    /// Starts the node, with what its disk holds.
    public func start() {
        guard node == nil else { return }
        let ports = NodePorts(
            clock: clock, scheduler: scheduler, randomness: dice, links: endpoint, journal: journal, files: files,
            events: notices, compression: compression, normalization: normalization)
        let node = Node(
            keys: keys, nickname: Nickname(received: name, normalization: normalization),
            stored: StoredState(
                identities: journal.identities(),
                recentEvents: journal.events.suffix(StoredState.recentEventCount).map(\.event),
                records: journal.records(at: clock.wall), clockFloor: clockFloor),
            settings: settings, ports: ports, cryptography: cryptography)
        self.node = node
        scheduler.fire = { [unowned node] in node.fired($0) }
        endpoint.linkUp = { [unowned node] in node.linkUp($0) }
        endpoint.linkDown = { [unowned node] in node.linkDown($0) }
        endpoint.frame = { [unowned node] in node.receive($0, on: $1) }
        endpoint.linkWritable = { [unowned node] in node.linkWritable($0) }
        journal.committed = { [unowned node] in node.committed($0) }
        journal.commitFailed = { [unowned node] in node.commitFailed($0, reason: $1) }
        files.stored = { [unowned node] in node.fileStored($0, path: $1) }
        files.failed = { [unowned node] in node.fileFailed($0, reason: $1) }
        node.start()
    }

    /// Ends the node at this instant, as `kill -9` does: nothing is said, and what was not durable is gone.
    public func crash(in world: World<C>) {
        guard node != nil else { return }
        scheduler.cancelAll()
        world.air.crash(endpoint)
        journal.crash()
        files.crash()
        node = nil
    }
}
