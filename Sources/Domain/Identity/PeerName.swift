/// The string form of a peer: an optional prefix that says what kind of identifier follows, and the identifier.
///
/// Used where people, JSON and old stores name peers; packets carry a ``PeerID``. The bare part is lowercased, so names
/// compare without regard to case; different prefixes are different names.
///
/// Source: spec, packet §1.2, §1.3.
public struct PeerName: Hashable, Sendable {
    /// What kind of identifier the bare part is.
    public enum Prefix: String, Hashable, Sendable, CaseIterable {
        /// A short identifier, a full Noise key, or a free-form name.
        case none = ""
        /// A mesh identifier, said explicitly.
        case mesh = "mesh:"
        /// A name, internal.
        case name = "name:"
        /// A full Noise static key.
        case noise = "noise:"
        /// A private geohash conversation: 16 digits of a Nostr key.
        case geohashPrivate = "nostr_"
        /// A participant of a geohash chat: 8 digits of a Nostr key.
        case geohashChat = "nostr:"
        /// A group: 32 digits, never routed.
        case group = "group_"
        /// A sender seen across a bridge: 16 digits of its rendezvous key.
        case bridge = "bridge:"
    }

    /// The kind.
    public let prefix: Prefix
    /// The identifier, lowercase.
    public let bare: String

    /// Makes a name of its parts.
    public init(prefix: Prefix = .none, bare: String) {
        self.prefix = prefix
        self.bare = bare.lowercased()
    }

    /// Splits a known prefix off; an unknown one stays in the bare part. Every text is a name, if not a valid one.
    public init(parsing text: String) {
        let prefix = Self.prefix(of: text[...])
        self.init(prefix: prefix, bare: String(text.dropFirst(prefix.rawValue.count)))
    }

    /// The name of a wire identifier: 16 digits.
    public init(_ peer: PeerID) { self.init(bare: peer.hex) }

    /// The stable form of a Noise key: 64 digits.
    public init(_ key: AgreementPublicKey) { self.init(bare: key.bytes.hex) }

    /// The private conversation with a geohash participant; takes the x-only Nostr key.
    public static func geohashPrivate(_ key: Bytes32) -> PeerName {
        PeerName(prefix: .geohashPrivate, bare: String(key.hex.prefix(16)))
    }

    /// A participant of a geohash chat; takes the x-only Nostr key.
    public static func geohashChat(_ key: Bytes32) -> PeerName {
        PeerName(prefix: .geohashChat, bare: String(key.hex.prefix(8)))
    }

    /// A sender across a bridge; takes its x-only rendezvous key.
    public static func bridge(_ key: Bytes32) -> PeerName {
        PeerName(prefix: .bridge, bare: String(key.hex.prefix(16)))
    }

    /// A group; takes its 16-byte identifier, the first byte most significant.
    public static func group(_ id: UInt128) -> PeerName { PeerName(prefix: .group, bare: SyncID(rawValue: id).hex) }

    /// Prefix and bare part.
    public var id: String { prefix.rawValue + bare }

    /// Whether the bare part is 16 hexadecimal digits.
    public var isShort: Bool { Self.isShort(bare[...]) }

    /// The Noise static key, if the bare part is one.
    public var noiseKey: AgreementPublicKey? {
        Hex.decode(bare).flatMap { Bytes32($0) }.map { AgreementPublicKey($0) }
    }

    /// The group's 16-byte identifier, if this names one.
    public var groupID: UInt128? {
        guard prefix == .group, let bytes = Hex.decode(bare), bytes.count == 16 else { return nil }
        return UInt128(bigEndianBytes: bytes)
    }

    /// A full key reduced to the short identifier that it hashes to; any other name as it is.
    public func toShort(using cryptography: some Cryptography) -> PeerName {
        noiseKey.map { PeerName(PeerID(of: $0, using: cryptography)) } ?? self
    }

    /// The eight bytes for a packet header, if the name stands for some.
    public func routing(using cryptography: some Cryptography) -> PeerID? {
        PeerID(hex: id) ?? PeerID(hex: bare) ?? PeerID(hex: toShort(using: cryptography).id)
    }

    /// Whether the name is well formed: below all prefixes, a short identifier, a full key, or a free-form name of up to
    /// 63 letters, marks, digits, `-` and `_` that cannot be a mistyped identifier.
    public var isValid: Bool {
        var rest = bare[...]
        var inner = prefix
        while inner != .none {
            inner = Self.prefix(of: rest)
            rest = rest.dropFirst(inner.rawValue.count)
        }
        if Self.isShort(rest) || Hex.decode(rest)?.count == Bytes32.count { return true }
        let length = rest.count
        guard (1...63).contains(length), length != 16 else { return false }
        return rest.unicodeScalars.allSatisfy { $0 == "-" || $0 == "_" || $0.isAlphanumeric }
    }

    private static func prefix(of text: Substring) -> Prefix {
        Prefix.allCases.first { $0 != .none && text.hasPrefix($0.rawValue) } ?? .none
    }

    private static func isShort(_ text: Substring) -> Bool { Hex.decode(text)?.count == PeerID.count }
}

extension PeerName: Comparable {
    /// Orders by the whole string.
    public static func < (left: PeerName, right: PeerName) -> Bool { left.id < right.id }
}

extension PeerName: CustomStringConvertible {
    /// The whole string.
    public var description: String { id }
}

extension Unicode.Scalar {
    /// Letters, marks and numbers of any script.
    fileprivate var isAlphanumeric: Bool {
        switch properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .nonspacingMark,
            .spacingMark, .enclosingMark, .decimalNumber, .letterNumber, .otherNumber:
            true
        default: false
        }
    }
}
