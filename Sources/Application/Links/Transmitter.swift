import Domain

/// Signs, lays out and sends packets: the only way out of the node.
///
/// Source: spec, mesh §9, §10.
final class Transmitter<C: Cryptography> {
    let localPeer: PeerID
    let links: LinkTable
    let queues: LinkQueues
    let trains: FragmentTrains
    let routes: Routes
    /// Why nothing of ours may leave now; `nil` when it may.
    var holdsBack: (() -> Refusal?)?
    private let signingKey: C.Secret
    private let ports: NodePorts
    private let counters: Counters
    private let cryptography: C
    private var spool = DirectedSpool<Spooled>()
    private var lastTimestamp: UInt64 = 0

    /// A packet of somebody else's that waits for a link.
    private struct Spooled: Sendable {
        let view: PacketView
        let ttl: UInt8
        let ingress: LinkID?
        let source: PeerID?
    }

    init(
        localPeer: PeerID, signingKey: C.Secret, links: LinkTable, routes: Routes, ports: NodePorts,
        counters: Counters, cryptography: C
    ) {
        self.localPeer = localPeer
        self.signingKey = signingKey
        self.links = links
        self.routes = routes
        self.ports = ports
        self.counters = counters
        self.cryptography = cryptography
        queues = LinkQueues(ports: ports, counters: counters)
        trains = FragmentTrains(ports: ports)
        trains.transmit = { [unowned self] frame, priority, destination in
            queues.put(
                frame, priority, from: destination.ingress, on: links.select(destination, using: cryptography),
                whenFull: .report)
        }
    }

    /// Packets that wait for a link.
    var spooledCount: Int { spool.count }

    // MARK: Packets of ours

    /// Why nothing of ours may leave now: a wrong clock. What others wrote is passed on all the same.
    var hold: Refusal? { holdsBack?() }

    /// A packet of ours, stamped with a time that no other packet of ours has.
    ///
    /// Android takes packets with the same millisecond and the same first 64 payload bytes for one (spec: packet §5.2).
    func makePacket(
        _ type: MessageType, to recipient: PeerID? = nil, payload: [UInt8], version: UInt8 = 1,
        ttl: UInt8 = MeshPolicy.originTTL
    ) -> Packet {
        let now = ports.clock.wall.milliseconds
        // Never more than a second ahead of the clock, which may have been set back.
        lastTimestamp = now > lastTimestamp || lastTimestamp - now > 1000 ? now : lastTimestamp + 1
        return Packet(
            version: version, type: type, ttl: ttl, timestamp: WallTime(milliseconds: lastTimestamp),
            sender: localPeer, recipient: recipient, payload: payload)
    }

    /// Signs a packet of ours; `nil` when it cannot be encoded.
    func sign(_ packet: Packet) -> Packet? {
        packet.signed(with: signingKey, using: cryptography, ports.compression)
    }

    /// Encodes and sends a packet of ours: along a confirmed route if its recipient is further off, else as its type goes,
    /// and in fragments where a link needs it.
    ///
    /// - Parameter way: Which links a handshake may take.
    /// - Returns: Whether some link took it or it is queued for one that is full, or its train of fragments has started or
    ///   waits for its turn.
    func send(_ packet: Packet, transfer: TransferID? = nil, way: HandshakeWay = .claimed) -> Bool {
        guard hold == nil else {
            counters.add(.droppedWhileClockWrong)
            return false
        }
        if sendRouted(packet) { return true }
        guard let frame = packet.encoded(padding: packet.type.isPaddedOnAir, using: ports.compression) else {
            return false
        }
        let destination = destination(of: packet, way: way)
        let chosen = links.select(destination, using: cryptography)
        guard let limit = narrowest(of: chosen) else {
            counters.add(.sendNoLink)
            if packet.type == .noiseHandshake { keep(frame, of: packet, key: destination.key) }
            return false
        }
        if packet.type == .fileTransfer || frame.count > limit {
            // Only a whole direct announce binds a link: one that is too narrow for it must not spoil that on the others.
            let isPut = packet.isDirectAnnounce && put(frame, of: packet, on: chosen.filter { carries(frame, $0) })
            return split(packet, frame: frame, on: chosen, destination: destination, transfer: transfer) || isPut
        }
        return put(frame, of: packet, on: chosen)
    }

