import Domain
import NativeCryptography
import Support
import Testing

@Suite("Packets and other implementations", .needsInteropPython, .timeLimit(.minutes(15)))
struct PacketInterop {
    private static let sender = PeerID(rawValue: 0x0011_2233_4455_6677)
    private static let recipient = PeerID(rawValue: 0x8899_AABB_CCDD_EEFF)

    private static func packet(
        version: UInt8 = 1, type: MessageType = .message, recipient: PeerID? = nil, route: [PeerID] = [],
        payload: [UInt8] = Array("hello mesh".utf8), isSigned: Bool = false, isSyncResponse: Bool = false
    ) -> Packet {
        Packet(
            version: version, type: type, ttl: 7, timestamp: WallTime(milliseconds: 1_750_000_000_123), sender: sender,
            recipient: recipient, route: route, payload: payload,
            signature: isSigned ? Signature(noise(Signature.count)) : nil, isSyncResponse: isSyncResponse)
    }

    /// Packets that nobody routes or compresses: all three sides write the same bytes.
    static let plainPackets: [Packet] = [
        packet(), packet(payload: []), packet(recipient: recipient), packet(recipient: .broadcast, isSigned: true),
        packet(isSyncResponse: true), packet(version: 2, type: .fileTransfer, isSigned: true),
        packet(version: 2, type: .noiseEncrypted, recipient: recipient, payload: noise(70_000)),
        packet(type: .noiseHandshake, recipient: recipient, payload: noise(32)), packet(payload: prose(99)),
    ]

    @Test("plain packets are the same bytes everywhere, both ways", arguments: plainPackets)
    func plain(packet: Packet) throws {
        let peer = try PythonPeer()
        let frame = try #require(packet.encoded(padding: false, using: compression))
        for side in ["library", "agents"] {
            #expect(try peer.ask("\(side)_decode", ["frame": .hex(frame)]) == packet.json)
            let theirs = try peer.bytes("\(side)_encode", ["packet": packet.json, "padding": false])
            #expect(theirs == frame)
        }
    }

    @Test("a route is read by the library; bitchat4agents takes its bytes for payload, against packet §2.1")
    func route() throws {
        let peer = try PythonPeer()
        let hops = [PeerID(rawValue: 0x2122_2324_2526_2728), PeerID(rawValue: 0x3132_3334_3536_3738)]
        let packet = Self.packet(version: 2, recipient: Self.recipient, route: hops, isSigned: true)
        let frame = try #require(packet.encoded(padding: false, using: compression))
        #expect(try peer.ask("library_decode", ["frame": .hex(frame)]) == packet.json)
        #expect(try peer.bytes("library_encode", ["packet": packet.json, "padding": false]) == frame)
        let misread = try peer.ask("agents_decode", ["frame": .hex(frame)])
        let shifted = [2] + hops.flatMap(\.bytes) + packet.payload
        #expect(misread.member("payload") == .hex(shifted.prefix(packet.payload.count)))
    }

    @Test("compressed packets of the library and ours are read by either side", arguments: [1, 2] as [UInt8])
    func compressed(version: UInt8) throws {
        let peer = try PythonPeer()
        let packet = Self.packet(version: version, payload: prose(600))
        let frame = try #require(packet.encoded(padding: false, using: compression))
        #expect(PacketView(frame)?.isCompressed == true)
        #expect(try peer.ask("library_decode", ["frame": .hex(frame)]) == packet.json)
        let theirs = try peer.bytes("library_encode", ["packet": packet.json, "padding": false])
        #expect(PacketView(theirs)?.isCompressed == true)
        #expect(Packet.decode(theirs, using: compression) == packet)
    }

    @Test("the library compresses only above 256 bytes, against packet §2.5; we read its plain packet")
    func threshold() throws {
        let peer = try PythonPeer()
        let packet = Self.packet(payload: prose(200))
        let frame = try #require(packet.encoded(padding: false, using: compression))
        let theirs = try peer.bytes("library_encode", ["packet": packet.json, "padding": false])
        #expect(PacketView(frame)?.isCompressed == true)
        #expect(PacketView(theirs)?.isCompressed == false)
        #expect(Packet.decode(theirs, using: compression) == packet)
    }

