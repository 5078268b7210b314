import BluetoothHCI
import Domain
import Testing

@testable import App

private let status = """
    {"time":5000,"adapters":[{"address":"hci0","state":"ready","deviceAddress":"C0:11:22:33:44:55",
    "isAdvertising":true,"isScanning":true,"links":{"outgoing":1,"incoming":0},"controller":{"version":"5.0",
    "description":"Bluetooth 5.0 of Cypress, 8 packets of 251 bytes"}},
    {"address":"h4:unix:/other","state":"failed","reason":"silent","remedy":"wake it"}]}
    """

private func text(
    _ system: MadeSystem, chosen: [AdapterAddress]? = nil, status: String? = nil
) throws -> [String] {
    let status = try status.map { try JSONValue(parsing: $0) }
    let listing = AdapterListing(chosen: chosen, system.surroundings(asking: chosen ?? []), status: status)
    return listing.text(at: 5000).split(separator: "\n").map(String.init)
}

@Suite("List of adapters")
struct AdapterListingTests {
    @Test("the kernel's adapters stand in order, the first is taken when nothing is configured")
    func automatic() throws {
        let system = try MadeSystem()
        try system.addAdapter("hci10", address: "00:1a:7d:da:71:13")
        try system.addAdapter("hci2", address: "b8:27:eb:00:00:01")
        try system.addAdapter("hci2:12", address: "aa:aa:aa:aa:aa:aa")
        #expect(
            try text(system) == [
                "hci2: free", "  B8:27:EB:00:00:01, taken when nothing is configured", "hci10: free",
                "  00:1A:7D:DA:71:13, not used",
            ])
    }

    @Test("configured ones follow, each with what is in the way and what to do")
    func configured() throws {
        let system = try MadeSystem()
        try system.addAdapter("hci0", address: "b8:27:eb:00:00:01")
        try system.addSwitch(0, "hci0", soft: true)
        let chosen: [AdapterAddress] = [
            .userChannel(index: 0), .userChannel(index: 7), .serial(path: "/dev/null/x", baud: 115_200),
            .tcp(host: "localhost", port: 9),
        ]
        let lines = try text(system, chosen: chosen)
        #expect(lines[0] == "hci0: blocked: hci0 is switched off by rfkill")
        #expect(lines[1] == "  B8:27:EB:00:00:01, off by rfkill, configured")
        #expect(lines[2].contains("rfkill unblock bluetooth"))
        #expect(lines.contains { $0.hasPrefix("hci7: missing: ") })
        #expect(lines.contains { $0.hasPrefix("h4:/dev/null/x,115200: missing: ") })
        #expect(lines.contains("h4:tcp:localhost:9: not tried"))
    }

    @Test("without the capability it says how to grant it to this very program")
    func capability() throws {
        let system = try MadeSystem()
        try system.addAdapter("hci0", address: "b8:27:eb:00:00:01")
        try system.takeCapabilities()
        let lines = try text(system)
        #expect(lines[0].hasPrefix("hci0: blocked: "))
        let grant = "sudo setcap cap_net_admin,cap_net_raw+eip '/opt/sat chel'"
        #expect(lines[2].hasPrefix("  → `\(grant)`"))
        #expect(lines[2].contains("AmbientCapabilities=CAP_NET_ADMIN CAP_NET_RAW"))
        #expect(lines[3].contains("CAP_NET_ADMIN and CAP_NET_RAW"))
        let json = AdapterListing(chosen: nil, system.surroundings(), status: nil).json
        #expect(json["grant"]?.string == grant)
        #expect(json["missingCapabilities"]?.array?.count == 2)
        #expect(json["adapters"]?.array?[0]["remedy"]?.string?.contains(grant) == true)
    }

    @Test("a kernel without Bluetooth is told from one without adapters")
    func nothing() throws {
        let system = try MadeSystem()
        #expect(try text(system) == ["the kernel has no Bluetooth adapter"])
        var surroundings = system.surroundings()
        surroundings.lack = "this kernel has no Bluetooth"
        let listing = AdapterListing(chosen: nil, surroundings, status: nil)
        #expect(listing.text(at: nil) == "this kernel has no Bluetooth: only controllers behind h4:... can be used\n")
        #expect(listing.json["kernelHasBluetooth"] == false)
        #expect(listing.json["adapters"] == [])
    }

    @Test("a switch of the whole machine is named, where no adapter is left to show it")
    func machineSwitch() throws {
        let system = try MadeSystem()
        try system.addSwitch(1, "tpacpi_bluetooth_sw", soft: false, hard: true)
        #expect(
            try text(system) == [
                "the kernel has no Bluetooth adapter", "Bluetooth is off by the switch tpacpi_bluetooth_sw",
                "  → turn the switch",
            ])
    }

    @Test("what a running node says wins, and what only it has is listed too")
    func running() throws {
        let system = try MadeSystem()
        try system.addAdapter("hci0", address: "b8:27:eb:00:00:01")
        // This command may lack what its unit gave the node.
        try system.takeCapabilities()
        let lines = try text(system, chosen: [.userChannel(index: 0)], status: status)
        #expect(
            lines == [
                "hci0: ready, C0:11:22:33:44:55, advertising, listening, 1 link",
                "  B8:27:EB:00:00:01, in use by the running node, configured",
                "  Bluetooth 5.0 of Cypress, 8 packets of 251 bytes",
                "h4:unix:/other: failed: silent; tried again", "  in use by the running node", "  → wake it",
            ])
        let json = AdapterListing(
            chosen: nil, system.surroundings(), status: try JSONValue(parsing: status)
        ).json
        let first = try #require(json["adapters"]?.array?.first)
        #expect(first["state"] == "ready")
        #expect(first["isInUse"] == true)
        #expect(first["use"] == "automatic")
        #expect(first["reason"] == nil)
        #expect(first["deviceAddress"] == "C0:11:22:33:44:55")
        #expect(first["kernel"]?["address"] == "B8:27:EB:00:00:01")
        #expect(first.members?.map(\.name).count == Set(first.members?.map(\.name) ?? []).count)
    }

    @Test(
        "bluetoothd is named while it powers up what it finds",
        arguments: [(nil, true), ("AutoEnable=true", true), ("AutoEnable = false", false)] as [(String?, Bool)])
    func daemon(line: String?, isNamed: Bool) throws {
        let system = try MadeSystem()
        try system.addAdapter("hci0", address: "b8:27:eb:00:00:01")
        try system.runDaemon(812, autoEnable: line)
        let lines = try text(system)
        #expect(lines.contains { $0.contains("process 812") } == isNamed)
        #expect(lines.contains { $0.contains("AutoEnable=false") } == isNamed)
    }

    @Test("the verb works without a node, and refuses what is no adapter")
    func verb() throws {
        let home = try TemporaryHome()
        let listed = home.run("adapters", "--json", "--adapter", "h4:unix:/nonexistent/socket")
        #expect(listed.code == .done)
        let adapters = try JSONValue(parsing: listed.answer)["adapters"]?.array
        let own = try #require(adapters?.first { $0["address"] == "h4:unix:/nonexistent/socket" })
        #expect(own["state"] == "missing")
        #expect(own["use"] == "configured")
        #expect(home.run("adapters", "--adapter", "h4:unix:/nonexistent/socket").answer.contains("missing"))
        #expect(home.run("adapters", "--adapter", "bt0").code == .configuration)
    }
}
