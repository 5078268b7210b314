import Domain
import NativeCryptography
import ZlibCompression

/// Frames, duplicates and signatures: what a relay does for every packet.
struct PacketBenchmarks {
    let harness: Harness
    private let compression = ZlibCompression()
    private let cryptography = NativeCryptography()

    /// A public text of 99 bytes, signed: the largest that is not tried for compression.
    private func text() -> Packet {
        Packet(
            type: .message, ttl: 7, timestamp: WallTime(milliseconds: 1_750_000_000_123),
            sender: PeerID(rawValue: 0x0011_2233_4455_6677),
            payload: Array(String(repeating: "hello mesh ", count: 9).utf8),
            signature: Signature([UInt8](repeating: 0x5A, count: 64)))
    }

    /// A full fragment of a packet of the given type, of which the content does not repeat.
    private func fragment(of type: MessageType) -> Packet? {
        var state: UInt64 = 1
        let chunk = (0..<469).map { _ in
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return UInt8(truncatingIfNeeded: state >> 56)
        }
        let header = FragmentHeader(
            id: FragmentID(rawValue: 1), index: 0, total: 9, originalType: type, chunk: chunk[...])
        return header.map {
            Packet(
                type: .fragment, ttl: 7, timestamp: WallTime(milliseconds: 1_750_000_000_123),
                sender: PeerID(rawValue: 1), recipient: PeerID(rawValue: 2), payload: $0.encoded)
        }
    }

    /// Prints all lines.
    func run() {
        codec()
        duplicates()
        signatures()
    }

    private func codec() {
        let text = text()
        guard let frame = text.encoded(padding: false, using: compression) else { return }
        harness.report(
            "header view, 99 B text",
            harness.nanoseconds { _ in consume(PacketView(frame)?.payloadLengthAfterInflation ?? 0) })
        harness.report(
            "decode, 99 B text",
            harness.nanoseconds { _ in consume(Packet.decode(frame, using: compression)?.payload.count ?? 0) })
        harness.report(
            "encode, 99 B text",
            harness.nanoseconds { _ in consume(text.encoded(padding: false, using: compression)?.count ?? 0) })
        if let ciphertext = fragment(of: .noiseEncrypted), let file = fragment(of: .fileTransfer) {
            harness.report(
                "encode, 469 B fragment (Noise)",
                harness.nanoseconds { _ in consume(ciphertext.encoded(padding: false, using: compression)?.count ?? 0) }
            )
            let deflate = Harness.Part("deflate", times: 1) { _ in
                consume(
                    compression.deflate(file.payload.span, level: 5, limit: file.payload.count - 1)?.count ?? 0)
            }
            harness.compare("encode, 469 B fragment (file)", with: [deflate]) { _ in
                consume(file.encoded(padding: false, using: compression)?.count ?? 0)
            }
            if let wire = ciphertext.encoded(padding: false, using: compression) {
                harness.report(
                    "decode, 469 B fragment",
                    harness.nanoseconds { _ in consume(Packet.decode(wire, using: compression)?.payload.count ?? 0) })
            }
        }
        if let view = PacketView(frame) {
            harness.report(
                "relayed frame, 99 B text", harness.nanoseconds { _ in consume(view.relayedFrame(ttl: 3).count) })
        }
        roundTrip(text)
    }

    private func roundTrip(_ text: Packet) {
        var seen = SeenPackets(seed: 0x1234_5678_9ABC_DEF0)
        var packet = text
        let now = Uptime(milliseconds: 0)
        let payload = text.payload
        let hash = Harness.Part("SHA-256 of 99 B", times: 1) { _ in
            consume(Int(truncatingIfNeeded: cryptography.sha256(payload.span).low))
        }
        var stamp: UInt64 = 0
        harness.compare("encode + decode + dedup, 99 B text", with: [hash]) { _ in
            stamp += 1
            packet.timestamp = WallTime(milliseconds: stamp)
            guard let frame = packet.encoded(padding: false, using: compression), let view = PacketView(frame),
                let decoded = view.packet(using: compression)
            else { return }
            consume(seen.checkAndInsert(DedupKey(of: decoded, using: cryptography), at: now) ? 1 : 0)
        }
    }

    private func duplicates() {
        var seen = SeenPackets(seed: 0x1234_5678_9ABC_DEF0)
        let now = Uptime(milliseconds: 0)
        let sender = PeerID(rawValue: 0x0011_2233_4455_6677)
        var stamp: UInt64 = 0
        let insert = harness.nanoseconds { _ in
            stamp += 1
            let key = DedupKey(
                type: .message, sender: sender, timestamp: WallTime(milliseconds: stamp), digest: 0x0D86_592C)
            consume(seen.checkAndInsert(key, at: now) ? 1 : 0)
        }
        harness.report("dedup insert (full set, trims included)", insert)
        let newest = stamp
        let lookup = harness.nanoseconds { iteration in
            let time = WallTime(milliseconds: newest &- UInt64(truncatingIfNeeded: iteration & 511))
            consume(
                seen.contains(DedupKey(type: .message, sender: sender, timestamp: time, digest: 0x0D86_592C)) ? 1 : 0)
        }
        harness.report("dedup lookup (hit)", lookup)
        let miss = harness.nanoseconds { iteration in
            let time = WallTime(milliseconds: UInt64.max &- UInt64(truncatingIfNeeded: iteration))
            consume(
                seen.contains(DedupKey(type: .message, sender: sender, timestamp: time, digest: 0x0D86_592C)) ? 1 : 0)
        }
        harness.report("dedup lookup (miss)", miss)
    }

    private func signatures() {
        let seed = cryptography.importSecret([UInt8](repeating: 3, count: 32).span)
        let key = cryptography.signingPublicKey(of: seed)
        let text = text()
        guard let preimage = text.signaturePreimage(using: compression),
            let signed = text.signed(with: seed, using: cryptography, compression), let signature = signed.signature,
            let frame = signed.encoded(padding: false, using: compression), let view = PacketView(frame)
        else { return }
        let sign = Harness.Part("Ed25519 sign 256 B", times: 1) { _ in
            consume(Int(truncatingIfNeeded: cryptography.sign(preimage.span, with: seed).first.low))
        }
        harness.compare("sign packet, 99 B text", with: [sign]) { _ in
            consume(text.signed(with: seed, using: cryptography, compression)?.payload.count ?? 0)
        }
        let verify = Harness.Part("Ed25519 verify 256 B", times: 1) { _ in
            consume(cryptography.verify(signature, of: preimage.span, by: key) ? 1 : 0)
        }
        harness.compare("verify packet, 99 B text", with: [verify]) { _ in
            consume(view.verifySignature(by: key, using: cryptography, compression) { true } == .valid ? 1 : 0)
        }
    }
}
