import Application
import Domain
import Support
import Testing

@testable import BluetoothHCI

@Suite("Radio over a controller that does not do as it is told", .timeLimit(.minutes(15)))
struct UnwillingControllerTests {
    // MARK: Credits

    @Test("credits that do not come back cost their own connection, and nobody else")
    func creditsKept() throws {
        let ordeal = try Ordeal()
        let taker = Neighbour(ordeal.controller, 2)
        let link = try ordeal.join(taker)
        ordeal.controller.change { $0.crediting[2] = .kept }
        while ordeal.station.radios.send(numberedFrame(1, count: 500), on: link) != .full {}
        try ordeal.endure(100) { _ in }
        // Supervision timeout and margin, twice: credits that were lost once may be bad luck.
        try ordeal.endure(13, exchangeEvery: 1) { _ in try ordeal.leap(by: 1) }
        try ordeal.station.until("the end of the link") { seen in seen.downs.first { $0.link == link } }
        let faults = try ordeal.faults()
        #expect(faults["stalledConnections"] == 1 && faults["reclaimedCredits"] ?? 0 > 1, "\(faults)")
        #expect(try ordeal.missingCredits() == 0)
    }

    @Test("credits that come back twice are counted, and not spent")
    func creditsTwice() throws {
        let ordeal = try Ordeal()
        let giver = Neighbour(ordeal.controller, 2)
        let link = try ordeal.join(giver)
        ordeal.controller.change { $0.crediting[2] = .returnedTwice }
        try ordeal.endure(200) { number in
            _ = ordeal.station.radios.send(numberedFrame(number, count: 100), on: link)
            try ordeal.honest.catchUp()
            let credits = try ordeal.inRadio { $0.controller?.credits.free ?? -1 }
            #expect((0...8).contains(credits))
        }
        #expect(try ordeal.faults()["surplusCredits"] ?? 0 >= 100)
    }

    @Test("a controller that grants no more commands is given up, and taken again when it does")
    func commandCredits() throws {
        let ordeal = try Ordeal()
        ordeal.controller.change { $0.far.credits = 0 }
        Neighbour(ordeal.controller, 2).connect()
        try ordeal.station.until("the end") { $0.adapterDowns == 1 ? true : nil }
        _ = try #require(ordeal.controller.wait { $0.lives > 2 ? $0.lives : nil })
        #expect(ordeal.station.seen.logs.contains { $0.contains("accepts no more commands") })
        ordeal.controller.change { $0.far.credits = 1 }
        try ordeal.comeBack()
    }

    // MARK: Silence

    @Test("a controller that stops answering is given up, and taken again when it answers")
    func mute() throws {
        let ordeal = try Ordeal()
        ordeal.controller.change { $0.isMute = true }
        Neighbour(ordeal.controller, 2).connect()
        _ = ordeal.controller.wait { $0.ignored > 0 ? true : nil }
        ordeal.clock.leap(by: BluetoothPolicy.commandTimeout)
        try ordeal.station.until("the end") { $0.adapterDowns == 1 ? true : nil }
        #expect(ordeal.station.seen.alive.isEmpty)
        // More than one when the resets that follow had to wait as well.
        let unanswered = try ordeal.inRadio(\.faults)["unansweredCommands"] ?? 0
        #expect(unanswered >= 1, "what the controller counted outlives it")
        ordeal.controller.change { $0.isMute = false }
        try ordeal.comeBack()
        #expect(try ordeal.faults()["unansweredCommands"] ?? 0 >= unanswered)
    }

    @Test("one that never says a word, not even after a reset, is noted once, and asked again and again")
    func neverSpeaks() throws {
        let controller = try SocketController { $0.isMute = true }
        let clock = LeapingClock()
        let station = try RadioStation([controller.address], seed: 1, timers: clock.timers)
        for life in 1...10 {
            _ = controller.wait { $0.lives == life && $0.ignored >= life ? true : nil }
            clock.leap(by: BluetoothPolicy.resetTimeout)
            try #require(station.radios.adapters.first?.state != .ready)
            clock.leap(by: RadioPolicy.patientReopening)
        }
        let warnings = station.seen.logs.filter { $0.hasPrefix("warning") }
        #expect(warnings.count == 1, "\(warnings)")
        #expect(station.seen.adapterDowns == 0, "it never was up")
        controller.change { $0.isMute = false }
        try station.ready()
    }

