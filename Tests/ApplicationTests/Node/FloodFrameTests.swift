import Domain
import InMemory
import NativeCryptography
import Testing

@testable import Application

@Suite("A flood of frames beside a conversation")
struct FloodFrameTests {
    @Test("5,000 a second of packets that nobody has seen, of a type that nobody knows")
    func unknown() throws {
        let siege = try Siege()
        try siege.flood(5000, seconds: 4) { _ in
            siege.frame(siege.packet(MessageType(rawValue: 0x7E), payload: siege.dice.bytes(200)))
        }
        try siege.expectPeace()
        siege.expectCounted(.droppedFrameBudget, .droppedRelayBudget)
    }

    @Test("private packets to everybody, which are passed on first of all")
    func directed() throws {
        let siege = try Siege()
        try siege.flood(2000, seconds: 4) { number in
            siege.frame(
                siege.packet(
                    number.isMultiple(of: 2) ? .noiseEncrypted : .noiseHandshake,
                    to: PeerID(rawValue: siege.dice.next()),
                    payload: siege.dice.bytes(400)))
        }
        try siege.expectPeace()
        siege.expectCounted(.droppedRelayBudget)
    }

    @Test("public messages of people whom nobody knows")
    func unknownSigners() throws {
        let siege = try Siege()
        try siege.flood(2000, seconds: 3) { siege.forged(siege.packet(.message, payload: Array("buy \($0)".utf8))) }
        try siege.expectPeace()
        siege.expectCounted(.droppedUnknownSigner, .droppedUnverifiedRelay)
    }

    @Test("a member's messages whose signature never verifies")
    func signatures() throws {
        let siege = try Siege()
        siege.hostile.send(siege.hostile.announce())
        let text = String(repeating: "well worth compressing, ", count: 15)
        try siege.flood(1000, seconds: 3) { number in
            siege.forged(
                siege.packet(
                    number.isMultiple(of: 2) ? .message : .voiceFrame, from: siege.hostile.id,
                    payload: Array("\(number) \(text)".utf8)))
        }
        try siege.expectPeace()
        siege.expectCounted(.droppedBadSignature, .droppedSignatureBudget, .droppedUnverifiedRelay)
    }

    @Test("sync requests with hops left and a route that names us are neither answered nor passed on")
    func syncRequests() throws {
        let siege = try Siege()
        var requestsPassedOn = 0
        let count = siege.world.air.tap
        siege.world.air.tap = { frame in
            count?(frame)
            if PacketView(frame.bytes)?.type == .requestSync, frame.sender === siege.hub.endpoint {
                requestsPassedOn += 1
            }
        }
        let flood = {
            siege.frame(
                siege.packet(
                    .requestSync, payload: siege.dice.bytes(60), route: $0 % 2 == 0 ? [] : [siege.hub.id, siege.bob.id])
            )
        }
        try siege.flood(2000, seconds: 2, flood)
        siege.expectCounted(.droppedSyncRequest)
        siege.hostile.send(siege.hostile.announce())
        try siege.flood(2000, seconds: 2, flood)
        try siege.expectPeace()
        siege.expectCounted(.droppedSenderMismatch)
        #expect(requestsPassedOn == 0)
    }

    @Test("packets with routes of 255 hops, and routes through ourselves")
    func routes() throws {
        let siege = try Siege()
        let (us, bob) = (siege.hub.id, siege.bob.id)
        try siege.flood(2000, seconds: 4) { number in
            let hops = (0..<255).map { _ in PeerID(rawValue: siege.dice.next()) }
            let routes = [
                hops, [bob] + hops.dropLast(), hops.dropLast() + [us], [us], [us, us, us], [us, bob, us, bob],
                [PeerID](repeating: us, count: 255), [bob, us],
            ]
            return siege.frame(
                siege.packet(
                    .noiseEncrypted, to: PeerID(rawValue: siege.dice.next()), payload: siege.dice.bytes(40),
                    ttl: UInt8(number % 8), route: routes[number / 8 % routes.count]))
        }
        try siege.expectPeace()
        siege.expectCounted(.droppedRelayBudget, .droppedRoute)
    }

    @Test("packets from the future and from the past")
    func future() throws {
        let siege = try Siege()
        let times = [siege.hostile.now.adding(.seconds(200)), WallTime(milliseconds: .max), WallTime(milliseconds: 0)]
        try siege.flood(5000, seconds: 3) { number in
            siege.frame(siege.packet(.message, payload: siege.dice.bytes(100), at: times[number % 3]))
        }
        try siege.expectPeace()
        siege.expectCounted(.droppedClockSkew, .droppedFrameBudget)
        #expect(siege.hub.counter(.framesRelayed) < 100)
    }

