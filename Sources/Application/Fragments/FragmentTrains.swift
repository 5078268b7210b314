import Domain

/// Outgoing fragment trains: paced, at most two files at once, resumed when a full link drains.
///
/// Faster sending overruns the buffers of phones further on and loses fragments. Source: spec, mesh §19.
final class FragmentTrains {
    /// Sends one frame; set by the transmitter.
    var transmit: (([UInt8], OutboundPriority, Destination) -> SendOutcome)?
    /// Told when the last fragment of a train to a peer is on its way.
    var finished: ((Train) -> Void)?
    private let ports: NodePorts
    private var active: [UInt64: Train] = [:]
    /// Files of ours, and raw files of others that have to be cut: neither takes the other's places.
    private var own = TransferSchedule<Train>()
    private var relayed = TransferSchedule<Train>()
    private var lastID: UInt64 = 0

    /// One packet in pieces.
    final class Train {
        let id: UInt64
        let plan: FragmentPlan
        let type: MessageType
        let destination: Destination
        /// Set for a file: few leave at once.
        let transfer: TransferID?
        /// Whether the packet is ours, not one that is passed on.
        let isOwn: Bool
        var next = 0
        /// Fragments that some link took.
        var accepted = 0
        /// Since when every link has been full.
        var heldSince: Uptime?
        var isHeldBack: Bool { heldSince != nil }

        init(
            id: UInt64, plan: FragmentPlan, type: MessageType, destination: Destination, transfer: TransferID?,
            isOwn: Bool
        ) {
            self.id = id
            self.plan = plan
            self.type = type
            self.destination = destination
            self.transfer = transfer
            self.isOwn = isOwn
        }
    }

    /// How soon a train tries again when every link was full and none has said that it drained.
    private static let retryDelay: Milliseconds = 250

    init(ports: NodePorts) { self.ports = ports }

    /// Trains that are leaving.
    var count: Int { active.count }

    /// Trains that are leaving of packets that came on a link.
    func count(from link: LinkID?) -> Int { active.values.count { !$0.isOwn && $0.destination.ingress == link } }

    /// Whether a train of Noise ciphertext to this peer is running: later ciphertexts must not overtake it.
    func isCarryingCiphertext(to peer: PeerID) -> Bool {
        active.values.contains { $0.isOwn && $0.type == .noiseEncrypted && $0.destination.peer == peer }
    }

    /// Starts a train, or queues a file behind those that are leaving; `false` when too many wait. What is on its way
    /// already is not sent twice.
    func start(
        _ plan: FragmentPlan, of packet: Packet, to destination: Destination, transfer: TransferID?, isOwn: Bool
    ) -> Bool {
        lastID += 1
        let train = Train(
            id: lastID, plan: plan, type: packet.type, destination: destination.fragmented, transfer: transfer,
            isOwn: isOwn)
        guard let transfer else {
            begin(train)
            return true
        }
        let request = TransferSchedule.Transfer(id: transfer, audience: destination.peer, item: train)
        switch isOwn ? own.admit(request) : relayed.admit(request) {
        case .start: begin(train)
        case .queued, .duplicate: break
        case .refused: return false
        }
        return true
    }

    private func begin(_ train: Train) {
        active[train.id] = train
        if train.plan.count > RadioPolicy.unpausedTrain { ports.links.trainStarts(of: train.plan.count) }
        advance(train.id)
    }

    /// Sends the next fragment of a train.
    func advance(_ id: UInt64) {
        guard let train = active[id] else { return }
        guard
            let frame = train.plan.fragment(at: train.next)?.encoded(padding: false, using: ports.compression)
        else { return finish(train) }
        var delay = train.plan.spacing
        let heldSince = train.heldSince
        train.heldSince = nil
        let priority = OutboundPriority.fragment(total: UInt16(clamping: train.plan.count))
        switch transmit?(frame, priority, train.destination) ?? .refused {
        case .accepted:
            train.next += 1
            train.accepted += 1
            if train.isOwn, case .named(let transfer) = train.transfer {
                ports.events.emit(.fileProgress(id: transfer, sent: train.accepted, total: train.plan.count))
            }
        case .refused:
            // Nobody is there for this piece now; those who join later miss it either way.
            train.next += 1
        case .full:
            let since = heldSince ?? ports.clock.uptime
            // Receivers keep an assembly no longer; and a neighbour that takes nothing must not hold a place for ever.
            if ports.clock.uptime - since > FragmentPolicy.lifetime { return finish(train) }
            train.heldSince = since
            delay = Self.retryDelay
        }
        if train.next == train.plan.count { return finish(train) }
        ports.scheduler.schedule(.train(id), at: ports.clock.uptime + delay)
    }

    /// Gives up what is ours: its time turned out to be wrong, and receivers would drop the whole for it.
    func abandonOwn() {
        let abandoned = own.removeWaiting()
        for id in active.keys.sorted() {
            if let train = active[id], train.isOwn { finish(train) }
        }
        for train in abandoned { finished?(train) }
    }

    /// A link takes frames again: what waited for it goes on now.
    func linkDrained() {
        for id in active.keys.sorted() where active[id]?.isHeldBack == true { advance(id) }
    }

    private func finish(_ train: Train) {
        active[train.id] = nil
        ports.scheduler.cancel(.train(train.id))
        finished?(train)
        guard let transfer = train.transfer else { return }
        for next in train.isOwn ? own.finish(transfer) : relayed.finish(transfer) { begin(next) }
    }
}
