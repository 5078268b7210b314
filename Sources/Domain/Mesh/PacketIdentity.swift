/// What a packet is known by in gossip sync: the first 16 bytes of SHA-256 over type, sender, timestamp and payload.
///
/// Survives relaying: version, TTL, flags, recipient, route and signature are not part of it.
///
/// Source: spec, packet §5.1.
public struct SyncID: Hashable, Sendable {
    /// The 16 bytes, the first one most significant.
    public let rawValue: UInt128

    /// Takes the 16 bytes as a number, the first one most significant.
    public init(rawValue: UInt128) { self.rawValue = rawValue }

    /// Computes the identifier of a packet; `payload` is the inflated one.
    public init(
        type: MessageType, sender: PeerID, timestamp: WallTime, payload: Span<UInt8>,
        using cryptography: some Cryptography
    ) {
        var prefix: [UInt8] = []
        prefix.reserveCapacity(17)
        prefix.append(type.rawValue)
        prefix.append(bigEndian: sender.rawValue)
        prefix.append(bigEndian: timestamp.milliseconds)
        rawValue = cryptography.sha256(prefix.span, payload).high
    }

    /// Computes the identifier of a packet.
    public init(of packet: Packet, using cryptography: some Cryptography) {
        self.init(
            type: packet.type, sender: packet.sender, timestamp: packet.timestamp, payload: packet.payload.span,
            using: cryptography)
    }

    /// 32 lowercase hexadecimal digits.
    public var hex: String {
        var bytes: [UInt8] = []
        bytes.append(bigEndian: rawValue)
        return Hex.encode(bytes)
    }
}

extension SyncID: Comparable {
    /// Orders as the bytes do.
    public static func < (left: SyncID, right: SyncID) -> Bool { left.rawValue < right.rawValue }
}

/// What duplicates of a packet are recognised by: sender, timestamp, type, and four bytes of the payload's digest.
///
/// The digest is there because one sender stamps several packets of a type with the same millisecond. The same value
/// names a packet on a link (the fanout's seed). Fixed width, so that a relay can look one up in nanoseconds; ``text`` is
/// the form of the specification.
///
/// Source: spec, packet §5.2; mesh §4, §5.
public struct DedupKey: Hashable, Sendable {
    /// What sort of thing is remembered; sorts never collide.
    private enum Sort: UInt8 { case packet, ownBroadcast, announceBack }

    private let sender: UInt64
    private let timestamp: UInt64
    private let digest: UInt32
    private let type: UInt8
    private let sort: Sort
    /// What else tells copies apart here, and is no part of ``text``; see ``distinguished(by:)``.
    private var variant: UInt64 = 0

    private init(sort: Sort, sender: PeerID, timestamp: WallTime, type: UInt8, digest: UInt32) {
        self.sort = sort
        self.sender = sender.rawValue
        self.timestamp = timestamp.milliseconds
        self.type = type
        self.digest = digest
    }

    /// Computes the key of a packet; `payload` is the inflated one.
    public init(
        type: MessageType, sender: PeerID, timestamp: WallTime, payload: Span<UInt8>,
        using cryptography: some Cryptography
    ) {
        self.init(
            type: type, sender: sender, timestamp: timestamp,
            digest: UInt32(truncatingIfNeeded: cryptography.sha256(payload).high >> 96))
    }

    /// Computes the key of a packet.
    public init(of packet: Packet, using cryptography: some Cryptography) {
        self.init(
            type: packet.type, sender: packet.sender, timestamp: packet.timestamp, payload: packet.payload.span,
            using: cryptography)
    }

    /// Makes a key of its parts.
    ///
    /// - Parameter digest: Bytes 0...3 of SHA-256 over the payload, the first one most significant.
    public init(type: MessageType, sender: PeerID, timestamp: WallTime, digest: UInt32) {
        self.init(sort: .packet, sender: sender, timestamp: timestamp, type: type.rawValue, digest: digest)
    }

    /// The key without digest under which an own broadcast is recorded.
    public static func ownBroadcast(type: MessageType, sender: PeerID, timestamp: WallTime) -> DedupKey {
        DedupKey(sort: .ownBroadcast, sender: sender, timestamp: timestamp, type: type.rawValue, digest: 0)
    }

    /// The key that keeps us from answering a peer's announces over and over (spec: mesh §12.3).
    public static func announceBack(to peer: PeerID) -> DedupKey {
        DedupKey(sort: .announceBack, sender: peer, timestamp: WallTime(milliseconds: 0), type: 0, digest: 0)
    }

    /// The same key, unequal to that of a copy with another recipient, signature or route.
    ///
    /// [ours] None of the three changes on an honest way. Whoever passes on a copy without its signature, under another
    /// recipient or along an invented route must not have the honest copy taken for a duplicate of it.
    public func distinguished(by view: PacketView) -> DedupKey {
        var key = self
        var mixed = view.recipient?.rawValue ?? 0
        if let signature = view.signature {
            mixed ^= UInt64(truncatingIfNeeded: signature.first.high) &* 0x9E37_79B9_7F4A_7C15
            mixed ^= UInt64(truncatingIfNeeded: signature.second.low)
        }
        for hop in view.route { mixed = (mixed ^ hop.rawValue) &* 0xD6E8_FEB8_6659_FD93 }
        key.variant = mixed
        return key
    }

    /// The key string of the specification; also the link message ID that seeds the fanout.
    public var text: String {
        let sender = PeerID(rawValue: sender).hex
        switch sort {
        case .packet:
            var bytes: [UInt8] = []
            bytes.append(bigEndian: digest)
            return "\(sender)-\(timestamp)-\(type)-\(Hex.encode(bytes))"
        case .ownBroadcast: return "\(sender)-\(timestamp)-\(type)"
        case .announceBack: return "announce-back-\(sender)"
        }
    }

    /// Whether the set of processed packets applies: to all but fragments, many of which share sender, time and type and
    /// come late with good reason, and our own packets out of a neighbour's sync store (spec: packet §5.2).
    public static func applies(type: MessageType, sender: PeerID, ttl: UInt8, localPeer: PeerID) -> Bool {
        type != .fragment && !(sender == localPeer && ttl == 0)
    }

    /// Mixes all fields and a secret seed into 64 bits, cheaply: this runs once for every frame.
    func mixed(with seed: UInt64) -> UInt64 {
        let first = (sender ^ seed).multipliedFullWidth(by: timestamp ^ 0x9E37_79B9_7F4A_7C15)
        let tail = UInt64(digest) << 32 | UInt64(type) << 8 | UInt64(sort.rawValue)
        let folded = first.high ^ first.low ^ tail ^ variant
        let second = (folded ^ seed.byteSwapped).multipliedFullWidth(by: 0xD6E8_FEB8_6659_FD93)
        return second.high ^ second.low
    }
}
