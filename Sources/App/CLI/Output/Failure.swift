import Domain

/// Why a command ends without having done what was asked: what happened, to what, and what to do about it.
struct Failure: Error, Hashable, Sendable {
    /// What the process exits with.
    let code: ExitCode
    /// What happened, to what; one sentence without a full stop.
    let message: String
    /// What to do, or what was meant; each a line of its own.
    let hints: [String]

    /// Describes a failure.
    init(_ code: ExitCode, _ message: String, hints: [String] = []) {
        self.code = code
        self.message = message
        self.hints = hints
    }

    /// The form that `--json` prints on standard error.
    var json: JSONValue {
        .object([
            "error": .object([
                "code": .number(code.rawValue), "name": .string(code.name), "message": .string(message),
                "hints": .array(hints.map { .string($0) }),
            ])
        ])
    }
}
