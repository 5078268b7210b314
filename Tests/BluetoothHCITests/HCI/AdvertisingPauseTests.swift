import Domain
import Testing

@testable import BluetoothHCI

private let advertising = Controller.Advertising(data: [2, 1, 6])
private let peer = DeviceAddress(kind: .random, bits: 0xd011_2233_4455)

/// A bench that advertises, with a controller that cannot connect meanwhile and refuses to.
private func modestBench(says: Bool = true, isExtended: Bool = false) -> Bench {
    let bench = Bench.ready { far in
        far.lowEnergyFeatures = 0
        if says { far.states &= ~(1 << 32) }
        if isExtended { far.supportedCommands = ScriptedController.table(of: [.extended, .rest]) }
        var isOn = false
        for opCode in [OpCode.setAdvertisingEnable, .setExtendedAdvertisingEnable] {
            far.replies[opCode] = {
                isOn = $0.parameters.first == 1
                return .complete(0)
            }
        }
        for opCode in [OpCode.createConnection, .extendedCreateConnection] {
            far.replies[opCode] = { _ in .status(isOn ? 0x0c : 0) }
        }
        far.replies[.createConnectionCancel] = { _ in .complete(0x0c) }
    }
    bench.call { $0.advertise(advertising) }
    bench.forget()
    return bench
}

@Suite("Advertising gives way to an attempt")
struct AdvertisingPauseTests {
    private let paused = Controller.Activity(isAdvertisingPaused: true, connecting: peer)
    private let on = Controller.Activity(isAdvertising: true)

    @Test("it is off during the attempt, and on again after it, in either manner", arguments: [false, true])
    func pauses(isExtended: Bool) {
        let bench = modestBench(isExtended: isExtended)
        bench.call { $0.connect(to: peer) }
        let create: OpCode = isExtended ? .extendedCreateConnection : .createConnection
        #expect(bench.far.opCodes == [isExtended ? .setExtendedAdvertisingEnable : .setAdvertisingEnable, create])
        #expect(bench.controller.activity == paused && bench.events.isEmpty)
        bench.hear(Packets.connected(0, peer, isCentral: true, status: 0x3e))
        #expect(bench.events == [.connectEnded(peer, .failedToBeEstablished)])
        #expect(bench.controller.activity == on && bench.reportsFromWithin == 0)
    }

    @Test("it is on again after a connection, and after an attempt that was cancelled")
    func resumes() {
        let connected = modestBench()
        connected.call { $0.connect(to: peer) }
        connected.hear(Packets.connected(1, peer, isCentral: true))
        let cancelled = modestBench()
        cancelled.call { $0.connect(to: peer) }
        cancelled.call { $0.cancelConnect() }
        cancelled.hear(Packets.connected(0, peer, isCentral: true, status: 0x02))
        for bench in [connected, cancelled] { #expect(bench.controller.activity == on && bench.events.count == 1) }
    }

    @Test("an attempt cancelled before advertising is off is never begun")
    func cancelledEarly() {
        let bench = modestBench()
        bench.call {
            $0.connect(to: peer)
            $0.cancelConnect()
        }
        #expect(!bench.far.opCodes.contains(.createConnection))
        #expect(bench.events == [.connectEnded(peer, .unknownConnection)] && bench.controller.activity == on)
    }

    @Test("what is wished meanwhile comes after the attempt", arguments: [false, true])
    func wishMeanwhile(isOn: Bool) {
        let bench = modestBench()
        bench.call { $0.connect(to: peer) }
        bench.forget()
        bench.call { $0.advertise(isOn ? Controller.Advertising(data: [7]) : nil) }
        #expect(bench.far.commands.isEmpty && bench.controller.activity.isAdvertisingPaused == isOn)
        bench.hear(Packets.connected(0, peer, isCentral: true, status: 0x3e))
        #expect(bench.controller.activity == Controller.Activity(isAdvertising: isOn))
        #expect(bench.far.opCodes.contains(.setAdvertisingData) == isOn)
    }

    @Test("one that says that it can and does not is found out: the next attempt has no advertising in its way")
    func foundOut() {
        let bench = modestBench(says: false)
        bench.call { $0.connect(to: peer) }
        #expect(bench.events == [.connectEnded(peer, .commandDisallowed)] && bench.controller.activity == on)
        bench.call { $0.connect(to: peer) }
        #expect(bench.events.count == 1 && bench.controller.activity == paused)
    }

    @Test("one that was only still at an earlier attempt is not suspected, nor one that refuses all the same")
    func innocent() {
        let bench = modestBench(says: false)
        bench.far.replies[.createConnectionCancel] = { _ in .complete(0) }
        bench.call { $0.connect(to: peer) }
        #expect(!bench.controller.advertisingYields)
        let refusing = modestBench()
        refusing.far.replies[.createConnection] = { _ in .status(0x0c) }
        refusing.call { $0.connect(to: peer) }
        #expect(!refusing.controller.advertisingYields && refusing.controller.activity == on)
    }
}
