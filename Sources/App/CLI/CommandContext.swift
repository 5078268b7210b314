import Domain
import Glibc

/// What a verb works with: its command line and the surroundings of the process.
struct CommandContext: Sendable {
    /// The command line.
    let invocation: Invocation
    /// The environment.
    let environment: [String: String]
    /// Where to speak.
    let output: Output

    /// Where the node's things are.
    func places() throws(Failure) -> Places {
        try Places(
            invocation: invocation, environment: environment, workingDirectory: Environment.workingDirectory,
            user: geteuid())
    }

    /// The settings that hold. A file that somebody named must exist; the usual one need not.
    func configuration(in places: Places) throws(Failure) -> Configuration {
        try Configuration(file: configurationFile(in: places), environment: environment, invocation: invocation)
    }

    /// The configuration file's path and text; `nil` when there is none and none was named.
    func configurationFile(in places: Places) throws(Failure) -> (path: String, text: String)? {
        guard places.isConfigurationNamed || SystemFile.exists(places.configuration) else { return nil }
        do throws(Failure) {
            let text = try SystemFile.readText(places.configuration, limit: 1 << 20, missing: .configuration)
            return (places.configuration, text)
        } catch {
            throw error.code == .badInput ? Failure(.configuration, error.message, hints: error.hints) : error
        }
    }
}

/// A verb and what it does.
struct Verb: Sendable {
    /// What it takes, and its help.
    let spec: VerbSpec
    /// Does it.
    let run: @Sendable (CommandContext) throws(Failure) -> ExitCode
}
