import Domain
import Testing

@testable import BluetoothHCI

private func handle(_ number: UInt16) -> ConnectionHandle { ConnectionHandle(rawValue: number) }

/// A bench whose controller has so many buffers of so many bytes.
private func bench(_ count: UInt8, of length: UInt16 = 27) -> Bench {
    Bench.ready { ($0.bufferCount, $0.bufferLength, $0.lowEnergyFeatures) = (count, length, 0) }
}

@Suite("Receiving data")
struct ReceivingTests {
    @Test("a stranger that goes on talking is ended, once in five seconds, whatever becomes of the command")
    func stranger() {
        for reply in [ScriptedController.Reply.silence, .status(0x0c), .status(0x01), .status(0)] {
            let bench = bench(4)
            bench.far.replies[.disconnect] = { _ in reply }
            for _ in 0..<100 {
                bench.hear(Packets.data(7, [1]))
                bench.wait(100)
            }
            let ends = bench.far.commands.filter { $0.opCode == .disconnect }
            #expect(ends.map(\.parameters) == [[7, 0, 0x14], [7, 0, 0x14]])
            #expect(bench.failure == nil)
        }
    }

    @Test("one whose connection is told of soon after is none")
    func eventLate() {
        let bench = bench(4)
        bench.hear(Packets.data(7, [1]))
        bench.connect(7)
        bench.wait(.seconds(5))
        #expect(!bench.far.opCodes.contains(.disconnect))
    }

    @Test("a connection whose end was refused is ended when it turns out to live on")
    func refusedEnd() {
        let bench = bench(4)
        bench.connect(1)
        bench.far.replies[.disconnect] = { _ in .status(0x1f) }
        bench.call { $0.disconnect(handle(1), reason: .remoteUserTerminated) }
        bench.wait(.seconds(7))
        #expect(bench.events.last == .disconnected(handle(1), .connectionTimeout))
        bench.far.replies = [:]
        bench.forget()
        bench.hear(Packets.data(1, [1]))
        bench.wait(.seconds(1))
        #expect(bench.far.commands.map(\.parameters) == [[1, 0, 0x14]])
    }

    @Test("strangers by the thousand take no more room than connections have")
    func strangers() {
        let bench = bench(4)
        for number in 0..<0x0eff as Range<UInt16> { bench.hear(Packets.data(number, [1])) }
        #expect(bench.controller.strangers.count == BluetoothPolicy.connections)
        bench.wait(.seconds(5))
        #expect(bench.far.opCodes.count { $0 == .disconnect } == BluetoothPolicy.connections)
        bench.hear(Packets.data(0x0e00, [1]))
        #expect(bench.controller.strangers.count == 1)
    }

    @Test("pieces are handed on as they are, with the handle and whether one is a start")
    func pieces() {
        let bench = bench(4)
        bench.connect(1)
        bench.forget()
        bench.hear(
            Packets.data(1, [1, 2]), Packets.data(1, [3], boundary: 1), Packets.data(1, [4], boundary: 0))
        #expect(
            bench.reports == [
                .received([1, 2], isStart: true, handle(1)), .received([3], isStart: false, handle(1)),
                .received([4], isStart: true, handle(1)),
            ])
    }

    @Test("strangers' data, cut packets, and kinds of packets that we do not know are counted and let go")
    func refused() {
        let bench = bench(4)
        bench.connect(1)
        bench.forget()
        bench.hear(Packets.data(2, [1]), Packets.data(0x0fff, [1]))
        bench.hear(
            [2], [2, 1, 0x20, 9, 0, 1], Packets.data(1, [1], boundary: 3), [3, 1, 0, 1, 7], [5], [1, 3, 12, 0], [])
        #expect(bench.reports.isEmpty)
        #expect(bench.controller.counters.unknownHandles == 2)
        #expect(bench.controller.counters.malformedPackets == 7)
    }

    @Test("data that comes with the end of its connection is reported before it")
    func beforeTheEnd() {
        let bench = bench(4)
        bench.connect(1)
        bench.forget()
        bench.hear(Packets.data(1, [1]), Packets.disconnected(1, 0x13), Packets.data(1, [2]))
        #expect(
            bench.reports == [
                .received([1], isStart: true, handle(1)), .disconnected(handle(1), .remoteUserTerminated),
            ])
    }
}
