import Support
import Testing

@Suite("Unpatched air", .needsInteropPython, .timeLimit(.minutes(15)))
struct UnpatchedAirTests {
    @Test("its controllers are as broken as they are wanted")
    func broken() throws {
        let air = try UnpatchedAir(adapters: 2)
        let hosts = try (0..<2).map { try RawHost(String(air.address(of: $0).dropFirst("h4:unix:".count))) }
        for (number, host) in hosts.enumerated() { try host.prepare(UInt8(number)) }
        // A command that is not answered.
        #expect(throws: RawHost.Silent.self) {
            try hosts[0].command(0x2032, [1, 0, 0, 2, 2, 0, 0], within: RawHost.moment)
        }
        // A cancelled attempt that never ends, and stands in the way.
        #expect(try hosts[0].connect(to: 9) == 0)
        #expect(try hosts[0].command(0x200E) == [0])
        #expect(throws: RawHost.Silent.self) { try hosts[0].connection(within: RawHost.moment) }
        #expect(try hosts[0].connect(to: 9) == 0x0C)
        // A legacy scan that is reported in the extended form.
        #expect(try hosts[1].advertise() == 0)
        try hosts[0].command(0x200B, [1, 0x10, 0, 0x10, 0, 1, 0])
        try hosts[0].command(0x200C, [1, 1])
        _ = try hosts[0].event(0x3E, subevent: 0x0D)
    }
}
