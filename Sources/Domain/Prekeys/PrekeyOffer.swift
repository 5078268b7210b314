/// A one-time X25519 public key that others may seal mail to.
///
/// Source: spec, noise §10.4.
public struct Prekey: Hashable, Sendable {
    /// The owner's number for it.
    public let id: UInt32
    /// The public key.
    public let key: AgreementPublicKey

    /// Makes a prekey.
    public init(id: UInt32, key: AgreementPublicKey) {
        self.id = id
        self.key = key
    }
}

/// The one-time prekeys that an owner offers, at some time.
///
/// Source: spec, noise §10.4; packet §4.12.
public struct PrekeyOffer: Hashable, Sendable {
    /// The owner's Noise static key.
    public let owner: AgreementPublicKey
    /// One to eight prekeys with different numbers, in the owner's order, which is signed.
    public let prekeys: [Prekey]
    /// When the owner made the offer; a later one replaces it.
    public let generatedAt: WallTime

    /// The most prekeys of an offer.
    public static let maximumPrekeys = 8

    /// Makes an offer; `nil` for no prekey, more than eight, or a number used twice.
    public init?(owner: AgreementPublicKey, prekeys: [Prekey], generatedAt: WallTime) {
        guard (1...Self.maximumPrekeys).contains(prekeys.count), Set(prekeys.map(\.id)).count == prekeys.count
        else { return nil }
        self.owner = owner
        self.prekeys = prekeys
        self.generatedAt = generatedAt
    }

    /// The entries as they stand on the wire and under the signature.
    var entries: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(prekeys.count * PrekeyBundle.entryLength)
        for prekey in prekeys {
            bytes.append(bigEndian: prekey.id)
            bytes += prekey.key.bytes.bytes
        }
        return bytes
    }

    /// The bytes that the owner signs.
    public var signedBytes: [UInt8] {
        let context = "bitchat-prekey-bundle-v1"
        var bytes = [UInt8(clamping: context.utf8.count)] + context.utf8
        bytes += owner.bytes.bytes
        bytes.append(UInt8(clamping: prekeys.count))
        bytes += entries
        bytes.append(bigEndian: generatedAt.milliseconds)
        return bytes
    }
}
