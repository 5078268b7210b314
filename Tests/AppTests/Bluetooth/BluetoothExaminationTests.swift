import BluetoothHCI
import Domain
import Testing

@testable import App

private let hci0 = AdapterAddress.userChannel(index: 0)

private func findings(
    _ surroundings: BluetoothSurroundings, chosen: [AdapterAddress] = [.automatic], status: String? = nil
) throws -> [Finding] {
    let status = try status.map { try JSONValue(parsing: $0) }
    return BluetoothExamination(chosen: chosen, surroundings, status: status).findings()
}

private func surroundings(_ obstacle: BluetoothError? = nil) throws -> BluetoothSurroundings {
    let system = try MadeSystem()
    try system.addAdapter("hci0", address: "b8:27:eb:00:00:01")
    var surroundings = system.surroundings(asking: [])
    surroundings.obstacles = obstacle.map { [hci0: $0, .automatic: $0] } ?? [:]
    return surroundings
}

@Suite("Doctor on Bluetooth")
struct BluetoothExaminationTests {
    @Test(
        "what is in the way breaks an adapter that somebody named, and is a warning on one that nobody did",
        arguments: [
            (.missing(hci0), .notFound), (.busy(hci0, process: 7), .cannotWrite),
            (.busy(hci0, process: nil), .cannotWrite),
            (.notPermitted(hci0), .refused), (.blockedByRadioSwitch(hci0, isHard: true), .refused),
            (.unsupported(reason: "no Bluetooth"), .configuration),
            (.system(action: "open", subject: "hci0", code: 5), .inputOutput),
        ] as [(BluetoothError, ExitCode)])
    func obstacles(obstacle: BluetoothError, code: ExitCode) throws {
        let surroundings = try surroundings(obstacle)
        let named = try #require(try findings(surroundings, chosen: [hci0]).first)
        #expect(named.code == code)
        #expect(named.text.contains("hci0"))
        let unnamed = try #require(try findings(surroundings).first)
        guard !obstacle.state.isAbsence else {
            #expect(unnamed.word == "ok")
            return
        }
        #expect(unnamed.word == "warning")
        #expect(unnamed.text == named.text)
        #expect(unnamed.remedy == named.remedy)
    }

    @Test("the remedy for a missing capability names this program")
    func capability() throws {
        let finding = try #require(try findings(surroundings(.notPermitted(hci0))).first)
        #expect(finding.remedy?.contains("setcap cap_net_admin+eip '/opt/sat chel'") == true)
    }

    @Test("a free adapter is fine; of one behind a socket no more is said than is known")
    func free() throws {
        let finding = try #require(try findings(surroundings()).first)
        #expect(finding.word == "ok")
        #expect(finding.text == "hci0 is free")
        let remote = try #require(try findings(surroundings(), chosen: [.tcp(host: "a", port: 1)]).first)
        #expect(remote.word == "ok")
        #expect(remote.text.contains("is seen at the start"))
    }

    @Test("no adapter is no fault, and says which kind of none it is")
    func none() throws {
        let off = try findings(surroundings(.notPermitted(hci0)), chosen: [])
        #expect(off.map(\.word) == ["ok"])
        #expect(off[0].text.hasPrefix("off"))
        var bare = BluetoothSurroundings()
        bare.obstacles = [.automatic: .missing(.automatic)]
        #expect(try findings(bare)[0].text.hasPrefix("there is no Bluetooth adapter;"))
        #expect(try findings(bare, status: "{\"adapters\":[]}").map(\.word) == ["ok"])
        for state in ["missing", "unsupported"] {
            let status = "{\"adapters\":[{\"address\":\"auto\",\"state\":\"\(state)\",\"code\":66}]}"
            #expect(try findings(bare, status: status).map(\.word) == ["ok"])
        }
        bare.obstacles = [.automatic: .unsupported(reason: "this kernel has no Bluetooth")]
        #expect(try findings(bare)[0].text.hasPrefix("this kernel has no Bluetooth"))
        #expect(try findings(bare).allSatisfy { $0.code == nil })
    }

    @Test(
        "a running node's word counts, whatever the adapter looks like from outside",
        arguments: [
            ("ready", nil), ("missing", .notFound), ("blocked", .cannotWrite), ("failed", .inputOutput),
            ("starting", nil),
        ] as [(String, ExitCode?)])
    func running(state: String, code: ExitCode?) throws {
        // What the node says of the obstacle is what a look from outside would have said.
        let told = state == "blocked" ? ",\"code\":73" : ""
        let status = """
            {"time":1,"adapters":[{"address":"hci0","state":"\(state)","reason":"so","remedy":"do"\(told)}]}
            """
        let surroundings = try surroundings(.busy(hci0, process: 7))
        let named = try findings(surroundings, chosen: [hci0], status: status)
        #expect(named.map(\.code) == [code])
        #expect(named[0].word == (state == "ready" ? "ok" : state == "starting" ? "warning" : "broken"))
        #expect(named[0].remedy == (state == "ready" ? nil : "do"))
        let automatic = status.replacing("\"hci0\"", with: "\"auto\",\"choice\":\"hci0\"")
        #expect(try findings(surroundings, status: automatic)[0].code == nil)
    }

    @Test("an adapter that the running node was started without is worth a warning")
    func notTaken() throws {
        let finding = try #require(try findings(surroundings(), chosen: [hci0], status: "{\"adapters\":[]}").first)
        #expect(finding.word == "warning")
        #expect(finding.remedy == "start the node again")
    }

    @Test("what the running node was started with counts, though the settings of now do not name it")
    func startedWith() throws {
        let status = "{\"adapters\":[{\"address\":\"h4:unix:/a\",\"state\":\"failed\",\"reason\":\"silent\"}]}"
        let found = try findings(BluetoothSurroundings(), status: status)
        #expect(found.map(\.word) == ["warning"])
        #expect(found[0].text.hasPrefix("h4:unix:/a: failed: silent"))
    }

    @Test("bluetoothd is a warning beside an adapter of the kernel, and nobody's business beside another")
    func daemon() throws {
        var surroundings = try surroundings()
        surroundings.daemon = 812
        #expect(try findings(surroundings).map(\.word) == ["ok", "warning"])
        #expect(try findings(surroundings, chosen: [.tcp(host: "a", port: 1)]).map(\.word) == ["ok"])
        surroundings.doesDaemonPowerUp = false
        #expect(try findings(surroundings).map(\.word) == ["ok"])
    }

    @Test("doctor exits with what is wrong with a named adapter, and with 78 for what is none")
    func verb() throws {
        let home = try TemporaryHome()
        #expect(home.run("doctor").code == .done)
        #expect(home.run("doctor", "--adapter", "h4:unix:/nonexistent/socket").code == .notFound)
        let bad = home.run("doctor", "--adapter", "bt0")
        #expect(bad.code == .configuration)
        #expect(bad.answer.contains("broken"))
    }
}
