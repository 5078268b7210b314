import Domain

extension Target {
    /// Payloads whose decoders need no key.
    static let payloads: [Target] = [
        Target("announce", "announce", "decode", "payload") { input in
            _ = AnnounceReading(input, using: cryptography)
            return Announce(input)?.encoded
        },
        Target("typed-payload", "payloads", "typed_decode", "typed") { input in
            let payload = NoisePayload(input)
            _ = payload?.receiptedMessage
            return payload?.encoded
        },
        Target("private-message", "payloads", "private_message_decode", "tlv") { PrivateMessagePayload($0)?.encoded },
        Target("peer-state", "payloads", "peer_state_decode", "state") { AuthenticatedPeerState($0)?.encoded },
        Target("ping", "payloads", "ping_decode", "payload") { PingPayload($0)?.encoded },
        Target("file", "file-packet", "decode", "tlv") { input in
            guard let file = FilePacket(input) else { return nil }
            let type = MediaType(accepting: file) ?? .binary
            let name = FileName(
                sanitizing: file.fileName, type: type, fallbackStem: "file", using: IdentityNormalization())
            require((1...FileName.maximumBytes).contains(name.text.utf8.count), "a file's name does not fit")
            require(!name.text.utf8.contains(UInt8(ascii: "/")), "a file's name is a path")
            return file.encoded
        },
        Target("voice", "voice-burst", "decode", "payload") { VoiceBurst($0)?.encoded },
        Target("carrier", "nostr-carrier", "decode", "payload") { NostrCarrier($0)?.encoded },
        Target("board", "board", "decode", "payload") { input in
            _ = BoardNotice.claimsUrgency(input)
            let notice = BoardNotice(input)
            _ = notice?.verifies(using: cryptography)
            return notice?.encoded
        },
        Target("prekeys", "prekey-bundle", "decode", "payload") { PrekeyBundle($0)?.encoded },
        Target("envelope", "courier-envelope", "decode", "payload") { CourierEnvelope($0)?.encoded },
        Target("sync-request", "request-sync", "decode", "payload") { input in
            let request = RequestSync(input)
            _ = request?.fragmentFilter?.streams
            if let request {
                let held = GCSSet(request.filter)
                require(held.values.count <= request.data.count * 8 / 2, "a filter says more than its bits can")
                for value in held.values { require(value < request.m, "a filter holds what it cannot") }
            }
            return request?.encoded
        },
        Target("challenge", "verification", "challenge_decode", "data") { VerificationChallenge($0)?.encoded },
        Target("response", "verification", "response_decode", "data") { VerificationResponse($0)?.encoded },
        Target("vouches", "vouch", "decode_list", "payload") { VouchBatch(reading: $0).encoded },
        Target("roster", "group", "roster_decode", "blob") { GroupRoster($0)?.encoded },
    ]
}
