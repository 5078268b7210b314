import Application
import Domain
import Support
import Testing

@testable import BluetoothHCI

/// A neighbour that means harm, beside one that does not.
@Suite("Radio among hostile neighbours", .timeLimit(.minutes(15)))
struct HostileNeighbourTests {
    private func connected() throws -> (Ordeal, Neighbour) {
        let ordeal = try Ordeal()
        let hostile = Neighbour(ordeal.controller, 2)
        hostile.connect()
        return (ordeal, hostile)
    }

    // MARK: Pieces

    @Test("continuations without a start, and frames longer than anything, cost nobody anything")
    func pieces() throws {
        let (ordeal, hostile) = try connected()
        try ordeal.endure(200) { number in
            ordeal.controller.say(
                Packets.data(2, [UInt8](repeating: 7, count: 1 + number), boundary: 1),
                Packets.data(2, [0xff, 0xff, 0x04, 0x00, 1, 2, 3]),
                Packets.data(2, [UInt8](repeating: 4, count: 1 + number), boundary: 1),
                Packets.data(2, [4, 0, 4]), Packets.data(2, [1, 0, 4, 0, 1, 2]))
            // Started, and begun again before it ended.
            ordeal.controller.say(Packets.data(2, [200, 0, 4, 0, 0x52]))
        }
        try hostile.subscribe()
        #expect(try ordeal.faults()["unusableFrames"] ?? 0 >= 800)
    }

    @Test("frames in pieces of one byte are put together")
    func oneByteAtATime() throws {
        let (ordeal, hostile) = try connected()
        try hostile.subscribe()
        let link = try ordeal.station.link(besides: [ordeal.link]).id
        let frames = (0..<50).map { numberedFrame($0, count: 200) }
        try ordeal.endure(frames.count, exchangeEvery: 1) { number in
            let whole = hostile.packet(4, Neighbour.write(frames[number]))[5...]
            ordeal.controller.say(
                whole.enumerated().map { Packets.data(2, [$0.element], boundary: $0.offset == 0 ? 2 : 1) })
        }
        let received = try ordeal.station.until("all of them") { seen in
            let received = seen.frames.filter { $0.link == link }.map(\.bytes)
            return received.count == frames.count ? received : nil
        }
        #expect(received == frames)
    }

    @Test("channels that do not exist, and pairing that we refuse, change nothing about a link")
    func pairing() throws {
        let (ordeal, hostile) = try connected()
        try ordeal.endure(100) { number in
            ordeal.controller.say(
                hostile.packet(6, [0x01, 3, 0, 1, 16, 1, 1]), hostile.packet(UInt16(0x40 + number), [1, 2, 3]))
            _ = ordeal.controller.wait { state in
                state.payloads(on: 2, channel: 6).count > number ? true : nil
            }
        }
        #expect(ordeal.controller.look { $0.payloads(on: 2, channel: 6) }.allSatisfy { $0 == [0x05, 0x05] })
        try hostile.subscribe()
        _ = try ordeal.station.link(besides: [ordeal.link])
    }

    // MARK: Attributes

    @Test("attribute PDUs of every opcode with every length", arguments: [0x00, 0x0c, 0xff] as [UInt8])
    func everyPDU(filler: UInt8) throws {
        let (ordeal, hostile) = try connected()
        try ordeal.endure(256, exchangeEvery: 4) { code in
            for length in 0...23 {
                var parameters = [UInt8](repeating: filler, count: length)
                if filler == 0x0c, length > 1 { parameters[1] = 0 }
                hostile.say([UInt8(code)] + parameters)
                // It reads what it is answered.
                if length % 6 == 5 { try ordeal.honest.catchUp() }
            }
        }
        let answers = hostile.answers
        #expect(answers.count > 500 && answers.allSatisfy { $0.count <= 517 })
        #expect(try ordeal.inRadio { $0.connections.count } == 2)
    }

    @Test("an MTU of nothing makes no link, an MTU of everything the longest there is, and nothing longer goes out")
    func strangeMTUs() throws {
        let (ordeal, hostile) = try connected()
        try hostile.subscribe(mtu: 0)
        try ordeal.endure(10, exchangeEvery: 1) { _ in }
        #expect(ordeal.station.seen.ups.map(\.id) == [ordeal.link], "its MTU of 23 carries no announce")
        #expect(try hostile.ask([0x02, 0xff, 0xff]) == [0x03, 0x05, 0x02])
        let link = try ordeal.station.link(besides: [ordeal.link])
        #expect(link.frameLimit == 512)
        #expect(ordeal.station.radios.send(numberedFrame(1, count: 513), on: link.id) == .refused)
        #expect(ordeal.station.radios.send(numberedFrame(1, count: 512), on: link.id) == .accepted)
        #expect(try hostile.notified(1) == [numberedFrame(1, count: 512)])
        // With another limit it is another link; what waits is lost with the old one, never cut.
        for mtu in [200, 23, 517, 112, 517] as [UInt16] {
            _ = try hostile.ask([0x02] + Packets.bytes(mtu))
            if let up = ordeal.station.seen.alive.first(where: { $0.id != ordeal.link }) {
                #expect(up.frameLimit == Int(min(mtu - 3, 512)))
                _ = ordeal.station.radios.send(numberedFrame(2, count: up.frameLimit), on: up.id)
            }
        }
        try ordeal.check()
        let longest = hostile.notified.map(\.count).max()
        #expect(longest == 512)
        #expect(try ordeal.faults()["framesNotSendable"] == nil)
    }

