import Domain

/// Explains the payload of a packet by its type.
struct PayloadExplanation<C: Cryptography, Z: Compression> {
    private let view: PacketView
    private let cryptography: C
    private let compression: Z

    /// Explains payloads of this packet.
    init(_ view: PacketView, _ cryptography: C, _ compression: Z) {
        self.view = view
        self.cryptography = cryptography
        self.compression = compression
    }

    /// The fields; a payload that is not what its type says has one field, `problem`.
    func fields(of payload: ArraySlice<UInt8>) -> [Explanation.Field] {
        var fields: [Explanation.Field] = []
        guard add(payload, to: &fields) else {
            var problem: [Explanation.Field] = []
            problem.add("problem", .string("not a well-formed \(MessageTypeName.text(of: view.type))"))
            problem.add("bytes", .string(Hex.encode(payload)))
            return problem
        }
        return fields
    }

    private func add(_ payload: ArraySlice<UInt8>, to fields: inout [Explanation.Field]) -> Bool {
        switch view.type {
        case .announce: return add(announce: payload, to: &fields)
        case .message: return add(message: payload, to: &fields)
        case .leave:
            fields.add(length: "length", payload.count, "a goodbye; the payload means nothing")
            return true
        case .courierEnvelope: return add(envelope: payload, to: &fields)
        case .noiseHandshake, .noiseEncrypted: return add(noise: payload, to: &fields)
        case .fragment: return add(fragment: payload, to: &fields)
        case .requestSync: return add(request: payload, to: &fields)
        case .fileTransfer: return add(file: payload, to: &fields)
        case .boardPost: return add(board: payload, to: &fields)
        case .prekeyBundle: return add(prekeys: payload, to: &fields)
        case .groupMessage: return add(group: payload, to: &fields)
        case .ping, .pong: return add(ping: payload, to: &fields)
        case .nostrCarrier: return add(carrier: payload, to: &fields)
        case .voiceFrame: return add(voice: payload, to: &fields)
        default:
            fields.add("bytes", .string(Hex.encode(payload)))
            return true
        }
    }

    // MARK: Presence and talk

    private func add(announce payload: ArraySlice<UInt8>, to fields: inout [Explanation.Field]) -> Bool {
        guard let reading = AnnounceReading(payload, using: cryptography) else { return false }
        let announce = reading.announce
        fields.add("nickname", .string(announce.nickname))
        let owner = reading.derivedPeer == view.sender ? "the sender's" : "NOT THE SENDER'S: \(reading.derivedPeer.hex)"
        fields.add("noiseKey", .string(Hex.encode(announce.noiseKey)), owner)
        fields.add("signingKey", .string(Hex.encode(announce.signingKey)))
        if let key = announce.signingPublicKey {
            // Four attempts are all that there are.
            let verdict = view.verifySignature(by: key, using: cryptography, compression) { true }
            fields.add("signatureVerdict", .string(String(describing: verdict)), "under the announced signing key")
        }
        if let neighbours = announce.neighbours {
            fields.add("neighbours", .array(neighbours.map { .string($0.hex) }))
        }
        if let capabilities = announce.capabilities {
            fields.add("capabilities", .number(capabilities.rawValue), names(of: capabilities))
        }
        if let cell = announce.bridgeCell { fields.add("bridgeCell", .string(cell)) }
        return true
    }

    private func names(of capabilities: Capabilities) -> String {
        let known: [(Capabilities, String)] = [
            (.prekeys, "prekeys"), (.wifiBulk, "wifiBulk"), (.gateway, "gateway"), (.groups, "groups"),
            (.board, "board"), (.vouch, "vouch"), (.meshDiagnostics, "meshDiagnostics"), (.bridge, "bridge"),
            (.privateMedia, "privateMedia"), (.privateMediaReceipts, "privateMediaReceipts"),
        ]
        return known.filter { capabilities.contains($0.0) }.map(\.1).joined(separator: ", ")
    }

    private func add(message payload: ArraySlice<UInt8>, to fields: inout [Explanation.Field]) -> Bool {
        guard let text = String(validating: payload, as: UTF8.self) else { return false }
        fields.add("text", .string(text))
        let id = MessageIdentity.publicMessage(
            sender: view.sender, timestamp: view.timestamp, text: text, using: cryptography)
        fields.add("messageID", .string(id), "derived; the same on every device")
        return true
    }

    private func add(ping payload: ArraySlice<UInt8>, to fields: inout [Explanation.Field]) -> Bool {
        guard let ping = PingPayload(payload) else { return false }
        fields.add("nonce", .string(Hex.encode(PeerID(rawValue: ping.nonce).bytes)))
        fields.add("originTTL", .number(ping.originTTL), "hops = originTTL - ttl + 1")
        return true
    }

    // MARK: Sealed things

    private func add(noise payload: ArraySlice<UInt8>, to fields: inout [Explanation.Field]) -> Bool {
        guard view.type == .noiseEncrypted else {
            let step: [Int: String] = [32: "message 1 of 3", 96: "message 2 of 3", 64: "message 3 of 3"]
            fields.add(length: "length", payload.count, step[payload.count] ?? "no length of the XX handshake")
            return true
        }
        guard payload.count >= 4 + aeadTagLength else { return false }
        fields.add("nonce", .number(payload.prefix(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }))
        fields.add(
            length: "ciphertextLength", payload.count - 4,
            "with a tag of \(aeadTagLength); only the two peers can read it")
        return true
    }

    private func add(envelope payload: ArraySlice<UInt8>, to fields: inout [Explanation.Field]) -> Bool {
        guard let envelope = CourierEnvelope(payload) else { return false }
        fields.add("tag", .string(Hex.encode(envelope.tag.bytes)), "the recipient, known to those who know its key")
        fields.add("expiry", envelope.expiry)
        fields.add("copies", .number(envelope.budget.copies))
        fields.add("prekeyID", envelope.prekeyID.map { .number($0) } ?? .null)
        fields.add(length: "ciphertextLength", envelope.ciphertext.count)
        return true
    }

    private func add(group payload: ArraySlice<UInt8>, to fields: inout [Explanation.Field]) -> Bool {
        guard let message = GroupMessage(payload) else { return false }
        var id: [UInt8] = []
        id.append(bigEndian: message.groupID.rawValue)
        fields.add("groupID", .string(Hex.encode(id)))
        fields.add("epoch", .number(message.epoch))
        fields.add(length: "ciphertextLength", message.ciphertext.count, "only members can read it")
        return true
    }
}
