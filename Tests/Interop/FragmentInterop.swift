import Domain
import Support
import Testing

@Suite("Fragments and other implementations", .needsInteropPython, .timeLimit(.minutes(15)))
struct FragmentInterop {
    private static let sender = PeerID(rawValue: 0x0011_2233_4455_6677)
    private static let id = FragmentID(rawValue: 0x0102_0304_0506_0708)

    private func packet(version: UInt8 = 1, recipient: PeerID? = nil, length: Int) -> Packet {
        Packet(
            version: version, type: version == 2 ? .fileTransfer : .message, ttl: 7,
            timestamp: WallTime(milliseconds: 1_750_000_000_123), sender: Self.sender, recipient: recipient,
            payload: noise(length))
    }

    private func assembled(_ frames: [[UInt8]]) throws -> Packet? {
        var assemblies = FragmentAssemblies(localPeer: PeerID(rawValue: 1))
        var whole: Packet?
        for frame in frames {
            let fragment = try #require(Packet.decode(frame, using: compression))
            let header = try #require(FragmentHeader(fragment.payload[...]))
            let outcome = assemblies.insert(
                header, from: fragment.sender, ttl: fragment.ttl, isBroadcast: fragment.isBroadcast,
                isSolicited: false, at: Uptime(milliseconds: 0))
            if case .complete(let completion) = outcome { whole = completion.packet(using: compression) }
        }
        return whole
    }

    @Test("our fragments are put together there, in any order", arguments: [1, 2] as [UInt8], [600, 5000])
    func ours(version: UInt8, length: Int) throws {
        let peer = try PythonPeer()
        let packet = packet(version: version, length: length)
        let frame = try #require(packet.encoded(padding: false, using: compression))
        let plan = try #require(
            FragmentPlan(
                of: packet, frame: frame, id: Self.id, directedTo: nil,
                chunkSize: FragmentPlan.chunkSize(for: packet, explicit: nil)))
        let frames = (0..<plan.count).compactMap { plan.fragment(at: $0)?.encoded(padding: false, using: compression) }
        #expect(frames.count == plan.count)
        let whole = try peer.ask("fragments_assemble", ["frames": .array(frames.reversed().map { .hex($0) })])
        #expect(whole == packet.json)
    }

    @Test("their fragments are put together here, in any order", arguments: [nil, PeerID(rawValue: 9)] as [PeerID?])
    func theirs(recipient: PeerID?) throws {
        let peer = try PythonPeer()
        let packet = packet(recipient: recipient, length: 5000)
        let answer = try peer.ask("fragments_split", ["packet": packet.json, "id": .string(Self.id.hex)])
        let frames = try #require(answer.array).compactMap(\.hex)
        #expect(frames.count == 11)
        var expected = packet
        expected.ttl = 0
        #expect(try assembled(frames.reversed()) == expected)
    }

    @Test("bitchat4agents sends fragments of version 2 for a packet of version 2, against packet §4.4; we take them")
    func version() throws {
        let peer = try PythonPeer()
        let packet = packet(version: 2, length: 1000)
        let answer = try peer.ask("fragments_split", ["packet": packet.json, "id": .string(Self.id.hex)])
        let frames = try #require(answer.array).compactMap(\.hex)
        #expect(frames.allSatisfy { PacketView($0)?.version == 2 })
        #expect(try assembled(frames)?.payload == packet.payload)
    }

    @Test("bitchat4agents cannot cut a directed packet of version 2: its fragments would exceed its own limit")
    func directedVersion2() throws {
        let peer = try PythonPeer()
        let packet = packet(version: 2, recipient: PeerID(rawValue: 9), length: 1000)
        #expect(throws: PythonPeer.Refusal.self) {
            try peer.ask("fragments_split", ["packet": packet.json, "id": .string(Self.id.hex)])
        }
    }
}