    /// Sends a packet of ours on every link, past the choice among them: a goodbye concerns each neighbour.
    func sendOnEveryLink(_ packet: Packet) {
        guard hold == nil,
            let frame = packet.encoded(padding: packet.type.isPaddedOnAir, using: ports.compression)
        else { return }
        _ = put(frame, of: packet, on: links.ids)
    }

    private func destination(of packet: Packet, way: HandshakeWay) -> Destination {
        let peer = packet.isBroadcast ? nil : packet.recipient
        var destination = Destination(
            type: packet.type, peer: peer, isDirectAnnounce: packet.isDirectAnnounce,
            key: DedupKey(of: packet, using: cryptography))
        switch packet.type {
        case .noiseEncrypted: destination.needsProof = true
        case .noiseHandshake:
            switch way {
            case .via(let link): destination.via = link
            case .proved: destination.needsProof = true
            // The first attempt goes to who says to be the peer; only when nobody answers there, also to all others.
            case .claimed: destination.needsProof = peer.map(links.isInDoubt) ?? false
            }
        default: break
        }
        return destination
    }

    private func put(_ frame: [UInt8], of packet: Packet, on chosen: [LinkID]) -> Bool {
        let priority = OutboundPriority(type: packet.type, payload: packet.payload[...])
        return queues.put(frame, priority, on: chosen, whenFull: .queue, isGreeting: packet.isDirectAnnounce)
            == .accepted
    }

    private func frameLimit(of link: LinkID) -> Int { links[link]?.description.frameLimit ?? 0 }

    private func carries(_ frame: [UInt8], _ link: LinkID) -> Bool { frame.count <= frameLimit(of: link) }

    private func narrowest(of chosen: [LinkID]) -> Int? { chosen.map(frameLimit).min() }

    /// The limit for which the pieces of a packet are cut: the narrowest, so that they leave on every link.
    ///
    /// [ours]: of a file the narrowest on which its train ends before receivers give up. Else one neighbour with a narrow
    /// link would keep everybody from getting it; as it is, that one does.
    private func cuttingLimit(of header: Packet, frame: [UInt8], to destination: Destination) -> Int? {
        let limits = links.select(destination.fragmented, using: cryptography).map(frameLimit).sorted()
        guard header.type == .fileTransfer else { return limits.first }
        let inTime = limits.first { limit in
            let chunk = FragmentPlan.chunkSize(for: header, directedTo: destination.peer, linkLimit: limit)
            return frame.count <= chunk * FragmentPolicy.reliableCount
        }
        return inTime ?? limits.last
    }

    /// The longest content of a file for everyone, in bytes, that receivers are sure to put together: what the widest link
    /// carries in time.
    var maximumFileContent: Int {
        let widest = links.ids.map(frameLimit).max() ?? FragmentPolicy.frameBudget
        let fitting = FragmentPlan.chunkSize(forLinkLimit: widest, isDirected: false)
        return FragmentPolicy.reliableCount * min(FragmentPolicy.defaultChunk, fitting)
    }

    /// Sends a packet along a confirmed route, if there is one and the packet fits its first link in one frame.
    private func sendRouted(_ packet: Packet) -> Bool {
        guard packet.type != .fileTransfer, let routed = routes.attach(to: packet), let first = routed.route.first,
            let recipient = routed.recipient, let signed = sign(routed)
        else { return false }
        let chosen = links.select(
            Destination(
                type: packet.type, peer: first, requiresDirect: true, key: DedupKey(of: packet, using: cryptography)),
            using: cryptography)
        guard let limit = narrowest(of: chosen) else { return false }
        // Only a handshake may go without its padding: the length of private traffic is nobody's business.
        let forms = packet.type == .noiseHandshake ? [true, false] : [packet.type.isPaddedOnAir]
        for isPadded in forms {
            guard let frame = signed.encoded(padding: isPadded, using: ports.compression), frame.count <= limit
            else { continue }
            guard put(frame, of: signed, on: chosen) else { return false }
            counters.add(.packetsRouted)
            routes.noteRouted(to: recipient)
            return true
        }
        return false
    }

