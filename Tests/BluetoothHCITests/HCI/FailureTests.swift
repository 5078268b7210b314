import Domain
import Testing

@testable import BluetoothHCI

private let peer = DeviceAddress(kind: .random, bits: 0xd011_2233_4455)

@Suite("A controller that fails")
struct FailureTests {
    @Test("after a hardware error nothing more is reported, sent or waited for")
    func hardwareError() {
        let bench = Bench.ready()
        let handle = bench.connect(1)
        bench.call { $0.connect(to: peer) }
        bench.give(handle, [[1, 2, 3]])
        bench.call { $0.disconnect(handle, reason: .remoteUserTerminated) }
        bench.connect(2)
        bench.forget()
        bench.hear(Packets.event(0x10, [0x42]))
        #expect(bench.reports == [.failed("reported hardware error 0x42")])
        bench.hear(
            Packets.connected(3, peer, isCentral: false), Packets.data(2, [1]), Packets.legacyReport(peer),
            Packets.event(0x10, [1]))
        bench.call {
            $0.advertise(Controller.Advertising(data: []))
            $0.scan(nil)
            $0.connect(to: peer)
            $0.cancelConnect()
            $0.disconnect(ConnectionHandle(rawValue: 2), reason: .remoteUserTerminated)
            $0.updateParameters(of: ConnectionHandle(rawValue: 2), .ours)
            $0.wantsToSend(on: ConnectionHandle(rawValue: 2))
            $0.start(address: Bench.own)
        }
        bench.readSignal(of: ConnectionHandle(rawValue: 2))
        bench.wait(.seconds(120))
        #expect(bench.reports.count == 1 && bench.far.commands.isEmpty && bench.far.data.isEmpty)
    }

    @Test("commands that wait when it fails are not sent when the one under way is given up")
    func waiting() {
        let bench = Bench.ready { $0.replies[.setDataLength] = { _ in .silence } }
        bench.connect(1)
        bench.call { $0.scan(nil) }
        bench.hear(Packets.event(0x10, [0x42]))
        bench.forget()
        bench.wait(.seconds(60))
        #expect(bench.far.commands.isEmpty && bench.reports.isEmpty && bench.timers.count == 0)
    }

    @Test("a hardware error while it starts, after its reset, is the end as well")
    func whileStarting() {
        let bench = Bench { $0.replies[.readVersion] = { _ in .silence } }
        bench.start()
        bench.hear(Packets.event(0x10, [0x42]))
        #expect(bench.reports == [.failed("reported hardware error 0x42")])
    }

    @Test("a command that must be answered and is not is the end, at run time as well")
    func unanswered() {
        let bench = Bench.ready { $0.replies[.setScanEnable] = { _ in .silence } }
        bench.call { $0.scan(nil) }
        bench.wait(.seconds(2))
        #expect(bench.events == [.failed("gave no answer to LE Set Scan Enable for 2 s")])
    }

    @Test("a failure reported from within a report is the last report")
    func fromWithin() {
        let bench = Bench.ready()
        bench.onReport = { [unowned bench] report in
            if case .saw = report { bench.controller.receive(Packets.event(0x10, [1])) }
        }
        bench.hear(Packets.lowEnergy(0x02, [2] + [UInt8](repeating: 0, count: 20)))
        #expect(bench.reports.count == 2 && bench.failure != nil)
    }

    // MARK: Silence

    @Test("a silent controller is asked something after ten seconds; with an answer all is well")
    func silence() {
        let bench = Bench.ready()
        bench.wait(9999)
        #expect(bench.far.commands.isEmpty)
        bench.wait(1)
        #expect(bench.far.opCodes == [.readAddress])
        bench.wait(.seconds(95))
        #expect(bench.far.opCodes.count == 10 && bench.events.isEmpty)
    }

    @Test("without an answer it has failed")
    func dead() {
        let bench = Bench.ready()
        bench.far.replies[.readAddress] = { _ in .silence }
        bench.wait(11_999)
        #expect(bench.events.isEmpty)
        bench.wait(1)
        #expect(bench.events == [.failed("gave no answer to Read BD_ADDR for 2 s")])
    }

    @Test("one that says anything is not asked")
    func talking() {
        let bench = Bench.ready()
        for _ in 0..<20 {
            bench.wait(.seconds(9))
            bench.hear(Packets.legacyReport(peer))
        }
        #expect(bench.far.commands.isEmpty)
    }

    @Test("one that never told its address is asked something that it did answer")
    func otherQuestion() {
        let bench = Bench { $0.replies[.readAddress] = { _ in .silence } }
        bench.start()
        bench.wait(.seconds(2))
        bench.forget()
        bench.wait(.seconds(10))
        #expect(bench.far.opCodes == [.readLowEnergyBufferSize] && bench.failure == nil)
    }

    @Test("the controller is let go with its timers still set")
    func letGo() {
        let timers = HandTimers()
        var controller: Controller? = Controller(timers: timers) { _ in }
        weak let gone = controller
        controller?.start(address: peer)
        controller = nil
        #expect(gone == nil)
        while timers.step(to: timers.now + .seconds(60)) {}
    }
}
