/// What the ingress guard says of a frame before anything else looks at it.
///
/// Source: spec, mesh §3.
public enum IngressVerdict: Hashable, Sendable {
    /// Go on; attribute the frame to `from`. `validation` is the peer whose sync request an answer was checked against.
    case accept(from: PeerID, validation: PeerID)
    /// Our own packet came back.
    case selfLoop
    /// A link-local request that claims another sender than the link's peer.
    case senderMismatch
    /// It claims to answer a sync request that we did not send to this peer, or not lately.
    case unsolicitedSyncResponse(from: PeerID)
    /// Its time is this many milliseconds off ours, in either direction: more than ``MeshPolicy/maximumSkew``.
    case timestampSkew(UInt64)
}

/// The ingress guard: pure, and before any expensive step.
public enum IngressGuard {
    /// Judges a frame by its header; the first rule that matches decides.
    ///
    /// - Parameters:
    ///   - boundPeer: The peer that the link is bound to, if any.
    ///   - localPeer: This node.
    ///   - now: The time of arrival.
    ///   - isSolicited: Whether an answer of this peer to a sync request of ours is due; asked only about answers.
    public static func judge(
        _ packet: some PacketHeader, boundPeer: PeerID?, localPeer: PeerID, at now: WallTime,
        isSolicited: (PeerID) -> Bool
    ) -> IngressVerdict {
        let verdict = attribute(packet, boundPeer: boundPeer, localPeer: localPeer)
        guard case .accept(_, let validation) = verdict else { return verdict }
        return refusalOfTime(packet, validation: validation, at: now, isSolicited: isSolicited) ?? verdict
    }

    /// The half of the guard that a packet rebuilt from fragments passes too: an answer to a sync request must have been
    /// asked for, then its time does not matter; any other packet must be fresh. `nil` when nothing speaks against it.
    ///
    /// - Parameter validation: The peer that an answer must have been asked of.
    public static func refusalOfTime(
        _ packet: some PacketHeader, validation: PeerID, at now: WallTime, isSolicited: (PeerID) -> Bool
    ) -> IngressVerdict? {
        if packet.isSyncResponse {
            return isSolicited(validation) ? nil : .unsolicitedSyncResponse(from: validation)
        }
        return isFresh(packet.timestamp, at: now) ? nil : .timestampSkew(packet.timestamp.distance(to: now))
    }

    /// The same half of the guard for a packet rebuilt from fragments.
    ///
    /// When every fragment was an accepted answer to a sync request of ours, so is what they make up, whatever its own
    /// flag says, of whatever author and age: the same neighbour could have sent a small packet whole. Otherwise its own
    /// flag and time decide, and an answer must have been asked of its author. The reference knows only the latter, so
    /// that large packets of third parties fail (spec: store-and-forward §5.9, REF-GAP).
    ///
    /// - Parameter fragmentsSolicited: ``FragmentAssemblies/Completion/isSolicited``.
    public static func refusalOfRebuilt(
        _ packet: some PacketHeader, fragmentsSolicited: Bool, at now: WallTime, isSolicited: (PeerID) -> Bool
    ) -> IngressVerdict? {
        fragmentsSolicited
            ? nil : refusalOfTime(packet, validation: packet.sender, at: now, isSolicited: isSolicited)
    }

    /// Rules 1 to 4: whom to attribute a frame to, if it may come from there at all.
    private static func attribute(
        _ packet: some PacketHeader, boundPeer: PeerID?, localPeer: PeerID
    ) -> IngressVerdict {
        let sender = packet.sender
        if sender == localPeer && !(packet.isSyncResponse && packet.ttl == 0) { return .selfLoop }
        if let boundPeer, boundPeer != sender {
            if packet.type == .requestSync { return .senderMismatch }
            if packet.isDirectAnnounce { return .accept(from: sender, validation: sender) }
        }
        let from = boundPeer ?? sender
        return .accept(from: from, validation: packet.isSyncResponse ? from : sender)
    }

    /// Whether a packet that answers no sync request is fresh enough: bounds replay.
    public static func isFresh(_ timestamp: WallTime, at now: WallTime) -> Bool {
        timestamp.distance(to: now) <= MeshPolicy.maximumSkew
    }

    /// Whether an answer to a sync request was asked for: then its age does not matter (spec: packet §2.11).
    ///
    /// - Parameter requestedAt: When we last sent a sync request to the peer that the packet is validated by.
    public static func isSolicited(requestedAt: Uptime?, at now: Uptime) -> Bool {
        requestedAt.map { now - $0 <= PacketPolicy.syncResponseWindow } ?? false
    }
}

/// The header fields that decisions need; a frame's view and a rebuilt packet both have them.
public protocol PacketHeader {
    /// What the payload is.
    var type: MessageType { get }
    /// Hops left.
    var ttl: UInt8 { get }
    /// When the sender made it.
    var timestamp: WallTime { get }
    /// Who made it, as claimed.
    var sender: PeerID { get }
    /// For whom.
    var recipient: PeerID? { get }
    /// Whether it answers a sync request.
    var isSyncResponse: Bool { get }
}

extension PacketHeader {
    /// An announce that left its author just now, as far as an unsigned field can say (spec: mesh §1).
    public var isDirectAnnounce: Bool { type == .announce && ttl == MeshPolicy.originTTL }
}

extension Packet: PacketHeader {}
