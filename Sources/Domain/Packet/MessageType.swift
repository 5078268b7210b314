/// The type byte of a packet. Any value may arrive; unknown ones are relayed (forward compatibility).
///
/// Source: spec, packet §3.
public struct MessageType: RawRepresentable, Hashable, Sendable {
    /// The byte on the wire.
    public let rawValue: UInt8

    /// Takes the byte on the wire.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Presence: nickname, keys, neighbours, capabilities.
    public static let announce = MessageType(rawValue: 0x01)
    /// Public chat text.
    public static let message = MessageType(rawValue: 0x02)
    /// A polite goodbye.
    public static let leave = MessageType(rawValue: 0x03)
    /// Sealed mail, carried for someone.
    public static let courierEnvelope = MessageType(rawValue: 0x04)
    /// A Noise XX handshake message.
    public static let noiseHandshake = MessageType(rawValue: 0x10)
    /// A Noise transport message.
    public static let noiseEncrypted = MessageType(rawValue: 0x11)
    /// A piece of a larger packet.
    public static let fragment = MessageType(rawValue: 0x20)
    /// A gossip sync request, link-local.
    public static let requestSync = MessageType(rawValue: 0x21)
    /// A raw file, public.
    public static let fileTransfer = MessageType(rawValue: 0x22)
    /// A post on the notice board, or its removal.
    public static let boardPost = MessageType(rawValue: 0x23)
    /// One-time prekeys of a peer.
    public static let prekeyBundle = MessageType(rawValue: 0x24)
    /// A sealed group message.
    public static let groupMessage = MessageType(rawValue: 0x25)
    /// A mesh probe.
    public static let ping = MessageType(rawValue: 0x26)
    /// The answer to a mesh probe.
    public static let pong = MessageType(rawValue: 0x27)
    /// A Nostr event on its way to or from a gateway.
    public static let nostrCarrier = MessageType(rawValue: 0x28)
    /// Public live voice.
    public static let voiceFrame = MessageType(rawValue: 0x29)
    /// The dormant rotating-identifier announce: recognised, ignored, relayed.
    public static let announceV2 = MessageType(rawValue: 0x2C)

    /// Noise packets are padded on the air, to hide the length of private traffic (spec: packet §2.7).
    public var isPaddedOnAir: Bool { self == .noiseHandshake || self == .noiseEncrypted }

    /// Whether this version of the protocol names the type. Others are passed on all the same.
    public var isKnown: Bool {
        switch self {
        case .announce, .message, .leave, .courierEnvelope, .noiseHandshake, .noiseEncrypted, .fragment, .requestSync,
            .fileTransfer, .boardPost, .prekeyBundle, .groupMessage, .ping, .pong, .nostrCarrier, .voiceFrame,
            .announceV2:
            true
        default: false
        }
    }
}
