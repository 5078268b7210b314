import Glibc

/// The program.
@main
struct Main {
    /// Understands the command line, does the verb, and ends with its exit code.
    static func main() {
        let words = Array(CommandLine.arguments.dropFirst())
        exit(run(words, environment: Environment.read(), output: .standard).rawValue)
    }

    /// The program without the process around it.
    static func run(_ words: [String], environment: [String: String], output: Output) -> ExitCode {
        do throws(Failure) {
            let invocation = try ArgumentParser.parse(words, verbs: Verbs.all.map(\.spec))
            let context = CommandContext(invocation: invocation, environment: environment, output: output)
            if invocation.has("help") {
                try Help.explain(invocation.verb, context)
                return .done
            }
            guard let verb = Verbs.all.first(where: { $0.spec.name == invocation.verb.name }) else {
                throw Failure(.internalFault, "'\(invocation.verb.name)' is declared and does nothing")
            }
            return try verb.run(context)
        } catch {
            output.report(error, asJSON: words.prefix { $0 != "--" }.contains("--json"))
            return error.code
        }
    }
}
