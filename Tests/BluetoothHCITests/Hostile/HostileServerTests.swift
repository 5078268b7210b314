import Application
import Domain
import Support
import Testing

@testable import BluetoothHCI

/// A neighbour that we connect to, and that means harm.
@Suite("Radio that reaches out to a hostile neighbour", .timeLimit(.minutes(15)))
struct HostileServerTests {
    /// A radio whose attempt a neighbour has let succeed.
    private func reached(serving: Bool = true) throws -> (Ordeal, Neighbour) {
        let ordeal = try Ordeal()
        let hostile = Neighbour(ordeal.controller, 2)
        try ordeal.reach(hostile, serving: serving)
        return (ordeal, hostile)
    }

    @Test("who never answers is given up, and not tried again at once")
    func neverAnswers() throws {
        let (ordeal, hostile) = try reached(serving: false)
        try ordeal.endure(29, exchangeEvery: 1) { _ in try ordeal.leap(by: 1) }
        #expect(try ordeal.inRadio { $0.connections.count } == 2)
        try ordeal.leap(by: 2)
        try ordeal.waitForDisconnects(of: hostile, 1)
        try ordeal.checkTables()
        #expect(try ordeal.inRadio { $0.seeking.scheduler.outgoingCount } == 0)
        #expect(ordeal.station.seen.ups.map(\.id) == [ordeal.link])
    }

    @Test("who answers everything with an error is let go", arguments: [0x01, 0x0a, 0x0e, 0xff] as [UInt8])
    func onlyErrors(error: UInt8) throws {
        let (ordeal, hostile) = try reached(serving: false)
        ordeal.controller.change { state in
            state.reaction[2] = { frame in
                guard let code = frame.payload.first, code != 0x01 else { return [] }
                return [hostile.packet(4, [0x01, code, 0x00, 0x00, error])]
            }
        }
        hostile.say([0x01, 0x02, 0x00, 0x00, error])
        try ordeal.endure(3, exchangeEvery: 1) { _ in try ordeal.leap(by: 1) }
        try ordeal.waitForDisconnects(of: hostile, 1)
        try ordeal.checkTables()
    }

    @Test("notifications cut in the midst, of one byte, and of nothing: the stream finds its feet again")
    func cutNotifications() throws {
        let (ordeal, hostile) = try reached()
        let link = try ordeal.station.link(isOutgoing: true).id
        func notify(_ value: some Sequence<UInt8>) { hostile.say([0x1B, 0x0C, 0x00] + value) }
        try ordeal.endure(100, exchangeEvery: 1) { number in
            let whole = numberedFrame(1000 + number, count: 200)
            // The rest of a frame is lost, and the stream with it until another one begins.
            notify(numberedFrame(number, count: 100).prefix(60))
            notify([UInt8](repeating: 0, count: 64))
            notify([])
            for byte in whole.prefix(30) { notify([byte]) }
            notify(whole.dropFirst(30))
            try ordeal.station.until("the whole frame") { seen in
                seen.frames.contains { $0.link == link && $0.bytes == whole } ? true : nil
            }
        }
    }

    @Test("a frame that grows for ever is kept up to a bound")
    func endlessFrame() throws {
        let (ordeal, hostile) = try reached()
        _ = try ordeal.station.link(isOutgoing: true)
        // Version 2, eight million bytes.
        let head: [UInt8] = [2, 1, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x7a, 0x12, 0x00]
        hostile.say([0x1B, 0x0C, 0x00] + head)
        let filling: [UInt8] = [0x1B, 0x0C, 0x00] + [UInt8](repeating: 0, count: 512)
        try ordeal.measure("a frame of 8 MB that never ends", 1000) { _ in
            for _ in 0..<20 { ordeal.controller.say(hostile.packet(4, filling)) }
        }
    }