    private func split(
        _ packet: Packet, frame: [UInt8], on chosen: [LinkID], destination: Destination, transfer: TransferID?
    ) -> Bool {
        guard let limit = narrowest(of: chosen) else { return false }
        // A handshake that fits only without padding goes without: in fragments it could not prove the link (mesh §10.2).
        if packet.type == .noiseHandshake,
            let plain = packet.encoded(padding: false, using: ports.compression), plain.count <= limit
        {
            return put(plain, of: packet, on: chosen)
        }
        // The pieces take more links than the whole would have.
        guard let limit = cuttingLimit(of: packet, frame: frame, to: destination) else { return false }
        let chunk =
            packet.type == .fileTransfer || packet.isRouted
            ? FragmentPlan.chunkSize(for: packet, directedTo: destination.peer, linkLimit: limit)
            : FragmentPlan.chunkSize(forLinkLimit: limit, isDirected: packet.recipient != nil)
        guard
            let plan = FragmentPlan(
                of: packet, frame: frame, id: FragmentID(from: ports.randomness), directedTo: destination.peer,
                chunkSize: chunk)
        else { return false }
        return trains.start(plan, of: packet, to: destination, transfer: transfer, isOwn: true)
    }

    // MARK: Packets of others

    /// Passes another author's packet on: the same bytes under another TTL, cut where a link is too narrow for them.
    ///
    /// - Parameters:
    ///   - ingress: Where it came in.
    ///   - source: The peer that it came from.
    ///   - spooledAt: When it was put into the spool, for one that comes out of it.
    func relay(
        _ view: PacketView, key: DedupKey, _ priority: OutboundPriority, ttl: UInt8, ingress: LinkID?, source: PeerID?,
        spooledAt: Uptime? = nil
    ) {
        if spooledAt == nil, let recipient = view.recipient, spool.holds(for: recipient) {
            // What came before goes first: a session's ciphertexts must keep their order.
            flushSpool(for: recipient)
        }
        // A recipient of eight 0xFF counts as one here (quirk Q1): the packet takes all links, not some of them. One that
        // came from its own recipient came from somebody else: that recipient's true links are not excluded.
        let destination = Destination(
            type: view.type, peer: view.recipient, ingress: ingress, source: source == view.recipient ? nil : source,
            key: key)
        let chosen = links.select(destination, using: cryptography)
        guard let limit = narrowest(of: chosen) else {
            return keep(view, key: key, ttl: ttl, ingress: ingress, source: source, since: spooledAt)
        }
        let frame = view.relayedFrame(ttl: ttl)
        if view.type == .fileTransfer || frame.count > limit, view.type != .fragment {
            relayInPieces(view, ttl: ttl, frame: frame, to: destination)
        } else if queues.put(frame, priority, from: ingress, on: chosen, whenFull: .queue) == .accepted {
            counters.add(.framesRelayed)
        }
    }

    /// What became of a packet that is to take the next hop of its route.
    enum Forwarding { case done, nowhere }

    /// Passes a routed packet on to the next hop alone.
    func forward(_ packet: Inbound, key: DedupKey, to hop: PeerID) -> Forwarding {
        guard links.hasLink(to: hop) else { return .nowhere }
        let destination = Destination(
            type: packet.type, peer: hop, requiresDirect: true, ingress: packet.link, source: packet.from, key: key)
        let chosen = links.select(destination, using: cryptography)
        // It came from there: the hop has it.
        guard let limit = narrowest(of: chosen) else { return .done }
        let frame = packet.view.relayedFrame(ttl: packet.ttl - 1)
        if packet.type == .fileTransfer || frame.count > limit, packet.type != .fragment {
            relayInPieces(packet.view, ttl: packet.ttl - 1, frame: frame, to: destination)
            return .done
        }
        let priority = OutboundPriority(type: packet.type, payload: packet.payload)
        guard queues.put(frame, priority, from: packet.link, on: chosen, whenFull: .queue) == .accepted
        else { return .nowhere }
        counters.add(.framesForwarded)
        return .done
    }

