import Domain

/// A packet taken apart for a person: fields in their order, each with its value and what it means.
struct Explanation {
    /// One field.
    struct Field {
        /// camelCase, as in JSON.
        let name: String
        /// The value.
        let value: JSONValue
        /// What it means; for the person only.
        let note: String
    }

    /// The fields of the frame.
    var frame: [Field] = []
    /// The fields of the payload, if we know its layout and it is well formed.
    var payload: [Field] = []

    /// Both as JSON.
    var json: JSONValue {
        .object(["frame": Self.object(frame), "payload": payload.isEmpty ? nil : Self.object(payload)])
    }

    private static func object(_ fields: [Field]) -> JSONValue {
        .object(fields.map { JSONValue.Member($0.name, $0.value) })
    }

    /// Both as lines.
    var text: String {
        let all = frame + payload
        let width = all.map(\.name.count).max() ?? 0
        func lines(_ fields: [Field]) -> String {
            fields.map { field in
                let padding = String(repeating: " ", count: width - field.name.count + 2)
                let note = field.note.isEmpty ? "" : "  (\(DisplayText.line(field.note)))"
                return "  " + field.name + padding + Self.text(of: field.value) + note + "\n"
            }.joined()
        }
        return "frame\n" + lines(frame) + (payload.isEmpty ? "" : "payload\n" + lines(payload))
    }

    private static func text(of value: JSONValue) -> String {
        switch value {
        case .string(let text): text.isEmpty ? "\"\"" : DisplayText.line(text)
        case .array(let elements): elements.isEmpty ? "none" : elements.map(text).joined(separator: " ")
        case .object(let members): members.map { "\($0.name)=\(text(of: $0.value))" }.joined(separator: " ")
        default: value.text
        }
    }
}

extension [Explanation.Field] {
    /// Adds a field.
    mutating func add(_ name: String, _ value: JSONValue, _ note: String = "") {
        append(Explanation.Field(name: name, value: value, note: note))
    }

    /// Adds a time.
    mutating func add(_ name: String, _ time: WallTime, _ note: String = "") {
        add(name, .number(time.milliseconds), LocalTime.full(time) + (note.isEmpty ? "" : ", " + note))
    }

    /// Adds the length of bytes that say nothing to a person.
    mutating func add(length name: String, _ count: Int, _ note: String = "") {
        add(name, .number(count), "bytes" + (note.isEmpty ? "" : ", " + note))
    }
}
