/// One party's side of one handshake.
///
/// Messages go in turn; after any failure the handshake is dead, because the transcript may be half mixed, and a retry
/// takes a new one with a new ephemeral key. Randomness comes from outside: the caller draws the ephemeral key.
///
/// Source: Noise Protocol Framework, revision 34, §5.3; spec, noise §2.
public final class HandshakeState<C: Cryptography> {
    /// What a finished handshake leaves.
    public struct Outcome: Sendable {
        /// Encrypts what this party sends.
        public let sendingKey: C.Secret
        /// Decrypts what this party receives.
        public let receivingKey: C.Secret
        /// Identifies the session; never on the wire (spec: noise §2.4).
        public let handshakeHash: Bytes32
        /// The peer's static key; only a one-way receiver's peer is unproven until its first message.
        public let remoteStatic: AgreementPublicKey
    }

    /// Which side this is.
    public let role: HandshakeRole
    /// The peer's static key, once it is known; proven when the message that carried it was read without an error.
    public private(set) var remoteStatic: AgreementPublicKey?
    /// Whether every message was written or read.
    public var isComplete: Bool { symmetric != nil && nextMessage == pattern.messages.count }

    private let pattern: HandshakePattern
    private let cryptography: C
    private let staticKeys: AgreementKeyPair<C>
    private var ephemeral: C.Secret?
    private var remoteEphemeral: AgreementPublicKey?
    private var nextMessage = 0
    /// `nil` after a failure and after ``finish()``.
    private var symmetric: SymmetricState<C>?

    /// Prepares a handshake.
    ///
    /// - Parameters:
    ///   - pattern: XX for sessions, X for mail.
    ///   - role: Which side this is.
    ///   - prologue: Bytes that both sides must agree on; empty for sessions.
    ///   - staticKeys: This party's static key pair.
    ///   - ephemeral: 32 fresh random bytes, used once; `nil` only where this party writes no `e`.
    ///   - remoteStatic: The recipient of mail, when this party is the sender.
    ///   - cryptography: Supplies the primitives.
    /// - Throws: ``NoiseError/weakKey`` for a weak recipient key, ``NoiseError/outOfOrder`` when the pattern needs one
    ///   and there is none.
    public init(
        _ pattern: HandshakePattern, role: HandshakeRole, prologue: [UInt8] = [], staticKeys: AgreementKeyPair<C>,
        ephemeral: C.Secret?, remoteStatic: AgreementPublicKey? = nil, using cryptography: C
    ) throws(NoiseError) {
        var symmetric = SymmetricState(protocolName: pattern.protocolName, using: cryptography)
        symmetric.mixHash(prologue.span)
        if pattern.knowsResponder {
            guard let responder = role == .initiator ? remoteStatic : staticKeys.publicKey else { throw .outOfOrder }
            if role == .initiator, WeakKeys.contains(responder) { throw .weakKey }
            symmetric.mixHash(responder.bytes.bytes.span)
        }
        self.pattern = pattern
        self.role = role
        self.staticKeys = staticKeys
        self.ephemeral = ephemeral
        self.remoteStatic = pattern.knowsResponder && role == .initiator ? remoteStatic : nil
        self.cryptography = cryptography
        self.symmetric = consume symmetric
    }

    /// Writes this party's next message.
    ///
    /// - Parameter payload: Carried behind the keys, encrypted once there is a key; empty in sessions.
    /// - Returns: The whole message.
    public func writeMessage(payload: [UInt8] = []) throws(NoiseError) -> [UInt8] {
        do throws(NoiseError) {
            return try write(payload)
        } catch {
            abandon()
            throw error
        }
    }

    /// Reads the peer's next message.
    ///
    /// - Returns: The payload behind the keys.
    /// - Throws: ``NoiseError/tooLarge(count:limit:)`` before any key agreement; ``NoiseError/invalidMessage`` for a
    ///   short message or a bad ephemeral key; ``NoiseError/authenticationFailure`` for a wrong tag or a bad static key.
    public func readMessage(_ message: Span<UInt8>) throws(NoiseError) -> [UInt8] {
        do throws(NoiseError) {
            return try read(message)
        } catch {
            abandon()
            throw error
        }
    }

    /// Ends a complete handshake and gives up its secrets.
    public func finish() throws(NoiseError) -> Outcome {
        guard isComplete, let remoteStatic = remoteStatic, let symmetric = symmetric.take() else { throw .outOfOrder }
        let hash = symmetric.handshakeHash
        let (toResponder, toInitiator) = symmetric.split()
        ephemeral = nil
        let isInitiator = role == .initiator
        return Outcome(
            sendingKey: isInitiator ? toResponder : toInitiator, receivingKey: isInitiator ? toInitiator : toResponder,
            handshakeHash: hash, remoteStatic: remoteStatic)
    }

