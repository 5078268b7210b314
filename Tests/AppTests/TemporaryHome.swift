import Foundation

@testable import App

/// A folder that is removed with this value, with a home in it and an air of its own.
final class TemporaryHome: Sendable {
    /// The folder.
    let path: String

    /// Makes an empty folder.
    init() throws {
        // Short, because the control socket's path is bounded.
        path = "/tmp/satchel-test-\(UInt32.random(in: 0 ..< .max))"
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// The environment in which a command finds this home; the adapter of whoever runs the tests is left alone.
    var environment: [String: String] {
        ["SATCHEL_HOME": path, "XDG_RUNTIME_DIR": path, "HOME": path, "SATCHEL_LINKS_ADAPTER": "off"]
    }

    /// Writes the configuration file.
    func configure(_ text: String) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: path + "/config.json5"))
    }

    /// Runs a command and answers what it said.
    func run(_ words: String...) -> (code: ExitCode, answer: String, notes: String) {
        let recorder = Recorder()
        let code = Main.run(words, environment: environment, output: recorder.output)
        return (code, recorder.answer, recorder.notes)
    }

    /// Where things are in this home.
    func places() throws -> Places {
        let invocation = try ArgumentParser.parse(["status"], verbs: Verbs.all.map(\.spec))
        return try CommandContext(invocation: invocation, environment: environment, output: .standard).places()
    }

    /// Starts a node in this process.
    ///
    /// - Parameter air: The folder through which it meets others; its own when `nil`.
    func start(_ words: [String] = [], air: String? = nil, log: Recorder = Recorder()) throws(Failure) -> RunningNode {
        let words = ["run", "--air", air ?? path + "/air"] + words
        let invocation = try ArgumentParser.parse(words, verbs: Verbs.all.map(\.spec))
        let context = CommandContext(invocation: invocation, environment: environment, output: log.output)
        let places = try context.places()
        let configuration = try context.configuration(in: places)
        let writer = LogWriter(style: RunVerb.style(configuration, isJSON: false)) { log.output.note($0) }
        return try RunningNode(
            places, configuration, panic: PanicRequest(restarts: false), log: writer, output: log.output)
    }
}
