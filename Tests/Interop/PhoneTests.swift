import Support
import Testing

/// The phones that the radio is tested with, talking to each other.
@Suite("Phones", .needsInteropPython, .timeLimit(.minutes(15)))
struct PhoneTests {
    /// Lets `central` find, connect and subscribe to `peripheral`, and both say something.
    static func talk(_ central: Phone, _ peripheral: Phone) throws {
        try central.setAnnounce([0xAA])
        try peripheral.setAnnounce([0xBB])
        try peripheral.advertise()
        try central.connect()
        #expect(try central.event("found").json["address"]?.string == peripheral.address)
        #expect(try central.event("discovered").json["properties"]?.unsigned == 0x1E)
        let subscribed = try peripheral.event("subscribed")
        #expect(try central.receive { $0 == [0xBB] }.name == "notified")
        #expect(try peripheral.receive { $0 == [0xAA] }.time >= subscribed.time)
        let long = (0..<512).map { UInt8(truncatingIfNeeded: $0) }
        try central.write(long)
        try peripheral.notify(long.reversed())
        #expect(try peripheral.receive { $0 == long }.name == "written")
        #expect(try central.receive { $0 == long.reversed() }.name == "notified")
    }

    @Test("a phone of either manner connects to one of either manner", arguments: Phone.Manner.allCases)
    func manners(manner: Phone.Manner) throws {
        for other in Phone.Manner.allCases {
            let air = try VirtualAir(adapters: 2)
            let central = try Phone(air.address(of: 0), manner: manner)
            let peripheral = try Phone(air.address(of: 1), manner: other, peerID: [1, 2, 3, 4, 5, 6, 7, 8])
            try Self.talk(central, peripheral)
            // The pause before the MTU exchange is Android's.
            let pause = try central.event("mtu").delay(after: central.event("connected"))
            #expect(manner == .android ? pause >= 200 : pause < 200)
            let delay = try central.event("announced").delay(after: central.event("discovered"))
            #expect(manner == .android ? delay >= 400 : delay < 400)
            try central.disconnect()
            #expect(try peripheral.event("disconnected").json["reason"]?.unsigned == 0x13)
            #expect(try air.counts().allSatisfy { $0.mistakes == 0 })
        }
    }

    @Test("Android notifies twice who subscribed twice, iOS does not", arguments: Phone.Manner.allCases)
    func twice(manner: Phone.Manner) throws {
        let air = try VirtualAir(adapters: 2)
        let central = try Phone(air.address(of: 0), manner: .ios)
        let peripheral = try Phone(air.address(of: 1), manner: manner)
        try Self.talk(central, peripheral)
        try central.subscribe()
        let mark = central.mark
        try peripheral.notify([1])
        try peripheral.notify([2])
        try central.receive(from: mark) { $0 == [2] }
        let count = try central.events("notified", from: mark).count { $0.bytes == [1] }
        #expect(count == (manner == .android ? 2 : 1))
    }

    @Test("a phone plays both roles at once, and its MTU can be limited", arguments: [23, 185])
    func bothRoles(mtu: Int) throws {
        let air = try VirtualAir(adapters: 3)
        let phones = try (0..<3).map { try Phone(air.address(of: $0), manner: .ios, mtu: mtu) }
        try phones[1].advertise()
        try phones[0].connect(to: phones[1].address)
        try phones[0].event("enabled")
        try phones[2].advertise()
        try phones[1].connect(to: phones[2].address)
        try phones[1].event("enabled")
        #expect(try phones[1].events("connected").map { $0.json["role"]?.string } == ["peripheral", "central"])
        try phones[0].write([1])
        try phones[2].notify([2])
        try phones[1].receive { $0 == [1] }
        try phones[1].receive { $0 == [2] }
        if mtu != 23 { #expect(try phones[0].event("mtu").json["mtu"]?.unsigned == UInt64(mtu)) }
        // A value longer than the MTU allows is cut, as phones' systems do.
        try phones[1].notify([UInt8](repeating: 7, count: 300))
        try phones[0].receive { $0 == [UInt8](repeating: 7, count: mtu - 3) }
    }

    @Test("a phone goes on advertising when somebody connects, and ends with its adapter")
    func life() throws {
        let air = try VirtualAir(adapters: 3)
        let phones = try (0..<3).map { try Phone(air.address(of: $0), manner: .android) }
        try phones[0].advertise()
        try phones[1].connect()
        try phones[2].connect()
        for phone in phones[1...] { try phone.event("enabled") }
        #expect(try air.adapters()[0].links.count == 2)
        try air.remove(0)
        for phone in phones[1...] { try phone.event("disconnected") }
        try phones[1].quit()
    }
}
