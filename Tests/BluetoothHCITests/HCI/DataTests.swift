import Domain
import Testing

@testable import BluetoothHCI

private func handle(_ number: UInt16) -> ConnectionHandle { ConnectionHandle(rawValue: number) }

/// A bench whose controller has so many buffers of so many bytes.
private func bench(_ count: UInt8, of length: UInt16 = 27) -> Bench {
    Bench.ready { ($0.bufferCount, $0.bufferLength, $0.lowEnergyFeatures) = (count, length, 0) }
}

private func frame(_ byte: UInt8, _ count: Int = 20) -> [UInt8] { [UInt8](repeating: byte, count: count) }

@Suite("Sending data")
struct SendingTests {
    @Test(
        "a frame is cut into pieces of the controller's length; the first one is a start",
        arguments: [(1, 1), (27, 1), (28, 2), (54, 2), (55, 3), (514, 20)])
    func pieces(length: Int, count: Int) throws {
        let bench = bench(20)
        bench.connect(1)
        let whole = (0..<length).map { UInt8(truncatingIfNeeded: $0) }
        bench.give(handle(1), [whole])
        #expect(bench.far.data.count == count)
        let packets = bench.far.data
        #expect(packets.flatMap { $0[5...] } == whole)
        #expect(packets.map { $0[2] >> 4 } == [0] + [UInt8](repeating: 1, count: count - 1))
        #expect(packets.allSatisfy { Int($0[3]) == $0.count - 5 && $0.count <= 32 })
        #expect(bench.reportsFromWithin == 0)
    }

    @Test("no more is sent than there are credits; each that comes back lets one more go")
    func credits() {
        let bench = bench(3)
        bench.connect(1)
        bench.give(handle(1), (0..<10).map { frame($0) })
        #expect(bench.far.data.count == 3)
        bench.hear(Packets.completed([(1, 2)]))
        #expect(bench.far.data.count == 5)
        bench.hear(Packets.completed([(1, 3)]))
        #expect(bench.far.data.map { $0[5] } == Array(0...7))
        #expect(bench.controller.credits == (0, 3))
    }

