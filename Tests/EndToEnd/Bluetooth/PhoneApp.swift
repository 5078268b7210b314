import Domain
import NativeCryptography
import Support
import Testing

/// What runs on a ``Phone``: an identity made for the test, with packets, signatures and sessions of another make
/// (bitchat4agents, through ``PythonPeer``).
final class PhoneApp {
    /// A packet that reached the phone.
    struct Received {
        /// When, and on which link.
        let event: Phone.Event
        /// The frame as it came.
        let frame: [UInt8]
        /// What the other make reads in it.
        let json: JSONValue

        /// The payload.
        var payload: [UInt8] { json["payload"]?.hex ?? [] }
        /// Who made it, as text.
        var sender: String? { json["sender"]?.string }
        /// Hops left.
        var ttl: UInt64? { json["ttl"]?.unsigned }
        /// Which train a fragment belongs to, and how many there are in it: eight bytes of identifier, index, total (spec:
        /// packet §5).
        var fragmentTrain: (id: [UInt8], count: Int) {
            guard payload.count > 12 else { return ([], 0) }
            return (Array(payload.prefix(8)), Int(payload[10]) << 8 | Int(payload[11]))
        }
    }

    let phone: Phone
    /// The name in its announces.
    let nickname = "phone"
    /// Its identifier, as text.
    let id: String
    private let peer: PythonPeer
    private let isCentral: Bool
    private let noiseKey: [UInt8]
    private let signingKey: [UInt8]
    /// Where the sealed frames begin that were not opened yet: each is opened once.
    private var sealedMark = 0
    private var pieces: [[UInt8]: [[UInt8]]] = [:]
    private var lastTime: UInt64 = 0

    private static let noiseSecret = [UInt8](repeating: 0x50, count: 32)
    private static let signingSeed = [UInt8](repeating: 0x51, count: 32)

    /// - Parameter isCentral: Whether the phone is the one that connects; then it writes, else it notifies.
    init(_ phone: Phone, isCentral: Bool) throws {
        self.phone = phone
        self.isCentral = isCentral
        peer = try PythonPeer()
        let cryptography = NativeCryptography()
        let secret = cryptography.importSecret(Self.noiseSecret.span)
        let seed = cryptography.importSecret(Self.signingSeed.span)
        noiseKey = cryptography.agreementPublicKey(of: secret).bytes.bytes
        signingKey = cryptography.signingPublicKey(of: seed).bytes.bytes
        let identifiers = try peer.ask("peer_id", ["key": .string(Hex.encode(noiseKey))])
        id = try #require(identifiers.array?.last?.string)
    }

    // MARK: Sending