    // MARK: Refusals

    /// Commands of the radio while half a minute goes by, with a neighbour in sight all the time.
    private func commandsInHalfAMinute(_ ordeal: Ordeal) throws -> Int {
        let before = ordeal.controller.look { $0.far.commands.count }
        let data = Advertisement.data(for: .production)
        try ordeal.endure(30, exchangeEvery: 1) { _ in
            ordeal.controller.say(Packets.legacyReport(Neighbour.device(500), data: data))
            try ordeal.honest.catchUp()
            try ordeal.leap(by: 1)
        }
        return ordeal.controller.look { $0.far.commands.count } - before
    }

    @Test("a controller that refuses everything is asked for little")
    func refusesEverything() throws {
        let ordeal = try Ordeal()
        ordeal.controller.change { state in
            for opCode in [
                OpCode.setAdvertisingParameters, .setAdvertisingData, .setScanResponseData, .setAdvertisingEnable,
                .setScanParameters, .setScanEnable, .createConnection, .createConnectionCancel, .readRSSI, .disconnect,
                .setDataLength,
            ] {
                state.far.replies[opCode] = { _ in opCode.isAnsweredByStatus ? .status(0x1f) : .complete(0x1f) }
            }
        }
        // It ends what was going on: an accepted connection ends advertising.
        Neighbour(ordeal.controller, 2).connect()
        let count = try commandsInHalfAMinute(ordeal)
        print("refused \(count) commands in 30 s")
        #expect((1...300).contains(count))
    }

    @Test("one that does not stop scanning is not told so without end")
    func scansOn() throws {
        let ordeal = try Ordeal()
        ordeal.controller.change { state in
            state.far.replies[.setScanEnable] = { $0.parameters[0] == 0 ? .complete(0x1f) : .complete(0) }
        }
        let count = try commandsInHalfAMinute(ordeal)
        print("\(count) commands in 30 s to one that scans on")
        #expect((1...300).contains(count))
    }

    @Test("one that does not stop advertising, or takes no scan parameters, is not told so without end")
    func advertisesOn() throws {
        let ordeal = try Ordeal()
        ordeal.controller.change { state in
            state.far.replies[.setAdvertisingEnable] = { $0.parameters[0] == 0 ? .complete(0x1f) : .complete(0) }
            state.far.replies[.setScanParameters] = { _ in .complete(0x12) }
        }
        Neighbour(ordeal.controller, 2).connect()
        let count = try commandsInHalfAMinute(ordeal)
        #expect((1...300).contains(count))
    }

    @Test("one that went deaf and does not stop scanning is told once in a while")
    func deaf() throws {
        let ordeal = try Ordeal()
        ordeal.controller.change { state in
            state.far.replies[.setScanEnable] = { $0.parameters[0] == 0 ? .complete(0x1f) : .complete(0) }
        }
        let before = ordeal.controller.look { $0.far.opCodes.count { $0 == .setScanEnable } }
        try ordeal.leap(by: 300)
        let count = ordeal.controller.look { $0.far.opCodes.count { $0 == .setScanEnable } } - before
        #expect((1...10).contains(count), "\(count)")
        try ordeal.check()
    }

    @Test("advertising that ends by itself as soon as it begins is not begun without a pause")
    func advertisingEnds() throws {
        let ordeal = try Ordeal()
        ordeal.controller.change { state in
            state.far.replies[.setAdvertisingEnable] = { command in
                guard command.parameters[0] == 1 else { return .complete(0x0c) }
                // Directed advertising ends so; ours is none, but who knows.
                return .completes([
                    Packets.connected(0, Neighbour.device(0), isCentral: false, status: 0x3c)
                ])
            }
        }
        Neighbour(ordeal.controller, 2).connect()
        let count = try commandsInHalfAMinute(ordeal)
        print("\(count) commands in 30 s to one whose advertising ends")
        #expect((1...600).contains(count))
    }
}
