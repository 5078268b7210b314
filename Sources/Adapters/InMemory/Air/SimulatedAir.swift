import Application
import Domain

/// Carries frames between simulated nodes, as badly as asked.
///
/// Every fault is drawn from the seed. Each direction of each link has a stream of its own and draws the same number of
/// times for each frame, so that turning one fault on does not shift the others. Frames keep their order unless
/// reordering is asked for, and arrive in the buffer in which they were sent unless a bit is flipped.
public final class SimulatedAir {
    /// The queue that every delivery goes through.
    public let time: VirtualTime
    /// Sees every frame that a link accepts, as it is sent.
    public var tap: ((FrameInFlight) -> Void)?
    /// Asked about every frame that a link accepts, with its sender and receiver: `false` loses it. The dice are rolled
    /// all the same.
    public var filter: ((_ frame: [UInt8], _ sender: Endpoint, _ receiver: Endpoint) -> Bool)?
    /// Frames that links accepted.
    public private(set) var framesSent: UInt64 = 0
    /// Frames that arrived, doubles included.
    public private(set) var framesDelivered: UInt64 = 0

    private let randomness: SeededRandomness
    private var connectionCount: UInt64 = 0
    private var connections: [UInt64: Connection] = [:]

    /// Makes an empty air.
    public init(_ time: VirtualTime, randomness: SeededRandomness) {
        self.time = time
        self.randomness = randomness
    }

    deinit {
        // Open links tie endpoints and links to each other; a world that ends lets go of both.
        for connection in connections.values {
            for side in connection.sides { side.endpoint.links = [:] }
        }
    }

    /// Adds a node's radio. Set its handlers before connecting it.
    public func makeEndpoint(_ name: String) -> Endpoint { Endpoint(name: name, air: self) }

    /// The links that are up, oldest first.
    public var openConnections: [Connection] { connections.values.sorted { $0.number < $1.number } }

    /// Opens a link; `opener` counts it as outgoing. Both are told in the next events, the opener first.
    @discardableResult
    public func connect(_ opener: Endpoint, _ other: Endpoint, _ profile: LinkProfile = LinkProfile()) -> Connection {
        connectionCount += 1
        let connection = Connection(number: connectionCount, profile: profile)
        let stream = randomness.fork("connection \(connectionCount)")
        let near = LinkSide(endpoint: opener, connection: connection, dice: stream.fork("near"))
        let far = LinkSide(endpoint: other, connection: connection, dice: stream.fork("far"))
        (near.peer, far.peer) = (far, near)
        connection.sides = [near, far]
        connections[connection.number] = connection
        for (side, peer, isOutgoing) in [(near, far, true), (far, near, false)] {
            side.endpoint.links[side.link] = side
            let description = LinkDescription(
                id: side.link, frameLimit: profile.frameLimit, isOutgoing: isOutgoing,
                name: "simulated:\(peer.endpoint.name)", device: peer.endpoint.device)
            time.at(time.now) {
                guard connection.isOpen else { return }
                side.isAnnounced = true
                side.endpoint.linkUp(description)
            }
        }
        return connection
    }

    /// Closes a link: what is on its way is lost, and both ends are told in the next events.
    public func disconnect(_ connection: Connection) { close(connection, except: nil) }

    /// Crashes a node's radio: its links close, the other ends are told, it is told nothing, and its handlers are
    /// forgotten, so that the node can be replaced by one that restarts.
    public func crash(_ endpoint: Endpoint) {
        for link in endpoint.openLinks {
            if let side = endpoint.links[link] { close(side.connection, except: endpoint) }
        }
        endpoint.forgetHandlers()
    }

    /// Gives an endpoint a frame as if it had come in on a link; `false` when there is no such link.
    @discardableResult
    public func inject(_ frame: [UInt8], into endpoint: Endpoint, on link: LinkID) -> Bool {
        guard let side = endpoint.links[link] else { return false }
        time.at(time.now) { [weak self] in self?.deliver(frame, to: side) }
        return true
    }

