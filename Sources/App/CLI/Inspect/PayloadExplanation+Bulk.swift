import Domain

/// Payloads that carry other things: pieces, files, voice, history, notices, keys, events.
extension PayloadExplanation {
    func add(fragment payload: ArraySlice<UInt8>, to fields: inout [Explanation.Field]) -> Bool {
        guard let fragment = FragmentHeader(payload) else { return false }
        fields.add("fragmentID", .string(fragment.id.hex))
        fields.add("index", .number(fragment.index), "of \(fragment.total)")
        fields.add("total", .number(fragment.total))
        fields.add(
            "originalType", .number(fragment.originalType.rawValue), MessageTypeName.text(of: fragment.originalType))
        fields.add(length: "chunkLength", fragment.chunk.count)
        return true
    }

    func add(file payload: ArraySlice<UInt8>, to fields: inout [Explanation.Field]) -> Bool {
        guard let file = FilePacket(payload) else { return false }
        fields.add("fileName", .optional(file.fileName))
        fields.add("mimeType", .optional(file.mimeType))
        fields.add(length: "fileSize", Int(file.fileSize), "as claimed")
        let looks =
            MediaType(accepting: file) == nil ? "does NOT look like its type: receivers drop it" : "looks like its type"
        fields.add(length: "contentLength", file.content.count, looks)
        return true
    }

    func add(request payload: ArraySlice<UInt8>, to fields: inout [Explanation.Field]) -> Bool {
        guard let request = RequestSync(payload) else { return false }
        fields.add("p", .number(request.p), "Golomb parameter")
        fields.add("m", .number(request.m), "range of the filter")
        fields.add(length: "filterLength", request.data.count, "what the asker has")
        if let types = request.types {
            fields.add("types", .array(types.types.map { .string(MessageTypeName.text(of: $0)) }))
        }
        if let since = request.since { fields.add("since", since) }
        if let filter = request.fragmentFilter { fields.add("fragmentFilter", .string(filter.text)) }
        return true
    }

    func add(board payload: ArraySlice<UInt8>, to fields: inout [Explanation.Field]) -> Bool {
        guard let notice = BoardNotice(payload) else { return false }
        switch notice.body {
        case .post(let post):
            fields.add("kind", "post")
            fields.add("geohash", .string(post.geohash))
            fields.add("nickname", .string(post.nickname))
            fields.add("content", .string(post.content))
            fields.add("createdAt", post.createdAt)
            fields.add("expiresAt", post.expiresAt)
            fields.add("isUrgent", .bool(post.isUrgent))
        case .tombstone(let tombstone):
            fields.add("kind", "tombstone", "takes a post back")
            fields.add("deletedAt", tombstone.deletedAt)
        }
        fields.add("author", .string(notice.author.bytes.hex))
        return true
    }

    func add(prekeys payload: ArraySlice<UInt8>, to fields: inout [Explanation.Field]) -> Bool {
        guard let bundle = PrekeyBundle(payload) else { return false }
        fields.add("owner", .string(bundle.offer.owner.bytes.hex))
        fields.add("prekeys", .array(bundle.offer.prekeys.map { .number($0.id) }), "numbers of the one-time keys")
        fields.add("generatedAt", bundle.offer.generatedAt)
        return true
    }

    func add(carrier payload: ArraySlice<UInt8>, to fields: inout [Explanation.Field]) -> Bool {
        guard let carrier = NostrCarrier(payload) else { return false }
        fields.add("direction", .string(String(describing: carrier.direction)))
        fields.add("geohash", .string(carrier.geohash))
        fields.add("event", .string(String(decoding: carrier.event, as: UTF8.self)))
        return true
    }

    func add(voice payload: ArraySlice<UInt8>, to fields: inout [Explanation.Field]) -> Bool {
        guard let burst = VoiceBurst(payload) else { return false }
        fields.add("burstID", .string(PeerID(rawValue: burst.burstID).hex))
        fields.add("voiceSequence", .number(burst.sequence))
        switch burst.content {
        case .start: fields.add("content", "start")
        case .frames(let frames):
            fields.add("content", "frames")
            fields.add("frameLengths", .array(frames.map { .number($0.count) }), "bytes each")
        case .end(let packets, let milliseconds):
            fields.add("content", "end")
            fields.add("dataPackets", .number(packets))
            fields.add("milliseconds", .number(milliseconds))
        case .canceled: fields.add("content", "canceled")
        }
        return true
    }
}
