import Domain
import NativeCryptography
import Support
import Testing

@Suite("Packet signatures")
struct PacketSignatureTests {
    private let compression = PacketTools.compression
    private let cryptography = PacketTools.cryptography
    private let seed = PacketTools.seed([UInt8](repeating: 3, count: 32))

    @Test("vectors: signing", arguments: Vectors.cases("packet-signature", op: "sign"))
    func sign(vector: VectorCase) throws {
        let seed = PacketTools.seed(try #require(vector.input.member("ed25519_seed").hex))
        let packet = PacketVector(vector.input.member("packet")).packet
        let signed = packet?.signed(with: seed, using: cryptography, compression)
        guard !vector.output.isNull else {
            #expect(signed == nil)
            return
        }
        let (original, result) = (try #require(packet), try #require(signed))
        let key = cryptography.signingPublicKey(of: seed)
        #expect(key.bytes.hex == vector.output.member("public_key").string)
        let preimage = try #require(original.signaturePreimage(using: compression))
        let frame = try result.plainFrame()
        if vector.output["byte_exact"]?.bool == false {
            let expected = try #require(vector.output.member("preimage").hex)
            #expect(Packet.decode(preimage, using: compression) == Packet.decode(expected, using: compression))
            let theirWire = try #require(vector.output.member("wire").hex)
            let theirs = try #require(PacketView(theirWire))
            #expect(theirs.verifySignature(by: key, using: cryptography, compression) { true } == .valid)
        } else {
            #expect(preimage == vector.output.member("preimage").hex)
            #expect(result.signature?.bytes == vector.output.member("signature").hex)
            #expect(frame == vector.output.member("wire").hex)
        }
        #expect(PacketView(frame)?.isCompressed == vector.output.member("compressed").bool)
        let view = try #require(PacketView(frame))
        #expect(view.verifySignature(by: key, using: cryptography, compression) { true } == .valid)
        let both = try #require(
            original.signedFrame(padding: false, with: seed, using: cryptography, compression))
        #expect(both.packet == result && both.frame == frame)
    }

    @Test("vectors: verifying", arguments: Vectors.cases("packet-signature", op: "verify"))
    func verify(vector: VectorCase) throws {
        let wire = try #require(vector.input.member("wire").hex)
        let valid = vector.output.member("valid").bool
        let view = try #require(PacketView(wire))
        guard let key = vector.input.member("public_key").hex.flatMap({ Bytes32($0) }) else {
            // A key of another length never becomes a key at all.
            #expect(valid == false)
            return
        }
        let verdict = view.verifySignature(by: SigningPublicKey(key), using: cryptography, compression) { true }
        #expect((verdict == .valid) == valid)
        #expect((verdict == .missing) == (view.signature == nil))
    }

    @Test("the specification's preimage, signature and wire come out byte for byte")
    func published() throws {
        let packet = Packet.sample()
        let preimage = try #require(packet.signaturePreimage(using: compression))
        #expect(
            Hex.encode(preimage)
                == "010200000001977420dc7b00000a001122334455667768656c6c6f206d657368"
                + String(repeating: "e0", count: 224))
        #expect(
            cryptography.sha256(preimage.span).hex == "95551a72d7b2e7b769d116750422a503caf459da3bdbcac9b742bc4d4f366c34"
        )
        let seed = PacketTools.seed(
            try #require(Hex.decode("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60")))
        let signed = try #require(packet.signed(with: seed, using: cryptography, compression))
        let signature =
            "9af691ea10f646f2a1885cf7f710817afd1517eccd2f35a517a41d00ef256e14"
            + "20526aacb83484de8c57844aba31c2ff804d51d9aff01ae5d7b20c0754f9c306"
        #expect(signed.signature.map { Hex.encode($0.bytes) } == signature)
        #expect(
            Hex.encode(try signed.plainFrame())
                == "010207000001977420dc7b02000a001122334455667768656c6c6f206d657368" + signature)
    }

    private func verdict(_ frame: [UInt8], spend: () -> Bool = { true }) throws -> SignatureVerdict {
        let key = cryptography.signingPublicKey(of: seed)
        return try #require(PacketView(frame)).verifySignature(by: key, using: cryptography, compression, spend: spend)
    }

    private func signed(_ packet: Packet) throws -> Packet {
        try #require(packet.signed(with: seed, using: cryptography, compression))
    }

    @Test("TTL, sync-response flag, reserved flags and padding may change; nothing else may")
    func covered() throws {
        let original = try signed(
            .sample(version: 2, recipient: PeerID(rawValue: 7), route: [PeerID(rawValue: 8), PeerID(rawValue: 9)]))
        var changed = original
        changed.ttl = 2
        changed.isSyncResponse = true
        var frame = try changed.plainFrame()
        frame[11] |= 0xE0
        Padding.pad(&frame)
        #expect(try verdict(frame) == .valid)

        let forgeries: [(inout Packet) -> Void] = [
            { $0.recipient = PeerID(rawValue: 6) }, { $0.recipient = nil }, { $0.recipient = .broadcast },
            { $0.route.reverse() }, { $0.route = [] }, { $0.type = .leave }, { $0.version = 1 },
            { $0.timestamp = WallTime(milliseconds: 1_750_000_000_124) }, { $0.sender = PeerID(rawValue: 1) },
            { $0.payload[0] ^= 1 },
        ]
        for forge in forgeries {
            var forged = original
            forge(&forged)
            #expect(try verdict(forged.plainFrame()) == .invalid)
        }
    }

    @Test("the two forms of broadcast are signed differently")
    func broadcastForms() throws {
        var packet = try signed(.sample())
        packet.recipient = .broadcast
        #expect(try verdict(packet.plainFrame()) == .invalid)
        #expect(try verdict(signed(.sample(recipient: .broadcast)).plainFrame()) == .valid)
    }

    @Test("the preimage of an announce is padded although its frame is not")
    func paddedPreimage() throws {
        #expect(Packet.sample(type: .announce).signaturePreimage(using: compression)?.count == 256)
        #expect(try Packet.sample(type: .announce).plainFrame().count == 32)
    }

    @Test("signing replaces an old signature and refuses what cannot be encoded")
    func signing() throws {
        let old = Signature([UInt8](repeating: 1, count: 64))
        #expect(try signed(.sample(signature: old)) == signed(.sample()))
        #expect(Packet.sample(version: 3).signed(with: seed, using: cryptography, compression) == nil)
        #expect(
            Packet.sample(version: 3).signedFrame(padding: false, with: seed, using: cryptography, compression) == nil)
    }

    @Test("a packet without signature is told apart from a forged one")
    func missing() throws {
        #expect(try verdict(Packet.sample().plainFrame()) == .missing)
        #expect(
            try verdict(Packet.sample(signature: Signature([UInt8](repeating: 1, count: 64))).plainFrame()) == .invalid)
    }

    @Test("a small packet costs one check, a compressible one three more at most")
    func cost() throws {
        let forged = Signature([UInt8](repeating: 1, count: 64))
        for (payload, checks) in [
            ([UInt8](repeating: 1, count: 99), 1...1), ([UInt8](repeating: 1, count: 400), 2...4),
        ] {
            var spent = 0
            let frame = try Packet.sample(payload: payload, signature: forged).plainFrame()
            let verdict = try verdict(frame) {
                spent += 1
                return true
            }
            #expect(verdict == .invalid)
            #expect(checks.contains(spent))
        }
    }

    @Test("the caller's budget ends the search")
    func budget() throws {
        let frame = try signed(.sample()).plainFrame()
        #expect(try verdict(frame) { false } == .budgetExhausted)
        var left = 1
        let forged = Packet.sample(
            payload: [UInt8](repeating: 1, count: 400), signature: Signature([UInt8](repeating: 1, count: 64)))
        let verdict = try verdict(forged.plainFrame()) {
            left -= 1
            return left >= 0
        }
        #expect(verdict == .budgetExhausted)
    }

    /// A frame whose payload section is replaced by a stored deflate block: other bytes, same content.
    private func recompressed(_ packet: Packet) throws -> [UInt8] {
        let count = packet.payload.count
        let length = [UInt8(truncatingIfNeeded: count), UInt8(truncatingIfNeeded: count >> 8)]
        var section: [UInt8] = [UInt8(truncatingIfNeeded: count >> 8), UInt8(truncatingIfNeeded: count)]
        section += [1] + length + length.map { ~$0 } + packet.payload
        var carrier = packet
        carrier.type = .noiseEncrypted
        carrier.payload = section
        var frame = try carrier.plainFrame()
        frame[1] = packet.type.rawValue
        frame[11] |= 0x04
        return frame
    }

    @Test("a relay's other deflate stream does not cost the signature")
    func recompression() throws {
        let packet = try signed(.sample(payload: Array(String(repeating: "so many words, ", count: 40).utf8)))
        let frame = try recompressed(packet)
        #expect(try frame.count > packet.plainFrame().count)
        #expect(Packet.decode(frame, using: compression) == packet)
        #expect(try verdict(frame) == .valid)
        var forged = packet
        forged.payload[3] ^= 1
        #expect(try verdict(recompressed(forged)) == .invalid)
    }

    @Test("beyond 65,535 bytes only the bytes as they came are tried")
    func largePayload() throws {
        let packet = try signed(.sample(version: 2, payload: [UInt8](repeating: 5, count: 65_536)))
        #expect(try verdict(packet.plainFrame()) == .valid)
        var forged = packet
        forged.payload[0] = 6
        var spent = 0
        let verdict = try verdict(forged.plainFrame()) {
            spent += 1
            return true
        }
        #expect(verdict == .invalid)
        #expect(spent == 1)
    }

    @Test("candidates come in the order of the specification, equal ones once")
    func candidates() throws {
        let text = Array(String(repeating: "so many words, ", count: 40).utf8)
        let packet = Packet.sample(payload: text, signature: Signature([UInt8](repeating: 1, count: 64)))
        var candidates = SignatureCandidates(of: try #require(PacketView(recompressed(packet))))
        var flags: [PacketFlags] = []
        var seen: Set<[UInt8]> = []
        while let preimage = candidates.next(using: compression) {
            flags.append(PacketFlags(rawValue: preimage[11]))
            #expect(seen.insert(preimage).inserted)
            #expect(Packet.decode(preimage, using: compression)?.payload == text)
        }
        #expect(flags.first == .compressed)
        #expect(flags.last == [])
        #expect((3...4).contains(flags.count))
        #expect(!candidates.mayHaveMore)
    }
}
