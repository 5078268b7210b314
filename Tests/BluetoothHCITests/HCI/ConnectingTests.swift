import Domain
import Testing

@testable import BluetoothHCI

private let peer = DeviceAddress(kind: .random, bits: 0xd011_2233_4455)
private let other = DeviceAddress(kind: .public, bits: 0x1122_3344_5566)
private let handle = ConnectionHandle(rawValue: 0x40)

private func connection(_ peer: DeviceAddress, isCentral: Bool = true) -> Bench.Report {
    .connected(HCIConnection(handle: handle, isCentral: isCentral, peer: peer, supervisionTimeout: .seconds(5)))
}

@Suite("Connecting")
struct ConnectingTests {
    @Test("a connection comes up, in either manner, and its packets are made longer", arguments: [false, true])
    func comesUp(isExtended: Bool) {
        let bench = Bench.ready {
            if isExtended { $0.supportedCommands = ScriptedController.table(of: [.extended, .rest]) }
        }
        bench.call { $0.connect(to: peer) }
        #expect(bench.far.opCodes == [isExtended ? .extendedCreateConnection : .createConnection])
        #expect(bench.controller.activity == Controller.Activity(connecting: peer))
        bench.hear(Packets.connected(0x40, peer, isCentral: true))
        #expect(bench.events == [connection(peer)])
        #expect(bench.controller.activity == Controller.Activity())
        #expect(bench.far.commands.last?.opCode == .setDataLength)
        #expect(bench.far.commands.last?.parameters == [0x40, 0, 0xfb, 0, 0x48, 0x08])
        #expect(bench.reportsFromWithin == 0)
    }

    @Test("the enhanced event says the same")
    func enhanced() {
        let bench = Bench.ready()
        bench.call { $0.connect(to: peer) }
        let front: [UInt8] = [0, 0x40, 0, 0, 1] + peer.bytes + [UInt8](repeating: 0, count: 12)
        bench.hear(Packets.lowEnergy(0x0a, front + [36, 0, 0, 0, 0xf4, 1, 0]))
        #expect(bench.events == [connection(peer)])
    }

    @Test("packets are left as they are where they cannot be longer")
    func noDataLength() {
        let bench = Bench.ready { $0.lowEnergyFeatures = 0 }
        bench.connect(1)
        #expect(bench.far.commands.isEmpty)
    }

    @Test(
        "an attempt that the controller refuses or gives up is over, with the status",
        arguments: [0x07, 0x09, 0x0b, 0x0d, 0x12, 0x3e] as [UInt8])
    func refused(status: UInt8) {
        let refusing = Bench.ready { $0.replies[.createConnection] = { _ in .status(status) } }
        refusing.call { $0.connect(to: peer) }
        let trying = Bench.ready()
        trying.call { $0.connect(to: peer) }
        trying.hear(Packets.connected(0, peer, isCentral: true, status: status))
        for bench in [refusing, trying] {
            #expect(bench.events == [.connectEnded(peer, HCIStatus(rawValue: status))])
            #expect(bench.controller.activity == Controller.Activity())
        }
    }

    @Test("one attempt at a time: for the same device nothing happens, for another one it is refused")
    func oneAtATime() {
        let bench = Bench.ready()
        bench.call { $0.connect(to: peer) }
        bench.call { $0.connect(to: peer) }
        #expect(bench.events.isEmpty)
        bench.call { $0.connect(to: other) }
        #expect(bench.events == [.connectEnded(other, .commandDisallowed)])
        #expect(bench.far.opCodes == [.createConnection] && bench.reportsFromWithin == 0)
    }

    // MARK: Cancelling

    @Test("a cancelled attempt ends when the controller says so, once")
    func cancelled() {
        let bench = Bench.ready()
        bench.call { $0.connect(to: peer) }
        bench.call { $0.cancelConnect() }
        bench.call { $0.cancelConnect() }
        #expect(bench.far.opCodes == [.createConnection, .createConnectionCancel])
        #expect(bench.controller.activity == Controller.Activity(connecting: peer, isBusy: true))
        bench.hear(Packets.connected(0, peer, isCentral: true, status: 0x02))
        #expect(bench.events == [.connectEnded(peer, .unknownConnection)])
        bench.wait(.seconds(5))
        #expect(bench.events.count == 1)
    }

    @Test("an attempt cancelled before it began is cancelled as soon as it begins")
    func cancelledEarly() {
        let bench = Bench.ready { $0.replies[.createConnection] = { _ in .silence } }
        bench.call {
            $0.connect(to: peer)
            $0.cancelConnect()
        }
        #expect(bench.far.opCodes == [.createConnection])
        bench.hear(Packets.status(.createConnection, 1, 0))
        #expect(bench.far.opCodes == [.createConnection, .createConnectionCancel])
    }

