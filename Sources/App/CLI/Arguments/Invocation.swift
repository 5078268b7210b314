import Domain

/// A command line, understood: the verb with what was given to it.
struct Invocation: Hashable, Sendable {
    /// The verb.
    let verb: VerbSpec
    /// The values of each option given, in order; a flag has none.
    var options: [String: [String]] = [:]
    /// The values of each positional argument given.
    var positionals: [String: [String]] = [:]

    /// Whether the option was given.
    func has(_ option: String) -> Bool { options[option] != nil }
    /// The value of an option.
    func value(_ option: String) -> String? { options[option]?.last }
    /// All values of an option that repeats.
    func values(_ option: String) -> [String] { options[option] ?? [] }
    /// The value of a positional argument.
    func argument(_ name: String) -> String? { positionals[name]?.first }
    /// All values of a positional argument that takes a rest.
    func arguments(_ name: String) -> [String] { positionals[name] ?? [] }

    /// Whether the answer is to be JSON.
    var wantsJSON: Bool { has("json") }

    /// An option's value as a whole number.
    func number(_ option: String, in range: ClosedRange<UInt64>) throws(Failure) -> UInt64? {
        guard let text = value(option) else { return nil }
        guard let number = UInt64(text), range.contains(number) else {
            throw Failure(
                .usage,
                "--\(option) takes a whole number from \(range.lowerBound) to \(range.upperBound), not \"\(text)\"")
        }
        return number
    }

    /// An option's value in seconds, as milliseconds; a year at most.
    func seconds(_ option: String) throws(Failure) -> Milliseconds? {
        guard let text = value(option) else { return nil }
        guard let seconds = Double(text), seconds.isFinite, (0...31_536_000).contains(seconds) else {
            throw Failure(.usage, "--\(option) takes a number of seconds, like 30 or 2.5, not \"\(text)\"")
        }
        return Milliseconds(Int64(seconds * 1000))
    }
}
