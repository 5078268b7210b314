/// Why a text is not JSON.
public struct JSONSyntaxError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong.
    public let problem: String
    /// Where, in bytes from the start.
    public let offset: Int
    /// The problem and its place.
    public var description: String { "\(problem) at byte \(offset)" }
}

extension JSONValue {
    /// Nesting allowed in a document, so that hostile input cannot exhaust the stack.
    public static let maximumDepth = 64

    /// Reads one document, strictly: RFC 8259, valid UTF-8, no repeated names, nothing behind it but white space.
    public init(parsing bytes: some Collection<UInt8>) throws(JSONSyntaxError) {
        var parser = JSONParser(bytes: Array(bytes))
        self = try parser.document()
    }

    /// Reads one document, strictly: RFC 8259, no repeated names, nothing behind it but white space.
    public init(parsing text: String) throws(JSONSyntaxError) { try self.init(parsing: text.utf8) }
}

private struct JSONParser {
    let bytes: [UInt8]
    var offset = 0
    var depth = 0

    init(bytes: [UInt8]) { self.bytes = bytes }

    var next: UInt8? { offset < bytes.count ? bytes[offset] : nil }

    func failure(_ problem: String) -> JSONSyntaxError { JSONSyntaxError(problem: problem, offset: offset) }

    mutating func document() throws(JSONSyntaxError) -> JSONValue {
        skipWhiteSpace()
        let value = try value()
        skipWhiteSpace()
        guard next == nil else { throw failure("something follows the document") }
        return value
    }

    mutating func skipWhiteSpace() {
        while let byte = next, byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D { offset += 1 }
    }

    mutating func value() throws(JSONSyntaxError) -> JSONValue {
        switch next {
        case UInt8(ascii: "{"): return try nested { parser throws(JSONSyntaxError) in try parser.object() }
        case UInt8(ascii: "["): return try nested { parser throws(JSONSyntaxError) in try parser.array() }
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        case nil: throw failure("the document ends early")
        default: return try number()
        }
    }

    mutating func nested(
        _ body: (inout JSONParser) throws(JSONSyntaxError) -> JSONValue
    ) throws(JSONSyntaxError) -> JSONValue {
        depth += 1
        guard depth <= JSONValue.maximumDepth else { throw failure("nested too deeply") }
        offset += 1
        skipWhiteSpace()
        let value = try body(&self)
        depth -= 1
        return value
    }

    mutating func word(_ text: StaticString, _ value: JSONValue) throws(JSONSyntaxError) -> JSONValue {
        for expected in text.description.utf8 {
            guard next == expected else { throw failure("not a JSON value") }
            offset += 1
        }
        return value
    }

    mutating func skip(_ character: Character) -> Bool {
        guard let byte = next, byte == character.asciiValue else { return false }
        offset += 1
        return true
    }

    mutating func array() throws(JSONSyntaxError) -> JSONValue {
        var elements: [JSONValue] = []
        if skip("]") { return .array(elements) }
        while true {
            elements.append(try value())
            skipWhiteSpace()
            if skip("]") { return .array(elements) }
            guard skip(",") else { throw failure("a comma or ] is missing") }
            skipWhiteSpace()
        }
    }

    mutating func object() throws(JSONSyntaxError) -> JSONValue {
        var members: [JSONValue.Member] = []
        var names: Set<String> = []
        if skip("}") { return .object(members) }
        while true {
            guard next == UInt8(ascii: "\"") else { throw failure("a member's name is missing") }
            let name = try string()
            guard names.insert(name).inserted else { throw failure("the name \"\(name)\" is repeated") }
            skipWhiteSpace()
            guard skip(":") else { throw failure("a colon is missing") }
            skipWhiteSpace()
            members.append(JSONValue.Member(name, try value()))
            skipWhiteSpace()
            if skip("}") { return .object(members) }
            guard skip(",") else { throw failure("a comma or } is missing") }
            skipWhiteSpace()
        }
    }

    mutating func digits() throws(JSONSyntaxError) {
        let start = offset
        while let byte = next, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { offset += 1 }
        guard offset > start else { throw failure("a digit is missing") }
    }

    mutating func number() throws(JSONSyntaxError) -> JSONValue {
        let start = offset
        _ = skip("-")
        if !skip("0") { try digits() }
        if skip(".") { try digits() }
        if skip("e") || skip("E") {
            _ = skip("+") || skip("-")
            try digits()
        }
        return .number(String(decoding: bytes[start..<offset], as: UTF8.self))
    }

    mutating func string() throws(JSONSyntaxError) -> String {
        offset += 1
        var text: [UInt8] = []
        while let byte = next {
            offset += 1
            switch byte {
            case UInt8(ascii: "\""):
                guard let string = String(validating: text, as: UTF8.self) else { throw failure("invalid UTF-8") }
                return string
            case UInt8(ascii: "\\"): text.append(contentsOf: try escape())
            case 0..<0x20: throw failure("a control character inside a string")
            default: text.append(byte)
            }
        }
        throw failure("a string does not end")
    }

    mutating func escape() throws(JSONSyntaxError) -> [UInt8] {
        guard let byte = next else { throw failure("a string does not end") }
        offset += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return [byte]
        case UInt8(ascii: "b"): return [0x08]
        case UInt8(ascii: "f"): return [0x0C]
        case UInt8(ascii: "n"): return [0x0A]
        case UInt8(ascii: "r"): return [0x0D]
        case UInt8(ascii: "t"): return [0x09]
        case UInt8(ascii: "u"): return try unicodeEscape()
        default: throw failure("an unknown escape")
        }
    }

    mutating func unicodeEscape() throws(JSONSyntaxError) -> [UInt8] {
        var code = UInt32(try hexQuad())
        if (0xD800...0xDBFF).contains(code) {
            guard skip("\\"), skip("u") else { throw failure("half a surrogate pair") }
            let low = UInt32(try hexQuad())
            guard (0xDC00...0xDFFF).contains(low) else { throw failure("half a surrogate pair") }
            code = 0x10000 + (code - 0xD800) << 10 + (low - 0xDC00)
        }
        guard let scalar = Unicode.Scalar(code) else { throw failure("half a surrogate pair") }
        return Array(String(Character(scalar)).utf8)
    }

    mutating func hexQuad() throws(JSONSyntaxError) -> UInt16 {
        guard offset + 4 <= bytes.count, let pair = Hex.decode(bytes[offset..<offset + 4]) else {
            throw failure("four hexadecimal digits are missing")
        }
        offset += 4
        return UInt16(bigEndianBytes: pair)
    }
}
