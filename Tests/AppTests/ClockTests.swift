import Application
import Domain
import Foundation
import KernelClock
import Testing

@testable import App

@Suite("The clock of a node", .serialized)
struct ClockTests {
    private static let future = SystemClock.wall.adding(.seconds(30 * 86_400))
    /// A kernel that vouches for the clock overrules every record.
    private static let isSynchronised = KernelClock.isSynchronised == true

    /// Writes the record that a run with a clock far ahead would have left.
    private static func leaveRecord(in home: TemporaryHome) throws -> ClockRecord {
        let places = try home.places()
        try SystemFile.makePrivateDirectory(places.data)
        let record = ClockRecord(directory: places.data)
        try SystemFile.replace(record.path, with: "\(future.milliseconds)\n")
        return record
    }

    private static func clock(of home: TemporaryHome) throws -> JSONValue {
        try #require(try JSONValue(parsing: home.run("status", "--json").answer)["clock"])
    }

    @Test("this machine's clock is not before the release of this version")
    func release() { #expect(SystemClock.wall > Version.releaseDate) }

    @Test("a record that is no number counts for nothing", arguments: ["", "yesterday\n", "-5\n", "1e9\n"])
    func damagedRecord(text: String) throws {
        let home = try TemporaryHome()
        let record = ClockRecord(directory: home.path)
        #expect(record.floor == Version.releaseDate)
        try SystemFile.replace(record.path, with: text)
        #expect(record.read() == nil)
        #expect(record.floor == Version.releaseDate)
    }

    @Test("the time of the last run is kept when a node stops, and the next start asks for it")
    func kept() throws {
        let home = try TemporaryHome()
        let before = SystemClock.wall
        try home.start().stop()
        let record = ClockRecord(directory: try home.places().data)
        let kept = try #require(record.read())
        #expect(kept >= before && kept <= SystemClock.wall)
        #expect(record.floor == kept)
    }

    @Test("a clock before the time of the last run is told of by status, doctor and log, and holds what is sent")
    func behind() throws {
        let (alice, bob) = (try TemporaryHome(), try TemporaryHome())
        let record = try Self.leaveRecord(in: alice)
        let log = Recorder()
        let node = try alice.start(["--nickname", "alice"], log: log)
        defer { node.stop() }
        let other = try bob.start(["--nickname", "bob"], air: alice.path + "/air")
        defer { other.stop() }
        try alice.awaitLink()
        let clock = try Self.clock(of: alice)
        #expect(clock["state"]?.string == (Self.isSynchronised ? "right" : "wrong"))
        #expect(clock["isSynchronised"]?.bool == KernelClock.isSynchronised)
        let text = alice.run("status").answer
        #expect(text.contains("WRONG: it shows a time before") != Self.isSynchronised)
        let doctor = alice.run("doctor")
        #expect((doctor.code == .configuration) != Self.isSynchronised, "\(doctor.answer)")
        #expect(doctor.answer.contains("--trust-clock") != Self.isSynchronised)
        #expect(log.notes.contains("the clock is wrong") != Self.isSynchronised)

        let sent = alice.run("send", "held", "or", "not")
        #expect(sent.code == .done, "\(sent.notes)")
        #expect(sent.notes.contains("held back") != Self.isSynchronised)
        let json = try JSONValue(parsing: alice.run("send", "--json", "another").answer)
        #expect((json["held"] != nil) != Self.isSynchronised)
        let ping = alice.run("ping", "bob")
        #expect((ping.code == .notYet) != Self.isSynchronised, "\(ping.notes)")
        if !Self.isSynchronised {
            #expect(alice.run("send", "--wait", "sent", "--timeout", "1", "more").notes.contains("it stays queued"))
            node.stop()
            #expect(record.read() == Self.future, "a wrong time is not recorded")
        }
    }

    @Test("an operator who vouches for the clock overrules the record, also while the node runs")
    func trusted() throws {
        let home = try TemporaryHome()
        let record = try Self.leaveRecord(in: home)
        let first = try home.start(["--trust-clock"])
        defer { first.stop() }
        #expect(try Self.clock(of: home)["reason"] == "trusted")
        #expect(home.run("doctor", "--trust-clock").answer.contains("you vouch for it"))
        first.stop()
        #expect(try #require(record.read()) < Self.future, "the right time replaced it")

        _ = try Self.leaveRecord(in: home)
        let second = try home.start()
        defer { second.stop() }
        try home.configure("{ trustClock: true }")
        let invocation = try ArgumentParser.parse(["run"], verbs: Verbs.all.map(\.spec))
        let context = CommandContext(invocation: invocation, environment: home.environment, output: .standard)
        let configuration = try context.configuration(in: home.places())
        second.reload(configuration, style: RunVerb.style(configuration, isJSON: false))
        #expect(try Self.clock(of: home)["reason"] == "trusted")
    }

    @Test("doctor judges the clock without a running node too")
    func doctor() throws {
        let home = try TemporaryHome()
        _ = try Self.leaveRecord(in: home)
        let wrong = home.run("doctor")
        #expect(wrong.answer.contains("before this version was made or last ran") != Self.isSynchronised)
        #expect(home.run("doctor", "--trust-clock").answer.contains("you vouch for it"))
    }
}
