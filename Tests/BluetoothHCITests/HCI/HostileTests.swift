import Domain
import Testing

@testable import BluetoothHCI

private let peer = DeviceAddress(kind: .random, bits: 0xd011_2233_4455)

/// Valid packets of every kind, to be spoilt.
private let samples: [[UInt8]] = [
    Packets.connected(1, peer, isCentral: true), Packets.connected(2, peer, isCentral: false),
    Packets.connected(0, peer, isCentral: true, status: 2), Packets.disconnected(1, 0x13),
    Packets.disconnected(2, 0x08),
    Packets.completed([(1, 1), (2, 2)]), Packets.completed([(1, 0xffff)]), Packets.legacyReport(peer),
    Packets.legacyReport(peer, type: 4), Packets.data(1, [1, 2, 3]), Packets.data(2, [4], boundary: 1),
    Packets.complete(.readRSSI, 1, [0, 1, 0, 200]), Packets.complete(.none, 1, []), Packets.complete(.none, 0, []),
    Packets.status(.createConnection, 1, 0), Packets.status(.disconnect, 1, 2), Packets.event(0x1a, [1]),
    Packets.event(0x08, [0, 1, 0, 1]), Packets.lowEnergy(0x03, [0, 1, 0, 24, 0, 0, 0, 100, 0]),
    Packets.lowEnergy(0x05, [1, 0] + [UInt8](repeating: 0, count: 10)),
    Packets.lowEnergy(0x06, [1, 0, 24, 0, 40, 0, 0, 0, 0xf4, 1]),
    Packets.lowEnergy(0x07, [UInt8](repeating: 1, count: 10)),
    Packets.lowEnergy(0x0c, [0, 1, 0, 2, 2]), Packets.lowEnergy(0x11, []), Packets.lowEnergy(0x12, [0, 0, 2, 0, 0]),
    Packets.lowEnergy(0x14, [1, 0, 1]), Packets.lowEnergy(0x0a, [UInt8](repeating: 0, count: 30)),
    Packets.lowEnergy(0x0d, [1] + [UInt8](repeating: 0, count: 24)),
]

/// What must hold whatever comes.
private func check(_ bench: Bench) -> Bool {
    let data = bench.controller.data
    let held = bench.controller.connections.keys.map { data.held(by: $0) }
    return (0...data.total).contains(data.free) && data.free + held.reduce(0, +) == data.total
        && held.allSatisfy { $0 >= 0 } && bench.controller.connections.count <= BluetoothPolicy.connections
        && bench.reportsFromWithin == 0
}

@Suite("A hostile controller")
struct HostileTests {
    /// One step of the mixture: something that comes, something that is asked for, or time that goes by.
    private func step(_ bench: Bench, _ dice: inout Dice) {
        let handle = ConnectionHandle(rawValue: UInt16(dice.number(below: 4)))
        switch dice.number(below: 16) {
        case 0: bench.hear([4] + dice.bytes(dice.number(below: 40)))
        case 1: bench.hear([2] + dice.bytes(dice.number(below: 40)))
        case 2: bench.hear(dice.bytes(dice.number(below: 10)))
        case 3:
            let code = dice.pick([0x05, 0x08, 0x0e, 0x0f, 0x13, 0x1a, 0x3e] as [UInt8])
            bench.hear(Packets.event(code, dice.bytes(dice.number(below: 64))))
        case 4:
            bench.hear(Packets.lowEnergy(UInt8(dice.number(below: 24)), dice.bytes(dice.number(below: 64))))
        case 5, 6:
            var packet = dice.pick(samples)
            packet[dice.number(below: packet.count)] = UInt8(truncatingIfNeeded: dice.next())
            bench.hear(packet)
        case 7: bench.hear(Array(dice.pick(samples).dropLast(1)))
        case 8...10: bench.hear(dice.pick(samples))
        case 11: bench.give(handle, [dice.bytes(dice.number(below: 100))])
        case 12: bench.wait(Milliseconds(Int64(dice.number(below: 4000))))
        case 13:
            bench.call {
                $0.connect(to: peer)
                if dice.number(below: 2) == 0 { $0.cancelConnect() }
            }
        case 14: bench.call { $0.disconnect(handle, reason: .remoteUserTerminated) }
        default:
            bench.call {
                $0.advertise(Controller.Advertising(data: dice.bytes(dice.number(below: 33))))
                $0.scan(dice.number(below: 2) == 0 ? nil : Controller.Scanning(interval: 60, window: 30))
                $0.readSignal(of: handle) { _ in }
                $0.updateParameters(of: handle, .ours)
            }
        }
    }

    @Test("whatever it says, nothing traps and the credits add up", arguments: 1...8 as ClosedRange<UInt64>)
    func mixture(seed: UInt64) {
        var dice = Dice(seed: seed)
        var (lives, steps) = (0, 0)
        while steps < 4000 {
            let isExtended = dice.number(below: 2) == 0
            let bench = Bench.ready {
                if isExtended { $0.supportedCommands = ScriptedController.table(of: [.extended, .rest]) }
                $0.bufferCount = UInt8(1 + dice.number(below: 9))
            }
            lives += 1
            while bench.failure == nil, steps < 4000 {
                step(bench, &dice)
                steps += 1
                guard check(bench) else {
                    Issue.record("seed \(seed), step \(steps): \(bench.controller.data)")
                    return
                }
                // Kept short, so that the test stays quick.
                bench.forget()
            }
        }
        #expect(lives < 400, "a controller lives for some steps at least, or nothing was tried")
    }

