/// The header of one frame, parsed in place: every check of the decoder but inflation, before anything is allocated.
///
/// What a packet costs further on (inflated bytes, signature checks) can be read here and charged to the link that it
/// came from. Whatever lies behind the last section is ignored, so a padded frame needs no second pass.
///
/// Source: spec, packet §2.9.
public struct PacketView: Sendable {
    /// The bytes as they came, trailing ones included.
    public let frame: [UInt8]
    /// 1 or 2.
    public let version: UInt8
    /// What the payload is.
    public let type: MessageType
    /// Hops left.
    public let ttl: UInt8
    /// The flag byte, reserved bits included.
    public let flags: PacketFlags
    /// When the sender made the packet, as claimed.
    public let timestamp: WallTime
    /// Who made it, as claimed.
    public let sender: PeerID
    /// For whom; `nil` and ``PeerID/broadcast`` both mean everyone.
    public let recipient: PeerID?
    /// The number of intermediate hops; 0 without a route.
    public let hopCount: Int
    /// Where the payload section's data begins: behind the original size of a compressed one.
    let payloadStart: Int
    /// Where the payload section ends.
    let payloadEnd: Int
    /// How long the payload is after inflation, in bytes; what it will cost to allocate.
    public let payloadLengthAfterInflation: Int

    /// Parses a frame of either version; `nil` for one that the decoder refuses.
    public init?(_ frame: [UInt8]) {
        let bytes = frame.span
        guard let header = FrameHeader(bytes, at: 0), header.sectionLength <= PacketPolicy.maximumPayload,
            let hops = header.hopCount(in: bytes, at: 0)
        else { return nil }
        let section = header.sectionOffset(hops: hops)
        let end = section + header.sectionLength
        guard bytes.count >= end + header.signatureLength else { return nil }

        if header.flags.contains(.compressed) {
            guard header.sectionLength > header.sizeFieldLength else { return nil }
            let originalSize =
                header.isLong
                ? Int(bytes.bigEndian(UInt32.self, at: section)) : Int(bytes.bigEndian(UInt16.self, at: section))
            let start = section + header.sizeFieldLength
            guard originalSize > 0, originalSize <= PacketPolicy.maximumPayload,
                Double(originalSize) / Double(end - start) <= PacketPolicy.maximumRatio
            else { return nil }
            payloadStart = start
            payloadLengthAfterInflation = originalSize
        } else {
            payloadStart = section
            payloadLengthAfterInflation = header.sectionLength
        }
        payloadEnd = end
        hopCount = hops
        version = bytes[0]
        type = MessageType(rawValue: bytes[1])
        ttl = bytes[2]
        timestamp = WallTime(milliseconds: bytes.bigEndian(UInt64.self, at: 3))
        flags = header.flags
        sender = PeerID(rawValue: bytes.bigEndian(UInt64.self, at: header.senderOffset))
        recipient =
            header.flags.contains(.recipient) ? PeerID(rawValue: bytes.bigEndian(UInt64.self, at: header.length)) : nil
        self.frame = frame
    }
}

extension PacketView {
    /// Whether the packet is for everyone (spec: packet §2.3).
    public var isBroadcast: Bool { recipient == nil || recipient == .broadcast }

    /// Whether the packet answers a sync request.
    public var isSyncResponse: Bool { flags.contains(.syncResponse) }

    /// Whether the payload section is a deflate stream.
    public var isCompressed: Bool { flags.contains(.compressed) }

    /// Whether a signature is there; it may be worthless.
    public var isSigned: Bool { flags.contains(.signature) }

    /// What a compressed payload claims to inflate to, in bytes; `nil` for a plain one.
    public var originalSize: Int? { isCompressed ? payloadLengthAfterInflation : nil }

    /// The payload section without its original size: deflate bytes, or the payload itself. Shares the frame's storage.
    public var payloadSection: ArraySlice<UInt8> { frame[payloadStart..<payloadEnd] }