    /// A signed announce.
    func announce() throws -> [UInt8] {
        let payloads = try peer.ask(
            "announce_encode",
            [
                "nickname": .string(nickname), "noise_key": .string(Hex.encode(noiseKey)),
                "signing_key": .string(Hex.encode(signingKey)), "neighbors": .array([]),
            ])
        return try frame(.announce, try #require(payloads.array?.last?.hex), isSigned: true)
    }

    /// Says something to everyone.
    func publish(_ text: String) throws { try send(frame(.message, Array(text.utf8), isSigned: true)) }

    /// Sends a frame, as the phone's role has it.
    func send(_ frame: [UInt8]) throws { try isCentral ? phone.write(frame) : phone.notify(frame) }

    /// Makes a packet of now: signed, or padded.
    private func frame(
        _ type: MessageType, _ payload: [UInt8], to recipient: String? = nil, isSigned: Bool = false
    ) throws -> [UInt8] {
        lastTime = max(lastTime + 1, WallTime.now.milliseconds)
        let packet = JSONValue.object([
            "version": 1, "type": .number(type.rawValue), "ttl": 7, "timestamp": .number(lastTime),
            "sender": .string(id), "recipient": .optional(recipient), "payload": .string(Hex.encode(payload)),
            "signature": .null, "rsr": false,
        ])
        guard isSigned else { return try peer.bytes("agents_encode", ["packet": packet, "padding": true]) }
        return try peer.bytes("agents_sign", ["packet": packet, "seed": .string(Hex.encode(Self.signingSeed))])
    }

    // MARK: Receiving

    /// Waits for a packet of a type.
    func receive(_ type: MessageType, from mark: Int = 0) throws -> Received {
        let event = try phone.receive(from: mark) { $0.count > 1 && $0[1] == type.rawValue }
        return try read(event)
    }

    /// Waits for whatever comes first.
    func receiveFirst() throws -> Received { try read(try phone.receive { _ in true }) }

    private func read(_ event: Phone.Event) throws -> Received {
        let frame = try #require(event.bytes)
        return Received(
            event: event, frame: frame, json: try peer.ask("agents_decode", ["frame": .string(Hex.encode(frame))]))
    }

    /// What an announce says; both Python implementations must agree on it.
    func announcement(in packet: Received) throws -> JSONValue {
        let readings = try peer.ask("announce_decode", ["payload": .string(Hex.encode(packet.payload))])
        let both = try #require(readings.array)
        #expect(both.first == both.last)
        return try #require(both.last)
    }

    /// Whether a packet is signed by the holder of a key.
    func isSigned(_ packet: Received, by key: JSONValue?) throws -> Bool? {
        try peer.ask("agents_verify", ["frame": .string(Hex.encode(packet.frame)), "key": key]).bool
    }

    // MARK: Sessions

    /// Makes a session with a node by the first message of the handshake.
    func beginSession(with node: String) throws {
        let mark = phone.mark
        let secret = JSONValue.string(Hex.encode(Self.noiseSecret))
        let first = try peer.bytes("noise_start", ["role": "initiator", "private": secret])
        try send(frame(.noiseHandshake, first, to: node))
        let second = try receive(.noiseHandshake, from: mark)
        #expect(second.payload.count == 96)
        let third = try peer.bytes("noise_handshake", ["message": .string(Hex.encode(second.payload))])
        try send(frame(.noiseHandshake, third, to: node))
        sealedMark = mark
    }

    /// Makes a session with a node that begins it, some time after an event.
    func answerSession(of node: String, from mark: Int) throws {
        let secret = JSONValue.string(Hex.encode(Self.noiseSecret))
        _ = try peer.ask("noise_start", ["role": "responder", "private": secret])
        let first = try receive(.noiseHandshake, from: mark)
        #expect(first.payload.count == 32)
        let second = try peer.bytes("noise_handshake", ["message": .string(Hex.encode(first.payload))])
        try send(frame(.noiseHandshake, second, to: node))
        let third = try receive(.noiseHandshake, from: first.event.index + 1)
        #expect(third.payload.count == 64)
        _ = try peer.ask("noise_handshake", ["message": .string(Hex.encode(third.payload))])
        sealedMark = mark
    }

    /// The key that the other side of the session has proved to hold, as text.
    var sessionKey: String? { get throws { try peer.ask("noise_remote").string } }

    /// Sends a private message.
    func whisper(_ text: String, id: String, to node: String) throws {
        let forms = try peer.ask("message_encode", ["message_id": .string(id), "content": .string(text)])
        try seal(try #require(forms.array?.last?.hex), to: node)
    }

    /// Says that a private message arrived.
    func confirm(_ id: String, to node: String) throws {
        try seal([NoisePayload.Kind.delivered.rawValue] + Array(id.utf8), to: node)
    }

    private func seal(_ plaintext: [UInt8], to node: String) throws {
        let sealed = try peer.bytes("noise_seal", ["plaintext": .string(Hex.encode(plaintext))])
        try send(frame(.noiseEncrypted, sealed, to: node))
    }

    /// Waits for a sealed payload of a kind, and opens it.
    func open(_ kind: NoisePayload.Kind) throws -> [UInt8] {
        while true {
            let packet = try nextSealed()
            let plaintext = try peer.bytes("noise_open", ["frame": packet["payload"]])
            if plaintext.first == kind.rawValue { return Array(plaintext.dropFirst()) }
        }
    }

    /// The next sealed packet, which comes in pieces where the link is too narrow for it.
    private func nextSealed() throws -> JSONValue {
        while true {
            let types = [MessageType.noiseEncrypted.rawValue, MessageType.fragment.rawValue]
            let part = try read(try phone.receive(from: sealedMark) { $0.count > 1 && types.contains($0[1]) })
            sealedMark = part.event.index + 1
            guard part.frame[1] == MessageType.fragment.rawValue else { return part.json }
            let train = part.fragmentTrain
            pieces[train.id, default: []].append(part.frame)
            guard let frames = pieces[train.id], frames.count == train.count else { continue }
            pieces[train.id] = nil
            let whole = try assemble(frames)
            if whole["type"]?.unsigned == UInt64(MessageType.noiseEncrypted.rawValue) { return whole }
        }
    }

    private func assemble(_ frames: [[UInt8]]) throws -> JSONValue {
        try peer.ask("fragments_assemble", ["frames": .array(frames.map { .string(Hex.encode($0)) })])
    }

    /// Waits for a private message and opens it.
    func openMessage() throws -> (id: String?, text: String?) {
        let payload = JSONValue.string(Hex.encode(try open(.privateMessage)))
        let message = try peer.ask("message_decode_agents", ["payload": payload])
        return (message["message_id"]?.string, message["content"]?.string)
    }

    /// Waits for a file in pieces, and puts it together.
    func receiveFile(from mark: Int) throws -> JSONValue {
        var frames: [[UInt8]] = []
        var mark = mark
        while true {
            let part = try receive(.fragment, from: mark)
            mark = part.event.index + 1
            frames.append(part.frame)
            guard frames.count == part.fragmentTrain.count else { continue }
            return try peer.ask("file_decode", ["payload": try assemble(frames)["payload"]])
        }
    }
}
