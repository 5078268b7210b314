/// Size limits of Noise messages, in bytes. Source: spec, noise §3.5.
public struct NoisePolicy: Hashable, Sendable {
    /// The longest handshake message that is read. Before any key agreement, so that a flood stays cheap.
    public var maximumHandshakeMessage = 2048
    /// The longest plaintext of an ordinary transport message, its type byte included: the Noise ceiling.
    public var maximumOrdinaryPlaintext = 65_535
    /// The longest plaintext of a transport message that is a private file: the framed-file cap of 1,179,760 bytes without
    /// the outer header (32) and without ``frameOverhead``.
    public var maximumPrivateFilePlaintext = 1_179_760 - 32 - NoisePolicy.frameOverhead

    /// What a frame adds to its plaintext: the counter and the tag.
    public static let frameOverhead = counterLength + aeadTagLength
    /// The length of the counter that a frame begins with.
    public static let counterLength = 4
    /// The first counter that is never sent: a frame has room for 32 bits, and the last value is kept unused.
    public static let counterLimit: UInt64 = 4_294_967_295
    /// The payload type of a private file, the only one that may use the larger limit.
    public static let privateFileType: UInt8 = 0x20
    /// What older iOS versions write for ``privateFileType``; received, never sent.
    public static let legacyPrivateFileType: UInt8 = 0x09

    /// The limits of the specification.
    public init() {}

    /// The most bytes that a transport plaintext of this payload type may have.
    public func maximumPlaintext(ofType type: UInt8?) -> Int {
        type == Self.privateFileType || type == Self.legacyPrivateFileType
            ? maximumPrivateFilePlaintext : maximumOrdinaryPlaintext
    }
}