    /// The intermediate hops in travel order.
    public var route: [PeerID] {
        guard hopCount > 0 else { return [] }
        let bytes = frame.span
        let width = isCompressed ? sizeFieldLength : 0
        let start = payloadStart - width - hopCount * PeerID.count
        return (0..<hopCount).map { PeerID(rawValue: bytes.bigEndian(UInt64.self, at: start + $0 * PeerID.count)) }
    }

    /// The 64 bytes behind the payload section, if a signature is there.
    public var signature: Signature? {
        guard isSigned else { return nil }
        let bytes = frame.span
        return Signature(
            first: Bytes32(
                high: bytes.bigEndian(UInt128.self, at: payloadEnd),
                low: bytes.bigEndian(UInt128.self, at: payloadEnd + 16)),
            second: Bytes32(
                high: bytes.bigEndian(UInt128.self, at: payloadEnd + 32),
                low: bytes.bigEndian(UInt128.self, at: payloadEnd + 48)))
    }

    /// The offset behind the last section; what follows is padding or nobody's.
    public var end: Int { isSigned ? payloadEnd + Signature.count : payloadEnd }

    /// The padding behind the last section if it is one (as many bytes as each of them says); else empty.
    public var wellFormedPadding: ArraySlice<UInt8> {
        let trailing = frame[end...]
        return Padding.isWellFormed(trailing) ? trailing : frame[end..<end]
    }

    /// The frame without padding or other trailing bytes; shares the frame's storage where there are none.
    public var unpaddedFrame: [UInt8] { frame.count == end ? frame : Array(frame[..<end]) }

    /// The width of the original size in this version, in bytes.
    private var sizeFieldLength: Int {
        version == PacketPolicy.version2 ? PacketPolicy.sizeFieldLength2 : PacketPolicy.sizeFieldLength1
    }

    /// The payload: a slice of the frame, or inflated into new storage; `nil` when the stream is not exactly that.
    ///
    /// Spend the link's budget of ``payloadLengthAfterInflation`` first.
    public func payload(using compression: some Compression) -> ArraySlice<UInt8>? {
        guard isCompressed else { return payloadSection }
        return compression.inflate(payloadSection.span, size: payloadLengthAfterInflation)?[...]
    }

    /// The packet with its own copy of the payload; `nil` when the payload does not inflate.
    public func packet(using compression: some Compression) -> Packet? {
        guard isCompressed else { return header(payload: Array(payloadSection)) }
        return compression.inflate(payloadSection.span, size: payloadLengthAfterInflation).map { header(payload: $0) }
    }

    /// Everything but the payload, which the caller supplies.
    func header(payload: [UInt8]) -> Packet {
        Packet(
            version: version, type: type, ttl: ttl, timestamp: timestamp, sender: sender, recipient: recipient,
            route: route, payload: payload, signature: signature, isSyncResponse: isSyncResponse)
    }

    /// The frame as we pass it on: the same bytes under another TTL, padding kept, other trailing bytes cut.
    ///
    /// No other author's bytes are ours to rewrite: re-encoding breaks verifiers that recompress, and future flags
    /// (spec: packet §2.12).
    public func relayedFrame(ttl: UInt8) -> [UInt8] {
        let end = end
        var relayed = frame.count == end || Padding.isWellFormed(frame[end...]) ? frame : Array(frame[..<end])
        relayed[FrameHeader.ttlOffset] = ttl
        return relayed
    }

    /// A parsed frame as an answer to a sync request: the same bytes with TTL 0 and the sync-response flag.
    ///
    /// No signature covers the two, so an author's one stays good (spec: store-and-forward §0, §5.8).
    static func syncResponse(of frame: [UInt8]) -> [UInt8] {
        guard frame.count > FrameHeader.flagsOffset else { return frame }
        var response = frame
        response[FrameHeader.ttlOffset] = 0
        response[FrameHeader.flagsOffset] |= PacketFlags.syncResponse.rawValue
        return response
    }
}
