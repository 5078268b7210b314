/// What the ingress guard says of a frame before anything else looks at it.
///
/// Source: spec, mesh §3.
public enum IngressVerdict: Hashable, Sendable {
    /// Go on; attribute the frame to `from`, and ask `validation` for a sync request when it answers one.
    case accept(from: PeerID, validation: PeerID)
    /// Our own packet came back.
    case selfLoop
    /// A link-local request that claims another sender than the link's peer.
    case senderMismatch
}

/// The header's part of the ingress guard: pure, and before any expensive step.
public enum IngressGuard {
    /// Rules 1 to 4 of the guard; the first that matches decides.
    ///
    /// - Parameter boundPeer: The peer that the link is bound to, if any.
    public static func judge(_ packet: PacketHeader, boundPeer: PeerID?, localPeer: PeerID) -> IngressVerdict {
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
