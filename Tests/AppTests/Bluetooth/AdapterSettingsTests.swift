import BluetoothHCI
import Testing

@testable import App

private func configuration(_ text: String? = nil, _ environment: [String: String] = [:], _ words: [String] = [])
    throws(Failure) -> Configuration
{
    let invocation = try ArgumentParser.parse(["run"] + words, verbs: Verbs.all.map(\.spec))
    return try Configuration(file: text.map { ("c.json5", $0) }, environment: environment, invocation: invocation)
}

@Suite("Adapter settings")
struct AdapterSettingsTests {
    @Test(
        "without a choice it is the kernel's first adapter, whenever there is one", arguments: [[], ["--adapter=auto"]])
    func automatic(words: [String]) throws {
        let configuration = try configuration(nil, [:], words)
        #expect(try AdapterSetup.chosen(configuration) == [.automatic])
        #expect(try AdapterSetup.configuration(configuration)?.adapters == [.automatic])
    }

    @Test("the automatic adapter stands beside controllers of other kinds, not beside one that it might be")
    func automaticBesideOthers() throws {
        let serial = try configuration(nil, [:], ["--adapter=auto", "--adapter=h4:/dev/ttyACM0"])
        #expect(try AdapterSetup.chosen(serial).count == 2)
        let kernel = try configuration(nil, [:], ["--adapter=auto", "--adapter=hci1"])
        let refusal = #expect(throws: Failure.self) { try AdapterSetup.chosen(kernel) }
        #expect(refusal?.code == .configuration)
    }

    @Test("an adapter that another satchel has is refused with its process; another program's is not")
    func heldByOther() throws {
        let system = try MadeSystem()
        try system.addAdapter("hci0", address: "b8:27:eb:00:00:01")
        try system.lockAdapter("hci0", process: 4242, name: "minicom")
        let adapters = [AdapterAddress.userChannel(index: 0)]
        try AdapterSetup.refuseOthers(adapters, AdapterDirectory(root: system.root))
        try system.lockAdapter("hci0", process: 4242, name: "satchel")
        let refusal = #expect(throws: Failure.self) {
            try AdapterSetup.refuseOthers(adapters, AdapterDirectory(root: system.root))
        }
        #expect(refusal?.code == .cannotWrite)
        #expect(refusal?.message == "hci0 is in use by another satchel, process 4242")
        try AdapterSetup.refuseOthers([.automatic], AdapterDirectory(root: system.root))
    }

    @Test("who names adapters gets those, in that order")
    func chosen() throws {
        let configuration = try configuration(
            nil, [:], ["--adapter", "hci1", "--adapter=h4:unix:/tmp/a,b", "--adapter", "h4:/dev/ttyACM0,1000000"])
        #expect(
            try AdapterSetup.configuration(configuration)?.adapters == [
                .userChannel(index: 1), .unix(path: "/tmp/a,b"), .serial(path: "/dev/ttyACM0", baud: 1_000_000),
            ])
    }

    @Test("off means none, and stands alone")
    func off() throws {
        let off = try configuration("{ links: { adapter: ['off'] } }")
        #expect(try AdapterSetup.configuration(off) == nil)
        #expect(try AdapterSetup.chosen(off) == [])
        let both = try configuration(nil, [:], ["--adapter", "off", "--adapter", "hci0"])
        let refusal = #expect(throws: Failure.self) { try AdapterSetup.chosen(both) }
        #expect(refusal?.code == .configuration)
    }

    @Test(
        "what is no adapter, or named twice, is a fault of the configuration", arguments: [["bt0"], ["hci0", "hci0"]])
    func refused(texts: [String]) throws {
        let configuration = try configuration(nil, [:], texts.map { "--adapter=\($0)" })
        let refusal = #expect(throws: Failure.self) { try AdapterSetup.configuration(configuration) }
        #expect(refusal?.code == .configuration)
        #expect(refusal?.message.contains(texts[0]) == true)
    }

    @Test(
        "in the variable the comma in front of a serial port's speed separates nothing",
        arguments: [
            ("hci0,h4:/dev/ttyACM0,1000000,hci1", ["hci0", "h4:/dev/ttyACM0,1000000", "hci1"]),
            ("h4:/dev/ttyUSB0, 115200", ["h4:/dev/ttyUSB0,115200"]), ("hci0, 5", ["hci0", "5"]), ("off", ["off"]),
            ("h4:/dev/a,1,2", ["h4:/dev/a,1,2"]), ("h4:unix:/a,7", ["h4:unix:/a", "7"]),
        ])
    func variable(text: String, adapters: [String]) throws {
        #expect(try configuration(nil, ["SATCHEL_LINKS_ADAPTER": text]).adapters == adapters)
    }

    @Test("service, packet log and power follow the settings")
    func others() throws {
        let plain = try #require(try AdapterSetup.configuration(configuration()))
        #expect(plain.service == .production)
        #expect(plain.packetLog == nil)
        #expect(!plain.savesPower)
        let words = ["--bluetooth-service", "test", "--hci-log", "/tmp/x.btsnoop", "--save-power"]
        let all = try #require(try AdapterSetup.configuration(configuration(nil, [:], words)))
        #expect(all.service == .test)
        #expect(all.packetLog == "/tmp/x.btsnoop")
        #expect(all.savesPower)
    }

    @Test("the running node keeps its adapters until it is started again")
    func restart() throws {
        let (old, new) = (try configuration("{}"), try configuration("{ links: { adapter: ['hci0'] } }"))
        #expect(new.changesThatNeedRestart(from: old) == ["links.adapter"])
    }
}
