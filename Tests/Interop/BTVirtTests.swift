import Support
import Testing

@Suite("BlueZ's emulator", .needsInteropPython, .needsBTVirt, .timeLimit(.minutes(15)))
struct BTVirtTests {
    @Test("phones talk over it, and two emulators are two airs")
    func phones() throws {
        let (air, other) = (try BTVirt(), try BTVirt())
        let stranger = try Phone(other.address, manner: .ios)
        try stranger.connect()
        let peripheral = try Phone(air.address, manner: .android)
        let central = try Phone(air.address, manner: .ios)
        try PhoneTests.talk(central, peripheral)
        #expect(try stranger.events("found").isEmpty)
    }

    @Test("it gives one credit")
    func credit() throws {
        let air = try BTVirt()
        let host = try RawHost(String(air.address.dropFirst("h4:unix:".count)))
        try host.prepare(0)
        #expect(try host.command(0x2002) == [0, 192, 0, 1])
    }
}
