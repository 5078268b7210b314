/// The body of a vouch payload (0x12): up to sixteen attestations.
///
/// Source: spec, noise §8.3.
public struct VouchBatch: Hashable, Sendable {
    /// The attestations, at most ``maximumCount``.
    public let attestations: [VouchAttestation]

    /// The most attestations of a batch.
    public static let maximumCount = 16

    /// Makes a batch to send; `nil` for none or more than sixteen.
    public init?(_ attestations: [VouchAttestation]) {
        guard (1...Self.maximumCount).contains(attestations.count) else { return nil }
        self.attestations = attestations
    }

    /// The body; `nil` for a batch without attestations, which is not sent.
    public var encoded: [UInt8]? {
        guard !attestations.isEmpty else { return nil }
        var bytes = [UInt8(clamping: attestations.count)]
        for attestation in attestations {
            guard let entry = attestation.encoded, let length = UInt16(exactly: entry.count) else { return nil }
            bytes.append(bigEndian: length)
            bytes += entry
        }
        return bytes
    }

    /// Reads whatever good attestations a body holds, as many as it declares and sixteen at most.
    ///
    /// A malformed entry is passed over and does not count; a fault in the framing ends the list and keeps what was read.
    public init(reading body: ArraySlice<UInt8>) {
        var reader = ByteReader(body)
        let declared = min(Int(reader.take(UInt8.self) ?? 0), Self.maximumCount)
        var attestations: [VouchAttestation] = []
        while attestations.count < declared, let length = reader.take(UInt16.self),
            let entry = reader.take(Int(length))
        {
            if let attestation = VouchAttestation(entry) { attestations.append(attestation) }
        }
        self.attestations = attestations
    }
}
