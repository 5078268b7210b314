import BluetoothHCI
import Domain
import Testing

@testable import App

@Suite("A node and its adapters")
struct AdapterNodeTests {
    @Test("a missing adapter keeps nobody from starting; log, status, list and doctor say so", .timeLimit(.minutes(1)))
    func missing() throws {
        let (home, log) = (try TemporaryHome(), Recorder())
        let adapter = "h4:unix:\(home.path)/controller"
        let node = try home.start(["--adapter", adapter], log: log)
        defer { node.stop() }
        try home.awaitAdapters(["missing"])
        let status = try #require(
            try JSONValue(parsing: home.run("status", "--json").answer)["adapters"]?.array?.first)
        #expect(status["address"]?.string == adapter)
        #expect(status["remedy"] == "start the controller at the other end")
        #expect(home.run("status").answer.contains("\(adapter): missing"))
        let listed = home.run("adapters")
        #expect(listed.code == .done)
        #expect(listed.answer.contains("\(adapter): missing"))
        #expect(home.run("doctor").code == .done)
        #expect(home.run("doctor", "--adapter", adapter).code == .notFound)
        node.stop()
        node.log.flush()
        let lines = log.notes.split(separator: "\n").filter { $0.contains(adapter) }
        #expect(lines.count == 1)
        #expect(lines.first?.contains(" warning \(adapter): ") == true)
        #expect(lines.first?.hasSuffix("start the controller at the other end") == true)
    }

    @Test(
        "a machine without an adapter is no fault: the node waits for one and says so once, quietly",
        // The adapter of whoever runs the tests is left alone.
        .enabled(if: AdapterDirectory().adapters().isEmpty && AdapterDirectory().radioSwitches().isEmpty),
        .timeLimit(.minutes(1)))
    func automatic() throws {
        let (home, log) = (try TemporaryHome(), Recorder())
        let node = try home.start(["--adapter", "auto"], log: log)
        defer { node.stop() }
        let state = try #require(AdapterDirectory().obstacle(for: .automatic)?.state)
        #expect(state.isAbsence)
        try home.awaitAdapters([state.rawValue])
        #expect(home.run("status").answer.contains(state == .missing ? "auto: no adapter" : "auto: this kernel"))
        #expect(!home.run("status").answer.contains("free"))
        #expect(home.run("doctor", "--adapter", "auto").code == .done)
        node.stop()
        node.log.flush()
        let lines = log.notes.split(separator: "\n").filter { $0.contains("auto: ") }
        #expect(lines.count == 1)
        #expect(lines.first?.contains(" info auto: ") == true)
    }

    @Test("a node without adapters, by choice, says nothing about them but that there are none")
    func off() throws {
        let (home, log) = (try TemporaryHome(), Recorder())
        let node = try home.start(["--adapter", "off"], log: log)
        defer { node.stop() }
        #expect(try JSONValue(parsing: home.run("status", "--json").answer)["adapters"] == [])
        node.stop()
        node.log.flush()
        #expect(!log.notes.contains("adapter"))
    }

    @Test("a packet log that cannot be written refuses the start, and an adapter that is none does")
    func refused() throws {
        let home = try TemporaryHome()
        let words = ["--adapter", "h4:unix:/nonexistent/controller", "--hci-log", "/nonexistent/log"]
        let refusal = #expect(throws: Failure.self) { try home.start(words) }
        #expect(refusal?.code == .cannotWrite)
        #expect(refusal?.message.contains("/nonexistent/log") == true)
        let bad = #expect(throws: Failure.self) { try home.start(["--adapter", "bt0"]) }
        #expect(bad?.code == .configuration)
        // Neither left anything behind that keeps the next from starting.
        try home.start().stop()
    }
}