    /// Cuts a relayed frame, whose bytes stay as they are, for the narrowest link that it leaves on (spec: mesh §10.4).
    private func relayInPieces(_ view: PacketView, ttl: UInt8, frame: [UInt8], to destination: Destination) {
        let header = Packet(
            version: view.version, type: view.type, ttl: ttl, timestamp: view.timestamp, sender: view.sender,
            recipient: view.recipient, route: view.route, payload: [])
        // The pieces take more links than the whole would have.
        guard let limit = cuttingLimit(of: header, frame: frame, to: destination) else { return }
        let hops = header.isRouted ? view.route.count : 0
        let chunk =
            view.type == .fileTransfer
            ? FragmentPlan.chunkSize(for: header, directedTo: destination.peer, linkLimit: limit)
            : FragmentPlan.chunkSize(forLinkLimit: limit, isDirected: view.recipient != nil, hops: hops)
        let transfer =
            view.type == .fileTransfer ? TransferID.content(cryptography.sha256(view.payloadSection.span)) : nil
        guard trains.count < MeshPolicy.maximumTrainsWhileRelaying,
            trains.count(from: destination.ingress) < MeshPolicy.maximumTrainsPerLink,
            let plan = FragmentPlan(
                of: header, frame: frame, id: FragmentID(from: ports.randomness), directedTo: nil, chunkSize: chunk),
            trains.start(plan, of: header, to: destination, transfer: transfer, isOwn: false)
        else { return counters.add(.droppedRelayTrain) }
        counters.add(.framesRelayed)
    }

    // MARK: The spool

    /// Keeps what could leave on no link for a minute, if it belongs to a session. Of ours only handshakes are kept here:
    /// who sends ciphertext keeps the message and seals it anew.
    private func keep(
        _ view: PacketView, key: DedupKey, ttl: UInt8, ingress: LinkID?, source: PeerID?, since: Uptime?
    ) {
        guard let recipient = view.recipient, recipient != .broadcast, view.type.awaitsLink else { return }
        let item = Spooled(view: view, ttl: ttl, ingress: ingress, source: source)
        let dropped = spool.insert(
            item, key: key, for: recipient, from: ingress?.rawValue ?? 0, cost: view.frame.count,
            at: since ?? ports.clock.uptime)
        counters.add(.droppedSpool, dropped)
        if since == nil { counters.add(.packetsSpooled) }
    }

    private func keep(_ frame: [UInt8], of packet: Packet, key: DedupKey) {
        guard let view = PacketView(frame) else { return }
        keep(view, key: key, ttl: packet.ttl, ingress: nil, source: nil, since: nil)
    }

    /// Tries what waits for a link again, in the order in which it was put aside.
    ///
    /// - Parameter recipient: Only what is for this peer; `nil` for all.
    func flushSpool(for recipient: PeerID? = nil) {
        for entry in spool.take(for: recipient, at: ports.clock.uptime) {
            let waiting = entry.item
            relay(
                waiting.view, key: entry.key,
                OutboundPriority(type: waiting.view.type, payload: waiting.view.payloadSection), ttl: waiting.ttl,
                ingress: waiting.ingress, source: waiting.source, spooledAt: entry.time)
        }
    }

    /// Forgets what has waited too long.
    func sweepSpool() { spool.sweep(at: ports.clock.uptime) }

    // MARK: Links

    /// A link takes frames again: what waits for it goes first, then the trains that were held back.
    func drain(_ link: LinkID) {
        if queues.drain(link) { trains.linkDrained() }
    }
}