    @Test("frames that inflate to a megabyte")
    func inflation() throws {
        let siege = try Siege()
        let zeros = [UInt8](repeating: 0, count: 1_000_000)
        let template = try #require(
            Packet(
                version: 2, type: MessageType(rawValue: 0x7E), ttl: 7, timestamp: siege.hostile.now,
                sender: siege.hostile.id, payload: zeros
            ).encoded(padding: false, using: siege.hostile.compression))
        try siege.flood(1000, seconds: 3) { number in
            var frame = template
            // The sender stands behind the header of 16 bytes.
            for place in 0..<4 { frame[16 + place] = UInt8(truncatingIfNeeded: number >> (8 * place)) }
            return frame
        }
        try siege.expectPeace()
        siege.expectCounted(.droppedInflationBudget)
    }

    @Test("the largest frames")
    func largest() throws {
        let siege = try Siege()
        let payload = siege.dice.bytes(60_000)
        try siege.flood(500, seconds: 2) { _ in
            siege.frame(siege.packet(MessageType(rawValue: 0x7E), payload: payload))
        }
        try siege.expectPeace()
        siege.expectCounted(.droppedByteBudget, .droppedRelayTrain)
    }

    @Test("fragments of messages that are never finished, small and large, beside a file that is")
    func fragments() throws {
        let siege = try Siege()
        let content = siege.dice.bytes(20_000)
        _ = try siege.node(siege.alice).sendFile(content, name: "honest.bin", mime: "application/octet-stream")
        try siege.flood(2000, seconds: 4) { number in
            let chunk = siege.dice.bytes(number.isMultiple(of: 100) ? 50_000 : 300)
            return FragmentHeader(
                id: FragmentID(rawValue: siege.dice.next()), index: 0, total: 9000, originalType: .fileTransfer,
                chunk: chunk[...]
            ).flatMap { siege.frame(siege.packet(.fragment, payload: $0.encoded)) }
        }
        try siege.expectPeace()
        siege.expectCounted(.droppedFragmentStream)
        for member in [siege.hub, siege.bob] {
            let isWhole = member.files.contents.values.contains(content)
            #expect(isWhole, "\(member.name)")
        }
    }

    @Test("fragments that make no sense")
    func brokenFragments() throws {
        let siege = try Siege()
        try siege.flood(1000, seconds: 2) { number in
            let id = FragmentID(rawValue: UInt64(number / 2))
            let header = FragmentHeader(
                id: id, index: 0, total: UInt16(2 + number % 2), originalType: .message, chunk: [1])
            let payload = number.isMultiple(of: 3) ? siege.dice.bytes(12) : header?.encoded ?? []
            return siege.frame(siege.packet(.fragment, from: siege.hostile.id, payload: payload))
        }
        try siege.expectPeace()
        siege.expectCounted(.droppedFragment, .droppedAssembly)
    }

    @Test("pings with forged senders")
    func pings() throws {
        let siege = try Siege()
        try siege.flood(1000, seconds: 3) { number in
            siege.frame(
                siege.packet(
                    .ping, to: siege.hub.id, payload: PingPayload(nonce: UInt64(number), originTTL: 7).encoded))
        }
        try siege.expectPeace()
        siege.expectCounted(.droppedPingBudget)
    }

    @Test("what was said before a flood is still known as said after it: a copy is not passed on again")
    func memory() throws {
        let siege = try Siege()
        var said: [UInt8] = []
        let count = siege.world.air.tap
        siege.world.air.tap = { frame in
            count?(frame)
            if frame.receiver === siege.hub.endpoint, PacketView(frame.bytes)?.type == .message { said = frame.bytes }
        }
        _ = try siege.node(siege.alice).sendPublic("said once")
        siege.world.time.run(for: .seconds(1))
        siege.world.air.tap = count
        try #require(!said.isEmpty)
        for _ in 0..<20_000 {
            siege.hostile.send(
                try #require(siege.frame(siege.packet(MessageType(rawValue: 0x7E), payload: [], ttl: 1))))
            siege.world.time.run(for: 1)
        }
        let (relayed, known) = (siege.hub.counter(.framesRelayed), siege.hub.counter(.droppedDuplicate))
        siege.hostile.send(said)
        siege.world.time.run(for: .seconds(1))
        #expect(siege.hub.counter(.droppedDuplicate) == known + 1)
        #expect(siege.hub.counter(.framesRelayed) == relayed)
        #expect(siege.bob.publicTexts == ["said once"])
    }
}
