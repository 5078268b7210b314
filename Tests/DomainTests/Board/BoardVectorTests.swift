import Domain
import Support
import Testing

@Suite("Board vectors")
struct BoardVectorTests {
    @Test("every vector holds", arguments: Vectors.cases("board"))
    func vector(_ vector: VectorCase) throws {
        let input = vector.input
        switch vector.op {
        case "sign_post":
            let post = try #require(
                BoardPost(
                    id: try input.identifier("post_id"), geohash: try input.text("geohash"),
                    content: try input.text("content"), nickname: try input.text("nickname"),
                    createdAt: try input.time("created_at"), expiresAt: try input.time("expires_at"),
                    flags: try input.number("flags")))
            try sign(.post(post), vector)
        case "sign_tombstone":
            let tombstone = BoardTombstone(
                id: try input.identifier("post_id"), deletedAt: try input.time("deleted_at"))
            try sign(.tombstone(tombstone), vector)
        case "decode":
            let payload = try input.bytes("payload")
            let notice = BoardNotice(payload[...])
            vector.expect(
                notice.map {
                    .object([
                        "board": $0.json, "valid": .bool($0.verifies(using: payloadCryptography)),
                        "urgent": .bool(BoardNotice.claimsUrgency(payload[...])),
                    ])
                })
        case "urgent_flag":
            vector.expect(.object(["urgent": .bool(BoardNotice.claimsUrgency(try input.bytes("payload")[...]))]))
        case "ingest_sequence": try ingest(vector)
        default: vector.nobodyRunsThis()
        }
    }

    private func ingest(_ vector: VectorCase) throws {
        var board = NoticeBoard()
        let expected = try vector.output.list("steps")
        let steps = try vector.input.list("steps")
        #expect(steps.count == expected.count && !steps.isEmpty)
        for (number, (step, expected)) in zip(steps, expected).enumerated() {
            let now = WallTime(milliseconds: try #require(step.array?.first?.unsigned))
            var name: String?
            if let payload = step.array?.last?.hex {
                let packet = Packet.sample(type: .boardPost, payload: payload)
                let frame = try packet.plainFrame()
                name = board.ingest(packet, frame: frame, at: now, using: payloadCryptography).verdict.name
            }
            let entries = board.entries(at: now)
            let posts = board.posts(on: "", at: now)
            #expect(posts.count == entries.count { $0.post != nil })
            let seen = JSONValue.array([
                .optional(name), .number(posts.count), .number(entries.count),
            ])
            #expect(seen == expected, "\(vector.label), step \(number)")
        }
    }

    private func sign(_ body: BoardNotice.Body, _ vector: VectorCase) throws {
        let seed = try vector.input.secret("seed")
        let notice = BoardNotice(signing: body, with: seed, using: payloadCryptography)
        vector.expect(notice.signedBytes, is: "signing_bytes")
        vector.expect(notice.author.bytes.bytes, is: "author_key")
        vector.expect(notice.signature.bytes, is: "signature")
        vector.expect(notice.encoded, is: "payload")
    }
}

extension BoardNotice {
    /// The value as the vectors describe it.
    fileprivate var json: JSONValue {
        switch body {
        case .post(let post):
            .object([
                "kind": "post", "post_id": .hex(PacketBytes.of(post.id)), "geohash": .string(post.geohash),
                "content": .string(post.content), "author_key": .string(author.bytes.hex),
                "nickname": .string(post.nickname), "created_at": .number(post.createdAt.milliseconds),
                "expires_at": .number(post.expiresAt.milliseconds), "flags": .number(post.flags),
                "signature": .hex(signature.bytes),
            ])
        case .tombstone(let tombstone):
            .object([
                "kind": "tombstone", "post_id": .hex(PacketBytes.of(tombstone.id)),
                "author_key": .string(author.bytes.hex), "deleted_at": .number(tombstone.deletedAt.milliseconds),
                "signature": .hex(signature.bytes),
            ])
        }
    }
}

extension BoardVerdict {
    /// The word that the vectors have for it.
    fileprivate var name: String {
        switch self {
        case .accepted: "accepted"
        case .duplicate: "duplicate"
        case .rejected: "rejected"
        }
    }
}
