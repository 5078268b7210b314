import Glibc
import NativeCryptography

/// The program.
@main
struct Main {
    /// Understands the command line, does the verb, and ends with its exit code.
    static func main() {
        holdStandardDescriptors()
        ProcessMemory.forbidDumps()
        let words = Array(CommandLine.arguments.dropFirst())
        exit(run(words, environment: Environment.read(), output: .standard).rawValue)
    }

    /// Fills the places of standard descriptors that the caller closed: the next file opened would get one of them, and
    /// a database with what is meant for standard error in it.
    private static func holdStandardDescriptors() {
        for number in STDIN_FILENO...STDERR_FILENO where fcntl(number, F_GETFD) < 0 && errno == EBADF {
            // The lowest free number is given: the one that is missing, for those below are there by now.
            _ = open("/dev/null", O_RDWR)
        }
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
