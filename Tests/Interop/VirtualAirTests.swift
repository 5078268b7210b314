import Support
import Testing

/// The air that the radio's tests stand on must itself be right.
@Suite("Virtual air", .needsInteropPython, .timeLimit(.minutes(15)))
struct VirtualAirTests {
    /// Two hosts on an air, with a link from the first to the second.
    struct Pair {
        let air: VirtualAir
        let hosts: [RawHost]
        let handles: [UInt16]

        init(_ options: VirtualAir.Options = VirtualAir.Options()) throws {
            air = try VirtualAir(adapters: 3, options)
            hosts = [try RawHost(air.path(of: 0)), try RawHost(air.path(of: 1))]
            try hosts[0].prepare(0)
            try hosts[1].prepare(1)
            _ = try hosts[1].advertise()
            _ = try hosts[0].connect(to: 1)
            handles = [try hosts[0].connection().handle, try hosts[1].connection().handle]
        }
    }

    /// An L2CAP frame on channel 4.
    private func frame(_ count: Int) -> [UInt8] {
        [UInt8(count & 0xFF), UInt8(count >> 8), 4, 0] + (0..<count).map { UInt8(truncatingIfNeeded: $0) }
    }

    @Test("a scanner is told of an advertisement, of both kinds of scan")
    func reports() throws {
        let air = try VirtualAir(adapters: 3)
        let hosts = try (0..<3).map { try RawHost(air.path(of: $0)) }
        for (number, host) in hosts.enumerated() { try host.prepare(UInt8(number)) }
        _ = try hosts[0].advertise()
        try air.setSignal(-71, at: 1)
        try hosts[1].command(0x200B, [1, 0x10, 0, 0x10, 0, 1, 0])
        try hosts[1].command(0x200C, [1, 1])
        let legacy = try hosts[1].event(0x3E, subevent: 0x02)
        #expect(Array(legacy[1...]) == [1, 0, 1] + hosts[0].address(0) + [3, 2, 1, 6, 0xB9])
        try hosts[2].command(0x2041, [1, 0, 1, 1, 0x10, 0, 0x10, 0])
        try hosts[2].command(0x2042, [1, 0, 0, 0, 0, 0])
        let extended = try hosts[2].event(0x3E, subevent: 0x0D)
        #expect(Array(extended[1...10]) == [1, 0x13, 0, 1] + hosts[0].address(0))
        // By the filter once, and again and again without.
        #expect(throws: RawHost.Silent.self) {
            _ = try hosts[1].event(0x3E, subevent: 0x02)
            _ = try hosts[1].event(0x3E, subevent: 0x02, within: RawHost.moment)
        }
        _ = try hosts[2].event(0x3E, subevent: 0x0D)
        _ = try hosts[2].event(0x3E, subevent: 0x0D)
    }

    @Test("legacy and extended commands exclude each other, and a controller of 4.0 knows no extended ones")
    func commandSets() throws {
        let air = try VirtualAir(adapters: 1)
        let host = try RawHost(air.path(of: 0))
        try host.prepare(0)
        #expect(try host.advertise() == 0)
        #expect(try host.command(0x2042, [1, 0, 0, 0, 0, 0]).first == 0x0C)
        try host.prepare(0)
        #expect(try host.command(0x2041, [1, 0, 1, 1, 0x10, 0, 0x10, 0]).first == 0)
        var options = VirtualAir.Options()
        options.isLegacy = true
        let old = try VirtualAir(adapters: 1, options)
        let oldHost = try RawHost(old.path(of: 0))
        #expect(try oldHost.command(0x2042, [1, 0, 0, 0, 0, 0]).first == 0x01)
    }

    @Test("an accepted connection ends advertising, and a second one of the pair is refused")
    func secondConnection() throws {
        let pair = try Pair()
        let adapters = try pair.air.adapters()
        #expect(!adapters[1].isAdvertising)
        #expect(adapters[0].links.map(\.index) == [1])
        #expect(adapters[0].links.map(\.isCentral) == [true])
        #expect(try pair.hosts[0].connect(to: 1) == 0x0B)
        #expect(try pair.hosts[1].connect(to: 0) == 0x0B)
    }

    @Test("an attempt to connect ends with 0x0B when the peer connects first")
    func crossedConnections() throws {
        let air = try VirtualAir(adapters: 2)
        let hosts = [try RawHost(air.path(of: 0)), try RawHost(air.path(of: 1))]
        try hosts[0].prepare(0)
        try hosts[1].prepare(1)
        // The first waits for the second, which does not advertise but connects.
        #expect(try hosts[0].connect(to: 1) == 0)
        #expect(try hosts[0].advertise() == 0)
        #expect(try hosts[1].connect(to: 0) == 0)
        #expect(try hosts[1].connection().status == 0)
        #expect(try hosts[0].connection().status == 0)
        #expect(try hosts[0].connection().status == 0x0B)
        let adapters = try air.adapters()
        #expect(adapters.map(\.links.count) == [1, 1])
        #expect(adapters.map(\.connecting) == [nil, nil])
    }

    @Test("data arrives in pieces of the link's length, in order, and its buffers come back")
    func data() throws {
        let pair = try Pair()
        let bytes = frame(200)
        pair.hosts[0].data(pair.handles[0], bytes)
        var heard: [UInt8] = []
        while heard.count < bytes.count {
            let packet = try pair.hosts[1].packet { $0[0] == 2 }
            #expect(packet[2] >> 4 == (heard.isEmpty ? 2 : 1))
            #expect(packet.count - 5 <= 27)
            heard += packet[5...]
        }
        #expect(heard == bytes)
        #expect(try pair.hosts[0].event(0x13)[3] == 1)
        // With the extension agreed upon, whole.
        try pair.hosts[0].command(0x2022, [UInt8(pair.handles[0]), 0, 251, 0, 0x48, 8])
        #expect(try pair.hosts[1].event(0x3E, subevent: 0x07)[3...4].elementsEqual([251, 0]))
        pair.hosts[0].data(pair.handles[0], bytes)
        #expect(Array(try pair.hosts[1].packet { $0[0] == 2 }[5...]) == bytes)
        let counts = try pair.air.counts()
        #expect(counts[0].sent == (2, 408))
        #expect(counts[0].mistakes == 0)
    }

    @Test("data beyond the buffers is lost and told of")
    func overflow() throws {
        let pair = try Pair()
        try pair.air.mute(1)
        for _ in 0..<9 { pair.hosts[0].data(pair.handles[0], frame(1)) }
        _ = try pair.hosts[0].event(0x1A)
        #expect(try pair.air.counts()[0].mistakes == 1)
    }

    @Test("credit events are lost and repeated on request")
    func credits() throws {
        let pair = try Pair()
        try pair.air.loseCredits(0, events: 1)
        pair.hosts[0].data(pair.handles[0], frame(1))
        #expect(throws: RawHost.Silent.self) { try pair.hosts[0].event(0x13, within: RawHost.moment) }
        try pair.air.repeatCredits(0, events: 1)
        pair.hosts[0].data(pair.handles[0], frame(1))
        for _ in 0..<2 { #expect(try pair.hosts[0].event(0x13).count == 5) }
        #expect(throws: RawHost.Silent.self) { try pair.hosts[0].event(0x13, within: RawHost.moment) }
    }

    @Test("unplugging closes the socket, and the peer loses the link")
    func unplug() throws {
        let pair = try Pair()
        try pair.air.unplug(0)
        try pair.hosts[0].end()
        #expect(try pair.hosts[1].event(0x05)[3] == 0x08)
        #expect(try RawHost(pair.air.path(of: 0)).command(0x0C03) == [0])
    }

    @Test("a removed adapter is away until it is put in again")
    func remove() throws {
        let pair = try Pair()
        try pair.air.remove(0)
        try pair.hosts[0].end()
        #expect(throws: RawHost.Lost.self) { try RawHost(pair.air.path(of: 0)) }
        #expect(try !pair.air.adapters()[0].isPresent)
        try pair.air.insert(0)
        #expect(try RawHost(pair.air.path(of: 0)).command(0x0C03) == [0])
    }

    @Test("out of range, data waits; the link ends by supervision timeout unless the other comes back")
    func range() throws {
        let pair = try Pair()
        try pair.air.block(0, 1)
        pair.hosts[0].data(pair.handles[0], frame(1))
        try pair.air.unblock(0, 1)
        #expect(try pair.hosts[1].packet { $0[0] == 2 }.count == 10)
        try pair.air.block(0, 1)
        for host in pair.hosts { #expect(try host.event(0x05)[3] == 0x08) }
        _ = try pair.hosts[1].advertise()
        _ = try pair.hosts[0].connect(to: 1)
        #expect(throws: RawHost.Silent.self) { try pair.hosts[0].connection(within: RawHost.moment) }
    }

    @Test("with natural timeouts, a peer that still has the old link does not hear the new one")
    func natural() throws {
        var options = VirtualAir.Options()
        options.hasNaturalTimeouts = true
        let pair = try Pair(options)
        _ = try pair.hosts[1].advertise()
        try pair.air.unplug(0)
        let again = try RawHost(pair.air.path(of: 0))
        try again.prepare(0)
        _ = try again.connect(to: 1)
        #expect(try again.connection().status == 0)
        #expect(try again.event(0x05)[3] == 0x3E)
        #expect(try pair.hosts[1].event(0x05)[3] == 0x08)
        _ = try again.connect(to: 1)
        #expect(try again.connection().status == 0)
        #expect(try pair.hosts[1].connection().status == 0)
    }

    @Test("a mute controller answers nothing, and goes on later")
    func mute() throws {
        let pair = try Pair()
        try pair.air.mute(0)
        #expect(throws: RawHost.Silent.self) { try pair.hosts[0].command(0x0C03, within: RawHost.moment) }
        try pair.air.unmute(0)
        #expect(try pair.hosts[0].command(0x0C03) == [0])
    }

    @Test("a hardware error, raw bytes and a dropped link reach the host")
    func events() throws {
        let pair = try Pair()
        try pair.air.hardwareError(0, code: 7)
        #expect(try pair.hosts[0].event(0x10) == [7])
        try pair.air.send([4, 0xFF, 1, 9], toHostOf: 0)
        #expect(try pair.hosts[0].event(0xFF) == [9])
        try pair.air.drop(0, to: 1, reason: 0x3D)
        for host in pair.hosts { #expect(try host.event(0x05)[3] == 0x3D) }
    }

    @Test("connecting can be cancelled, and what is not heard is not connected to")
    func cancel() throws {
        let air = try VirtualAir(adapters: 2)
        let hosts = [try RawHost(air.path(of: 0)), try RawHost(air.path(of: 1))]
        try hosts[0].prepare(0)
        try hosts[1].prepare(1)
        try air.setLoss(1)
        _ = try hosts[1].advertise()
        _ = try hosts[0].connect(to: 1)
        #expect(throws: RawHost.Silent.self) { try hosts[0].connection(within: RawHost.moment) }
        #expect(try hosts[0].command(0x200E) == [0])
        #expect(try hosts[0].connection().status == 0x02)
        #expect(try hosts[0].command(0x200E) == [0x0C])
        try air.setLoss(0)
        _ = try hosts[0].connect(to: 1)
        #expect(try hosts[0].connection().status == 0)
    }

    @Test("a controller has one host, and speaks TCP too if asked to")
    func hosts() throws {
        var options = VirtualAir.Options()
        options.listensOnTCP = true
        let air = try VirtualAir(adapters: 1, options)
        let host = try RawHost(air.path(of: 0))
        try host.command(0x0C03)
        try RawHost(air.path(of: 0)).end()
        #expect(try air.adapters()[0].port ?? 0 > 0)
    }
}
