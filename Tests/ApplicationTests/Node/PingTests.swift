import Domain
import InMemory
import NativeCryptography
import Testing

@testable import Application

@Suite("Probing the mesh (spec: mesh §18)")
struct PingTests {
    private let between = Between()
    private var node: Node<NativeCryptography> { get throws { try #require(between.hub.node) } }
    private var results: [PingResult] {
        between.hub.notices.notices.compactMap { if case .ping(let result) = $0 { result } else { nil } }
    }

    /// An answer as it would arrive from the listener, or from the speaker.
    private func pong(_ nonce: UInt64, by sender: Stranger, originTTL: UInt8 = 7, ttl: UInt8 = 7) -> Packet {
        Packet(
            type: .pong, ttl: ttl, timestamp: sender.now, sender: sender.id, recipient: between.hub.id,
            payload: PingPayload(nonce: nonce, originTTL: originTTL).encoded)
    }

    private func send(_ packet: Packet, by sender: Stranger) throws {
        sender.send(try between.unsigned(packet))
        between.world.time.run(for: 5)
    }

    @Test("an answer counts with our number and from whom we asked; another peer's is passed over")
    func whoAnswers() throws {
        let (speaker, listener) = (between.speaker, between.listener)
        let nonce = try node.ping(listener.id)
        between.world.time.run(for: 20)
        #expect(between.heard(.ping).map { PingPayload($0.payloadSection)?.nonce } == [nonce])
        try send(pong(nonce, by: speaker), by: speaker)
        try send(pong(nonce &+ 1, by: listener), by: listener)
        #expect(results.isEmpty)
        try send(pong(nonce, by: listener), by: listener)
        #expect(results == [PingResult(id: nonce, peer: listener.id, roundTrip: 31, hops: 1)])
        // A second answer says nothing.
        try send(pong(nonce, by: listener, ttl: 6), by: listener)
        between.world.time.run(for: .seconds(11))
        #expect(results.count == 1)
    }

    @Test(
        "28: hops are what the answer lost on its way and one; unknown when it has more left than it started with",
        arguments: [(7, 7, 1), (7, 5, 3), (3, 3, 1), (6, 7, nil), (0, 1, nil)] as [(UInt8, UInt8, Int?)])
    func hops(origin: UInt8, received: UInt8, hops: Int?) throws {
        let nonce = try node.ping(between.listener.id)
        between.world.time.run(for: 20)
        try send(pong(nonce, by: between.listener, originTTL: origin, ttl: received), by: between.listener)
        #expect(results.map(\.hops) == [hops])
        #expect(results.map(\.roundTrip) == [21])
    }

    @Test("without an answer there is one result after 10 s, and a late answer adds none")
    func timeout() throws {
        let nonce = try node.ping(between.listener.id)
        between.world.time.run(for: 9_999)
        #expect(results.isEmpty)
        between.world.time.run(for: 1)
        let none = PingResult(id: nonce, peer: between.listener.id, roundTrip: nil, hops: nil)
        #expect(results == [none])
        try send(pong(nonce, by: between.listener), by: between.listener)
        between.world.time.run(for: .seconds(20))
        #expect(results == [none])
    }

    /// The two pieces of a ping under an invented name.
    private func pieces(of number: UInt64) throws -> [[UInt8]] {
        let sender = PeerID(rawValue: 100 + number)
        let ping = between.packet(
            .ping, to: between.hub.id, by: sender, payload: PingPayload(nonce: number, originTTL: 7).encoded)
        let frame = try between.unsigned(ping)
        return try [frame.prefix(20), frame.dropFirst(20)].enumerated().map { index, chunk in
            let header = try #require(
                FragmentHeader(
                    id: FragmentID(rawValue: number), index: UInt16(index), total: 2, originalType: .ping,
                    chunk: chunk))
            return try between.unsigned(between.packet(.fragment, by: sender, payload: header.encoded))
        }
    }

    @Test("27: one in pieces counts on the link of its last piece, whoever it claims to be from")
    func rebuilt() throws {
        let watch = AirWatch(between.world, of: between.hub)
        for number in 0..<6 as Range<UInt64> {
            let pieces = try pieces(of: number)
            between.speaker.send(pieces[0])
            between.world.time.run(for: 5)
            between.listener.send(pieces[1])
            between.world.time.run(for: 100)
        }
        #expect(answers(watch) == [0, 1, 2, 3, 4])
        #expect(between.hub.counter(.droppedPingBudget) == 1)
        // The speaker's link has answered none yet.
        for number in 6..<12 as Range<UInt64> {
            let ping = between.packet(
                .ping, to: between.hub.id, by: PeerID(rawValue: 100 + number),
                payload: PingPayload(nonce: number, originTTL: 7).encoded)
            try send(ping, by: between.speaker)
        }
        #expect(answers(watch) == [0, 1, 2, 3, 4, 6, 7, 8, 9, 10])
        #expect(between.hub.counter(.droppedPingBudget) == 2)
    }

    /// The numbers of the answers that left, each once.
    private func answers(_ watch: AirWatch) -> [UInt64] {
        Set(watch.frames(.pong, by: between.hub.id).compactMap { PingPayload($0.view.payloadSection)?.nonce }).sorted()
    }
}
