extension Packet {
    /// Lays the packet out as a frame.
    ///
    /// - Parameters:
    ///   - padding: Whether the frame is padded; on the air only for types that ``MessageType/isPaddedOnAir``.
    ///   - compression: Deflates what the rule of §2.5 has compressed.
    /// - Returns: `nil` when the packet cannot be sent: a version other than 1 and 2, more than 255 hops, a payload that
    ///   the version's length field or any receiver's limit of 1,179,760 bytes does not allow (spec: packet §2.8).
    public func encoded(padding: Bool, using compression: some Compression) -> [UInt8]? {
        section(using: compression).flatMap { frame(section: $0, padding: padding) }
    }

    /// Decodes one frame, padded or not; `nil` for one that is refused.
    public static func decode(_ frame: [UInt8], using compression: some Compression) -> Packet? {
        PacketView(frame)?.packet(using: compression)
    }

    /// The payload section by the encoder's rule; `nil` when the payload is too long for every receiver.
    func section(using compression: some Compression) -> PayloadSection? {
        guard payload.count <= PacketPolicy.maximumPayload else { return nil }
        return .encoding(
            payload[...], version: version, type: type, level: PacketPolicy.compressionLevel, using: compression)
    }

    /// Lays out the frame around a payload section.
    func frame(section: PayloadSection, padding: Bool) -> [UInt8]? {
        let length = section.length(version: version)
        var hops = 0
        switch version {
        case PacketPolicy.version1:
            guard length <= PacketPolicy.maximumSection1 else { return nil }
        case PacketPolicy.version2:
            hops = route.count
            guard length <= PacketPolicy.maximumPayload, hops <= PacketPolicy.maximumHops else { return nil }
        default: return nil
        }
        var size = version == PacketPolicy.version1 ? PacketPolicy.shortestFrame1 : PacketPolicy.shortestFrame2
        size += length
        if recipient != nil { size += PeerID.count }
        if hops > 0 { size += 1 + hops * PeerID.count }
        if signature != nil { size += Signature.count }
        let paddingLength = padding ? Padding.length(forFrameOf: size) : 0

        var frame: [UInt8] = []
        frame.reserveCapacity(size + paddingLength)
        appendHeader(to: &frame, isCompressed: section.originalSize != nil, sectionLength: length, hops: hops)
        if let originalSize = section.originalSize { appendLength(originalSize, to: &frame) }
        frame.append(contentsOf: section.bytes)
        if let signature {
            frame.append(bigEndian: signature.first.high)
            frame.append(bigEndian: signature.first.low)
            frame.append(bigEndian: signature.second.high)
            frame.append(bigEndian: signature.second.low)
        }
        if paddingLength > 0 {
            frame.append(contentsOf: repeatElement(UInt8(truncatingIfNeeded: paddingLength), count: paddingLength))
        }
        return frame
    }

    /// Everything in front of the payload section.
    private func appendHeader(to frame: inout [UInt8], isCompressed: Bool, sectionLength: Int, hops: Int) {
        var flags: PacketFlags = []
        if recipient != nil { flags.insert(.recipient) }
        if signature != nil { flags.insert(.signature) }
        if isCompressed { flags.insert(.compressed) }
        if hops > 0 { flags.insert(.route) }
        if isSyncResponse { flags.insert(.syncResponse) }
        // Version, type, TTL and timestamp, then the timestamp's last three bytes and the flags: few wide stores.
        let time = timestamp.milliseconds
        let start = UInt64(version) << 56 | UInt64(type.rawValue) << 48 | UInt64(ttl) << 40
        frame.append(bigEndian: start | time >> 24)
        frame.append(bigEndian: UInt32(truncatingIfNeeded: time << 8) | UInt32(flags.rawValue))
        appendLength(sectionLength, to: &frame)
        frame.append(bigEndian: sender.rawValue)
        if let recipient { frame.append(bigEndian: recipient.rawValue) }
        if hops > 0 {
            frame.append(UInt8(truncatingIfNeeded: hops))
            for hop in route { frame.append(bigEndian: hop.rawValue) }
        }
    }

    /// A length in the version's width; the caller has checked that it fits.
    private func appendLength(_ length: Int, to frame: inout [UInt8]) {
        if version == PacketPolicy.version1 {
            frame.append(bigEndian: UInt16(truncatingIfNeeded: length))
        } else {
            frame.append(bigEndian: UInt32(truncatingIfNeeded: length))
        }
    }
}
