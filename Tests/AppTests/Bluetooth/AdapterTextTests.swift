import Application
import Domain
import Testing

@testable import App
@testable import BluetoothHCI

private let now = Uptime(milliseconds: 500_000)
private let wall = WallTime(milliseconds: 1_800_000_000_000)

private func status(_ state: AdapterStatus.State) -> AdapterStatus {
    var status = AdapterStatus(address: .userChannel(index: 0), state: state)
    status.since = now
    return status
}

private func line(_ status: AdapterStatus) -> String {
    AdapterText.line(of: status.json(at: now, wall: wall), at: wall.milliseconds)
}

@Suite("Adapters in status")
struct AdapterTextTests {
    private let ready: AdapterStatus = {
        var ready = status(.ready)
        ready.deviceAddress = "C0:11:22:33:44:55"
        (ready.isAdvertising, ready.isScanning) = (true, true)
        ready.connections = [
            .init(device: "C1:00:00:00:00:01", isOutgoing: true, mtu: 517, signal: -62, links: [LinkID(rawValue: 9)]),
            .init(device: "C1:00:00:00:00:02", isOutgoing: true, mtu: 185, signal: nil, links: [LinkID(rawValue: 17)]),
            .init(device: "C1:00:00:00:00:03", isOutgoing: false, mtu: 23, signal: nil, links: []),
        ]
        return ready
    }()

    @Test("an adapter that works says what it does")
    func working() {
        #expect(
            line(ready)
                == "hci0: ready, C0:11:22:33:44:55, advertising, listening, 3 links (2 opened, 1 taken)")
        var idle = status(.ready)
        idle.losses = 2
        #expect(line(idle) == "hci0: ready, not advertising, not listening, no links, lost 2 times")
    }

    @Test("one that does not says why, for how long, and what comes next")
    func ailing() {
        var missing = status(.missing)
        missing.since = Uptime(milliseconds: 500_000 - 185_000)
        #expect(line(missing) == "hci0: missing for 3m 5s; taken as soon as it is there")
        var blocked = status(.blocked)
        blocked.reason = "another program\u{1B}[2J has it"
        #expect(line(blocked) == "hci0: blocked for 0s: another program\u{FFFD}[2J has it; taken as soon as it is free")
        #expect(line(status(.starting)) == "hci0: starting for 0s")
        // A clock that was set back must not make it last for ever.
        missing.since = Uptime(milliseconds: 900_000)
        #expect(
            AdapterText.line(of: missing.json(at: now, wall: wall), at: 5)
                == "hci0: missing; taken as soon as it is there")
    }

    @Test("a status knows since when it stands so, and other changes do not count")
    func since() {
        var status = status(.opening)
        status.since = Uptime(milliseconds: 5)
        status.losses = 1
        status.state = .opening
        #expect(status.since == Uptime(milliseconds: 5))
        let before = SystemClock.uptime
        status.state = .ready
        #expect(before <= status.since && status.since <= SystemClock.uptime)
    }

    @Test("JSON has every field, with the faults in order")
    func json() throws {
        var status = ready
        status.connections.removeLast(2)
        status.faults = ["lostCredits": 2, "badEvents": 1]
        status.since = Uptime(milliseconds: 499_000)
        (status.reason, status.remedy) = ("r", "s")
        #expect(
            status.json(at: now, wall: wall).text == """
                {"address":"hci0","state":"ready","since":1799999999000,"reason":"r","remedy":"s",\
                "deviceAddress":"C0:11:22:33:44:55","isAdvertising":true,"isScanning":true,\
                "links":{"outgoing":1,"incoming":0},"connections":[{"device":"C1:00:00:00:00:01","isOutgoing":true,\
                "mtu":517,"signal":-62,"links":[9]}],"losses":0,"framesSent":0,"framesReceived":0,\
                "faults":{"badEvents":1,"lostCredits":2}}
                """)
    }

    @Test("a controller is described by version, maker and room, and by what it does not claim")
    func controller() throws {
        var capabilities = ControllerCapabilities()
        (capabilities.version, capabilities.manufacturer) = (9, 0x0131)
        (capabilities.bufferLength, capabilities.bufferCount) = (251, 8)
        #expect(capabilities.description.details == "Bluetooth 5.0 of Cypress, 8 packets of 251 bytes")
        capabilities.manufacturer = 65_535
        capabilities.states = []
        var status = ready
        status.controller = capabilities.description
        let json = try #require(status.json(at: now, wall: wall)["controller"])
        #expect(json["manufacturerName"] == nil)
        #expect(
            json["description"]?.string == """
                Bluetooth 5.0 of maker 65535, 8 packets of 251 bytes, does not claim to advertise and scan beside links
                """)
        #expect(json["bufferCount"] == 8)
        #expect(json["doesAllAtOnce"] == false)
    }

    @Test("the status shows adapters with their remedy, and what carries a link")
    func together() throws {
        var blocked = AdapterStatus(address: .userChannel(index: 1), state: .blocked)
        blocked.since = Uptime(milliseconds: now.milliseconds - 65_000)
        (blocked.reason, blocked.remedy) = ("not permitted", "sudo setcap it")
        blocked.faults = ["badEvents": 3, "none": 0]
        let adapters = [ready, blocked].map { $0.json(at: now, wall: wall).text }.joined(separator: ",")
        let text = StatusVerb.text(
            of: try JSONValue(
                parsing: """
                    {"time":\(wall.milliseconds),"adapters":[\(adapters)],"links":[
                    {"id":9,"name":"ble:C1:00:00:00:00:01","isOutgoing":true,"peer":"0011223344556677",
                     "isAuthenticated":true},
                    {"id":16,"name":"air:/x","isOutgoing":false,"isAuthenticated":false}]}
                    """))
        let lines = text.split(separator: "\n").map { $0.split(separator: " ").joined(separator: " ") }
        let first = try #require(lines.firstIndex { $0.hasPrefix("adapters") })
        #expect(
            lines[first...] == [
                "adapters hci0: ready, C0:11:22:33:44:55, advertising, listening, 3 links (2 opened, 1 taken)",
                "hci1: blocked for 1m 5s: not permitted; taken as soon as it is free", "→ sudo setcap it",
                "badEvents 3",
                "links 2",
                "ble:C1:00:00:00:00:01 → 0011223344556677, authenticated, MTU 517, -62 dBm", "air:/x ← nobody yet",
            ])
    }

    @Test("a node without adapters says so")
    func none() throws {
        let text = StatusVerb.text(of: try JSONValue(parsing: "{\"adapters\":[],\"links\":[]}"))
        let line = try #require(text.split(separator: "\n").first { $0.hasPrefix("adapters") })
        #expect(line.hasSuffix(" none"))
    }
}
