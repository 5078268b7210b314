/// What the process answers its caller with; fixed and documented, so that scripts can decide by it.
///
/// The numbers are those of sysexits(3) where one fits. The control protocol uses the same numbers as error codes.
enum ExitCode: Int32, CaseIterable, Sendable {
    /// What was asked is done.
    case done = 0
    /// The command line makes no sense.
    case usage = 64
    /// An input is not what it should be: text too long, no packet, no JSON.
    case badInput = 65
    /// There is no such peer or file.
    case notFound = 66
    /// Several peers answer to the name; the candidates are named.
    case ambiguous = 67
    /// What is needed is not there: no node runs for this home, or a program that it takes is not installed.
    case notRunning = 69
    /// A fault of ours.
    case internalFault = 70
    /// Something cannot be created or written: a directory, a key file, a home that another node holds.
    case cannotWrite = 73
    /// Reading or writing failed on the way.
    case inputOutput = 74
    /// Not delivered now: it is queued, or to be tried again.
    case notYet = 75
    /// The other end of the control socket does not speak our protocol.
    case protocolFault = 76
    /// A rule or a permission forbids it.
    case refused = 77
    /// The configuration is wrong.
    case configuration = 78
    /// Nothing came within the time given.
    case timeout = 124
    /// Somebody pressed Ctrl-C at a question: 128 and the number of SIGINT, as shells count.
    case interrupted = 130

    /// A word for JSON, camelCase.
    var name: String { String(describing: self) }

    /// One line for `help`.
    var meaning: String {
        switch self {
        case .done: "done"
        case .usage: "the command line makes no sense"
        case .badInput: "bad input: a text too long, no packet, no JSON"
        case .notFound: "no such peer or file"
        case .ambiguous: "several peers answer to that name; they are listed"
        case .notRunning: "no node is running, or a program that is needed is not installed"
        case .internalFault: "an internal fault"
        case .cannotWrite: "cannot write; another node holds this home"
        case .inputOutput: "reading or writing failed"
        case .notYet: "not delivered now: queued, or to be tried again"
        case .protocolFault: "the node answered something that we do not understand"
        case .refused: "refused by a rule or a permission"
        case .configuration: "the configuration is wrong"
        case .timeout: "nothing came in time"
        case .interrupted: "interrupted at a question"
        }
    }
}