    @Test("connections take turns piece by piece")
    func turns() {
        let bench = bench(12)
        for number in 1...3 as ClosedRange<UInt16> {
            bench.connect(number)
            bench.frames[handle(number)] = [frame(1, 54), frame(2, 54)]
        }
        bench.call { controller in (1...3).forEach { controller.wantsToSend(on: handle($0)) } }
        for _ in 0..<4 { bench.hear(Packets.completed([(1, 9), (2, 9), (3, 9)])) }
        #expect(bench.sentOn.prefix(6) == [1, 2, 3, 1, 2, 3])
        for number in 1...3 as ClosedRange<UInt16> { #expect(bench.sentOn.count { $0 == number } == 4) }
    }

    @Test("with one credit in all, connections still take turns")
    func oneCredit() {
        let bench = bench(1)
        for number in 1...2 as ClosedRange<UInt16> {
            bench.connect(number)
            bench.frames[handle(number)] = [frame(1), frame(2), frame(3)]
        }
        bench.call { controller in (1...2).forEach { controller.wantsToSend(on: handle($0)) } }
        for _ in 0..<6 { bench.hear(Packets.completed([(bench.sentOn.last ?? 0, 1)])) }
        #expect(bench.sentOn == [1, 2, 1, 2, 1, 2])
    }

    @Test("a connection that ends in the middle of the round leaves no turn behind for the next one with its handle")
    func reused() {
        let bench = bench(1)
        for number in 1...2 as ClosedRange<UInt16> {
            bench.connect(number)
            bench.give(handle(number), [frame(1), frame(2), frame(3)])
        }
        bench.hear(Packets.disconnected(2, 0x13))
        bench.connect(2)
        bench.give(handle(2), [])
        for _ in 0..<5 { bench.hear(Packets.completed([(bench.sentOn.last ?? 0, 1)])) }
        #expect(bench.sentOn == [1, 1, 2, 1, 2, 2])
    }

    @Test(
        "of several connections none holds more than half, and when some stall, another one can send",
        arguments: [(2, 1), (3, 1), (4, 2), (8, 3), (15, 3), (192, 7)] as [(UInt8, UInt16)])
    func stalls(total: UInt8, stalled: UInt16) {
        let bench = bench(total)
        for number in 1...stalled + 1 { bench.connect(number) }
        for number in 1...stalled {
            bench.give(handle(number), [frame(1, 27 * 500)])
            #expect(bench.sentOn.count { $0 == number } <= max(1, Int(total) / 2))
        }
        let healthy = stalled + 1
        bench.give(handle(healthy), (0..<50).map { frame($0) })
        var returned = 0
        while case let sent = bench.sentOn.count(where: { $0 == healthy }), sent > returned {
            bench.hear(Packets.completed([(healthy, UInt16(sent - returned))]))
            returned = sent
        }
        #expect(returned == 50)
    }

    @Test("a single connection may use every credit")
    func alone() {
        let bench = bench(8)
        bench.connect(1)
        bench.give(handle(1), [frame(1, 1000)])
        #expect(bench.sentOn.count == 8)
    }

    @Test("a connection that had nothing is asked again when it says so, and only then")
    func asked() {
        let bench = bench(8)
        bench.connect(1)
        bench.call { $0.wantsToSend(on: handle(1)) }
        bench.frames[handle(1)] = [frame(1)]
        bench.hear(Packets.completed([(1, 0)]))
        #expect(bench.far.data.isEmpty)
        bench.call { $0.wantsToSend(on: handle(1)) }
        #expect(bench.far.data.count == 1)
    }

    @Test("nothing is sent to strangers, nor over a connection that is being ended")
    func closed() {
        let bench = Bench.ready {
            ($0.bufferCount, $0.bufferLength) = (2, 27)
            $0.replies[.disconnect] = { _ in .status(0) }
        }
        bench.give(handle(1), [frame(1)])
        bench.connect(1)
        bench.give(handle(1), [frame(1, 200), frame(2)])
        #expect(bench.far.data.count == 2)
        bench.call { $0.disconnect(handle(1), reason: .remoteUserTerminated) }
        bench.give(handle(1), [])
        bench.hear(Packets.completed([(1, 2)]))
        #expect(bench.far.data.count == 2)
    }

    @Test("the report of a frame's turn may end the connection")
    func endedInTurn() {
        final class Ending: ControllerDelegate {
            weak var controller: Controller?
            func controllerReady(_ capabilities: ControllerCapabilities) {}
            func controllerFailed(_ reason: String) {}
            func activityChanged() {}
            func refused(_ refusal: Controller.Refusal, _ status: HCIStatus) {}
            func saw(_ report: AdvertisingReport) {}
            func connected(_ connection: HCIConnection) {}
            func connectEnded(_ device: DeviceAddress, _ status: HCIStatus) {}
            func disconnected(_ handle: ConnectionHandle, _ reason: HCIStatus) {}
            func received(_ fragment: ArraySlice<UInt8>, isStart: Bool, on handle: ConnectionHandle) {}
            func nextFrame(for handle: ConnectionHandle) -> [UInt8]? {
                controller?.disconnect(handle, reason: .remoteUserTerminated)
                controller?.wantsToSend(on: handle)
                return [1, 2, 3]
            }
        }
        let bench = bench(8)
        bench.connect(1)
        let ending = Ending()
        ending.controller = bench.controller
        bench.controller.delegate = ending
        bench.call { $0.wantsToSend(on: handle(1)) }
        #expect(bench.far.data.isEmpty && bench.far.opCodes.contains(.disconnect))
    }

    @Test("a connection that always says that it wants to, and has nothing, keeps nobody busy")
    func restless() {
        final class Restless: ControllerDelegate {
            weak var controller: Controller?
            var asked = 0
            func controllerReady(_ capabilities: ControllerCapabilities) {}
            func controllerFailed(_ reason: String) {}
            func activityChanged() {}
            func refused(_ refusal: Controller.Refusal, _ status: HCIStatus) {}
            func saw(_ report: AdvertisingReport) {}
            func connected(_ connection: HCIConnection) {}
            func connectEnded(_ device: DeviceAddress, _ status: HCIStatus) {}
            func disconnected(_ handle: ConnectionHandle, _ reason: HCIStatus) {}
            func received(_ fragment: ArraySlice<UInt8>, isStart: Bool, on handle: ConnectionHandle) {}
            func nextFrame(for handle: ConnectionHandle) -> [UInt8]? {
                asked += 1
                controller?.wantsToSend(on: handle)
                return nil
            }
        }
        let bench = bench(8)
        bench.connect(1)
        let restless = Restless()
        restless.controller = bench.controller
        bench.controller.delegate = restless
        bench.call { $0.wantsToSend(on: handle(1)) }
        #expect(restless.asked == 1)
    }
}

@Suite("Credits for data")
struct CreditTests {
    @Test("credits returned twice, of strangers, or by the thousand never make more than there are")
    func surplus() {
        let bench = bench(4)
        bench.connect(1)
        bench.give(handle(1), [frame(1), frame(2)])
        bench.hear(Packets.completed([(1, 2)]), Packets.completed([(1, 2), (9, 5)]), Packets.completed([(1, 0xffff)]))
        #expect(bench.controller.credits == (4, 4))
        #expect(bench.controller.counters.surplusCredits == 2 + 0xffff)
        #expect(bench.controller.counters.unknownHandles == 1)
    }

