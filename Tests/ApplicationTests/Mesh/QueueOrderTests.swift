import Domain
import InMemory
import Testing

@testable import Application

@Suite("What a full link kept back (spec: mesh §20)")
struct QueueOrderTests {
    /// Takes one frame at a time, and half a second for each of the larger ones.
    private static let narrow = LinkProfile(latency: 1...1, bytesPerSecond: 1000, queueLimit: 500)

    private func fragment(of total: UInt16, _ between: Between) throws -> [UInt8] {
        let header = try #require(
            FragmentHeader(
                id: FragmentID(rawValue: UInt64(total)), index: 0, total: total, originalType: .groupMessage,
                chunk: SeededRandomness(seed: 5).bytes(20)[...]))
        return try between.unsigned(between.packet(.fragment, payload: header.encoded))
    }

    @Test("leaves by importance once it is writable: fragments after chat, small sets first, unknown kinds last")
    func order() throws {
        let between = Between(listening: Self.narrow)
        between.world.time.run(for: .seconds(3))
        between.listener.heard.removeAll()
        let filler = try between.unsigned(
            between.packet(.groupMessage, payload: SeededRandomness(seed: 4).bytes(460)))
        let frames = [
            filler, try between.unsigned(between.packet(MessageType(rawValue: 0x7E), payload: [1])),
            try fragment(of: 10, between), try fragment(of: 2, between),
            try #require(between.speaker.frame(between.speaker.message("chat"))),
            try between.unsigned(between.packet(.nostrCarrier, payload: [2])),
        ]
        for frame in frames {
            between.speaker.send(frame)
            between.world.time.run(for: 60)
        }
        #expect(between.hub.node?.report.queuedFrames == 5)
        #expect(between.listener.heard.isEmpty)
        between.world.time.run(for: .seconds(3))
        #expect(between.hub.node?.report.queuedFrames == 0)
        let order = between.listener.heard.compactMap { PacketView($0) }.filter { $0.sender == between.speaker.id }
        #expect(
            order.map(\.type) == [
                .groupMessage, .message, .nostrCarrier, .fragment, .fragment, MessageType(rawValue: 0x7E),
            ])
        let totals = order.filter { $0.type == .fragment }.compactMap { FragmentHeader($0.payloadSection)?.total }
        #expect(totals == [2, 10])
    }

    @Test("goes before what comes later, also before what is small enough for the room that there is")
    func noOvertaking() throws {
        let between = Between(listening: Self.narrow)
        between.world.time.run(for: .seconds(3))
        between.listener.heard.removeAll()
        for (number, length) in [300, 300, 10, 300, 10].enumerated() {
            between.speaker.send(
                try between.unsigned(
                    between.packet(
                        .groupMessage, payload: [UInt8(number)] + SeededRandomness(seed: 4).bytes(length))))
            between.world.time.run(for: 60)
        }
        #expect(between.hub.node?.report.queuedFrames ?? 0 > 0)
        between.world.time.run(for: .seconds(4))
        let numbers = between.heard(.groupMessage).compactMap(\.payloadSection.first)
        #expect(numbers == Array(0..<5))
    }
}
