import Domain

extension OutboxEntry<PeerID> {
    /// The entry as a store keeps it, sealed.
    var recordJSON: JSONValue {
        .object([
            "type": "outgoing", "peer": .string(owner.hex), "id": .string(id.text), "content": .string(content),
            "nickname": .string(nickname), "recipientKey": recipientKey.map { .string($0.bytes.hex) },
            "timestamp": .number(timestamp.milliseconds), "sendAttempts": .number(sendAttempts),
            "couriers": .array(couriers.map { .string($0.bytes.hex) }),
        ])
    }

    /// Reads what ``recordJSON`` writes.
    init(recordJSON json: JSONValue) throws(EventFormatError) {
        let fields = JSONFields(json)
        self.init(
            owner: try fields.peer("peer"), id: MessageID(try fields.text("id")), content: try fields.text("content"),
            nickname: try fields.text("nickname"),
            recipientKey: try fields.optionalDigest("recipientKey").map { AgreementPublicKey($0) },
            timestamp: try fields.time("timestamp"), sendAttempts: try fields.count("sendAttempts"),
            couriers: try fields.digests("couriers").map { AgreementPublicKey($0) }, isDurable: true)
    }
}
