import Application
import Domain
import Support
import Testing

@testable import BluetoothHCI

@Suite("Radio over a hostile controller", .timeLimit(.minutes(15)))
struct HostileControllerTests {
    // MARK: What it says

    @Test(
        "events of every kind, cut at every length, with lengths inside that lie", arguments: [0x01, 0xff] as [UInt8])
    func truncatedEvents(filler: UInt8) throws {
        let ordeal = try Ordeal()
        // A hardware error is meant, whatever follows.
        let codes = (UInt8.min...UInt8.max).filter { $0 != 0x10 }
        try ordeal.endure(codes.count) { number in
            for length in 0...24 {
                ordeal.controller.say(Packets.event(codes[number], [UInt8](repeating: filler, count: length)))
                guard length > 0 else { continue }
                let kind = UInt8(length) + UInt8(number % 2 * 24)
                ordeal.controller.say(Packets.lowEnergy(kind, [UInt8](repeating: filler, count: number % 48)))
            }
        }
        let faults = try ordeal.faults()
        #expect(faults["malformedPackets"] ?? 0 > 100 && faults["unknownEvents"] ?? 0 > 1000, "\(faults)")
    }

    @Test("an event longer than it is swallows what follows; the radio notices, and begins anew")
    func lengthPastTheEnd() throws {
        let ordeal = try Ordeal()
        ordeal.controller.say([4, 0x3e, 0xff, 0x02])
        // Of what follows, some is taken for the rest, and the next byte begins no packet.
        for _ in 0..<300 { ordeal.honest.say(Neighbour.write([7, 7, 7, 7])) }
        try ordeal.station.until("the end") { $0.adapterDowns == 1 ? true : nil }
        try ordeal.comeBack()
    }

    @Test("data and events for handles that are none are counted and let go")
    func wrongHandles() throws {
        let ordeal = try Ordeal()
        let handles: [UInt16] = [0, 2, 0x0eff]
        try ordeal.endure(300) { number in
            let handle = handles[number % handles.count]
            ordeal.controller.say(
                Packets.data(handle, [1, 2, 3]), Packets.disconnected(handle, 0x13), Packets.completed([(handle, 3)]),
                Packets.lowEnergy(0x05, Packets.bytes(handle) + [UInt8](repeating: 0, count: 10)),
                Packets.disconnected(0xffff, 0x13), Packets.completed([(0xffff, 3)]))
        }
        // The radio may have ended one of them, which makes one more event.
        #expect(try ordeal.faults()["unknownHandles"] ?? 0 >= 300 * 5)
    }

    @Test("a connection on a handle in use takes the place of the one before it")
    func handleInUse() throws {
        let ordeal = try Ordeal()
        let links = try (0..<20).map { number in
            let newcomer = Neighbour(ordeal.controller, 2, device: Neighbour.device(100 + number))
            let link = try ordeal.join(newcomer)
            try ordeal.exchange()
            return link
        }
        #expect(Set(links).count == 20)
        try ordeal.station.until("the end of all but the last") { $0.downs.count == 19 ? true : nil }
        try ordeal.check()
        #expect(try ordeal.inRadio { $0.connections.count } == 2)
    }

    @Test("a second connection to one device is ended at once, and the first one stays")
    func secondConnection() throws {
        let ordeal = try Ordeal()
        let twin = Neighbour(ordeal.controller, 3, device: ordeal.honest.device)
        try ordeal.endure(50) { number in
            twin.connect(byRadio: number.isMultiple(of: 2))
            try ordeal.waitForDisconnects(of: twin, number + 1)
            // The controller has said by then that it is gone.
            try ordeal.honest.catchUp()
        }
        #expect(try ordeal.faults()["secondConnections"] == 50)
        #expect(try ordeal.inRadio { $0.connections.count } == 1)
    }

    @Test("a thousand connections come and go, and leave nothing behind")
    func connects() throws {
        let ordeal = try Ordeal()
        try ordeal.measure("1,000 connections", 1000) { number in
            let visitor = Neighbour(
                ordeal.controller, UInt16(2 + number % 5), device: Neighbour.device(1000 + number))
            visitor.connect(byRadio: number.isMultiple(of: 3))
            if number.isMultiple(of: 7) { visitor.say([0x02, 0x05, 0x02], [0x12, 0x0D, 0x00, 0x01, 0x00]) }
            visitor.leave(number.isMultiple(of: 2) ? 0x13 : 0x08)
        }
        try ordeal.checkTables()
    }

    @Test("more connections than there may be: the surplus is ended, and the idle ones after a while")
    func tooMany() throws {
        let ordeal = try Ordeal()
        let crowd = (2...200).map { Neighbour(ordeal.controller, $0) }
        try ordeal.endure(crowd.count) { number in
            crowd[number].connect()
            try ordeal.honest.catchUp()
        }
        for surplus in crowd.dropFirst(BluetoothPolicy.connections - 1) {
            try ordeal.waitForDisconnects(of: surplus, 1)
        }
        #expect(try ordeal.inRadio { $0.connections.count } == BluetoothPolicy.connections)
        try ordeal.leap(by: 61)
        for idle in crowd { try ordeal.waitForDisconnects(of: idle, 1) }
        try ordeal.check()
        try ordeal.checkTables()
    }

    @Test("ten thousand reports a second, each of another neighbour, fill no table and slow nobody down")
    func reports() throws {
        let ordeal = try Ordeal()
        let data = Advertisement.data(for: .production)
        try ordeal.measure("10,000 reports of as many neighbours", 100, exchangeEvery: 1) { batch in
            ordeal.controller.say(
                (0..<100).map { Packets.legacyReport(Neighbour.device(100 * batch + $0 + 50), data: data) })
        }
        try ordeal.checkTables()
        let counts = try ordeal.inRadio { ($0.seeking.scheduler.queue.count, $0.seeking.scheduler.markCount) }
        #expect(counts.0 <= RadioPolicy.maximumCandidates && counts.1 <= RadioPolicy.maximumMarks)
        // One attempt at a time.
        #expect(ordeal.controller.look { $0.far.opCodes.count { $0 == .createConnection } } == 1)
    }
}
