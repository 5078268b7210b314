import Domain
import Testing

@testable import BluetoothHCI

private let advertising = Controller.Advertising(data: [2, 1, 6])
private let peer = DeviceAddress(kind: .random, bits: 0xd011_2233_4455)

/// A bench that advertises.
private func advertisingBench(isExtended: Bool = false) -> Bench {
    let bench = Bench.ready {
        $0.lowEnergyFeatures = 0
        if isExtended { $0.supportedCommands = ScriptedController.table(of: [.extended]) }
    }
    bench.call { $0.advertise(advertising) }
    bench.forget()
    return bench
}

/// Whether the command switches advertising on.
private func isOn(_ command: ScriptedController.Command) -> Bool { command.parameters.first == 1 }

@Suite("The end of advertising")
struct AdvertisingEndTests {
    @Test(
        "a connection of a neighbour that fails ends advertising, whatever its status, and no attempt of ours",
        arguments: [0x02, 0x08, 0x1f, 0x3c, 0x3e] as [UInt8])
    func failed(status: UInt8) {
        let bench = advertisingBench()
        bench.call { $0.connect(to: peer) }
        bench.hear(Packets.connected(0, peer, isCentral: false, status: status))
        #expect(bench.controller.activity == Controller.Activity(connecting: peer))
        #expect(bench.events.isEmpty)
    }

    @Test("a connection of a neighbour that cannot be ends it too", arguments: [1, 2] as [UInt8])
    func impossible(role: UInt8) {
        let bench = advertisingBench()
        bench.hear(Packets.connected(0x0f00, peer, isCentral: false, role: role))
        #expect(!bench.controller.activity.isAdvertising)
    }

    // MARK: Confirming

    @Test("confirming switches it off and on, in either manner", arguments: [false, true])
    func confirmed(isExtended: Bool) {
        let bench = advertisingBench(isExtended: isExtended)
        bench.call { $0.confirmAdvertising() }
        let opCode: OpCode = isExtended ? .setExtendedAdvertisingEnable : .setAdvertisingEnable
        #expect(bench.far.opCodes == [opCode, opCode])
        #expect(bench.far.commands.map(isOn) == [false, true])
        #expect(bench.controller.activity == Controller.Activity(isAdvertising: true))
        #expect(bench.events.isEmpty && bench.reportsFromWithin == 0)
        #expect(!bench.reports.contains(.activity(Controller.Activity(isBusy: true))), "it never counted as off")
    }

    @Test(
        "advertising that ended without a word is on again, or known to be off when it cannot be",
        arguments: [0x00, 0x0c, 0x09] as [UInt8])
    func silentEnd(status: UInt8) {
        let bench = advertisingBench()
        bench.far.replies[.setAdvertisingEnable] = { .complete(isOn($0) ? status : 0x0c) }
        bench.call { $0.confirmAdvertising() }
        #expect(bench.controller.activity == Controller.Activity(isAdvertising: status == 0))
        #expect(bench.events == (status == 0 ? [] : [.refused(.advertising, HCIStatus(rawValue: status))]))
    }

    @Test("what cannot be switched off is on, and is left so")
    func cannotStop() {
        let bench = advertisingBench()
        bench.far.replies[.setAdvertisingEnable] = { _ in .complete(0x1f) }
        bench.call { $0.confirmAdvertising() }
        #expect(bench.controller.activity.isAdvertising && bench.events.isEmpty && bench.far.commands.count == 1)
    }

    @Test("a connection accepted meanwhile leaves it off, to be begun again")
    func acceptedMeanwhile() {
        let bench = advertisingBench()
        bench.far.replies[.setAdvertisingEnable] = { isOn($0) ? .silence : .complete(0) }
        bench.call { $0.confirmAdvertising() }
        bench.connect(1)
        bench.hear(Packets.complete(.setAdvertisingEnable, 1, [0]))
        #expect(bench.controller.activity == Controller.Activity())
    }

    @Test("a wish that comes meanwhile is what counts")
    func wishMeanwhile() {
        let bench = advertisingBench()
        bench.call {
            $0.confirmAdvertising()
            $0.advertise(nil)
        }
        #expect(bench.controller.activity == Controller.Activity() && !bench.far.commands.contains(where: isOn))
    }

    @Test("what is off is not switched on")
    func off() {
        let bench = Bench.ready()
        bench.call { $0.confirmAdvertising() }
        #expect(bench.far.commands.isEmpty)
    }

    @Test("during an attempt it waits for its end, and happens once")
    func duringAttempt() {
        let bench = advertisingBench()
        bench.call { controller in
            controller.connect(to: peer)
            for _ in 0..<3 { controller.confirmAdvertising() }
        }
        #expect(bench.far.opCodes == [.createConnection])
        bench.hear(Packets.connected(0, peer, isCentral: true, status: 0x3e))
        #expect(bench.far.commands.dropFirst().map(isOn) == [false, true])
        #expect(bench.controller.activity == Controller.Activity(isAdvertising: true))
    }

    @Test(
        "a connection of our own does not end it; to be sure it is confirmed, in either manner",
        arguments: [false, true], [0x00, 0x0c] as [UInt8])
    func opened(isExtended: Bool, status: UInt8) {
        let bench = advertisingBench(isExtended: isExtended)
        let opCode: OpCode = isExtended ? .setExtendedAdvertisingEnable : .setAdvertisingEnable
        bench.far.replies[opCode] = { .complete(isOn($0) ? status : 0) }
        bench.connect(1, isCentral: true)
        #expect(bench.far.commands.map(isOn) == [false, true])
        #expect(bench.controller.activity.isAdvertising == (status == 0))
    }
}