    @Test("a connection that comes up all the same is reported as one", arguments: [0, 0x0c] as [UInt8])
    func cameUpMeanwhile(status: UInt8) {
        let bench = Bench.ready { $0.replies[.createConnectionCancel] = { _ in .complete(status) } }
        bench.call { $0.connect(to: peer) }
        bench.call { $0.cancelConnect() }
        bench.hear(Packets.connected(0x40, peer, isCentral: true))
        bench.wait(.seconds(5))
        #expect(bench.events == [connection(peer)])
    }

    @Test("when the controller never says that it is over, it is over after a while", arguments: [0, 0x0c] as [UInt8])
    func neverEnds(status: UInt8) {
        let bench = Bench.ready { $0.replies[.createConnectionCancel] = { _ in .complete(status) } }
        bench.call { $0.connect(to: peer) }
        bench.call { $0.cancelConnect() }
        bench.wait(1999)
        #expect(bench.events.isEmpty)
        bench.wait(1)
        #expect(bench.events == [.connectEnded(peer, .unknownConnection)])
        #expect(bench.controller.activity == Controller.Activity())
        // It comes up at last: the radio decides.
        bench.hear(Packets.connected(0x40, peer, isCentral: true))
        #expect(bench.events.last == connection(peer))
    }

    @Test("without an attempt there is nothing to cancel")
    func nothingToCancel() {
        let bench = Bench.ready()
        bench.call { $0.cancelConnect() }
        #expect(bench.far.commands.isEmpty)
    }

    // MARK: Events out of order

    @Test("the end of an earlier attempt does not end one that was only just asked for")
    func lateEnd() {
        let bench = Bench.ready { $0.replies[.createConnection] = { _ in .silence } }
        bench.call { $0.connect(to: peer) }
        bench.hear(Packets.connected(0, other, isCentral: true, status: 0x02))
        #expect(bench.events.isEmpty && bench.controller.activity.connecting == peer)
        bench.hear(Packets.connected(0x40, other, isCentral: true))
        #expect(bench.events == [connection(other)] && bench.controller.activity.connecting == peer)
    }

    @Test("a connection that comes before the status ends the attempt; what then begins is cancelled")
    func connectionFirst() {
        let bench = Bench.ready { $0.replies[.createConnection] = { _ in .silence } }
        bench.call { $0.connect(to: peer) }
        bench.hear(Packets.connected(0x40, peer, isCentral: true))
        #expect(bench.events == [connection(peer)] && bench.controller.activity == Controller.Activity())
        bench.hear(Packets.status(.createConnection, 1, 0))
        #expect(bench.far.opCodes.contains(.createConnectionCancel) && bench.events.count == 1)
    }

    @Test("an attempt that is over before its turn came is never begun")
    func neverBegun() {
        let bench = Bench.ready { $0.replies[.setScanEnable] = { _ in .silence } }
        bench.call {
            $0.scan(nil)
            $0.connect(to: peer)
        }
        bench.hear(Packets.connected(0x40, peer, isCentral: true))
        bench.hear(Packets.complete(.setScanEnable, 1, [0]))
        #expect(!bench.far.opCodes.contains(.createConnection))
    }

    @Test("a controller that is still at an earlier attempt is told to stop that")
    func stillBusy() {
        let bench = Bench.ready { $0.replies[.createConnection] = { _ in .status(0x0c) } }
        bench.call { $0.connect(to: peer) }
        #expect(bench.events == [.connectEnded(peer, .commandDisallowed)])
        #expect(bench.far.opCodes == [.createConnection, .createConnectionCancel])
    }

    @Test("a connection to somebody else ends the attempt too: there is one at a time")
    func somebodyElse() {
        let bench = Bench.ready()
        bench.call { $0.connect(to: peer) }
        bench.hear(Packets.connected(0x40, other, isCentral: true))
        #expect(bench.events == [.connectEnded(peer, .unspecified), connection(other)])
    }

    @Test("an accepted connection does not end the attempt, and a failed one neither")
    func accepted() {
        let bench = Bench.ready()
        bench.call { $0.connect(to: peer) }
        bench.hear(Packets.connected(0x40, peer, isCentral: false))
        bench.hear(Packets.connected(0, peer, isCentral: false, status: 0x3c))
        #expect(bench.events == [connection(peer, isCentral: false)])
        #expect(bench.controller.activity.connecting == peer)
    }

