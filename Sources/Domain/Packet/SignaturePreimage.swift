extension Packet {
    /// The bytes that the sender signs; `nil` when the packet cannot be encoded.
    ///
    /// TTL, sync-response flag and signature are left out because they change on the way; compression and padding are in,
    /// whatever the wire carries (spec: packet §2.6).
    public func signaturePreimage(using compression: some Compression) -> [UInt8]? {
        section(using: compression).flatMap { signaturePreimage(section: $0) }
    }

    /// The signed bytes around a given payload section.
    func signaturePreimage(section: PayloadSection) -> [UInt8]? {
        var unsigned = self
        unsigned.ttl = 0
        unsigned.signature = nil
        unsigned.isSyncResponse = false
        return unsigned.frame(section: section, padding: true)
    }

    /// The same packet with our signature in place of any other; `nil` when it cannot be encoded.
    ///
    /// - Parameter seed: The 32-byte Ed25519 seed of the sender.
    public func signed<Primitives: Cryptography>(
        with seed: Primitives.Secret, using cryptography: Primitives, _ compression: some Compression
    ) -> Packet? {
        guard let preimage = signaturePreimage(using: compression) else { return nil }
        var signed = self
        signed.signature = cryptography.sign(preimage.span, with: seed)
        return signed
    }

    /// Signs and lays out in one go, deflating once.
    ///
    /// - Returns: The signed packet and its frame; `nil` when it cannot be encoded.
    public func signedFrame<Primitives: Cryptography>(
        padding: Bool, with seed: Primitives.Secret, using cryptography: Primitives, _ compression: some Compression
    ) -> (packet: Packet, frame: [UInt8])? {
        guard let section = section(using: compression), let preimage = signaturePreimage(section: section) else {
            return nil
        }
        var signed = self
        signed.signature = cryptography.sign(preimage.span, with: seed)
        return signed.frame(section: section, padding: padding).map { (signed, $0) }
    }
}

/// What became of checking a packet's signature.
public enum SignatureVerdict: Hashable, Sendable {
    /// It verifies under the key.
    case valid
    /// It verifies on no encoding of the packet.
    case invalid
    /// There is none.
    case missing
    /// The caller's budget ended before an answer was found.
    case budgetExhausted
}

extension PacketView {
    /// Checks the signature on every encoding that an honest sender may have signed.
    ///
    /// - Parameters:
    ///   - key: The claimed sender's Ed25519 key.
    ///   - spend: Asked before every attempt, one signature check and at most one inflate and two deflates
    ///     of a payload of up to 65,535 bytes; `false` ends the search.
    public func verifySignature(
        by key: SigningPublicKey, using cryptography: some Cryptography, _ compression: some Compression,
        spend: () -> Bool
    ) -> SignatureVerdict {
        guard let signature else { return .missing }
        var candidates = SignatureCandidates(of: self)
        while candidates.mayHaveMore {
            guard spend() else { return .budgetExhausted }
            guard let preimage = candidates.next(using: compression) else { break }
            if cryptography.verify(signature, of: preimage.span, by: key) { return .valid }
        }
        return .invalid
    }
}

/// The byte strings that the sender of a received packet may have signed, most likely first, equal ones once.
///
/// The payload section as it came, then as level 5 and level 6 compress it, then plain: relays of the phones recompress
/// what others signed. All of them decode to the same payload under the same header, so none lets other content pass.
///
/// Source: spec, packet §2.6.
public struct SignatureCandidates {
    private enum Step { case received, ours, android, plain, done }

    private let view: PacketView
    private let header: Packet
    private var step = Step.received
    private var payload: ArraySlice<UInt8> = []
    private var tried: [PayloadSection] = []

    /// Starts with the bytes as they came.
    public init(of view: PacketView) {
        self.view = view
        header = view.header(payload: [])
    }

    /// `false` when it is known without work that nothing follows.
    public var mayHaveMore: Bool { step != .done }

    /// The next byte string; `nil` at the end.
    public mutating func next(using compression: some Compression) -> [UInt8]? {
        while let section = nextSection(using: compression) {
            if tried.contains(where: { $0.isIdentical(to: section) }) { continue }
            tried.append(section)
            if let preimage = header.signaturePreimage(section: section) { return preimage }
        }
        return nil
    }

    private mutating func nextSection(using compression: some Compression) -> PayloadSection? {
        switch step {
        case .received:
            step = stepAfterReceived
            return PayloadSection(originalSize: view.originalSize, bytes: view.payloadSection)
        case .ours:
            guard let inflated = view.payload(using: compression) else {
                step = .done
                return nil
            }
            payload = inflated
            step = .android
            return encoding(level: PacketPolicy.compressionLevel, using: compression)
        case .android:
            step = view.isCompressed ? .plain : .done
            return encoding(level: PacketPolicy.androidCompressionLevel, using: compression)
        case .plain:
            step = .done
            return .plain(payload)
        case .done: return nil
        }
    }

    /// Other encodings exist only where the rule has something to compress; large payloads are not worth the deflate.
    private var stepAfterReceived: Step {
        guard view.payloadLengthAfterInflation <= PacketPolicy.maximumRecompressedPayload else { return .done }
        let isCandidate =
            view.isCompressed
            || PayloadSection.isWorthCompressing(view.payloadSection, version: view.version, type: view.type)
        return isCandidate ? .ours : .done
    }

    private func encoding(level: Int, using compression: some Compression) -> PayloadSection {
        .encoding(payload, version: view.version, type: view.type, level: level, using: compression)
    }
}
