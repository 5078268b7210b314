import Domain
import NativeCryptography
import Support
import Testing

@Suite("Group vectors")
struct GroupVectorTests {
    @Test("every vector holds", arguments: Vectors.cases("group"))
    func vector(_ vector: VectorCase) throws {
        let input = vector.input
        switch vector.op {
        case "roster_encode": vector.expect(try roster(input)?.encoded, is: "blob")
        case "roster_decode":
            vector.expect(GroupRoster(try input.bytes("blob")[...]).map { .object(["members": $0.json]) })
        case "state_sign": try signState(vector)
        case "state_decode":
            let state = GroupState(try input.bytes("tlv")[...], using: payloadCryptography)
            vector.expect(
                state.map {
                    .object(["state": $0.json, "valid": .bool($0.isSignedByCreator(using: payloadCryptography))])
                })
        case "message_seal": try seal(vector)
        case "message_open": try open(vector)
        default: vector.nobodyRunsThis()
        }
    }

    /// The roster; `nil` when it must be refused, also for a member whose key or fingerprint has not 32 bytes.
    private func roster(_ input: JSONValue) throws -> GroupRoster? {
        var members: [GroupMember] = []
        for entry in try input.list("members") {
            guard let fingerprint = entry.member("fingerprint").bytes32, let key = entry.member("signing_key").bytes32
            else { return nil }
            members.append(
                GroupMember(
                    fingerprint: Fingerprint(digest: fingerprint), signingKey: SigningPublicKey(key),
                    nickname: try entry.text("nickname")))
        }
        return GroupRoster(members)
    }

    private func signState(_ vector: VectorCase) throws {
        let input = vector.input
        let roster = try #require(try roster(input))
        let state = GroupState(
            id: GroupID(rawValue: try input.identifier("group_id")), name: try input.text("name"),
            key: try input.secret("key"), epoch: try input.number("epoch"), roster: roster,
            creator: Fingerprint(digest: try input.bytes32("creator")),
            signedWith: try input.secret("creator_seed"), using: payloadCryptography)
        vector.expect(state.signedBytes(using: payloadCryptography), is: "signing_content")
        vector.expect(state.signature.bytes, is: "signature")
        vector.expect(state.encoded(using: payloadCryptography), is: "tlv")
    }

    private func seal(_ vector: VectorCase) throws {
        let input = vector.input
        let nonce = try #require(AEADNonce(try input.bytes("nonce")))
        let text = GroupText(
            groupID: GroupID(rawValue: try input.identifier("group_id")), epoch: try input.number("epoch"),
            id: MessageID(try input.text("message_id")), nickname: try input.text("nickname"),
            timestamp: try input.time("timestamp_ms"), content: try input.text("content"),
            signedWith: try input.secret("sender_seed"), using: payloadCryptography)
        vector.expect(text.signedBytes, is: "signing_content")
        let message = GroupMessage(
            sealing: text, key: try input.secret("key"), nonce: nonce, using: payloadCryptography)
        vector.expect(message?.encoded, is: "payload")
    }

    private func open(_ vector: VectorCase) throws {
        let key = try vector.input.secret("key")
        let payload = try vector.input.bytes("payload")
        let described: JSONValue
        do {
            guard let message = GroupMessage(payload[...]) else { throw GroupMessageRefusal.envelope }
            described = try message.open(with: key, using: payloadCryptography).json
        } catch let refusal as GroupMessageRefusal {
            described = .object(["error": .string(refusal.rawValue)])
        }
        vector.expect(described)
        // Success and refusal are told apart by their members, so neither may have more than the vector has.
        #expect((described["error"] == nil) == (vector.output["error"] == nil))
    }
}

extension GroupRoster {
    /// The members as the vectors describe them.
    fileprivate var json: JSONValue {
        .array(
            members.map {
                .object([
                    "fingerprint": .string($0.fingerprint.hex), "signing_key": .string($0.signingKey.bytes.hex),
                    "nickname": .string($0.nickname),
                ])
            })
    }
}

extension GroupState<NativeCryptography> {
    /// The value as the vectors describe it.
    fileprivate var json: JSONValue {
        let key = payloadCryptography.withBytes(of: key) { bytes in bytes.indices.map { bytes[$0] } }
        return .object([
            "group_id": .hex(PacketBytes.of(id.rawValue)), "name": .string(name), "key": .hex(key),
            "epoch": .number(epoch), "members": roster.json, "creator": .string(creator.hex),
            "signature": .hex(signature.bytes),
        ])
    }
}

extension GroupText {
    /// The value as the vectors describe it.
    fileprivate var json: JSONValue {
        .object([
            "message_id": .string(id.text), "sender_key": .string(sender.bytes.hex), "nickname": .string(nickname),
            "timestamp_ms": .number(timestamp.milliseconds), "content": .string(content),
            "group_id": .hex(PacketBytes.of(groupID.rawValue)), "epoch": .number(epoch),
        ])
    }
}
