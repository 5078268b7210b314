import Application
import Domain

/// Seals rows under keys derived from the vault's data key, and names peers so that only the key's holder knows whom.
struct JournalSeal<C: Cryptography>: Sendable {
    private let sealKey: C.Secret
    private let tagKey: C.Secret
    private let cryptography: C
    private let makeNonce: @Sendable () -> AEADNonce

    private static var nonceLength: Int { 12 }

    /// Where a row belongs; authenticated with it, so that rows cannot take each other's place.
    enum Place {
        case event(UInt64)
        case identity([UInt8])
        /// An entry's kind and tag.
        case record(kind: UInt8, tag: [UInt8])
        /// The row that tells whether the data key is the right one.
        case keyCheck

        fileprivate var associatedData: [UInt8] {
            switch self {
            case .event(let sequence):
                var bytes = Array("event".utf8)
                bytes.append(bigEndian: sequence)
                return bytes
            case .identity(let tag): return Array("identity".utf8) + tag
            case .record(let kind, let tag): return Array("record".utf8) + [kind] + tag
            case .keyCheck: return Array("key-check".utf8)
            }
        }
    }

    init(dataKey: C.Secret, cryptography: C, makeNonce: @escaping @Sendable () -> AEADNonce) {
        let context = Array("satchel-journal-v1".utf8)
        (sealKey, tagKey) = cryptography.hkdf(
            chainingKey: dataKey, input: cryptography.importSecret(context.span))
        self.cryptography = cryptography
        self.makeNonce = makeNonce
    }

    /// A random nonce, then ciphertext and tag. Under one key random 96-bit nonces are good for 2^32 rows.
    func seal(_ plaintext: [UInt8], for place: Place) -> [UInt8] {
        let nonce = makeNonce()
        var sealed: [UInt8] = []
        sealed.reserveCapacity(Self.nonceLength + plaintext.count + aeadTagLength)
        sealed.append(bigEndian: nonce.prefix)
        sealed.append(bigEndian: nonce.suffix)
        cryptography.seal(
            plaintext.span, key: sealKey, nonce: nonce, associatedData: place.associatedData.span, into: &sealed)
        return sealed
    }

    /// The plaintext; `nil` when the bytes were not sealed under our key for this place.
    func open(_ sealed: [UInt8], for place: Place) -> [UInt8]? {
        guard let nonce = AEADNonce(sealed.prefix(Self.nonceLength)) else { return nil }
        let ciphertext = sealed.dropFirst(Self.nonceLength)
        var plaintext: [UInt8] = []
        let isAuthentic = cryptography.open(
            ciphertext.span, key: sealKey, nonce: nonce, associatedData: place.associatedData.span,
            into: &plaintext)
        return isAuthentic ? plaintext : nil
    }

    /// The keyed hash under which a peer's record is kept.
    func tag(of key: AgreementPublicKey) -> [UInt8] {
        let fingerprint = Fingerprint(of: key, using: cryptography).digest.bytes
        return cryptography.withBytes(of: tagKey) { cryptography.hmacSHA256(of: fingerprint.span, key: $0).bytes }
    }

    /// The keyed hash under which an entry of a store is kept. The kind is hashed too: nobody can tell that the same peer is
    /// in two stores.
    func tag(of key: RecordKey) -> [UInt8] {
        let input = Array("record".utf8) + [key.kind.rawValue] + key.name
        return cryptography.withBytes(of: tagKey) { cryptography.hmacSHA256(of: input.span, key: $0).bytes }
    }
}
