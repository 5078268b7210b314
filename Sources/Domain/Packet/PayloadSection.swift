/// What stands between route and signature of a frame: the payload itself, or its size and its deflate stream.
///
/// Source: spec, packet §2.1, §2.5.
struct PayloadSection {
    /// The payload's length before compression; `nil` for a plain section.
    let originalSize: Int?
    /// Deflate bytes, or the payload.
    let bytes: ArraySlice<UInt8>

    /// The payload as it is.
    static func plain(_ payload: ArraySlice<UInt8>) -> PayloadSection {
        PayloadSection(originalSize: nil, bytes: payload)
    }

    /// The section that the encoder's rule chooses.
    static func encoding(
        _ payload: ArraySlice<UInt8>, version: UInt8, type: MessageType, level: Int, using compression: some Compression
    ) -> PayloadSection {
        guard isWorthCompressing(payload, version: version, type: type),
            let stream = compression.deflate(payload.span, level: level, limit: payload.count - 1), !stream.isEmpty
        else { return .plain(payload) }
        return PayloadSection(originalSize: payload.count, bytes: stream[...])
    }

    /// Whether the rule has the payload deflated at all; the stream may still come out longer and be thrown away.
    static func isWorthCompressing(_ payload: ArraySlice<UInt8>, version: UInt8, type: MessageType) -> Bool {
        payload.count >= PacketPolicy.compressionThreshold
            && (version != PacketPolicy.version1 || payload.count <= PacketPolicy.maximumSection1)
            && !isCiphertext(payload, type: type) && !looksCompressed(payload.span)
    }

    /// Noise messages and pieces of them cannot shrink but by a chance too small to meet: the trial is spared.
    private static func isCiphertext(_ payload: ArraySlice<UInt8>, type: MessageType) -> Bool {
        if type.isPaddedOnAir { return true }
        guard type == .fragment, payload.count >= FragmentPolicy.headerLength else { return false }
        return MessageType(rawValue: payload[payload.startIndex + FragmentHeader.typeOffset]).isPaddedOnAir
    }

    /// Whether so many different byte values occur that deflate would find nothing.
    ///
    /// Long payloads are looked at in blocks: once enough values were seen, the rest cannot change the answer.
    static func looksCompressed(_ payload: Span<UInt8>) -> Bool {
        let range = Double(min(payload.count, 256))
        var seen = InlineArray<256, UInt8>(repeating: 0)
        var start = 0
        while start < payload.count {
            let end = min(start + 4096, payload.count)
            for index in start..<end { seen[Int(payload[index])] = 1 }
            var distinct = 0
            for value in 0..<256 { distinct += Int(seen[value]) }
            if Double(distinct) / range >= PacketPolicy.diversityCutOff { return true }
            start = end
        }
        return false
    }

    /// Bytes on the wire, the original size included.
    func length(version: UInt8) -> Int {
        guard originalSize != nil else { return bytes.count }
        let width =
            version == PacketPolicy.version1 ? PacketPolicy.sizeFieldLength1 : PacketPolicy.sizeFieldLength2
        return width + bytes.count
    }

    /// Whether two sections would put the same bytes on the wire.
    func isIdentical(to other: PayloadSection) -> Bool {
        originalSize == other.originalSize && bytes == other.bytes
    }
}
