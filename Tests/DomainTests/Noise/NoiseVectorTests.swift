import Domain
import NativeCryptography
import Support
import Testing

@Suite("Noise vectors")
struct NoiseVectorTests {
    @Test(
        "a whole XX handshake and its first transport frames", arguments: Vectors.cases("noise-xx", op: "xx_handshake"))
    func handshake(vector: VectorCase) throws {
        let prologue = try vector.bytes("prologue")
        let initiator = try Noise.initiator(
            static: try vector.bytes("initiator_static"), ephemeral: try vector.bytes("initiator_ephemeral"),
            prologue: prologue)
        let responder = try Noise.responder(
            static: try vector.bytes("responder_static"), ephemeral: try vector.bytes("responder_ephemeral"),
            prologue: prologue)
        let payloads = try #require(vector.input.member("payloads").array)
        let messages = try #require(vector.output.member("messages").array)
        for (index, (payload, message)) in zip(payloads, messages).enumerated() {
            let (writer, reader) = index == 1 ? (responder, initiator) : (initiator, responder)
            let (payload, expected) = (try #require(payload.hex), try #require(message.hex))
            #expect(try writer.writeMessage(payload: payload) == expected)
            #expect(try reader.read(expected) == payload)
        }
        let (ours, theirs) = (try initiator.finish(), try responder.finish())
        #expect(ours.handshakeHash.bytes == (try vector.expected("handshake_hash")))
        #expect(theirs.handshakeHash == ours.handshakeHash)
        #expect(ours.remoteStatic == Noise.publicKey(try vector.bytes("responder_static")))
        #expect(theirs.remoteStatic == Noise.publicKey(try vector.bytes("initiator_static")))
        let ends = (
            Transport(ours, using: Noise.cryptography), Transport(theirs, using: Noise.cryptography)
        )
        for frame in try #require(vector.output.member("transport").array) {
            let (sender, receiver) = frame.member("from").string == "initiator" ? (ends.0, ends.1) : (ends.1, ends.0)
            let (plaintext, expected) = (try #require(frame["plaintext"]?.hex), try #require(frame["ciphertext"]?.hex))
            #expect(try sender.sealed(plaintext) == expected)
            #expect(try receiver.opened(expected) == plaintext)
        }
    }

    @Test("message 1 is answered or refused", arguments: Vectors.cases("noise-xx", op: "xx_read_message1"))
    func message1(vector: VectorCase) throws {
        let responder = try Noise.responder(
            static: try vector.bytes("responder_static"), ephemeral: try vector.bytes("responder_ephemeral"))
        let message = try vector.bytes("message")
        let reply = Result {
            _ = try responder.read(message)
            return try responder.writeMessage()
        }
        if vector.output.isNull {
            #expect(noiseError(reply.get) == .invalidMessage)
        } else {
            #expect(try reply.get() == (try vector.expected("reply")))
        }
    }

    @Test("message 2 is answered or refused", arguments: Vectors.cases("noise-xx", op: "xx_read_message2"))
    func message2(vector: VectorCase) throws {
        let initiator = try Noise.initiator(
            static: try vector.bytes("initiator_static"), ephemeral: try vector.bytes("initiator_ephemeral"))
        _ = try initiator.writeMessage()
        let message = try vector.bytes("message")
        let reply = Result {
            _ = try initiator.read(message)
            return try initiator.writeMessage()
        }
        if vector.output.isNull {
            #expect([.invalidMessage, .authenticationFailure].contains(noiseError(reply.get)))
        } else {
            #expect(try reply.get() == (try vector.expected("reply")))
            #expect(initiator.remoteStatic?.bytes.bytes == (try vector.expected("remote_static")))
        }
    }

    @Test(
        "message 3 completes the handshake or is refused", arguments: Vectors.cases("noise-xx", op: "xx_read_message3"))
    func message3(vector: VectorCase) throws {
        let responder = try Noise.responder(
            static: try vector.bytes("responder_static"), ephemeral: try vector.bytes("responder_ephemeral"))
        _ = try responder.read(try vector.bytes("message1"))
        _ = try responder.writeMessage()
        let message = try vector.bytes("message3")
        let outcome = Result {
            _ = try responder.read(message)
            return try responder.finish()
        }
        guard !vector.output.isNull else {
            #expect([.invalidMessage, .authenticationFailure].contains(noiseError(outcome.get)))
            return
        }
        let result = try outcome.get()
        #expect(result.remoteStatic.bytes.bytes == (try vector.expected("remote_static")))
        #expect(PeerID(of: result.remoteStatic, using: Noise.cryptography).bytes == (try vector.expected("peer_id")))
        #expect(result.handshakeHash.bytes == (try vector.expected("handshake_hash")))
        #expect(Noise.bytes(of: result.receivingKey) == (try vector.expected("receive_key")))
        #expect(Noise.bytes(of: result.sendingKey) == (try vector.expected("send_key")))
    }

    @Test(
        "frames are accepted and refused as by a correct window",
        arguments: Vectors.cases("noise-transport", op: "receive_sequence"))
    func receive(vector: VectorCase) throws {
        let receiver = Noise.oneWay(key: try vector.bytes("key"))
        let messages = try #require(vector.input.member("messages").array)
        let results = try #require(vector.output.member("strict_results").array)
        #expect(messages.count == results.count)
        for (index, (message, result)) in zip(messages, results).enumerated() {
            let frame = try #require(message.hex)
            switch result["error"]?.string {
            case nil: #expect(try receiver.opened(frame) == (try #require(result.member("ok").hex)), "message \(index)")
            case "replay":
                let counter = UInt32(frame[0]) << 24 | UInt32(frame[1]) << 16 | UInt32(frame[2]) << 8 | UInt32(frame[3])
                #expect(noiseError { try receiver.opened(frame) } == .replay(counter: counter), "message \(index)")
            case "invalid":
                #expect(noiseError { try receiver.opened(frame) } == .invalidCiphertext, "message \(index)")
            case "auth":
                #expect(noiseError { try receiver.opened(frame) } == .authenticationFailure, "message \(index)")
            case let other: Issue.record("unknown error \(other ?? "")")
            }
        }
    }

    @Test("a frame at a counter", arguments: Vectors.cases("noise-transport", op: "encrypt_at"))
    func encrypt(vector: VectorCase) throws {
        let counter = try #require(vector.input.member("counter").unsigned)
        let sender = Noise.oneWay(key: try vector.bytes("key"), counter: counter)
        let plaintext = try vector.bytes("plaintext")
        if vector.output.isNull {
            #expect(noiseError { try sender.sealed(plaintext) } == .exhausted)
            #expect(sender.counter == counter)
        } else {
            #expect(try sender.sealed(plaintext) == (try vector.expected("ciphertext")))
        }
    }

    @Test(
        "keys of the list and of another length are not valid",
        arguments: Vectors.cases("noise-transport", op: "validate_key"))
    func validateKey(vector: VectorCase) throws {
        let key = Bytes32(try vector.bytes("key")).map(AgreementPublicKey.init)
        let isValid = key.map { !WeakKeys.contains($0) } ?? false
        #expect(.bool(isValid) == vector.output.member("valid"))
    }

    @Test("mail is sealed or refused", arguments: Vectors.cases("noise-x", op: "seal"))
    func seal(vector: VectorCase) throws {
        let kind = try Self.kind(vector)
        let recipient = Bytes32(try vector.bytes("recipient_public")).map(AgreementPublicKey.init)
        let (payload, sender) = (try vector.bytes("payload"), try vector.bytes("sender_static"))
        let ephemeral = try vector.bytes("ephemeral")
        guard !vector.output.isNull else {
            // A key of another length cannot even be written down.
            let error = recipient.map { key in
                noiseError { try Noise.seal(kind, payload, to: key, from: sender, ephemeral: ephemeral) }
            }
            #expect(error == nil || error == .weakKey)
            #expect((recipient == nil) == (try vector.bytes("recipient_public").count != 32))
            return
        }
        let sealed = try Noise.seal(kind, payload, to: try #require(recipient), from: sender, ephemeral: ephemeral)
        #expect(sealed == (try vector.expected("ciphertext")))
        #expect(vector.output["length"]?.integer.map(Int.init) ?? sealed.count == sealed.count)
        #expect(sealed.count == payload.count + CourierSeal.overhead)
    }

    @Test("mail is opened or refused", arguments: Vectors.cases("noise-x", op: "open"))
    func open(vector: VectorCase) throws {
        let kind = try Self.kind(vector)
        let (sealed, secret) = (try vector.bytes("ciphertext"), try vector.bytes("recipient_private"))
        guard !vector.output.isNull else {
            let error = noiseError { try Noise.open(kind, sealed, with: secret) }
            #expect([.invalidMessage, .authenticationFailure].contains(error))
            return
        }
        let opened = try Noise.open(kind, sealed, with: secret)
        #expect(opened.payload == (try vector.expected("payload")))
        #expect(opened.sender.bytes.bytes == (try vector.expected("sender_static")))
    }

    @Test("the published XX transcripts", arguments: Vectors.cases("noise-xx-published"))
    func publishedXX(vector: VectorCase) throws {
        let initiator = try Noise.initiator(
            static: try vector.bytes("init_static"), ephemeral: try vector.bytes("init_ephemeral"),
            prologue: try vector.bytes("init_prologue"))
        let responder = try Noise.responder(
            static: try vector.bytes("resp_static"), ephemeral: try vector.bytes("resp_ephemeral"),
            prologue: try vector.bytes("resp_prologue"))
        let messages = try Self.messages(vector)
        for (index, (payload, expected)) in messages.prefix(3).enumerated() {
            let (writer, reader) = index == 1 ? (responder, initiator) : (initiator, responder)
            #expect(try writer.writeMessage(payload: payload) == expected)
            #expect(try reader.read(expected) == payload)
        }
        let (ours, theirs) = (try initiator.finish(), try responder.finish())
        let hash = vector.input["handshake_hash"] ?? vector.input["handshake_hash_computed"]
        #expect(ours.handshakeHash.bytes == (try #require(hash?.hex)))
        #expect(theirs.handshakeHash == ours.handshakeHash)
        let ends = [Transport(theirs, using: Noise.cryptography), Transport(ours, using: Noise.cryptography)]
        for (index, (payload, expected)) in messages.dropFirst(3).enumerated() {
            let frame = try ends[index % 2].sealed(payload)
            #expect(Array(frame.dropFirst(NoisePolicy.counterLength)) == expected)
            #expect(try ends[(index + 1) % 2].opened(frame) == payload)
        }
    }

    @Test("the published X transcript", arguments: Vectors.cases("noise-x-published"))
    func publishedX(vector: VectorCase) throws {
        let prologue = try vector.bytes("init_prologue")
        let recipient = AgreementPublicKey(try #require(Bytes32(try vector.bytes("init_remote_static"))))
        let initiator = try Handshake(
            .x, role: .initiator, prologue: prologue, staticKeys: Noise.keyPair(try vector.bytes("init_static")),
            ephemeral: Noise.secret(try vector.bytes("init_ephemeral")), remoteStatic: recipient,
            using: Noise.cryptography)
        let responder = try Handshake(
            .x, role: .responder, prologue: prologue, staticKeys: Noise.keyPair(try vector.bytes("resp_static")),
            ephemeral: nil, using: Noise.cryptography)
        let messages = try Self.messages(vector)
        #expect(try initiator.writeMessage(payload: messages[0].0) == messages[0].1)
        #expect(try responder.read(messages[0].1) == messages[0].0)
        let (ours, theirs) = (try initiator.finish(), try responder.finish())
        #expect(ours.handshakeHash.bytes == (try vector.bytes("handshake_hash")))
        #expect(theirs.handshakeHash == ours.handshakeHash)
        let (sender, receiver) = (
            Transport(ours, using: Noise.cryptography), Transport(theirs, using: Noise.cryptography)
        )
        for (payload, expected) in messages.dropFirst() {
            let frame = try sender.sealed(payload)
            #expect(Array(frame.dropFirst(NoisePolicy.counterLength)) == expected)
            #expect(try receiver.opened(frame) == payload)
        }
    }

    private static func messages(_ vector: VectorCase) throws -> [([UInt8], [UInt8])] {
        let messages = try #require(vector.input.member("messages").array)
        #expect(messages.count > 3)
        return try messages.map {
            (try #require($0.member("payload").hex), try #require($0.member("ciphertext").hex))
        }
    }

    private static func kind(_ vector: VectorCase) throws -> CourierSeal {
        guard vector.input.member("kind").string == "prekey" else { return .staticKey }
        let identifier = try #require(vector.input.member("prekey_id").unsigned)
        return .prekey(try #require(UInt32(exactly: identifier)))
    }
}
