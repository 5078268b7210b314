import Domain
import Testing

@testable import BluetoothHCI

private let advertising = Controller.Advertising(data: [2, 1, 6], scanResponse: [3, 4, 5])
private let scanning = Controller.Scanning(interval: 100, window: 100)
private let peer = DeviceAddress(kind: .random, bits: 0xd011_2233_4455)

@Suite("Advertising")
struct AdvertisingTests {
    @Test(
        "parameters, data and scan response are set before it is switched on, in either manner",
        arguments: [false, true])
    func order(isExtended: Bool) {
        let bench = Bench.ready { if isExtended { $0.supportedCommands = ScriptedController.table(of: [.extended]) } }
        bench.call { $0.advertise(advertising) }
        #expect(
            bench.far.opCodes
                == (isExtended
                    ? [
                        .setExtendedAdvertisingEnable, .setExtendedAdvertisingParameters, .setAdvertisingSetAddress,
                        .setExtendedAdvertisingData, .setExtendedScanResponseData, .setExtendedAdvertisingEnable,
                    ]
                    : [
                        .setAdvertisingEnable, .setAdvertisingParameters, .setAdvertisingData, .setScanResponseData,
                        .setAdvertisingEnable,
                    ]))
        #expect(bench.far.commands.first?.parameters.first == 0 && bench.far.commands.last?.parameters.first == 1)
        #expect(bench.controller.activity == Controller.Activity(isAdvertising: true))
        #expect(bench.reports.last == .activity(Controller.Activity(isAdvertising: true)))
        #expect(bench.reportsFromWithin == 0)
    }

    @Test(
        "that it is not on when it is switched off at first does not matter", arguments: [0x0c, 0x42, 0x01] as [UInt8])
    func notOn(status: UInt8) {
        let bench = Bench.ready { far in
            far.replies[.setAdvertisingEnable] = { $0.parameters == [0] ? .complete(status) : .complete(0) }
        }
        bench.call { $0.advertise(advertising) }
        #expect(bench.controller.activity.isAdvertising && bench.events.isEmpty)
    }

    @Test("it is stopped, even if it was not on")
    func stop() {
        let bench = Bench.ready()
        bench.call { $0.advertise(advertising) }
        bench.call { $0.advertise(nil) }
        #expect(bench.controller.activity == Controller.Activity())
        bench.far.replies[.setAdvertisingEnable] = { _ in .complete(0x0c) }
        bench.call { $0.advertise(nil) }
        #expect(bench.controller.activity == Controller.Activity() && bench.events.isEmpty)
    }

    @Test("an accepted connection ends it")
    func accepted() {
        let bench = Bench.ready()
        bench.call { $0.advertise(advertising) }
        bench.forget()
        bench.connect(1)
        #expect(!bench.controller.activity.isAdvertising)
        #expect(bench.reports.first == .activity(Controller.Activity()))
    }

    @Test("without advertising a connection of our own switches nothing on")
    func openedWithout() {
        let bench = Bench.ready()
        bench.connect(1, isCentral: true)
        #expect(!bench.far.opCodes.contains(.setAdvertisingEnable))
    }

    @Test("it can be begun anew from the report that it ended, many times")
    func survives() {
        let bench = Bench.ready()
        bench.onReport = { [unowned bench] report in
            guard case .activity(let activity) = report, !activity.isAdvertising, !activity.isBusy else { return }
            bench.controller.advertise(advertising)
        }
        bench.call { $0.advertise(advertising) }
        for number in 1...20 as ClosedRange<UInt16> {
            bench.connect(number)
            #expect(bench.controller.activity == Controller.Activity(isAdvertising: true))
        }
    }

    @Test(
        "a connection accepted while it is switched on leaves it off, to be begun again: which came first is not known")
    func acceptedMeanwhile() {
        let bench = Bench.ready { far in
            far.replies[.setAdvertisingEnable] = { $0.parameters == [1] ? .silence : .complete(0) }
        }
        bench.call { $0.advertise(advertising) }
        bench.connect(1)
        bench.hear(Packets.complete(.setAdvertisingEnable, 1, [0]))
        #expect(bench.controller.activity == Controller.Activity())
    }

    @Test(
        "a refused step is told by its status, and the rest is left out",
        arguments: [OpCode.setAdvertisingParameters, .setAdvertisingData, .setScanResponseData])
    func refused(step: OpCode) {
        let bench = Bench.ready { $0.replies[step] = { _ in .complete(0x09) } }
        bench.call { $0.advertise(advertising) }
        #expect(bench.far.opCodes.last == step)
        #expect(bench.events == [.refused(.advertising, .connectionLimitExceeded)])
        #expect(bench.controller.activity == Controller.Activity())
    }

    @Test("a refusal to switch it on is told, a refusal to stop it leaves it on")
    func refusedEnable() {
        let bench = Bench.ready { far in
            far.replies[.setAdvertisingEnable] = { $0.parameters == [1] ? .complete(0x0c) : .complete(0) }
        }
        bench.call { $0.advertise(advertising) }
        #expect(
            bench.events == [.refused(.advertising, .commandDisallowed)] && !bench.controller.activity.isAdvertising)
        bench.far.replies = [:]
        bench.call { $0.advertise(advertising) }
        bench.far.replies[.setAdvertisingEnable] = { _ in .complete(0x1f) }
        bench.forget()
        bench.call { $0.advertise(nil) }
        #expect(bench.events == [.refused(.advertising, .unspecified)] && bench.controller.activity.isAdvertising)
    }

    @Test("data of more than 31 bytes is refused, and not from within the call")
    func tooLong() {
        let bench = Bench.ready()
        let long = [UInt8](repeating: 0, count: 32)
        bench.call { $0.advertise(Controller.Advertising(data: long)) }
        bench.call { $0.advertise(Controller.Advertising(data: [], scanResponse: long)) }
        #expect(bench.events == Array(repeating: .refused(.advertising, .invalidParameters), count: 2))
        #expect(bench.far.commands.isEmpty && bench.reportsFromWithin == 0)
    }

    @Test("of wishes that come while a change is under way the last one counts")
    func lastWish() {
        let bench = Bench.ready()
        bench.call { controller in
            controller.advertise(advertising)
            for byte in 0..<100 as Range<UInt8> { controller.advertise(Controller.Advertising(data: [byte])) }
        }
        #expect(bench.far.commands.count == 10)
        #expect(bench.far.commands.last { $0.opCode == .setAdvertisingData }?.parameters.prefix(2) == [1, 99])
        bench.call { controller in
            controller.advertise(advertising)
            controller.advertise(nil)
        }
        #expect(bench.controller.activity == Controller.Activity())
    }

    @Test("a set that ended for another reason than a connection is off")
    func terminated() {
        let bench = Bench.ready { $0.supportedCommands = ScriptedController.table(of: [.extended]) }
        bench.call { $0.advertise(advertising) }
        bench.hear(Packets.lowEnergy(0x12, [0, 0, 1, 0, 0]))
        #expect(bench.controller.activity.isAdvertising)
        bench.hear(Packets.lowEnergy(0x12, [0x43, 0, 0, 0, 0]))
        #expect(!bench.controller.activity.isAdvertising)
    }
}