    private func close(_ connection: Connection, except crashed: Endpoint?) {
        guard connection.isOpen else { return }
        connection.isOpen = false
        connections[connection.number] = nil
        for side in connection.sides {
            side.endpoint.links[side.link] = nil
            let (endpoint, life) = (side.endpoint, side.endpoint.life)
            guard endpoint !== crashed, side.isAnnounced else { continue }
            time.at(time.now) { if endpoint.life == life { endpoint.linkDown(side.link) } }
        }
    }

    func send(_ frame: [UInt8], from side: LinkSide) -> SendOutcome {
        let connection = side.connection
        guard connection.isOpen, let peer = side.peer, frame.count <= connection.frameLimit else { return .refused }
        let profile = connection.profile
        guard let departure = departure(of: frame.count, from: side, profile) else { return .full }
        framesSent += 1
        let fate = Fate(frame, dice: side.dice, profile)
        let passes = filter?(frame, side.endpoint, peer.endpoint) ?? true
        var arrivals: [Uptime] = []
        for latency in passes ? fate.latencies : [] {
            var arrival = departure + latency
            if !fate.isReordered {
                arrival = max(arrival, side.lastArrival)
                side.lastArrival = arrival
            }
            arrivals.append(arrival)
            time.at(arrival) { [weak self] in self?.deliver(fate.bytes, to: peer) }
        }
        tap?(
            FrameInFlight(
                sentAt: time.now, sender: side.endpoint, senderLink: side.link, receiver: peer.endpoint,
                receiverLink: peer.link, bytes: frame, arrivals: arrivals, isCorrupted: fate.isCorrupted))
        return .accepted
    }

    /// When the last byte leaves; `nil` when the queue has no room.
    private func departure(of count: Int, from side: LinkSide, _ profile: LinkProfile) -> Uptime? {
        guard let rate = profile.bytesPerSecond, rate > 0 else { return time.now }
        guard side.queued == 0 || side.queued + count <= profile.queueLimit else {
            side.wantsWritable = true
            return nil
        }
        side.queued += count
        let start = max(side.busyUntil, time.now.milliseconds * 1000)
        side.busyUntil = start + Int64(count) * 1_000_000 / Int64(rate)
        let departure = Uptime(milliseconds: (side.busyUntil + 999) / 1000)
        time.at(departure) { [weak self] in self?.sent(count, from: side, profile) }
        return departure
    }

    /// Frees room; a node that waits is told once the queue is half empty, so that it is not woken for every frame.
    private func sent(_ count: Int, from side: LinkSide, _ profile: LinkProfile) {
        side.queued -= count
        guard side.wantsWritable, side.queued <= profile.queueLimit / 2, isOpen(side) else { return }
        side.wantsWritable = false
        side.endpoint.linkWritable(side.link)
    }

    private func deliver(_ frame: [UInt8], to side: LinkSide) {
        guard isOpen(side) else { return }
        framesDelivered += 1
        side.endpoint.frame(frame, side.link)
    }

    private func isOpen(_ side: LinkSide) -> Bool { side.endpoint.links[side.link] === side }
}

/// What the dice decided about one frame. Always the same number of draws.
private struct Fate {
    let bytes: [UInt8]
    let latencies: [Milliseconds]
    let isReordered: Bool
    let isCorrupted: Bool

    init(_ frame: [UInt8], dice: SeededRandomness, _ profile: LinkProfile) {
        let isLost = dice.chance(profile.loss)
        let isDoubled = dice.chance(profile.duplication)
        isReordered = dice.chance(profile.reordering)
        isCorrupted = dice.chance(profile.corruption) && !frame.isEmpty
        let spread = Int(profile.latency.upperBound - profile.latency.lowerBound) + 1
        let drawn = (0..<2).map { _ in
            Milliseconds(profile.latency.lowerBound + Int64(dice.number(below: spread)))
        }
        let bit = dice.number(below: frame.count * 8)
        latencies = isLost ? [] : isDoubled ? drawn : [drawn[0]]
        var bytes = frame
        if isCorrupted { bytes[bit / 8] ^= 1 << UInt8(bit % 8) }
        self.bytes = bytes
    }
}