    @Test("a failed connection without an attempt is nothing")
    func nothingTried() {
        let bench = Bench.ready()
        bench.hear(Packets.connected(0, peer, isCentral: true, status: 0x3e))
        #expect(bench.reports.isEmpty)
    }

    // MARK: Impossible connections

    @Test(
        "a handle out of range is no connection; the attempt is over", arguments: [0x0f00, 0x0fff, 0xffff] as [UInt16])
    func outOfRange(number: UInt16) {
        let bench = Bench.ready()
        bench.call { $0.connect(to: peer) }
        bench.hear(Packets.connected(number, peer, isCentral: true))
        #expect(bench.events == [.connectEnded(peer, .unspecified)])
        #expect(bench.controller.counters.malformedPackets == 1)
    }

    @Test("a connection in no role that there is, or to no kind of address, is ended")
    func impossible() {
        let bench = Bench.ready()
        bench.hear(Packets.connected(0x40, peer, isCentral: true, role: 2))
        var packet = Packets.connected(0x41, peer, isCentral: false)
        packet[8] = 9
        bench.hear(packet)
        #expect(bench.events.isEmpty)
        #expect(bench.far.commands.map(\.parameters) == [[0x40, 0, 0x14], [0x41, 0, 0x14]])
    }

    @Test("a handle that is in use begins a new connection, after the end of the old one")
    func handleInUse() {
        let bench = Bench.ready()
        bench.connect(0x40)
        bench.forget()
        bench.hear(Packets.connected(0x40, other, isCentral: false))
        #expect(bench.events == [.disconnected(handle, .unspecified), connection(other, isCentral: false)])
    }

    @Test("more connections than we keep are ended at once")
    func tooMany() {
        let bench = Bench.ready()
        for number in 0...64 as ClosedRange<UInt16> { bench.connect(number) }
        #expect(bench.events.count == BluetoothPolicy.connections)
        #expect(bench.far.commands.last?.opCode == .disconnect && bench.far.commands.last?.parameters == [64, 0, 0x14])
    }

    @Test("an attempt that leads to one more than we keep is over")
    func tooManyOfOurs() {
        let bench = Bench.ready()
        for number in 0...63 as ClosedRange<UInt16> { bench.connect(number) }
        bench.call { $0.connect(to: peer) }
        bench.forget()
        bench.hear(Packets.connected(64, peer, isCentral: true))
        #expect(bench.events == [.connectEnded(peer, .connectionLimitExceeded)])
        #expect(bench.controller.activity.connecting == nil)
    }

    @Test("a supervision timeout beyond all bounds does not bind us for longer than the longest")
    func endlessTimeout() {
        let bench = Bench.ready { $0.replies[.disconnect] = { _ in .status(0) } }
        bench.connect(0x40, timeout: 0xffff)
        bench.call { $0.disconnect(handle, reason: .remoteUserTerminated) }
        bench.forget()
        bench.wait(.seconds(32) + BluetoothPolicy.disconnectMargin)
        #expect(bench.events == [.disconnected(handle, .connectionTimeout)])
    }
}

@Suite("Connections")
struct ConnectionTests {
    @Test("one is ended for a reason that may be given, once")
    func disconnect() {
        for (reason, given) in [(.remotePowerOff, 0x15), (.localHostTerminated, 0x13)] as [(HCIStatus, UInt8)] {
            let bench = Bench.ready()
            bench.connect(0x40)
            bench.forget()
            bench.call {
                $0.disconnect(handle, reason: reason)
                $0.disconnect(handle, reason: reason)
            }
            #expect(bench.far.commands.map(\.parameters) == [[0x40, 0, given]])
            #expect(bench.events == [.disconnected(handle, .localHostTerminated)])
        }
    }

    @Test("one that the controller does not know any more is gone")
    func unknown() {
        let bench = Bench.ready { $0.replies[.disconnect] = { _ in .status(0x02) } }
        bench.connect(0x40)
        bench.forget()
        bench.call { $0.disconnect(handle, reason: .remoteUserTerminated) }
        #expect(bench.events == [.disconnected(handle, .unknownConnection)])
    }

    @Test("when its end is not told, it is gone two seconds after the supervision timeout")
    func neverTold() {
        for reply in [ScriptedController.Reply.status(0), .status(0x0c)] {
            let bench = Bench.ready { $0.replies[.disconnect] = { _ in reply } }
            bench.connect(0x40, timeout: 100)
            bench.forget()
            bench.call { $0.disconnect(handle, reason: .remoteUserTerminated) }
            bench.wait(2999)
            #expect(bench.events.isEmpty)
            bench.wait(1)
            #expect(bench.events == [.disconnected(handle, .connectionTimeout)])
            bench.hear(Packets.disconnected(0x40, 0x16))
            #expect(bench.events.count == 1 && bench.controller.counters.unknownHandles == 1)
        }
    }

