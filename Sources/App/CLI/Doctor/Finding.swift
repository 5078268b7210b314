import Domain

/// What one check of `doctor` came to.
struct Finding: Sendable {
    /// How things stand.
    enum State: Sendable {
        /// As they should be.
        case fine
        /// Worth knowing; the node works.
        case warning
        /// The node does not work like this; what a command would exit with.
        case broken(ExitCode)
    }

    /// What was looked at.
    let subject: String
    /// How things stand.
    let state: State
    /// What was found.
    let text: String
    /// What to do about it.
    let remedy: String?

    /// All is well.
    static func fine(_ subject: String, _ text: String) -> Finding {
        Finding(subject: subject, state: .fine, text: text, remedy: nil)
    }

    /// Worth knowing.
    static func warning(_ subject: String, _ text: String, _ remedy: String? = nil) -> Finding {
        Finding(subject: subject, state: .warning, text: text, remedy: remedy)
    }

    /// Broken.
    static func broken(_ subject: String, _ code: ExitCode, _ text: String, _ remedy: String?) -> Finding {
        Finding(subject: subject, state: .broken(code), text: text, remedy: remedy)
    }

    /// Broken, as a failure says.
    static func broken(_ subject: String, _ failure: Failure) -> Finding {
        .broken(
            subject, failure.code, failure.message, failure.hints.isEmpty ? nil : failure.hints.joined(separator: "; "))
    }

    /// The code to exit with; `nil` unless broken.
    var code: ExitCode? { if case .broken(let code) = state { code } else { nil } }

    /// The state in a word, the same for people and in JSON.
    var word: String {
        switch state {
        case .fine: "ok"
        case .warning: "warning"
        case .broken: "broken"
        }
    }

    /// The form of `doctor --json`.
    var json: JSONValue {
        .object([
            "subject": .string(subject), "state": .string(word), "text": .string(text),
            "remedy": remedy.map { .string($0) },
        ])
    }
}