    @Test("bitchat4agents wraps its streams as zlib does, against packet §2.5: neither side reads the other's")
    func wrappedStreams() throws {
        let peer = try PythonPeer()
        let packet = Self.packet(payload: prose(600))
        let frame = try #require(packet.encoded(padding: false, using: compression))
        #expect(throws: PythonPeer.Refusal.self) { try peer.ask("agents_decode", ["frame": .hex(frame)]) }
        let theirs = try peer.bytes("agents_encode", ["packet": packet.json, "padding": false])
        #expect(PacketView(theirs)?.isCompressed == true)
        #expect(Packet.decode(theirs, using: compression) == nil)
    }

    @Test(
        "bitchat4agents pads as we do, at every edge",
        arguments: [1, 218, 219, 234, 235, 474, 475, 747, 986, 987, 2010, 2011])
    func padding(payload count: Int) throws {
        let peer = try PythonPeer()
        let packet = Self.packet(type: .noiseEncrypted, payload: noise(count))
        let frame = try #require(packet.encoded(padding: true, using: compression))
        #expect(try peer.bytes("agents_encode", ["packet": packet.json, "padding": true]) == frame)
        for side in ["library", "agents"] {
            #expect(try peer.ask("\(side)_decode", ["frame": .hex(frame)]) == packet.json)
        }
    }

    @Test("the library pads to other sizes, and not at all above 255 bytes, against packet §2.7; we read what it pads")
    func otherPadding() throws {
        let peer = try PythonPeer()
        let short = Self.packet(type: .noiseEncrypted, payload: [1, 2, 3])
        let theirs = try peer.bytes("library_encode", ["packet": short.json, "padding": true])
        #expect(theirs.count == 32)
        #expect(short.encoded(padding: true, using: compression)?.count == 256)
        #expect(Packet.decode(theirs, using: compression) == short)
        let middling = Self.packet(type: .noiseEncrypted, payload: noise(600))
        #expect(throws: PythonPeer.Refusal.self) {
            try peer.ask("library_encode", ["packet": middling.json, "padding": true])
        }
    }

    @Test("the library takes payloads up to 10 MiB; we take 1,179,760 bytes, as packet §2.9 says")
    func oversized() throws {
        let peer = try PythonPeer()
        let payload = [UInt8](repeating: 0x55, count: 1_179_761)
        var header = Self.packet(version: 2, payload: [])
        header.payload = [0]
        let small = try #require(header.encoded(padding: false, using: compression))
        let frame = small[..<12] + [0x00, 0x12, 0x00, 0x71] + small[16..<24] + payload
        #expect(UInt32(0x0012_0071) == UInt32(payload.count))
        #expect(
            try peer.ask("library_decode", ["frame": .hex(frame)]).member("payload").string?.count == 2 * payload.count)
        #expect(Packet.decode(Array(frame), using: compression) == nil)
    }

    @Test("signatures verify on either side", arguments: [prose(40), noise(300), []])
    func signatures(payload: [UInt8]) throws {
        let peer = try PythonPeer()
        let key = cryptography.signingPublicKey(of: secret(7))
        let unsigned = Self.packet(payload: payload)
        let signed = try #require(unsigned.signed(with: secret(7), using: cryptography, compression))
        let frame = try #require(signed.encoded(padding: false, using: compression))
        let members: KeyValuePairs<String, JSONValue?> = ["frame": .hex(frame), "key": .string(key.bytes.hex)]
        #expect(try peer.ask("agents_verify", members).bool == true)

        let seed = String(repeating: "07", count: 32)
        let theirs = try peer.bytes("agents_sign", ["packet": unsigned.json, "seed": .string(seed)])
        #expect(theirs == frame, "both signers are deterministic")
        let view = try #require(PacketView(theirs))
        #expect(view.verifySignature(by: key, using: cryptography, compression) { true } == .valid)
    }

    @Test("a text that bitchat4agents leaves plain verifies here although we would have compressed it")
    func signedPlain() throws {
        let peer = try PythonPeer()
        let key = cryptography.signingPublicKey(of: secret(7))
        let seed = String(repeating: "07", count: 32)
        let packet = Self.packet(payload: prose(200))
        let theirs = try peer.bytes("agents_sign", ["packet": packet.json, "seed": .string(seed)])
        let view = try #require(PacketView(theirs))
        #expect(!view.isCompressed)
        #expect(view.verifySignature(by: key, using: cryptography, compression) { true } == .valid)
    }

    @Test("a key has the same identifier everywhere")
    func identifiers() throws {
        let peer = try PythonPeer()
        let key = cryptography.agreementPublicKey(of: secret(9))
        let ours = JSONValue.string(PeerID(of: key, using: cryptography).hex)
        #expect(try peer.ask("peer_id", ["key": .string(key.bytes.hex)]) == .array([ours, ours]))
    }
}
