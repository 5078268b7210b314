import Domain
import Support
import Testing

@Suite("Payload vectors")
struct PayloadVectorTests {
    @Test("every vector holds", arguments: Vectors.cases("payloads"))
    func vector(_ vector: VectorCase) throws {
        let input = vector.input
        switch vector.op {
        case "private_message_encode":
            let message = PrivateMessagePayload(id: try messageID(vector), content: try input.text("content"))
            vector.expect(message.encoded, is: "tlv")
            vector.expect(message.encoded.map { NoisePayload(.privateMessage, $0).encoded }, is: "typed")
        case "private_message_decode":
            let message = PrivateMessagePayload(try input.bytes("tlv")[...])
            vector.expect(
                message.map { .object(["message_id": .string($0.id.text), "content": .string($0.content)]) })
        case "delivered": vector.expect(NoisePayload.delivered(try messageID(vector)).encoded, is: "typed")
        case "read_receipt": vector.expect(NoisePayload.readReceipt(try messageID(vector)).encoded, is: "typed")
        case "typed_decode":
            let payload = NoisePayload(try input.bytes("typed")[...])
            vector.expect(payload.map { .object(["type": .number($0.kind.rawValue), "data": .hex($0.body)]) })
        case "peer_state_encode":
            let capabilities = Capabilities(rawValue: try input.number("capabilities"))
            let state = input.member("signing_key").bytes32.map {
                AuthenticatedPeerState(capabilities: capabilities, signingKey: SigningPublicKey($0))
            }
            vector.expect(state?.encoded, is: "state")
        case "peer_state_decode": vector.expect(AuthenticatedPeerState(try input.bytes("state")[...])?.json)
        default: try smallVector(vector)
        }
    }

    private func smallVector(_ vector: VectorCase) throws {
        let input = vector.input
        switch vector.op {
        case "ping_encode":
            let ttl: UInt8 = try input.number("origin_ttl")
            let nonce = UInt64(exactBigEndianBytes: try input.bytes("nonce"))
            vector.expect(nonce.map { PingPayload(nonce: $0, originTTL: ttl).encoded }, is: "payload")
        case "ping_decode":
            let ping = PingPayload(try input.bytes("payload")[...])
            vector.expect(
                ping.map {
                    .object(["nonce": .hex($0.encoded.prefix(8)), "origin_ttl": .number($0.originTTL)])
                })
        case "ping_hops":
            let ping = PingPayload(nonce: 0, originTTL: try input.number("origin_ttl"))
            let hops = ping.hops(receivedTTL: try input.number("received_ttl"))
            vector.expect(hops.map { .object(["hops": .number($0)]) })
        case "capabilities_encode":
            vector.expect(Capabilities(rawValue: try input.number("raw")).encoded, is: "bytes")
        case "capabilities_decode":
            let capabilities = Capabilities(lenient: try input.bytes("bytes")[...])
            vector.expect(.object(["raw": .number(capabilities.rawValue)]))
        default: vector.nobodyRunsThis()
        }
    }

    private func messageID(_ vector: VectorCase) throws -> MessageID {
        MessageID(try vector.input.text("message_id"))
    }
}

extension AuthenticatedPeerState {
    /// The value as the vectors describe it.
    fileprivate var json: JSONValue {
        .object([
            "capabilities": .number(capabilities.rawValue), "signing_key": .string(signingKey.bytes.hex),
        ])
    }
}
