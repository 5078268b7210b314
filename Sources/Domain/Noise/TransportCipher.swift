/// Both directions of one session's transport: seals frames with their counter in front, and opens each frame once.
///
/// A class, because the counters are its identity: a copy would use a nonce twice.
///
/// Source: spec, noise §3.1 to §3.3 and §3.5.
public final class TransportCipher<C: Cryptography> {
    /// Which limit a plaintext is held to.
    public enum Path: Hashable, Sendable {
        /// Everything but private files, and private files that happen to be small.
        case ordinary
        /// Private files only: a plaintext whose first byte is ``NoisePolicy/privateFileType``.
        case privateFile
    }

    /// The counter of the next frame; for a session, also how many frames were sealed.
    public private(set) var counter: UInt64

    private let cryptography: C
    private let policy: NoisePolicy
    private let sendingKey: C.Secret
    private let receivingKey: C.Secret
    private var window = ReplayWindow()

    /// Starts a session's transport.
    ///
    /// - Parameters:
    ///   - sendingKey: 32 bytes, from ``HandshakeState/finish()``.
    ///   - receivingKey: 32 bytes, from the same place.
    ///   - counter: The first counter to send, 0 for a session; another one exercises the upper end.
    ///   - policy: The size limits.
    ///   - cryptography: Supplies the cipher.
    public init(
        sendingKey: C.Secret, receivingKey: C.Secret, counter: UInt64 = 0, policy: NoisePolicy = NoisePolicy(),
        using cryptography: C
    ) {
        self.sendingKey = sendingKey
        self.counter = counter
        self.receivingKey = receivingKey
        self.policy = policy
        self.cryptography = cryptography
    }

    /// Starts the transport that a handshake agreed on.
    public convenience init(
        _ outcome: HandshakeState<C>.Outcome, policy: NoisePolicy = NoisePolicy(), using cryptography: C
    ) {
        self.init(
            sendingKey: outcome.sendingKey, receivingKey: outcome.receivingKey, policy: policy, using: cryptography)
    }

    /// Seals the next frame to send; see ``seal(_:path:into:)``.
    public func seal(_ plaintext: Span<UInt8>, path: Path = .ordinary) throws(NoiseError) -> [UInt8] {
        var frame: [UInt8] = []
        frame.reserveCapacity(plaintext.count + NoisePolicy.frameOverhead)
        try seal(plaintext, path: path, into: &frame)
        return frame
    }

    /// Opens a received frame, if its counter is new; see ``open(_:into:)``.
    ///
    /// - Returns: The plaintext; its first byte is the payload type. Empty when the frame carried none.
    public func open(_ frame: Span<UInt8>) throws(NoiseError) -> [UInt8] {
        var plaintext: [UInt8] = []
        try open(frame, into: &plaintext)
        return plaintext
    }

    /// Seals the next frame to send and appends it to `output`.
    ///
    /// The frame is the counter (4 bytes, big-endian), the ciphertext and the tag: 20 bytes more than `plaintext`.
    ///
    /// - Parameters:
    ///   - plaintext: The payload type, then the body.
    ///   - path: The limit that holds; see ``NoisePolicy``.
    ///   - output: Gets the frame behind what it holds.
    /// - Throws: ``NoiseError/tooLarge(count:limit:)`` or ``NoiseError/exhausted``; nothing changes then.
    public func seal(
        _ plaintext: Span<UInt8>, path: Path = .ordinary, into output: inout [UInt8]
    ) throws(NoiseError) {
        let isFile = path == .privateFile && !plaintext.isEmpty && plaintext[0] == NoisePolicy.privateFileType
        let limit = isFile ? policy.maximumPrivateFilePlaintext : policy.maximumOrdinaryPlaintext
        guard plaintext.count <= limit else { throw .tooLarge(count: plaintext.count, limit: limit) }
        let counter = counter
        guard counter < NoisePolicy.counterLimit else { throw .exhausted }
        // Counted first: whatever happens next, this counter is not used again.
        self.counter = counter + 1
        output.append(bigEndian: UInt32(truncatingIfNeeded: counter))
        cryptography.seal(
            plaintext, key: sendingKey, nonce: AEADNonce(counter: counter), associatedData: Span(), into: &output)
    }

    /// Opens a received frame, if its counter is new, and appends the plaintext to `output`.
    ///
    /// The order of the checks is the specification's: a short frame with a known counter is a replay. Only a frame that
    /// opens marks its counter, so that a forger cannot burn one. A plaintext beyond its type's limit is refused after
    /// opening (the type is hidden until then) and leaves the session as good as before.
    ///
    /// - Throws: The reason of a refusal; `output` is as before then.
    public func open(_ frame: Span<UInt8>, into output: inout [UInt8]) throws(NoiseError) {
        guard frame.count >= aeadTagLength else { throw .invalidCiphertext }
        let frameLimit = policy.maximumPrivateFilePlaintext + NoisePolicy.frameOverhead
        guard frame.count <= frameLimit else { throw .tooLarge(count: frame.count, limit: frameLimit) }
        var counter: UInt32 = 0
        for index in 0..<NoisePolicy.counterLength { counter = counter << 8 | UInt32(frame[index]) }
        guard window.accepts(UInt64(counter)) else { throw .replay(counter: counter) }
        let ciphertext = frame.extracting(droppingFirst: NoisePolicy.counterLength)
        guard ciphertext.count >= aeadTagLength else { throw .invalidCiphertext }
        let start = output.count
        let isGenuine = cryptography.open(
            ciphertext, key: receivingKey, nonce: AEADNonce(counter: UInt64(counter)), associatedData: Span(),
            into: &output)
        guard isGenuine else { throw .authenticationFailure }
        window.record(UInt64(counter))
        let count = output.count - start
        let limit = policy.maximumPlaintext(ofType: count > 0 ? output[start] : nil)
        guard count <= limit else {
            output.removeLast(count)
            throw .tooLarge(count: count, limit: limit)
        }
    }
}
