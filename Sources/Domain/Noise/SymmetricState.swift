/// The chaining key, the transcript hash and the current cipher of a handshake.
///
/// The hash covers only what is on the wire and public keys, so it needs no wiping; the chaining key and every superseded
/// cipher key are wiped when their last reference goes, which is when they are replaced here.
///
/// Source: Noise Protocol Framework, revision 34, §5.2.
struct SymmetricState<C: Cryptography>: ~Copyable {
    private let cryptography: C
    private var chainingKey: C.Secret
    /// The hash of everything so far: what binds a session once the handshake is over (spec: noise §2.4).
    private(set) var handshakeHash: Bytes32
    /// The same as an array, because every use wants its bytes in a row.
    private var hash: [UInt8]
    private var cipher: CipherState<C>?

    /// Whether messages are encrypted from here on.
    var hasKey: Bool { cipher != nil }

    /// Starts with the protocol's name: as it is, padded with zeros, up to 32 bytes; hashed beyond that.
    init(protocolName: String, using cryptography: C) {
        let name = Array(protocolName.utf8)
        let padded = name + [UInt8](repeating: 0, count: max(Bytes32.count - name.count, 0))
        let start: Bytes32
        if let exact = Bytes32(padded.span) { start = exact } else { start = cryptography.sha256(name.span) }
        let bytes = start.bytes
        self.cryptography = cryptography
        chainingKey = cryptography.importSecret(bytes.span)
        handshakeHash = start
        hash = bytes
        cipher = nil
    }

    mutating func mixHash(_ data: Span<UInt8>) {
        handshakeHash = cryptography.sha256(hash.span, data)
        hash = handshakeHash.bytes
    }

    mutating func mixKey(_ input: C.Secret) {
        let (chainingKey, key) = cryptography.hkdf(chainingKey: chainingKey, input: input)
        self.chainingKey = chainingKey
        cipher = CipherState(key: key)
    }

    /// Appends `plaintext`, encrypted once there is a key, and mixes what was appended.
    mutating func encryptAndHash(_ plaintext: Span<UInt8>, into output: inout [UInt8]) throws(NoiseError) {
        let (start, hash) = (output.count, hash)
        if cipher == nil {
            output.append(copying: plaintext)
        } else {
            try cipher?.encrypt(plaintext, associatedData: hash.span, using: cryptography, into: &output)
        }
        mixHash(output.span.extracting(start..<output.count))
    }

    /// Gives back what `encryptAndHash` took on the other side.
    mutating func decryptAndHash(_ ciphertext: Span<UInt8>) throws(NoiseError) -> [UInt8] {
        let hash = hash
        var plaintext: [UInt8]?
        if cipher != nil {
            plaintext = try cipher?.decrypt(ciphertext, associatedData: hash.span, using: cryptography)
        }
        mixHash(ciphertext)
        if let plaintext { return plaintext }
        var copy: [UInt8] = []
        copy.append(copying: ciphertext)
        return copy
    }

    /// The two transport keys: from the initiator to the responder, and back.
    consuming func split() -> (C.Secret, C.Secret) { cryptography.hkdf(chainingKey: chainingKey, input: nil) }
}

extension [UInt8] {
    /// Appends the bytes of a span.
    mutating func append(copying span: Span<UInt8>) {
        append(addingCapacity: span.count) { added in
            for index in span.indices { added.append(span[index]) }
        }
    }
}
