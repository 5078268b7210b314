/// What a person is called. Not an identity: anyone may take any name.
///
/// Source: spec, packet §6; app §3.
public struct Nickname: Hashable, Sendable {
    /// The text, in NFC.
    public let text: String

    /// Most UTF-8 bytes that an announce can carry.
    public static let maximumBytes = 255
    /// Most characters that the generic validator lets through.
    public static let maximumCharacters = 50

    /// A name as it came from another node: normalised, otherwise as it is.
    ///
    /// Untrusted: displays neutralise control characters and length; refusing the announce would make peers diverge.
    public init(received text: String, normalization: some TextNormalization) { self.text = normalization.nfc(text) }

    /// Our own name: trimmed and normalised; an empty one becomes `anon` and four digits.
    public init(own text: String, normalization: some TextNormalization, randomness: any Randomness) {
        let trimmed = text.trimmedForWire
        if trimmed.isEmpty {
            self = .anonymous(from: randomness)
        } else {
            self.text = normalization.nfc(trimmed)
        }
    }

    private init(verbatim text: String) { self.text = text }

    /// `anon` and a random number of 1000...9999.
    public static func anonymous(from randomness: any Randomness) -> Nickname {
        Nickname(verbatim: "anon\(randomness.number(in: 1000...9999))")
    }

    /// What a peer is called that never told its name: `anon` and the first four digits of its identifier.
    public static func placeholder(for peer: PeerID) -> Nickname { Nickname(verbatim: "anon" + peer.hex.prefix(4)) }

    /// A name that the generic validator lets through: 1...50 characters without control or format characters.
    public static func validated(_ text: String, normalization: some TextNormalization) -> Nickname? {
        text.validatedForWire(maximumCharacters: maximumCharacters).map { Nickname(verbatim: normalization.nfc($0)) }
    }

    /// Whether an announce can carry the name.
    public var fitsAnnounce: Bool { text.utf8.count <= Self.maximumBytes }

    /// The name with the mark that tells its bearers apart: `#` and the first four digits of the identifier.
    public func marked(for peer: PeerID) -> String { "\(text)#\(peer.hex.prefix(4))" }

    /// Takes a displayed name apart: every `@` goes; a last `#` with four hexadecimal digits is the suffix.
    ///
    /// - Returns: The name without suffix, and the suffix with its `#`; empty when there is none.
    public static func split(displayed name: String) -> (base: String, suffix: String) {
        let plain = name.filter { $0 != "@" }
        let suffix = plain.suffix(5)
        guard plain.count >= 5, suffix.first == "#", Hex.decode(suffix.dropFirst())?.count == 2 else {
            return (plain, "")
        }
        return (String(plain.dropLast(5)), String(suffix))
    }
}
