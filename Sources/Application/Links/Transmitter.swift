import Domain

/// Where a packet may go.
struct Destination {
    /// Send to this peer's link, if it has one; else to everyone, who will pass it on.
    var peer: PeerID?
    /// The link that the packet came in on: never sent back there.
    var ingress: LinkID?
    /// The peer that the packet came from: none of its links gets it back.
    var source: PeerID?
    /// A direct announce is what binds links, so it goes on each of them, also on a second one to the same peer.
    var isDirectAnnounce = false
}

/// Signs, lays out and sends packets: the only way out of the node.
///
/// Source: spec, mesh §9, §10.
final class Transmitter<C: Cryptography> {
    let localPeer: PeerID
    let links: LinkTable
    let trains: FragmentTrains
    /// Why nothing of ours may leave now; `nil` when it may.
    var holdsBack: (() -> Refusal?)?
    private let signingKey: C.Secret
    private let ports: NodePorts
    private let counters: Counters
    private let cryptography: C
    private var lastTimestamp: UInt64 = 0
    /// Frames of ours that a full link did not take, in order; they go when it drains.
    private var held: [LinkID: [[UInt8]]] = [:]
    /// Frames held per link. [ours]: memory; what exceeds it is refused to whoever wanted to send.
    private static var heldPerLink: Int { 256 }

    init(
        localPeer: PeerID, signingKey: C.Secret, links: LinkTable, ports: NodePorts, counters: Counters, cryptography: C
    ) {
        self.localPeer = localPeer
        self.signingKey = signingKey
        self.links = links
        self.ports = ports
        self.counters = counters
        self.cryptography = cryptography
        trains = FragmentTrains(ports: ports)
        trains.transmit = { [unowned self] frame, destination in
            self.transmit(frame, to: destination, whenFull: .report)
        }
    }

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

    /// Encodes and sends a packet of ours, in fragments where a link needs it.
    ///
    /// - Returns: Whether some link took it or it is held for one that is full, or its train of fragments has started or
    ///   waits for its turn.
    func send(_ packet: Packet, transfer: String? = nil) -> Bool {
        guard hold == nil else {
            counters.add(.droppedWhileClockWrong)
            return false
        }
        guard let frame = packet.encoded(padding: packet.type.isPaddedOnAir, using: ports.compression) else {
            return false
        }
        let destination = Destination(
            peer: packet.isBroadcast ? nil : packet.recipient, isDirectAnnounce: packet.isDirectAnnounce)
        let chosen = select(destination)
        let limit = chosen.compactMap { links[$0]?.description.frameLimit }.min()
        guard let limit else {
            counters.add(.sendNoLink)
            return false
        }
        if packet.type == .fileTransfer || frame.count > limit {
            return split(packet, frame: frame, limit: limit, destination: destination, transfer: transfer)
        }
        return transmit(frame, to: destination, whenFull: .hold) == .accepted
    }

    /// Passes another author's packet on: the same bytes under another TTL, cut where a link is too narrow for them.
    func relay(_ view: PacketView, ttl: UInt8, to destination: Destination) {
        let frame = view.relayedFrame(ttl: ttl)
        let limit = select(destination).compactMap { links[$0]?.description.frameLimit }.min()
        if let limit, frame.count > limit, view.type != .fragment {
            relayInPieces(view, ttl: ttl, frame: frame, limit: limit, to: destination)
        } else if transmit(frame, to: destination, whenFull: .drop) == .accepted {
            counters.add(.framesRelayed)
        }
    }

    /// Cuts a relayed frame, whose bytes stay as they are, for the narrowest link that it leaves on (spec: mesh §10.4).
    private func relayInPieces(
        _ view: PacketView, ttl: UInt8, frame: [UInt8], limit: Int, to destination: Destination
    ) {
        let header = Packet(
            version: view.version, type: view.type, ttl: ttl, timestamp: view.timestamp, sender: view.sender,
            recipient: view.recipient, route: view.route, payload: [])
        let chunk = FragmentPlan.chunkSize(
            forLinkLimit: limit, isDirected: view.recipient != nil, hops: header.isRouted ? view.route.count : 0)
        guard trains.count < MeshPolicy.maximumTrainsWhileRelaying,
            let plan = FragmentPlan(
                of: header, frame: frame, id: FragmentID(from: ports.randomness), directedTo: nil, chunkSize: chunk),
            trains.start(plan, of: header, to: destination, transfer: nil, isOwn: false)
        else { return counters.add(.sendRefusedByLink) }
        counters.add(.framesRelayed)
    }

    private func split(
        _ packet: Packet, frame: [UInt8], limit: Int, destination: Destination, transfer: String?
    ) -> Bool {
        // A handshake that fits only without padding goes without: in fragments it could not prove the link (mesh §10.2).
        if packet.type == .noiseHandshake,
            let plain = packet.encoded(padding: false, using: ports.compression), plain.count <= limit
        {
            return transmit(plain, to: destination, whenFull: .hold) == .accepted
        }
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

    /// A link drained: what it did not take goes first, in its order.
    func drain(_ link: LinkID) {
        guard let frames = held.removeValue(forKey: link) else { return }
        for (index, frame) in frames.enumerated() where handOver(frame, to: link) == .full {
            held[link] = Array(frames[index...])
            return
        }
    }

    /// A link is gone, and with it what was held for it.
    func forget(_ link: LinkID) { held[link] = nil }

    /// What to do with a frame that a full link does not take.
    private enum WhenFull { case hold, drop, report }

    /// Hands a frame to each link of the destination; `accepted` when one took it, else `full` when one will later.
    private func transmit(_ frame: [UInt8], to destination: Destination, whenFull: WhenFull) -> SendOutcome {
        var result = SendOutcome.refused
        for link in select(destination) {
            // What is held goes first: a session's ciphertexts must keep their order.
            var outcome = held[link] == nil ? handOver(frame, to: link) : .full
            if outcome == .full, whenFull == .hold, held[link, default: []].count < Self.heldPerLink {
                held[link, default: []].append(frame)
                outcome = .accepted
            }
            if outcome == .full { counters.add(.sendLinkFull) }
            if outcome == .accepted || result == .refused { result = outcome }
        }
        return result
    }

    private func handOver(_ frame: [UInt8], to link: LinkID) -> SendOutcome {
        let outcome = ports.links.send(frame, on: link)
        switch outcome {
        case .accepted:
            counters.add(.framesSent)
            counters.add(.bytesSent, frame.count)
        case .refused: counters.add(.sendRefusedByLink)
        case .full: break
        }
        return outcome
    }

    /// The links that a packet leaves on (spec: mesh §9 steps 1 to 5).
    private func select(_ destination: Destination) -> [LinkID] {
        if let peer = destination.peer {
            let bound = links.links(boundTo: peer)
            if !bound.isEmpty {
                // The target is a neighbour: one of its own links, or none; strangers need not see it.
                return Array(bound.filter { allowed($0, destination) }.prefix(1))
            }
        }
        return links.ids.filter { link in
            guard allowed(link, destination) else { return false }
            guard !destination.isDirectAnnounce, let peer = links[link]?.boundPeer else { return true }
            // One link per peer: the first of those bound to it, in the order of preference.
            return links.links(boundTo: peer).first { allowed($0, destination) } == link
        }
    }

    private func allowed(_ link: LinkID, _ destination: Destination) -> Bool {
        guard link != destination.ingress else { return false }
        return destination.source == nil || links[link]?.boundPeer != destination.source
    }
}