@Suite("Scanning")
struct ScanningTests {
    @Test("it is set up and switched on, in either manner", arguments: [false, true])
    func order(isExtended: Bool) {
        let bench = Bench.ready { if isExtended { $0.supportedCommands = ScriptedController.table(of: [.extended]) } }
        bench.call { $0.scan(scanning) }
        #expect(
            bench.far.opCodes
                == (isExtended
                    ? [.setExtendedScanEnable, .setExtendedScanParameters, .setExtendedScanEnable]
                    : [.setScanEnable, .setScanParameters, .setScanEnable]))
        #expect(bench.controller.activity == Controller.Activity(isScanning: true))
    }

    @Test("it is begun anew, stopped, and its end by the controller is seen")
    func restart() {
        let bench = Bench.ready()
        bench.call { $0.scan(scanning) }
        bench.forget()
        bench.call { $0.scan(scanning) }
        #expect(bench.far.commands.map(\.parameters.first) == [0, 1, 1])
        bench.call { $0.scan(nil) }
        #expect(bench.controller.activity == Controller.Activity())
        bench.call { $0.scan(scanning) }
        bench.hear(Packets.lowEnergy(0x11, []))
        #expect(bench.controller.activity == Controller.Activity())
    }

    @Test(
        "a refusal is told; when it comes at the start, scanning is off",
        arguments: [OpCode.setScanParameters, .setScanEnable])
    func refused(step: OpCode) {
        let bench = Bench.ready { far in
            far.replies[step] = { $0.parameters.first == 0 ? .complete(0) : .complete(0x0c) }
        }
        bench.call { $0.scan(scanning) }
        #expect(bench.events == [.refused(.scanning, .commandDisallowed)])
        #expect(bench.controller.activity == Controller.Activity())
    }

    @Test("legacy and extended reports are taken whichever commands are used", arguments: [false, true])
    func reports(isExtended: Bool) {
        let bench = Bench.ready { if isExtended { $0.supportedCommands = ScriptedController.table(of: [.extended]) } }
        bench.call { $0.scan(scanning) }
        bench.forget()
        bench.hear(Packets.legacyReport(peer))
        bench.hear(Packets.legacyReport(peer, type: 4, data: [1]))
        let front: [UInt8] = [1, 0x13, 0, 1] + peer.bytes + [1, 0, 0xff, 0x7f, 0xce]
        bench.hear(Packets.lowEnergy(0x0d, front + [UInt8](repeating: 0, count: 9) + [3, 2, 1, 6]))
        let plain = AdvertisingReport(
            device: peer, isConnectable: true, isScanResponse: false, data: [2, 1, 6], signal: -50)
        let response = AdvertisingReport(
            device: peer, isConnectable: false, isScanResponse: true, data: [1], signal: -50)
        #expect(bench.reports == [.saw(plain), .saw(response), .saw(plain)])
    }

    @Test("advertising, scanning and connecting go on beside each other; busy is told until the last change is done")
    func together() {
        let bench = Bench.ready { $0.replies[.setScanEnable] = { _ in .silence } }
        bench.call { controller in
            controller.scan(scanning)
            controller.advertise(advertising)
            controller.connect(to: peer)
        }
        #expect(bench.controller.activity == Controller.Activity(connecting: peer, isBusy: true))
        bench.far.replies = [:]
        bench.hear(Packets.complete(.setScanEnable, 1, [0]))
        #expect(
            bench.controller.activity == Controller.Activity(isAdvertising: true, isScanning: true, connecting: peer))
    }
}
