/// What a peer proves about itself inside a Noise session: its capabilities and its signing key.
///
/// Source: spec, noise §6.6.
public struct AuthenticatedPeerState: Hashable, Sendable {
    /// What the peer can do.
    public let capabilities: Capabilities
    /// The key that the peer signs packets with.
    public let signingKey: SigningPublicKey

    /// Makes a state.
    public init(capabilities: Capabilities, signingKey: SigningPublicKey) {
        self.capabilities = capabilities
        self.signingKey = signingKey
    }

    private static let version: UInt8 = 1

    private enum Tag {
        static let capabilities: UInt8 = 0x01
        static let signingKey: UInt8 = 0x02
    }

    /// The body.
    public var encoded: [UInt8] {
        let bits = capabilities.encoded
        return [Self.version, Tag.capabilities, UInt8(truncatingIfNeeded: bits.count)] + bits
            + [Tag.signingKey, UInt8(truncatingIfNeeded: Bytes32.count)] + signingKey.bytes.bytes
    }

    /// Reads a body: any order, unknown fields passed over.
    ///
    /// - Returns: `nil` for another version, a field twice or missing, capabilities that are not in their shortest form, a
    ///   key without 32 bytes, or a fault in the framing.
    public init?(_ body: ArraySlice<UInt8>) {
        guard body.first == Self.version else { return nil }
        var (capabilities, signingKey) = (Capabilities?.none, SigningPublicKey?.none)
        var fields = TLVReader(body.dropFirst(), .short, leftover: .refused)
        while let field = fields.next() {
            switch field.tag {
            case Tag.capabilities:
                guard capabilities == nil, let value = Capabilities(canonical: field.value) else { return nil }
                capabilities = value
            case Tag.signingKey:
                guard signingKey == nil, let key = Bytes32(field.value) else { return nil }
                signingKey = SigningPublicKey(key)
            default: break
            }
        }
        guard fields.isIntact, let capabilities, let signingKey else { return nil }
        self.init(capabilities: capabilities, signingKey: signingKey)
    }
}
