/// A packet that gossip carries on, with everything that deciding about it needs.
///
/// The frame is kept as it was received, because no encoder writes another one's compressed payload alike, and the
/// signature covers it; what changes on the way is patched when the packet is served (``response``).
///
/// Source: spec, store-and-forward §5.1, §5.3.
public struct GossipPacket: Hashable, Sendable {
    /// What there is one packet for.
    public enum Key: Hashable, Sendable {
        /// Messages, fragments, files and board packets: one each.
        case packet(SyncID)
        /// One announce for each author.
        case announce(PeerID)
        /// One bundle for each owner, whoever claims to have sent it.
        case prekeyBundle(AgreementPublicKey)
    }

    /// The frame as received, without padding.
    public let frame: [UInt8]
    /// What the packet is known by.
    public let id: SyncID
    /// Where it falls in a filter.
    public let hash: SyncHash
    /// What a later packet would take the place of it for.
    public let key: Key
    /// What the payload is.
    public let type: MessageType
    /// Who made it, as claimed.
    public let sender: PeerID
    /// When it was made, as claimed.
    public let timestamp: WallTime
    /// Of a fragment, the stream that it belongs to; `nil` when its payload is too short to say.
    public let stream: FragmentID?

    /// Takes a received or own frame.
    ///
    /// - Parameter payload: The inflated payload.
    /// - Returns: `nil` for what gossip does not carry: other types, announces apart what is not for everyone, and a
    ///   prekey bundle that does not decode.
    public init?(_ view: PacketView, payload: ArraySlice<UInt8>, using cryptography: some Cryptography) {
        guard SyncPolicy.initialTypes.contains(view.type), view.type == .announce || view.isBroadcast else {
            return nil
        }
        id = SyncID(
            type: view.type, sender: view.sender, timestamp: view.timestamp, payload: payload.span,
            using: cryptography)
        switch view.type {
        case .announce: key = .announce(view.sender)
        case .prekeyBundle:
            guard let bundle = PrekeyBundle(payload) else { return nil }
            key = .prekeyBundle(bundle.offer.owner)
        default: key = .packet(id)
        }
        hash = SyncHash(of: id, using: cryptography)
        frame = view.unpaddedFrame
        type = view.type
        sender = view.sender
        timestamp = view.timestamp
        stream = view.type == .fragment ? FragmentID(payload.prefix(FragmentID.count)) : nil
    }

    /// Takes a frame out of an archive; `nil` for one that does not decode, and as above.
    public init?(
        frame: [UInt8], using cryptography: some Cryptography, _ compression: some Compression
    ) {
        guard let view = PacketView(frame), let payload = view.payload(using: compression) else { return nil }
        self.init(view, payload: payload, using: cryptography)
    }

    /// The frame as an answer to a sync request: TTL 0 and the sync-response flag, all else as received.
    ///
    /// Neither is covered by the signature (spec: store-and-forward §0, §5.8).
    public var response: [UInt8] { PacketView.syncResponse(of: frame) }
}
