/// The plaintext of a Noise transport message: a type byte and a body.
///
/// Source: spec, noise §6.
public struct NoisePayload: Hashable, Sendable {
    /// What a body is.
    public enum Kind: UInt8, Hashable, Sendable, CaseIterable {
        /// A ``PrivateMessagePayload``.
        case privateMessage = 0x01
        /// The message identifier of what was read.
        case readReceipt = 0x02
        /// The message identifier of what arrived.
        case delivered = 0x03
        /// A group state, from its creator to a new member.
        case groupInvite = 0x06
        /// A group state, from its creator to the other members.
        case groupKeyUpdate = 0x07
        /// A ``VoiceBurst``.
        case voiceFrame = 0x08
        /// A ``VerificationChallenge``.
        case verifyChallenge = 0x10
        /// A ``VerificationResponse``.
        case verifyResponse = 0x11
        /// A batch of ``VouchAttestation``.
        case vouch = 0x12
        /// A ``FilePacket``.
        case privateFile = 0x20
        /// An ``AuthenticatedPeerState``.
        case authenticatedPeerState = 0x21

        /// What a type byte means; `nil` for a reserved or unknown one. The prerelease value 0x09 is a private file.
        public init?(wire byte: UInt8) { self.init(rawValue: byte == 0x09 ? 0x20 : byte) }
    }

    /// What the body is.
    public let kind: Kind
    /// The body.
    public let body: ArraySlice<UInt8>

    /// Makes a payload.
    public init(_ kind: Kind, _ body: ArraySlice<UInt8>) {
        self.kind = kind
        self.body = body
    }

    /// Makes a payload.
    public init(_ kind: Kind, _ body: [UInt8]) { self.init(kind, body[...]) }

    /// Says that a message arrived.
    public static func delivered(_ message: MessageID) -> NoisePayload {
        NoisePayload(.delivered, Array(message.text.utf8))
    }

    /// Says that a message was read.
    public static func readReceipt(_ message: MessageID) -> NoisePayload {
        NoisePayload(.readReceipt, Array(message.text.utf8))
    }

    /// Reads a plaintext; `nil` when it is empty or its type is reserved or unknown, and so to be ignored.
    public init?(_ plaintext: ArraySlice<UInt8>) {
        guard let type = plaintext.first, let kind = Kind(wire: type) else { return nil }
        self.init(kind, plaintext.dropFirst())
    }

    /// The plaintext.
    public var encoded: [UInt8] { [kind.rawValue] + body }

    /// The message that a receipt is about; `nil` when this is no receipt, or its body is not UTF-8.
    public var receiptedMessage: MessageID? {
        guard kind == .delivered || kind == .readReceipt else { return nil }
        return body.text.map { MessageID($0) }
    }
}