    /// Forgets every secret of the handshake.
    private func abandon() {
        symmetric = nil
        ephemeral = nil
    }

    /// The tokens of the next message, if it is this party's turn to write it or to read it.
    private func tokens(writing: Bool) throws(NoiseError) -> [HandshakePattern.Token] {
        let isInitiatorsTurn = nextMessage.isMultiple(of: 2)
        guard symmetric != nil, nextMessage < pattern.messages.count,
            isInitiatorsTurn == ((role == .initiator) == writing)
        else { throw .outOfOrder }
        return pattern.messages[nextMessage]
    }

    // MARK: Writing

    private func write(_ payload: [UInt8]) throws(NoiseError) -> [UInt8] {
        let tokens = try tokens(writing: true)
        var message: [UInt8] = []
        message.reserveCapacity(Bytes32.count * 2 + aeadTagLength * 2 + payload.count)
        for token in tokens {
            switch token {
            case .e: try writeEphemeral(into: &message)
            case .s: try symmetric?.encryptAndHash(staticKeys.publicKey.bytes.bytes.span, into: &message)
            case .ee, .es, .se, .ss: try mixAgreement(token)
            }
        }
        try symmetric?.encryptAndHash(payload.span, into: &message)
        guard message.count <= pattern.maximumMessage else {
            throw .tooLarge(count: message.count, limit: pattern.maximumMessage)
        }
        nextMessage += 1
        return message
    }

    private func writeEphemeral(into message: inout [UInt8]) throws(NoiseError) {
        guard let ephemeral else { throw .outOfOrder }
        let bytes = cryptography.agreementPublicKey(of: ephemeral).bytes.bytes
        symmetric?.mixHash(bytes.span)
        message += bytes
    }

    // MARK: Reading

    private func read(_ message: Span<UInt8>) throws(NoiseError) -> [UInt8] {
        let tokens = try tokens(writing: false)
        guard message.count <= pattern.maximumMessage else {
            throw .tooLarge(count: message.count, limit: pattern.maximumMessage)
        }
        var offset = 0
        for token in tokens {
            let left = message.extracting(offset...)
            switch token {
            case .e: offset += try readEphemeral(left)
            case .s: offset += try readStatic(left)
            case .ee, .es, .se, .ss: try mixAgreement(token)
            }
        }
        let rest = message.extracting(offset...)
        guard symmetric?.hasKey != true || rest.count >= aeadTagLength else { throw .invalidMessage }
        guard let payload = try symmetric?.decryptAndHash(rest) else { throw .outOfOrder }
        nextMessage += 1
        return payload
    }

    /// Reads the peer's ephemeral key and gives the number of bytes taken.
    private func readEphemeral(_ bytes: Span<UInt8>) throws(NoiseError) -> Int {
        guard bytes.count >= Bytes32.count else { throw .invalidMessage }
        let field = bytes.extracting(first: Bytes32.count)
        guard let key = Bytes32(field).map(AgreementPublicKey.init), !WeakKeys.contains(key) else {
            throw .invalidMessage
        }
        symmetric?.mixHash(field)
        remoteEphemeral = key
        return field.count
    }

    /// Reads the peer's static key and gives the number of bytes taken.
    private func readStatic(_ bytes: Span<UInt8>) throws(NoiseError) -> Int {
        let count = Bytes32.count + (symmetric?.hasKey == true ? aeadTagLength : 0)
        guard bytes.count >= count else { throw .invalidMessage }
        let key = try symmetric?.decryptAndHash(bytes.extracting(first: count)) ?? []
        guard let key = Bytes32(key.span).map(AgreementPublicKey.init), !WeakKeys.contains(key) else {
            throw .authenticationFailure
        }
        remoteStatic = key
        return count
    }

    // MARK: Agreements

    private func mixAgreement(_ token: HandshakePattern.Token) throws(NoiseError) {
        let isInitiator = role == .initiator
        let usesEphemeral = token == .ee || token == (isInitiator ? .es : .se)
        let usesRemoteEphemeral = token == .ee || token == (isInitiator ? .se : .es)
        guard let own = usesEphemeral ? ephemeral : staticKeys.secret,
            let remote = usesRemoteEphemeral ? remoteEphemeral : remoteStatic
        else { throw .outOfOrder }
        guard let shared = cryptography.agree(own, with: remote) else {
            if usesRemoteEphemeral { throw .invalidMessage }
            // A key that was given by the caller is not the message's fault.
            throw pattern.knowsResponder && isInitiator ? .weakKey : .authenticationFailure
        }
        symmetric?.mixKey(shared)
    }
}