    @Test("what is notified before the subscription is confirmed is kept, unless it is long")
    func earlyNotifications() throws {
        let (ordeal, hostile) = try reached(serving: false)
        // It answers everything but the subscription.
        hostile.serve { $0.first != 0x12 }
        // The first question may have come before it listened.
        hostile.say([0x03, 0x05, 0x02])
        _ = ordeal.controller.wait { $0.answers(on: 2).contains { $0.first == 0x12 } ? true : nil }
        let small = numberedFrame(5)
        let head: [UInt8] = [2, 1, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x4E, 0x20]
        let long = head + [UInt8](repeating: 0, count: 20_008)
        var rest = small + long + numberedFrame(6)
        var packets: [[UInt8]] = []
        while !rest.isEmpty {
            packets.append(hostile.packet(4, [0x1B, 0x0C, 0x00] + rest.prefix(512)))
            rest = Array(rest.dropFirst(512))
        }
        ordeal.controller.say(packets)
        #expect(try ordeal.faults()["earlyFramesDropped"] == 1)
        hostile.say([0x13])
        let link = try ordeal.station.link(isOutgoing: true).id
        let frames = try ordeal.station.until("the frames") { seen in
            let frames = seen.frames.filter { $0.link == link }.map(\.bytes)
            return frames.count == 2 ? frames : nil
        }
        #expect(frames == [small, numberedFrame(6)])
    }

    @Test("who is dead in one direction is so in the other")
    func deadBearer() throws {
        let (ordeal, hostile) = try reached(serving: false)
        hostile.say([0x02, 0x05, 0x02], [0x12, 0x0D, 0x00, 0x01, 0x00])
        let link = try ordeal.station.link(besides: [ordeal.link]).id
        try ordeal.leap(by: 31)
        let reason = try ordeal.station.until("its end") { seen in seen.downs.first { $0.link == link }?.reason }
        #expect(reason.contains("did not answer"))
        try ordeal.waitForDisconnects(of: hostile, 1)
        try ordeal.check()
    }

    @Test("who asks for other parameters all the time holds nobody up")
    func parameters() throws {
        let (ordeal, hostile) = try reached()
        _ = try ordeal.station.link(isOutgoing: true)
        try ordeal.endure(2000) { number in
            ordeal.controller.say(
                hostile.packet(5, [0x12, UInt8(1 + number % 255), 8, 0, 24, 0, 40, 0, 0, 0, 200, 0]),
                Packets.lowEnergy(0x06, [2, 0, 24, 0, 40, 0, 0, 0, 0xf4, 1]))
        }
    }

    @Test("who says that its database changed for ever has only itself to blame")
    func changesForEver() throws {
        let (ordeal, hostile) = try reached()
        let link = try ordeal.station.link(isOutgoing: true).id
        try ordeal.endure(500) { _ in hostile.say([0x1D, 0x08, 0x00, 0x01, 0x00, 0xff, 0xff]) }
        try ordeal.station.until("the end of its link") { seen in seen.downs.first { $0.link == link } }
        #expect(ordeal.station.seen.ups.count < 600)
    }

    @Test("who answers after we gave up, or as somebody else, is not mistaken for what we wanted")
    func lateConnections() throws {
        let ordeal = try Ordeal()
        let late = Neighbour(ordeal.controller, 2)
        try ordeal.sight(late)
        _ = ordeal.controller.wait { $0.far.opCodes.contains(.createConnection) ? true : nil }
        try ordeal.endure(9, exchangeEvery: 1) { _ in try ordeal.leap(by: 1) }
        _ = ordeal.controller.wait { $0.far.opCodes.contains(.createConnectionCancel) ? true : nil }
        Neighbour(ordeal.controller, 3, device: Neighbour.device(77)).connect(byRadio: true)
        late.connect(byRadio: true)
        try ordeal.honest.catchUp()
        #expect(try ordeal.inRadio { $0.connections.map(\.isCentral) } == [false, true, true])
        #expect(try ordeal.inRadio { $0.seeking.attempt == nil && $0.seeking.scheduler.outgoingCount == 2 })
        try ordeal.leap(by: 31)
        for handle in [2, 3] as [UInt16] { try ordeal.waitForDisconnects(of: Neighbour(ordeal.controller, handle), 1) }
        try ordeal.check()
        try ordeal.checkTables()
    }
}
