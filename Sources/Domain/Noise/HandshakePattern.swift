/// Who is who in a handshake.
public enum HandshakeRole: Hashable, Sendable {
    /// Sends the first message.
    case initiator
    /// Answers it.
    case responder
}

/// A handshake as data: which keys are known beforehand, and what each message carries and mixes.
///
/// Source: Noise Protocol Framework, revision 34, §7; spec, noise §2.2 and §10.1.
public struct HandshakePattern: Hashable, Sendable {
    /// One step of a message; the names are the paper's. In pairs the initiator's key comes first.
    public enum Token: Hashable, Sendable {
        /// The sender's ephemeral public key.
        case e
        /// The sender's static public key, encrypted once there is a key.
        case s
        /// Agreement of both ephemeral keys.
        case ee
        /// Agreement of the initiator's ephemeral and the responder's static key.
        case es
        /// Agreement of the initiator's static and the responder's ephemeral key.
        case se
        /// Agreement of both static keys.
        case ss
    }

    /// The name that the transcript begins with.
    public let protocolName: String
    /// Whether the initiator knows the responder's static key beforehand.
    public let knowsResponder: Bool
    /// The tokens of the messages in turn, the initiator's first.
    public let messages: [[Token]]
    /// The most bytes of one message.
    public let maximumMessage: Int

    /// Live sessions: three messages, both static keys hidden from bystanders.
    public static let xx = HandshakePattern(
        protocolName: "Noise_XX_25519_ChaChaPoly_SHA256", knowsResponder: false,
        messages: [[.e], [.e, .ee, .s, .es], [.s, .se]], maximumMessage: NoisePolicy().maximumHandshakeMessage)

    /// Mail: one message to a known key.
    public static let x = HandshakePattern(
        protocolName: "Noise_X_25519_ChaChaPoly_SHA256", knowsResponder: true,
        messages: [[.e, .es, .s, .ss]], maximumMessage: NoisePolicy().maximumOrdinaryPlaintext)
}