    @Test("a Disconnect in the queue does not hit a later connection with the same handle")
    func reused() {
        let bench = Bench.ready()
        bench.connect(0x40)
        bench.far.replies[.setScanEnable] = { _ in .silence }
        bench.call {
            $0.scan(nil)
            $0.disconnect(handle, reason: .remoteUserTerminated)
        }
        bench.hear(Packets.disconnected(0x40, 0x13))
        bench.connect(0x40)
        bench.hear(Packets.complete(.setScanEnable, 1, [0]))
        #expect(!bench.far.opCodes.contains(.disconnect))
        bench.wait(.seconds(60))
        #expect(bench.events.last != .disconnected(handle, .connectionTimeout))
    }

    @Test("the end by the far side is reported; a failed end, and the end of a stranger, are not")
    func ended() {
        let bench = Bench.ready()
        bench.connect(0x40)
        bench.forget()
        bench.hear(Packets.disconnected(0x40, 0x13, status: 0x0c), Packets.disconnected(0x41, 0x13))
        #expect(bench.events.isEmpty)
        bench.hear(Packets.disconnected(0x40, 0x13), Packets.disconnected(0x40, 0x13))
        #expect(bench.events == [.disconnected(handle, .remoteUserTerminated)])
        #expect(bench.controller.counters.unknownHandles == 2)
    }

    @Test("the signal is asked for; unknown, refused, cut or of another connection it is none")
    func signal() {
        let bench = Bench.ready()
        bench.connect(0x40)
        bench.forget()
        bench.readSignal(of: handle)
        let replies: [ScriptedController.Reply] = [
            .complete(0, [0x40, 0, 127]), .complete(2, [0x40, 0, 200]), .complete(0, [0x40, 0]), .complete(0),
            .complete(0, [0x41, 0, 200]), .silence, .complete(0, [0x40, 0, 200]),
        ]
        for reply in replies {
            bench.far.replies[.readRSSI] = { _ in reply }
            bench.readSignal(of: handle)
            bench.wait(.seconds(2))
        }
        bench.readSignal(of: ConnectionHandle(rawValue: 9))
        #expect(bench.events == [.signal(-47)] + Array(repeating: .signal(nil), count: 8))
        #expect(bench.reportsFromWithin == 0)
        // Once it was not answered it is not asked again.
        #expect(bench.far.opCodes.count { $0 == .readRSSI } == 7)
    }

    @Test("the far end gets the parameters that it asks for, if they make sense, and no key")
    func requests() {
        let bench = Bench.ready()
        bench.connect(0x40)
        bench.forget()
        bench.hear(Packets.lowEnergy(0x06, [0x40, 0, 24, 0, 40, 0, 0, 0, 0xf4, 1]))
        bench.hear(Packets.lowEnergy(0x06, [0x40, 0, 40, 0, 24, 0, 0, 0, 0xf4, 1]))
        bench.hear(Packets.lowEnergy(0x05, [0x40, 0] + [UInt8](repeating: 0, count: 10)))
        #expect(
            bench.far.commands.map(\.parameters) == [
                [0x40, 0, 24, 0, 40, 0, 0, 0, 0xf4, 1, 0, 0, 0, 0], [0x40, 0, 0x3b], [0x40, 0],
            ])
        #expect(
            bench.far.opCodes == [.parameterRequestReply, .parameterRequestNegativeReply, .keyRequestNegativeReply])
    }

    @Test("other parameters are asked for, if they make sense; a new supervision timeout counts")
    func parameters() {
        let bench = Bench.ready { $0.replies[.disconnect] = { _ in .status(0) } }
        bench.connect(0x40)
        bench.forget()
        bench.call {
            $0.updateParameters(of: handle, .ours)
            $0.updateParameters(of: ConnectionHandle(rawValue: 9), .ours)
            var wrong = ConnectionParameters.ours
            wrong.timeout = 1
            $0.updateParameters(of: handle, wrong)
        }
        #expect(bench.far.opCodes == [.connectionUpdate])
        bench.hear(Packets.lowEnergy(0x03, [0, 0x40, 0, 24, 0, 0, 0, 10, 0]))
        bench.hear(Packets.lowEnergy(0x03, [0x3b, 0x40, 0, 24, 0, 0, 0, 0xff, 0xff]))
        bench.call { $0.disconnect(handle, reason: .remoteUserTerminated) }
        bench.wait(2099)
        #expect(bench.events.isEmpty)
        bench.wait(1)
        #expect(bench.events == [.disconnected(handle, .connectionTimeout)])
    }
}