    @Test("who is subscribed with an MTU too small for a link is kept, however it changes")
    func narrow() throws {
        let (ordeal, hostile) = try connected()
        try hostile.subscribe(mtu: 23)
        for mtu in [517, 23, 60, 517, 60] as [UInt16] { _ = try hostile.ask([0x02] + Packets.bytes(mtu)) }
        try ordeal.leap(by: 61)
        try hostile.catchUp()
        #expect(try ordeal.inRadio { $0.connections.count } == 2)
        // Unsubscribed, it is of no use at all.
        _ = try hostile.ask([0x12, 0x0D, 0x00, 0x00, 0x00])
        try ordeal.leap(by: 61)
        try ordeal.waitForDisconnects(of: hostile, 1)
        try ordeal.checkTables()
    }

    @Test("client configurations of others bring no link up")
    func foreignConfigurations() throws {
        let (ordeal, hostile) = try connected()
        #expect(try hostile.ask([0x02, 0x05, 0x02]) == [0x03, 0x05, 0x02])
        let handles = Array(UInt16(0)...64) + [0x00ff, 0x0d00, 0x0fff, 0x8000, 0xfffe, 0xffff]
        try ordeal.endure(handles.count) { place in
            guard handles[place] != AttributeDatabase.meshConfiguration else { return }
            for value in [[0x01, 0x00], [0xff, 0xff], [], [0x01], [0x01, 0x00, 0x00]] as [[UInt8]] {
                _ = try hostile.ask([0x12] + Packets.bytes(handles[place]) + value)
            }
        }
        #expect(ordeal.station.seen.ups.map(\.id) == [ordeal.link])
        #expect(try hostile.ask([0x12, 0x0D, 0x00, 0x01, 0x00]) == [0x13])
        _ = try ordeal.station.link(besides: [ordeal.link])
    }

    @Test("who subscribes and unsubscribes a thousand times has a thousand links, one after the other")
    func subscriptions() throws {
        let (ordeal, hostile) = try connected()
        _ = try hostile.ask([0x02, 0x05, 0x02])
        try ordeal.endure(1000) { _ in
            _ = try hostile.ask([0x12, 0x0D, 0x00, 0x01, 0x00])
            _ = try hostile.ask([0x12, 0x0D, 0x00, 0x00, 0x00])
        }
        let (ups, downs) = (ordeal.station.seen.ups, ordeal.station.seen.downs)
        #expect(ups.count == 1001 && downs.count == 1000 && Set(ups.map(\.id)).count == 1001)
        #expect(try ordeal.inRadio { $0.settings.desk.openLinks } == 1)
        // And having unsubscribed it holds the connection for nothing.
        try ordeal.leap(by: 61)
        try ordeal.waitForDisconnects(of: hostile, 1)
        try ordeal.checkTables()
    }

    @Test("who writes and never subscribes has little kept of it, and is sent away after a while")
    func neverSubscribes() throws {
        let (ordeal, hostile) = try connected()
        try ordeal.endure(1000) { hostile.say(Neighbour.write(numberedFrame($0, count: 500))) }
        #expect(try ordeal.faults()["earlyFramesDropped"] == 1000 - UInt64(BluetoothPolicy.earlyFrames))
        try ordeal.leap(by: 61)
        try ordeal.waitForDisconnects(of: hostile, 1)
        try ordeal.checkTables()
    }

    // MARK: Floods

    @Test("who asks on and on without taking an answer is answered no further, and ended")
    func neverReads() throws {
        let (ordeal, hostile) = try connected()
        ordeal.controller.change { $0.crediting[2] = .kept }
        try ordeal.measure("2,500 requests of one that reads nothing", 500) { number in
            ordeal.controller.say(
                hostile.packet(4, [0x0A, 0x0C, 0x00]), hostile.packet(4, [0x1D, 0x01, 0x00, 0x00]),
                hostile.packet(6, [0x01, 3, 0, 1, 16, 1, 1]),
                hostile.packet(5, [0x12, UInt8(1 + number % 255), 8, 0, 24, 0, 40, 0, 0, 0, 200, 0]),
                hostile.packet(4, [0x16, 0x0C, 0x00, 0x00, 0x00] + [UInt8](repeating: 1, count: 18)))
        }
        let faults = try ordeal.faults()
        #expect(faults["unansweredRequests"] ?? 0 > 1000 && faults["unusableFrames"] ?? 0 > 500, "\(faults)")
        // Its share of the credits, and what may wait on each channel.
        #expect(ordeal.controller.look { $0.packets[2] ?? 0 } <= 8)
        try ordeal.endure(13, exchangeEvery: 1) { _ in try ordeal.leap(by: 1) }
        try ordeal.waitForDisconnects(of: hostile, 1)
        try ordeal.checkTables()
    }

    @Test("who breaks off and comes again in the midst of a frame for it leaves nobody waiting")
    func breaksOff() throws {
        let (ordeal, hostile) = try connected()
        try ordeal.endure(100) { number in
            try hostile.subscribe()
            let link = try ordeal.station.link(besides: [ordeal.link]).id
            ordeal.controller.change { $0.crediting[2] = .kept }
            while ordeal.station.radios.send(numberedFrame(number, count: 500), on: link) == .accepted {}
            ordeal.controller.change { $0.crediting[2] = .returned }
            hostile.leave(0x08)
            try ordeal.station.until("its end") { seen in seen.downs.first { $0.link == link } }
            #expect(ordeal.station.radios.send(numberedFrame(1), on: link) == .refused)
            hostile.connect()
        }
        hostile.leave()
        try ordeal.checkTables()
        #expect(try ordeal.missingCredits() == 0)
    }
}
