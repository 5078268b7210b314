import Application
import BluetoothHCI
import Domain
import Support
import Testing

@Suite("Adapters that are lost and come back", .needsInteropPython, .timeLimit(.minutes(15)))
struct AdapterLossTests {
    @Test("every link goes down, the radio says why, and takes the adapter back", arguments: Mishap.allCases)
    func back(mishap: Mishap) throws {
        let air = try VirtualAir(adapters: 2)
        let one = try RadioStation([air.address(of: 0)], seed: 1)
        let two = try RadioStation([air.address(of: 1)], seed: 2)
        let (here, there) = (try one.link(), try two.link())
        let address = one.radios.adapters.first?.deviceAddress
        try mishap.happen(to: 0, in: air)
        try one.until("the end here") { $0.adapterDowns == 1 ? true : nil }
        #expect(one.seen.alive.isEmpty)
        #expect(one.seen.downs.map(\.link) == [here.id])
        try mishap.end(for: 0, in: air)
        let back = try one.link(besides: [here.id])
        let again = try two.link(besides: [there.id])
        #expect(one.radios.send(numberedFrame(1), on: back.id) == .accepted)
        #expect(try two.frame(numberedFrame(1)) == again.id)
        let status = try #require(one.radios.adapters.first)
        #expect(status.state == .ready && status.losses == 1)
        #expect(status.deviceAddress == address, "a phone finds the device that it knows")
    }

    @Test("an adapter that is missing at the start is said to be, and taken when it appears; the other one works")
    func missing() throws {
        let air = try VirtualAir(adapters: 3)
        try air.remove(0)
        let one = try RadioStation([air.address(of: 0), air.address(of: 1)], seed: 1)
        let two = try RadioStation([air.address(of: 2)], seed: 2)
        let first = try two.link()
        let status = try #require(one.radios.adapters.first)
        #expect(status.state == .missing && status.reason != nil)
        try air.insert(0)
        _ = try two.link(besides: [first.id])
        #expect(one.radios.adapters.map(\.state) == [.ready, .ready])
    }

    @Test("frames in flight when an adapter is lost leave nothing behind: a lost link takes no more, a new one all")
    func underLoad() throws {
        let air = try VirtualAir(adapters: 2)
        let one = try RadioStation([air.address(of: 0)], seed: 1)
        let two = try RadioStation([air.address(of: 1)], seed: 2)
        let (here, there) = (try one.link(), try two.link())
        var number = 0
        while one.radios.send(numberedFrame(number, count: 500), on: here.id) != .full { number += 1 }
        try air.unplug(0)
        try one.until("the end here") { $0.downs.first { $0.link == here.id } }
        #expect(one.radios.send(numberedFrame(1), on: here.id) == .refused)
        let back = try one.link(besides: [here.id])
        _ = try two.link(besides: [there.id])
        #expect(one.radios.send(numberedFrame(100), on: back.id) == .accepted)
        try two.frame(numberedFrame(100))
    }

    @Test("a second radio on a controller behind a socket is turned away, says so once, and takes it when it is free")
    func taken() throws {
        let air = try VirtualAir(adapters: 1)
        let one = try RadioStation([air.address(of: 0)], seed: 1)
        try one.until("the adapter") { seen in seen.logs.contains { $0.contains("on the air as") } ? true : nil }
        let two = try RadioStation([air.address(of: 0)], seed: 2)
        try two.until("a warning") { seen in
            seen.logs.contains { $0.contains("another program may have it") } ? true : nil
        }
        one.radios.stop()
        try two.until("the adapter") { seen in seen.logs.contains { $0.contains("on the air as") } ? true : nil }
        #expect(two.seen.logs.count { $0.contains("another program may have it") } == 1)
    }
}
