/// The text of a verification QR code: which keys its owner has, for whoever stands before the screen.
///
/// The code verifies nothing by itself; it says which keys to challenge.
///
/// Source: spec, noise §8.1; app §8.3.
public struct VerificationCode: Hashable, Sendable {
    /// Why a scanned text is no good.
    public enum Refusal: Error, Hashable, Sendable {
        /// It is no verification code, or a part is missing or unreadable.
        case malformed
        /// It has a version that this node does not know.
        case unknownVersion
        /// It was made more than ``VerificationCode/maximumSkew`` ago, or ahead.
        case outOfTime
        /// Its signature does not verify.
        case badSignature
    }

    /// The owner's Noise static key.
    public let noiseKey: AgreementPublicKey
    /// The owner's signing key.
    public let signingKey: SigningPublicKey
    /// The owner's Nostr address, empty or `nil` for none; not checked here.
    public let npub: String?
    /// The owner's name; untrusted text.
    public let nickname: String
    /// When it was made, in seconds since 1970.
    public let timestamp: Int64
    /// The nonce as text: base64url of 16 random bytes in our own, not decoded in others'.
    public let nonce: String
    /// The owner's signature.
    public let signature: Signature

    /// The only version.
    public static let version: Int64 = 1
    /// How far the owner's clock may be off; a future date must not buy a longer life.
    public static let maximumSkew = Milliseconds.seconds(300)
    /// How long an owner shows one code before making another.
    public static let displayTime = Milliseconds.seconds(60)

    private static let prefix = "bitchat://verify"

    /// Makes and signs a code.
    ///
    /// - Parameters:
    ///   - nonce: Sixteen random bytes, the first one most significant.
    ///   - seed: The owner's Ed25519 seed.
    public init<C: Cryptography>(
        noiseKey: AgreementPublicKey, npub: String?, nickname: String, at now: WallTime, nonce: UInt128,
        signedWith seed: C.Secret, using cryptography: C
    ) {
        var nonceBytes: [UInt8] = []
        nonceBytes.append(bigEndian: nonce)
        self.noiseKey = noiseKey
        self.signingKey = cryptography.signingPublicKey(of: seed)
        self.npub = npub
        self.nickname = nickname
        self.timestamp = Int64(clamping: now.milliseconds / 1000)
        self.nonce = Base64URL.encode(nonceBytes)
        let bytes = Self.signedBytes(
            noiseKey: noiseKey, signingKey: signingKey, npub: npub, nickname: nickname, timestamp: timestamp,
            nonce: self.nonce)
        self.signature = cryptography.sign(bytes.span, with: seed)
    }

    /// The bytes under the signature: each part in a fixed place, so that nothing can move into another.
    public var signedBytes: [UInt8] {
        Self.signedBytes(
            noiseKey: noiseKey, signingKey: signingKey, npub: npub, nickname: nickname, timestamp: timestamp,
            nonce: nonce)
    }

    private static func signedBytes(
        noiseKey: AgreementPublicKey, signingKey: SigningPublicKey, npub: String?, nickname: String, timestamp: Int64,
        nonce: String
    ) -> [UInt8] {
        let parts = [
            "bitchat-verify-v1", String(version), noiseKey.bytes.hex, signingKey.bytes.hex, npub ?? "", nickname,
            String(timestamp), nonce,
        ]
        var bytes: [UInt8] = []
        for part in parts {
            let kept = part.utf8.prefix(255)
            bytes.append(UInt8(clamping: kept.count))
            bytes += kept
        }
        return bytes
    }

    /// The text to show.
    public var url: String {
        var items: [(String, String)] = [
            ("v", String(Self.version)), ("noise", noiseKey.bytes.hex), ("sign", signingKey.bytes.hex),
            ("nick", nickname), ("ts", String(timestamp)), ("nonce", nonce), ("sig", Hex.encode(signature.bytes)),
        ]
        if let npub { items.append(("npub", npub)) }
        return Self.prefix + "?"
            + items.map { "\($0)=\(PercentEncoding.encode($1))" }.joined(separator: "&")
    }

    /// Reads a scanned text: items in any order, the first of each name counts, unknown ones are passed over.
    ///
    /// - Parameter now: The time of the scan.
    public init(scanning url: String, at now: WallTime, using cryptography: some Cryptography) throws(Refusal) {
        guard let items = Self.items(of: url), let version = items["v"].flatMap({ Int64($0) }),
            let noiseKey = items["noise"].flatMap({ Hex.decode($0) }).flatMap({ Bytes32($0) }),
            let signingKey = items["sign"].flatMap({ Hex.decode($0) }).flatMap({ Bytes32($0) }),
            let nickname = items["nick"], let timestamp = items["ts"].flatMap({ Int64($0) }),
            let nonce = items["nonce"],
            let signature = items["sig"].flatMap({ Hex.decode($0) }).flatMap({ Signature($0) })
        else { throw .malformed }
        guard version == Self.version else { throw .unknownVersion }
        self.noiseKey = AgreementPublicKey(noiseKey)
        self.signingKey = SigningPublicKey(signingKey)
        self.npub = items["npub"]
        self.nickname = nickname
        self.timestamp = timestamp
        self.nonce = nonce
        self.signature = signature
        guard Self.isTimely(timestamp, at: now) else { throw .outOfTime }
        guard cryptography.verify(signature, of: signedBytes.span, by: self.signingKey) else { throw .badSignature }
    }

    private static func isTimely(_ timestamp: Int64, at now: WallTime) -> Bool {
        let (difference, overflow) = Int64(clamping: now.milliseconds / 1000).subtractingReportingOverflow(timestamp)
        return !overflow && difference.magnitude <= UInt64(clamping: maximumSkew.count / 1000)
    }

    /// The first item of each name; `nil` when the text is no verification URL. Path and fragment are passed over, and an
    /// item without `=` counts as missing.
    private static func items(of url: String) -> [String: String]? {
        var rest = url.utf8[...]
        guard rest.starts(with: prefix.utf8) else { return nil }
        rest = rest.dropFirst(prefix.utf8.count)
        guard rest.isEmpty || rest.first.map({ "/?#".utf8.contains($0) }) == true else { return nil }
        rest = rest.prefix { $0 != UInt8(ascii: "#") }
        guard let mark = rest.firstIndex(of: UInt8(ascii: "?")) else { return nil }
        var items: [String: String] = [:]
        var seen: Set<String> = []
        for item in rest[rest.index(after: mark)...].split(separator: UInt8(ascii: "&")) {
            let parts = item.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = parts.first.flatMap({ PercentEncoding.decode($0) }) else { return nil }
            guard seen.insert(name).inserted, parts.count == 2 else { continue }
            guard let value = PercentEncoding.decode(parts[1]) else { return nil }
            items[name] = value
        }
        return items
    }
}
