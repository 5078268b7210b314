/// A JSON document (RFC 8259). Numbers keep their text, so that 64-bit integers survive.
public enum JSONValue: Hashable, Sendable {
    /// `null`.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// A number, as written.
    case number(String)
    /// Text.
    case string(String)
    /// A list.
    case array([JSONValue])
    /// Members in their order; names are unique.
    case object([Member])

    /// One name and its value.
    public struct Member: Hashable, Sendable {
        /// The name.
        public let name: String
        /// The value.
        public let value: JSONValue
        /// Makes a member.
        public init(_ name: String, _ value: JSONValue) {
            self.name = name
            self.value = value
        }
    }

    /// The member of that name; `nil` when absent or when this is no object.
    public subscript(name: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.name == name }?.value
    }

    /// The text, if this is a string.
    public var string: String? { if case .string(let text) = self { text } else { nil } }
    /// The elements, if this is an array.
    public var array: [JSONValue]? { if case .array(let elements) = self { elements } else { nil } }
    /// The members, if this is an object.
    public var members: [Member]? { if case .object(let members) = self { members } else { nil } }
    /// The truth value, if this is one.
    public var bool: Bool? { if case .bool(let value) = self { value } else { nil } }
    /// The unsigned integer, if this is one without fraction or exponent.
    public var unsigned: UInt64? { if case .number(let text) = self { UInt64(text) } else { nil } }
    /// The signed integer, if this is one without fraction or exponent.
    public var integer: Int64? { if case .number(let text) = self { Int64(text) } else { nil } }
    /// The floating-point value, if this is a number.
    public var double: Double? { if case .number(let text) = self { Double(text) } else { nil } }
    /// Whether this is `null`.
    public var isNull: Bool { self == .null }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByArrayLiteral, ExpressibleByNilLiteral
{
    /// Text.
    public init(stringLiteral text: String) { self = .string(text) }
    /// A whole number.
    public init(integerLiteral value: Int64) { self = .number(String(value)) }
    /// A truth value.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    /// A list.
    public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    /// `null`.
    public init(nilLiteral: ()) { self = .null }
    /// A whole number.
    public static func number(_ value: some BinaryInteger) -> JSONValue { .number(String(value)) }
    /// Text, or `null`.
    public static func optional(_ text: String?) -> JSONValue { text.map { .string($0) } ?? .null }
    /// Members that are present; those with a `nil` value are left out.
    public static func object(_ members: KeyValuePairs<String, JSONValue?>) -> JSONValue {
        .object(members.compactMap { name, value in value.map { Member(name, $0) } })
    }
}
