/// The payload of an announce packet (0x01): who is here, under which keys, next to whom, and able to do what.
///
/// A value says only that the layout was right. Keys are kept as they came: their lengths are judged where they are used
/// (``AnnounceCheck``), as every peer does, so that all peers agree on which announce is well formed.
///
/// Source: spec, packet §4.2.
public struct Announce: Hashable, Sendable {
    /// The name as sent, at most 255 bytes of UTF-8; untrusted text.
    public var nickname: String
    /// The Noise static public key, 32 bytes when it is good.
    public var noiseKey: [UInt8]
    /// The Ed25519 public key, 32 bytes when it is good.
    public var signingKey: [UInt8]
    /// Peers on the sender's links, as claimed; `nil` when not told. Of more than ten the first ten are sent.
    public var neighbours: [PeerID]?
    /// What the sender can do; `nil` for an old client that does not tell, which is not the same as an empty set.
    public var capabilities: Capabilities?
    /// The geohash cell that the sender bridges, 1 to 12 bytes when sent; `nil` when absent.
    public var bridgeCell: String?

    /// How many neighbours are sent.
    public static let maximumNeighboursSent = 10
    /// The longest bridge cell, in bytes.
    public static let maximumBridgeCellLength = 12

    /// Makes an announce.
    public init(
        nickname: String, noiseKey: [UInt8], signingKey: [UInt8], neighbours: [PeerID]? = nil,
        capabilities: Capabilities? = nil, bridgeCell: String? = nil
    ) {
        self.nickname = nickname
        self.noiseKey = noiseKey
        self.signingKey = signingKey
        self.neighbours = neighbours
        self.capabilities = capabilities
        self.bridgeCell = bridgeCell
    }

    /// The Noise static key; `nil` when it does not have 32 bytes.
    public var agreementPublicKey: AgreementPublicKey? { Bytes32(noiseKey).map { AgreementPublicKey($0) } }
    /// The signing key; `nil` when it does not have 32 bytes.
    public var signingPublicKey: SigningPublicKey? { Bytes32(signingKey).map { SigningPublicKey($0) } }

    private enum Tag {
        static let nickname: UInt8 = 0x01
        static let noiseKey: UInt8 = 0x02
        static let signingKey: UInt8 = 0x03
        static let neighbours: UInt8 = 0x04
        static let capabilities: UInt8 = 0x05
        static let bridgeCell: UInt8 = 0x06
    }

    /// The payload; `nil` when the nickname or a key exceeds 255 bytes.
    public var encoded: [UInt8]? {
        var writer = TLVWriter(.short, capacity: 96 + nickname.utf8.count)
        writer.append(Tag.nickname, nickname.utf8)
        writer.append(Tag.noiseKey, noiseKey)
        writer.append(Tag.signingKey, signingKey)
        if let neighbours, !neighbours.isEmpty {
            writer.append(Tag.neighbours, neighbours.prefix(Self.maximumNeighboursSent).flatMap(\.bytes))
        }
        if let capabilities { writer.append(Tag.capabilities, capabilities.encoded) }
        if let bridgeCell, (1...Self.maximumBridgeCellLength).contains(bridgeCell.utf8.count) {
            writer.append(Tag.bridgeCell, bridgeCell.utf8)
        }
        return writer.bytes
    }

    /// Reads a payload: any order, unknown fields passed over, the last of a repeated field counts, one byte left over at
    /// the end ignored.
    ///
    /// - Returns: `nil` for a length past the end, or without nickname, Noise key and signing key.
    public init?(_ payload: ArraySlice<UInt8>) {
        var (nickname, noiseKey, signingKey) = (String?.none, ArraySlice<UInt8>?.none, ArraySlice<UInt8>?.none)
        var (neighbours, capabilities, bridgeCell) = ([PeerID]?.none, Capabilities?.none, String?.none)
        var fields = TLVReader(payload, .short, leftover: .ignored)
        while let field = fields.next() {
            switch field.tag {
            case Tag.nickname: nickname = field.value.text
            case Tag.noiseKey: noiseKey = field.value
            case Tag.signingKey: signingKey = field.value
            case Tag.neighbours: neighbours = Self.neighbours(in: field.value) ?? neighbours
            case Tag.capabilities: capabilities = Capabilities(lenient: field.value)
            case Tag.bridgeCell where field.value.count <= Self.maximumBridgeCellLength:
                bridgeCell = field.value.text
            default: break
            }
        }
        guard fields.isIntact, let nickname, let noiseKey, let signingKey else { return nil }
        self.init(
            nickname: nickname, noiseKey: Array(noiseKey), signingKey: Array(signingKey), neighbours: neighbours,
            capabilities: capabilities, bridgeCell: bridgeCell)
    }

    /// Reads a list of neighbours; `nil` when it is empty or not a multiple of eight bytes, and so to be ignored.
    public static func neighbours(in bytes: ArraySlice<UInt8>) -> [PeerID]? {
        guard !bytes.isEmpty, bytes.count.isMultiple(of: PeerID.count) else { return nil }
        var reader = ByteReader(bytes)
        var neighbours: [PeerID] = []
        neighbours.reserveCapacity(bytes.count / PeerID.count)
        while let number = reader.take(UInt64.self) { neighbours.append(PeerID(rawValue: number)) }
        return neighbours
    }
}
