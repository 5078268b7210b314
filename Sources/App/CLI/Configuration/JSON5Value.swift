/// A place in a text, as editors count: the first line and the first column are 1.
struct TextPosition: Hashable, Sendable, CustomStringConvertible {
    /// The line.
    var line = 1
    /// The column, in Unicode scalars.
    var column = 1
    /// `line:column`.
    var description: String { "\(line):\(column)" }
}

/// A JSON5 value with the place where it begins, so that whoever judges it can point there.
struct JSON5Value: Hashable, Sendable {
    /// What the value is.
    enum Kind: Hashable, Sendable {
        /// `null`.
        case null
        /// `true` or `false`.
        case bool(Bool)
        /// A number; `Infinity` and `NaN` too.
        case number(Double)
        /// A number that is whole, whatever it was written like, and fits.
        case integer(Int64)
        /// Text.
        case string(String)
        /// A list.
        case array([JSON5Value])
        /// Members in their order; names are unique.
        case object([Member])
    }

    /// A name with its value.
    struct Member: Hashable, Sendable {
        /// The name.
        let name: String
        /// Where the name stands.
        let position: TextPosition
        /// The value.
        let value: JSON5Value
    }

    /// What the value is.
    let kind: Kind
    /// Where it begins.
    let position: TextPosition

    /// What a person would call the value.
    var noun: String {
        switch kind {
        case .null: "null"
        case .bool: "true or false"
        case .number, .integer: "a number"
        case .string: "text"
        case .array: "a list"
        case .object: "an object"
        }
    }
}

/// Why a text is not JSON5.
struct JSON5SyntaxError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong.
    let problem: String
    /// Where.
    let position: TextPosition
    /// `line:column: problem`.
    var description: String { "\(position): \(problem)" }
}
