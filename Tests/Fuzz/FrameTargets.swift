import Domain

extension Target {
    /// Frames, their streams, and their fragments.
    static let frames: [Target] = [
        Target("packet", [("packet-decode", "decode", "wire"), ("packet-signature", "verify", "wire")]) { input in
            readPacket(Array(input))
        },
        Target("stream", [("packet-decode", "decode", "wire")]) { readStream(Array($0)) },
        Target("fragments", [("fragments", "header", "payload")]) { readFragments($0) },
    ]

    /// Parses, inflates, encodes again, and walks every encoding that may have been signed.
    private static func readPacket(_ frame: [UInt8]) {
        guard let view = PacketView(frame) else { return }
        let relayed = view.relayedFrame(ttl: view.ttl &- 1)
        require(relayed.count <= frame.count, "relaying lengthens a frame")
        require(PacketView(relayed)?.payloadSection == view.payloadSection, "relaying changes a payload")
        guard let packet = view.packet(using: compression) else { return }
        require(packet.payload.count == view.payloadLengthAfterInflation, "a payload has not the length it costs")
        guard let again = packet.encoded(padding: true, using: compression) else {
            fatalError("a decoded packet cannot be encoded")
        }
        require(Packet.decode(again, using: compression) == packet, "a packet does not survive encoding")
        var candidates = SignatureCandidates(of: view)
        while candidates.next(using: compression) != nil {}
    }

    /// The first byte says how the rest is cut. What comes out is never more than came in, and a frame by itself.
    ///
    /// Other cuts may give other frames: an impossible header clears what is buffered, not what is still to come.
    private static func readStream(_ input: [UInt8]) {
        guard let first = input.first else { return }
        let now = Uptime(milliseconds: 0)
        var delimiter = FrameDelimiter()
        var frames: [[UInt8]] = []
        var rest = input.dropFirst()
        while !rest.isEmpty {
            let piece = rest.prefix(Int(first) + 1)
            frames += delimiter.append(piece, at: now)
            rest = rest.dropFirst(piece.count)
        }
        let total = frames.reduce(delimiter.bufferedCount) { $0 + $1.count }
        require(total < input.count, "more comes out than went in")
        for frame in frames {
            var alone = FrameDelimiter()
            require(alone.append(frame, at: now) == [frame], "a frame is not one by itself")
        }
    }

    /// A list of fragment payloads, each behind its length in one byte.
    private static func readFragments(_ input: ArraySlice<UInt8>) {
        if let header = FragmentHeader(input) { require(header.encoded[...] == input, "a fragment does not settle") }
        var assemblies = FragmentAssemblies(localPeer: PeerID(rawValue: 1))
        var reader = ByteReader(input)
        var time = Uptime(milliseconds: 0)
        while let length = reader.take(UInt8.self), let payload = reader.take(Int(length)) {
            guard let header = FragmentHeader(payload) else { continue }
            let outcome = assemblies.insert(
                header, from: PeerID(rawValue: UInt64(length & 3)), on: UInt64(length & 1), ttl: length & 16,
                isBroadcast: length & 4 == 0, isSolicited: length & 8 == 0, at: time)
            if case .complete(let completion) = outcome { _ = completion.packet(using: compression) }
            time = time + Milliseconds(Int64(length))
            _ = assemblies.takeStalled(at: time)
            assemblies.sweep(at: time)
        }
        assemblies.reset()
        require(assemblies.totalCost == 0, "an empty store costs something")
    }
}