    @Test("while it starts it may say anything", arguments: 1...40 as ClosedRange<UInt64>)
    func starting(seed: UInt64) {
        var dice = Dice(seed: seed)
        let bench = Bench()
        bench.far.replies[dice.pick(StartTests.optional + StartTests.mandatory)] = { [self] _ in
            .complete(0, noise(seed))
        }
        bench.start()
        for _ in 0..<50 {
            step(bench, &dice)
            #expect(check(bench))
        }
        #expect(bench.reports.contains(.ready) || bench.failure != nil)
    }

    private func noise(_ seed: UInt64) -> [UInt8] {
        var dice = Dice(seed: seed ^ 0xffff)
        return dice.bytes(dice.number(below: 20))
    }

    @Test("every event, cut at every length, is counted and let go")
    func truncated() {
        let bench = Bench.ready()
        bench.connect(1)
        bench.connect(2)
        bench.forget()
        var cuts = 0
        for packet in samples where packet[0] == 4 {
            for length in 3..<packet.count {
                var cut = Array(packet.prefix(length))
                bench.controller.receive(cut)
                cut[2] = UInt8(length - 3)
                cuts += 1
                // Of an answer, what was returned may be short.
                if packet[1] == 0x0e, length >= 6 { continue }
                bench.controller.receive(cut)
                cuts += 1
            }
        }
        bench.settle()
        #expect(bench.controller.counters.malformedPackets == cuts && cuts > 300)
        #expect(bench.reports.isEmpty && check(bench))
    }

    @Test("events that nobody knows are counted and let go")
    func unknown() {
        let bench = Bench.ready()
        let known: Set<UInt8> = [0x05, 0x08, 0x0e, 0x0f, 0x10, 0x13, 0x1a, 0x3e]
        for code in UInt8.min...UInt8.max where !known.contains(code) { bench.hear(Packets.event(code, [1, 2, 3])) }
        for code in UInt8(0x20)...UInt8.max { bench.hear(Packets.lowEnergy(code, [1, 2, 3])) }
        #expect(bench.controller.counters.unknownEvents == 248 + 224)
        #expect(bench.reports.isEmpty)
    }

    // MARK: Floods

    @Test("a thousand connections a minute come and go, and another one keeps its rate")
    func connects() {
        let bench = Bench.ready()
        bench.connect(9)
        bench.frames[ConnectionHandle(rawValue: 9)] = ArraySlice((0..<1000).map { _ in [1, 2, 3, 4, 5] })
        bench.call { $0.wantsToSend(on: ConnectionHandle(rawValue: 9)) }
        for number in 0..<1000 {
            let visitor = UInt16(number % 8)
            bench.connect(visitor)
            bench.give(ConnectionHandle(rawValue: visitor), [[7, 8, 9]])
            bench.hear(Packets.disconnected(visitor, 0x13))
            bench.hear(Packets.completed([(9, UInt16(bench.controller.data.held(by: ConnectionHandle(rawValue: 9))))]))
            bench.wait(60)
        }
        #expect(bench.sentOn.count { $0 == 9 } == 1000)
        #expect(bench.controller.connections.count == 1 && check(bench))
        #expect(bench.failure == nil && bench.timers.count < 10)
    }

    @Test("requests by the thousand, while it answers nothing, take no more room than the queue has")
    func requests() {
        let bench = Bench.ready()
        bench.connect(1)
        for opCode in [OpCode.parameterRequestReply, .keyRequestNegativeReply] {
            bench.far.replies[opCode] = { _ in .silence }
        }
        bench.forget()
        for _ in 0..<5000 {
            bench.hear(Packets.lowEnergy(0x06, [1, 0, 24, 0, 40, 0, 0, 0, 0xf4, 1]))
            bench.hear(Packets.lowEnergy(0x05, [1, 0] + [UInt8](repeating: 0, count: 10)))
        }
        bench.wait(.seconds(10))
        #expect(bench.far.opCodes.filter { $0 != .readAddress } == [.parameterRequestReply, .keyRequestNegativeReply])
        #expect(bench.failure == nil && check(bench))
    }

    @Test("one that says yes to everything and gives no credits back loses its connections, not us")
    func noCredits() {
        let bench = Bench.ready()
        for number in 1...4 as ClosedRange<UInt16> {
            bench.connect(number)
            bench.give(ConnectionHandle(rawValue: number), (0..<100).map { _ in [1, 2, 3] })
        }
        bench.wait(.seconds(60))
        #expect(bench.controller.connections.isEmpty && bench.controller.credits == (8, 8))
        #expect(bench.controller.counters.stalledConnections == 4)
    }

    @Test("answers that nobody asked for are counted, whatever credits they bring")
    func answers() {
        let bench = Bench.ready()
        for credits in UInt8.min...UInt8.max {
            bench.hear(Packets.complete(.reset, credits, [0]), Packets.status(.createConnection, credits, 0))
        }
        #expect(bench.controller.counters.strayAnswers == 512 && bench.reports.isEmpty)
    }
}