    @Test("a connection that is gone gives its credits back")
    func gone() {
        let bench = bench(4)
        bench.connect(1)
        bench.connect(2)
        bench.give(handle(1), [frame(1, 200)])
        #expect(bench.controller.credits == (2, 4))
        bench.hear(Packets.disconnected(1, 0x08))
        #expect(bench.controller.credits == (4, 4))
        bench.hear(Packets.completed([(1, 2)]))
        #expect(bench.controller.credits == (4, 4) && bench.controller.counters.unknownHandles == 1)
    }

    @Test(
        "credits that do not come back are taken back a second after the supervision timeout",
        arguments: [(10, 2000), (100, 2000), (500, 6000), (900, 10_000)] as [(UInt16, Int64)])
    func reclaimed(timeout: UInt16, patience: Int64) {
        let bench = bench(2)
        bench.connect(1, timeout: timeout)
        bench.give(handle(1), (0..<4).map { frame($0) })
        bench.wait(Milliseconds(patience - 1))
        #expect(bench.far.data.count == 2 && bench.controller.counters.reclaimedCredits == 0)
        bench.wait(1)
        #expect(bench.far.data.count == 4 && bench.controller.counters.reclaimedCredits == 2)
        #expect(bench.events == [bench.events[0]])
    }

    @Test("a credit that comes back in between starts the time anew")
    func progress() {
        let bench = bench(2)
        bench.connect(1)
        bench.give(handle(1), (0..<9).map { frame($0) })
        for _ in 0..<5 {
            bench.wait(.seconds(5))
            bench.hear(Packets.completed([(1, 1)]))
        }
        #expect(bench.controller.counters.reclaimedCredits == 0 && bench.far.data.count == 7)
    }

    @Test("a connection from which nothing left after that is dead the second time; the others go on")
    func dead() {
        let bench = bench(4)
        bench.connect(1)
        bench.connect(2)
        bench.give(handle(1), (0..<20).map { frame($0) })
        bench.wait(.seconds(6))
        #expect(bench.controller.counters.reclaimedCredits == 2 && bench.controller.counters.stalledConnections == 0)
        bench.forget()
        bench.wait(.seconds(6))
        #expect(bench.controller.counters.reclaimedCredits == 2)
        #expect(bench.far.commands.filter { $0.opCode == .disconnect }.map(\.parameters) == [[1, 0, 0x13]])
        #expect(bench.events == [.disconnected(handle(1), .localHostTerminated)])
        #expect(bench.controller.counters.stalledConnections == 1 && bench.controller.credits == (4, 4))
        bench.give(handle(2), [frame(1)])
        #expect(bench.sentOn == [2])
    }

    @Test(
        "one that may be silent for long is ended, and gives its credits back when it has ended",
        arguments: [0, 0x13] as [UInt8])
    func stalled(refusal: UInt8) {
        let bench = bench(4)
        bench.far.replies[.disconnect] = { _ in .status(refusal) }
        bench.connect(1, timeout: 3200)
        bench.connect(2)
        bench.give(handle(1), (0..<20).map { frame($0) })
        bench.forget()
        bench.wait(9999)
        #expect(!bench.far.opCodes.contains(.disconnect))
        bench.wait(1)
        #expect(bench.far.opCodes.contains(.disconnect))
        #expect(bench.controller.credits == (2, 4) && bench.controller.counters.stalledConnections == 1)
        bench.wait(33_999)
        #expect(bench.controller.credits == (2, 4) && bench.controller.counters.reclaimedCredits == 0)
        bench.wait(1)
        #expect(bench.controller.credits == (4, 4))
        #expect(bench.events == [.disconnected(handle(1), .connectionTimeout)])
    }

    @Test("what one that is being ended holds is not taken back before it has ended")
    func leaving() {
        let bench = bench(4)
        bench.far.replies[.disconnect] = { _ in .status(0) }
        bench.connect(1)
        bench.connect(2)
        bench.give(handle(1), (0..<20).map { frame($0) })
        bench.call { $0.disconnect(handle(1), reason: .remoteUserTerminated) }
        bench.wait(6500)
        #expect(bench.controller.credits == (2, 4) && bench.controller.counters.reclaimedCredits == 0)
        bench.hear(Packets.disconnected(1, 0x16))
        #expect(bench.controller.credits == (4, 4))
    }

    @Test("one packet that left in between saves it")
    func saved() {
        let bench = bench(4)
        bench.connect(1)
        bench.give(handle(1), (0..<20).map { frame($0) })
        bench.wait(.seconds(6))
        bench.hear(Packets.completed([(1, 1)]))
        bench.wait(.seconds(6))
        #expect(bench.controller.counters.stalledConnections == 0)
        #expect(bench.controller.counters.reclaimedCredits == 8)
    }

    @Test("a credit that comes late, after it was taken back, does not count twice")
    func late() {
        let bench = bench(2)
        bench.connect(1)
        bench.give(handle(1), [frame(1), frame(2)])
        bench.wait(.seconds(6))
        bench.hear(Packets.completed([(1, 2)]))
        #expect(bench.controller.credits == (2, 2) && bench.controller.counters.surplusCredits == 2)
    }
}
