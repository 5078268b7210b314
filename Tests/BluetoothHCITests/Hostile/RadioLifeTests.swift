import Application
import Dispatch
import Domain
import Foundation
import Support
import Testing

@testable import BluetoothHCI

/// Beginnings and ends of a radio, in every order that a node or an adapter may choose.
@Suite("Life of a radio", .timeLimit(.minutes(15)))
struct RadioLifeTests {
    /// Runs something on a thread of its own; the answer waits for its end.
    private func thread(_ body: @escaping @Sendable () -> Void) -> () -> Bool {
        let isDone = Watched(false)
        Thread.detachNewThread {
            body()
            isDone.change { $0 = true }
        }
        return { isDone.wait(within: SatchelNode.patience) { $0 ? true : nil } ?? false }
    }

    /// A radio whose connections do not end when they are told to.
    private func clinging() throws -> Ordeal {
        let ordeal = try Ordeal()
        ordeal.controller.change { $0.far.replies[.disconnect] = { _ in .status(0) } }
        return ordeal
    }

    // MARK: Stopping

    @Test("a radio may be stopped by several threads at once, while its connections do not end")
    func stoppedTwice() throws {
        let ordeal = try clinging()
        let radios = ordeal.station.radios
        let ends = (0..<4).map { _ in thread { radios.stop() } }
        for end in ends { #expect(end()) }
        #expect(radios.adapters.map(\.state) == [.stopped])
        #expect(ordeal.station.seen.downs.map(\.link) == [ordeal.link])
        radios.stop()
    }

    @Test("an adapter that goes while its radio stops is not opened again")
    func lostWhileStopping() throws {
        let ordeal = try clinging()
        let radios = ordeal.station.radios
        let end = thread { radios.stop() }
        try ordeal.waitForDisconnects(of: ordeal.honest, 1)
        ordeal.controller.hangUp()
        #expect(end())
        #expect(radios.adapters.map(\.state) == [.stopped])
        #expect(ordeal.controller.look(\.lives) == 1)
        #expect(ordeal.station.seen.downs.map(\.link) == [ordeal.link])
    }

    @Test("whoever connects while the radio stops is sent away, and the stop comes to its end")
    func connectedWhileStopping() throws {
        let ordeal = try clinging()
        let radios = ordeal.station.radios
        let end = thread { radios.stop() }
        try ordeal.waitForDisconnects(of: ordeal.honest, 1)
        let late = Neighbour(ordeal.controller, 5)
        late.connect()
        try ordeal.waitForDisconnects(of: late, 1)
        #expect(end())
        #expect(ordeal.station.seen.ups.map(\.id) == [ordeal.link])
    }

    @Test("a radio that stops leaves a controller behind that does nothing by itself")
    func quiet() throws {
        let ordeal = try Ordeal()
        // It does everything that it does by itself.
        let busy = Controller.Activity(isAdvertising: true, isScanning: true)
        while try ordeal.inRadio({ $0.controller?.activity != busy }) { try ordeal.honest.catchUp() }
        try ordeal.sight(Neighbour(ordeal.controller, 2))
        _ = ordeal.controller.wait { $0.far.opCodes.contains(.createConnection) ? true : nil }
        ordeal.controller.change { state in
            state.far.replies[.createConnectionCancel] = { _ in
                .completes([Packets.connected(0, Neighbour.device(2), isCentral: true, status: 0x02)])
            }
        }
        let start = ContinuousClock.now
        ordeal.station.radios.stop()
        #expect(ContinuousClock.now - start < .milliseconds(BluetoothPolicy.goodbyeTimeout.count))
        let commands = ordeal.controller.look(\.far.commands)
        #expect(commands.last { $0.opCode == .setAdvertisingEnable }?.parameters == [0])
        #expect(commands.last { $0.opCode == .setScanEnable }?.parameters.first == 0)
        #expect(commands.contains { $0.opCode == .createConnectionCancel })
    }

    @Test("a radio may be stopped at any moment of its start", arguments: 0...20)
    func stoppedEarly(moment: Int) throws {
        let controller = try SocketController()
        let station = try RadioStation([controller.address], seed: UInt64(moment + 1))
        // After so many commands, or before the adapter is even open.
        if moment > 0 { _ = controller.wait { $0.far.commands.count >= moment ? true : nil } }
        station.radios.stop()
        #expect(station.radios.adapters.map(\.state) == [.stopped])
        #expect(controller.wait { $0.isConnected ? nil : true } == true)
    }

    @Test("a second start changes nothing")
    func startedTwice() throws {
        let ordeal = try Ordeal()
        ordeal.station.radios.start()
        try ordeal.endure(10) { _ in }
        #expect(ordeal.controller.look(\.lives) == 1)
    }

    // MARK: Losses

    @Test("an adapter that comes and goes leaves nothing of itself behind", arguments: [false, true])
    func flapping(underLoad: Bool) throws {
        let ordeal = try Ordeal()
        let seen = Watched([Remains]())
        var link = ordeal.link
        for life in 1...10 {
            try ordeal.inRadio { radio in seen.change { $0.append(Remains(of: radio)) } }
            if underLoad { while ordeal.station.radios.send(numberedFrame(life, count: 500), on: link) == .accepted {} }
            ordeal.controller.hangUp()
            try ordeal.station.until("the end") { $0.adapterDowns == life ? true : nil }
            #expect(ordeal.station.radios.send(numberedFrame(1), on: link) == .refused)
            // However often it goes: what is due to be tried again is tried at once.
            _ = ordeal.controller.wait { $0.isConnected ? nil : true }
            ordeal.clock.leap(by: RadioPolicy.patientReopening)
            try ordeal.station.until("a radio at work again") { seen in
                seen.logs.count { $0.contains("on the air as") } == life + 1 ? true : nil
            }
            link = try ordeal.join(ordeal.honest)
        }
        #expect(ordeal.station.seen.downs.count == 10)
        #expect(try ordeal.inRadio { $0.settings.desk.openLinks } == 1)
        let timers = try ordeal.inRadio { ($0.timers as? DispatchTimers)?.count ?? .max }
        #expect(timers < 30, "\(timers)")
        for remains in seen.look({ $0 }) { #expect(remains.controller == nil && remains.connection == nil) }
        #expect(ordeal.station.radios.adapters.map(\.losses) == [10])
    }

    @Test("a controller that dies while it is being reset is not said to be somebody else's")
    func diesInReset() throws {
        let ordeal = try Ordeal()
        ordeal.controller.change { $0.isMute = true }
        Neighbour(ordeal.controller, 2).connect()
        _ = ordeal.controller.wait { $0.ignored == 1 ? true : nil }
        ordeal.clock.leap(by: BluetoothPolicy.commandTimeout)
        try ordeal.station.until("the end") { $0.adapterDowns == 1 ? true : nil }
        ordeal.clock.leap(by: RadioPolicy.patientReopening)
        _ = ordeal.controller.wait { $0.ignored == 2 ? true : nil }
        ordeal.controller.hangUp()
        _ = ordeal.controller.wait { $0.lives == 2 ? true : nil }
        #expect(!ordeal.station.seen.logs.contains { $0.contains("another program") })
        ordeal.controller.change { $0.isMute = false }
        ordeal.controller.hangUp()
        try ordeal.comeBack()
    }

    @Test("a node that takes long over a frame does not lose its adapter for it")
    func slowNode() throws {
        let gate = Watched(false)
        let slow = numberedFrame(99)
        let ordeal = try Ordeal(onFrame: { frame in
            guard frame == slow else { return }
            _ = gate.wait(within: SatchelNode.patience) { $0 ? true : nil }
        })
        let other = Neighbour(ordeal.controller, 3)
        _ = try ordeal.join(other)
        // A connection that is accepted has advertising restored: a command is under way while the node is busy.
        let commands = ordeal.controller.look { $0.far.commands.count }
        ordeal.controller.say(
            Packets.connected(2, Neighbour.device(2), isCentral: false),
            other.packet(4, Neighbour.write(slow)))
        _ = ordeal.controller.wait { $0.far.commands.count > commands ? true : nil }
        // There is no event to wait for: for as long as a command may take, nothing must happen.
        Thread.sleep(forTimeInterval: Double(BluetoothPolicy.commandTimeout.count + 300) / 1000)
        gate.change { $0 = true }
        try ordeal.station.frame(slow)
        try ordeal.endure(20) { _ in }
        #expect(ordeal.station.seen.adapterDowns == 0)
        #expect(try ordeal.inRadio { $0.controller?.counters.unansweredCommands } == 0)
    }

    /// What is left of a radio.
    private struct Remains {
        private(set) weak var radio: Radio?
        private(set) weak var controller: Controller?
        private(set) weak var connection: RadioConnection?

        init(of radio: Radio) {
            self.radio = radio
            controller = radio.controller
            connection = radio.connections.first
        }

        var isNothing: Bool { radio == nil && controller == nil && connection == nil }
    }

    @Test("a radio that was stopped is freed, with everything that it had")
    func freed() throws {
        let ordeal = try Ordeal()
        let seen = Watched<Remains?>(nil)
        try ordeal.inRadio { radio in seen.change { $0 = Remains(of: radio) } }
        #expect(seen.look { $0?.isNothing } == false)
        let queue = try #require(ordeal.station.radios.hosts.first?.queue)
        ordeal.station.radios.stop()
        // What stopped it was on the radio's queue, and so was what lets go of it.
        queue.sync {}
        #expect(seen.look { $0?.isNothing } == true)
        #expect(ordeal.controller.wait { $0.isConnected ? nil : true } == true)
    }

    @Test("radios that are dropped without a stop close their adapters")
    func dropped() throws {
        let controller = try SocketController()
        let isReady = Watched(false)
        let handlers = BluetoothHandlers(
            linkUp: { _ in }, linkDown: { _, _ in }, frame: { _, _ in }, linkWritable: { _ in }, adapterDown: {},
            log: { _, text in if text.contains("on the air as") { isReady.change { $0 = true } } })
        var radios: BluetoothHCI? = try BluetoothHCI(
            BluetoothConfiguration(adapters: [try AdapterAddress(parsing: controller.address)]), randomness: { 7 },
            nextLinkID: { LinkID(rawValue: 1) }, handlers: handlers)
        radios?.start()
        #expect(isReady.wait(within: SatchelNode.patience) { $0 ? true : nil } == true)
        radios = nil
        #expect(controller.wait { $0.isConnected ? nil : true } == true)
    }
}
