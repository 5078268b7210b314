import Domain

extension PeerIdentity {
    /// The record as a store keeps it, sealed.
    public var json: JSONValue {
        .object([
            "noiseKey": .string(noiseKey.bytes.hex), "signingKey": signingKey.map { .string($0.bytes.hex) },
            "isSigningKeyAuthenticated": .bool(isSigningKeyAuthenticated),
            "provedPrivateMedia": .bool(provedPrivateMedia), "nickname": .string(nickname),
        ])
    }

    /// Reads what ``json`` writes; members that it does not know are ignored.
    public init(json: JSONValue) throws(EventFormatError) {
        let fields = JSONFields(json)
        self.init(
            noiseKey: AgreementPublicKey(try fields.digest("noiseKey")),
            signingKey: try fields.optionalDigest("signingKey").map { SigningPublicKey($0) },
            isSigningKeyAuthenticated: try fields.flag("isSigningKeyAuthenticated"),
            provedPrivateMedia: try fields.flag("provedPrivateMedia"), nickname: try fields.text("nickname"))
    }
}
