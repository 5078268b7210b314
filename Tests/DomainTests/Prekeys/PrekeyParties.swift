import Domain
import NativeCryptography
import Testing

typealias OwnPrekeys = LocalPrekeys<NativeCryptography>

/// Keys, times and calls of the prekey tests.
enum Prekeys {
    static let cryptography = payloadCryptography
    static let identity = AgreementKeyPair(secret(1), using: cryptography)
    static let dataKey = secret(2)
    static let hour: Int64 = 3_600_000
    static let day = 24 * hour
    /// A moment from which tests count, long after 1970 as every real one.
    static let start: UInt64 = 1_750_000_000_000

    static func secret(_ byte: UInt8) -> NativeSecret {
        let bytes = [UInt8](repeating: byte, count: 32)
        return cryptography.importSecret(bytes.span)
    }

    static func key(_ byte: UInt8) -> AgreementPublicKey {
        AgreementKeyPair(secret(byte), using: cryptography).publicKey
    }

    /// So many milliseconds after ``start``.
    static func time(_ offset: Int64) -> WallTime { WallTime(milliseconds: start).moved(offset) }

    static func span(_ milliseconds: Int64) -> Milliseconds { Milliseconds(milliseconds) }

    /// A node that has just made its first prekeys, at ``start``.
    static func fresh(seed: UInt64 = 1) -> (prekeys: OwnPrekeys, dice: PacketTestRandomness) {
        let dice = PacketTestRandomness(seed: seed)
        var prekeys = OwnPrekeys(owner: identity.publicKey, dataKey: dataKey, using: cryptography)
        _ = prekeys.maintain(at: time(0), from: dice, using: cryptography)
        return (prekeys, dice)
    }

    static func restored(_ change: PrekeyChange, dataKey: NativeSecret = dataKey) -> OwnPrekeys {
        OwnPrekeys(
            restoring: change.written, sequence: change.sequence, owner: identity.publicKey, dataKey: dataKey,
            using: cryptography)
    }

    /// A bundle of somebody's, with one key for each number.
    static func bundle(
        of owner: AgreementPublicKey, _ ids: [UInt32] = [0, 1, 2], at offset: Int64 = 0, signer: UInt8 = 9
    ) throws -> PrekeyBundle {
        let prekeys = ids.map { Prekey(id: $0, key: key(UInt8(truncatingIfNeeded: 100 + $0))) }
        let offer = try #require(PrekeyOffer(owner: owner, prekeys: prekeys, generatedAt: time(offset)))
        return PrekeyBundle(signing: offer, with: secret(signer), using: cryptography)
    }
}

extension WallTime {
    /// This time and so many milliseconds, which may be negative.
    func moved(_ offset: Int64) -> WallTime { WallTime(milliseconds: milliseconds &+ UInt64(bitPattern: offset)) }
}

extension LocalPrekeys<NativeCryptography> {
    /// The numbers on offer.
    var ids: [UInt32] { offer?.prekeys.map(\.id) ?? [] }

    mutating func consume(_ id: UInt32, _ offset: Int64, _ dice: PacketTestRandomness) -> PrekeyChange {
        consume(id, at: Prekeys.time(offset), from: dice, using: Prekeys.cryptography)
    }

    mutating func maintain(_ offset: Int64, _ dice: PacketTestRandomness) -> PrekeyChange {
        maintain(at: Prekeys.time(offset), from: dice, using: Prekeys.cryptography)
    }

    func has(_ id: UInt32, _ offset: Int64) -> Bool { keys(of: id, at: Prekeys.time(offset)) != nil }
}
