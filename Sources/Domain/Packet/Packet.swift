/// One bitchat packet, decoded: what a sender means before the frame is laid out, or what a frame said.
///
/// Source: spec, packet §2.
public struct Packet: Hashable, Sendable {
    /// 1, or 2 where a 32-bit length or a route is needed.
    public var version: UInt8
    /// What the payload is.
    public var type: MessageType
    /// Hops left; not signed.
    public var ttl: UInt8
    /// When the sender made it.
    public var timestamp: WallTime
    /// Who made it, as claimed.
    public var sender: PeerID
    /// For whom; `nil` and ``PeerID/broadcast`` both mean everyone, with different signed bytes.
    public var recipient: PeerID?
    /// Intermediate hops in travel order, at most 255; empty means none. Only in version 2.
    public var route: [PeerID]
    /// The payload, not compressed.
    public var payload: [UInt8]
    /// The sender's Ed25519 signature, if any.
    public var signature: Signature?
    /// Whether the packet answers a sync request (flag 0x10, not signed).
    public var isSyncResponse: Bool

    /// Makes a packet.
    public init(
        version: UInt8 = 1, type: MessageType, ttl: UInt8, timestamp: WallTime, sender: PeerID,
        recipient: PeerID? = nil, route: [PeerID] = [], payload: [UInt8], signature: Signature? = nil,
        isSyncResponse: Bool = false
    ) {
        self.version = version
        self.type = type
        self.ttl = ttl
        self.timestamp = timestamp
        self.sender = sender
        self.recipient = recipient
        self.route = route
        self.payload = payload
        self.signature = signature
        self.isSyncResponse = isSyncResponse
    }

    /// Whether the packet is for everyone (spec: packet §2.3).
    public var isBroadcast: Bool { recipient == nil || recipient == .broadcast }
}
