/// Reads one JSON5 document (spec.json5.org 1.0.0): JSON with comments, trailing commas, bare names and single quotes,
/// the form that people can write by hand.
///
/// Stricter than the standard in two things: a name may stand only once in an object, and nesting is bounded.
struct JSON5Parser {
    /// Nesting allowed in a document, so that no input can exhaust the stack.
    static let maximumDepth = 64

    private let scalars: [Unicode.Scalar]
    private var index = 0
    private var position = TextPosition()
    private var depth = 0

    /// Reads a whole document.
    static func parse(_ text: String) throws(JSON5SyntaxError) -> JSON5Value {
        var parser = JSON5Parser(scalars: Array(text.unicodeScalars))
        try parser.skipBlank()
        let value = try parser.value()
        try parser.skipBlank()
        guard parser.next == nil else { throw parser.failure("something follows the document") }
        return value
    }

    private init(scalars: [Unicode.Scalar]) { self.scalars = scalars }
}

// MARK: Scalars

extension JSON5Parser {
    private var next: Unicode.Scalar? { peek(0) }

    private func peek(_ distance: Int) -> Unicode.Scalar? {
        let place = index + distance
        return place < scalars.count ? scalars[place] : nil
    }

    private func failure(_ problem: String, at place: TextPosition? = nil) -> JSON5SyntaxError {
        JSON5SyntaxError(problem: problem, position: place ?? position)
    }

    /// Takes the next scalar and keeps count of lines; CR LF is one line end.
    @discardableResult
    private mutating func advance() -> Unicode.Scalar? {
        guard let scalar = next else { return nil }
        index += 1
        if Self.endsLine(scalar) && !(scalar == "\r" && next == "\n") {
            position.line += 1
            position.column = 1
        } else {
            position.column += 1
        }
        return scalar
    }

    private mutating func skip(_ scalar: Unicode.Scalar) -> Bool {
        guard next == scalar else { return false }
        advance()
        return true
    }

    private static func endsLine(_ scalar: Unicode.Scalar) -> Bool {
        scalar == "\n" || scalar == "\r" || scalar == "\u{2028}" || scalar == "\u{2029}"
    }

    private static func isBlank(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "\t", "\u{0B}", "\u{0C}", " ", "\u{A0}", "\u{FEFF}": true
        default: endsLine(scalar) || (scalar.value > 0x7F && scalar.properties.generalCategory == .spaceSeparator)
        }
    }

    private mutating func skipBlank() throws(JSON5SyntaxError) {
        while let scalar = next {
            if Self.isBlank(scalar) {
                advance()
            } else if scalar == "/", peek(1) == "/" {
                while let scalar = next, !Self.endsLine(scalar) { advance() }
            } else if scalar == "/", peek(1) == "*" {
                try skipBlockComment()
            } else {
                return
            }
        }
    }

    private mutating func skipBlockComment() throws(JSON5SyntaxError) {
        let start = position
        advance()
        advance()
        while let scalar = advance() {
            if scalar == "*", skip("/") { return }
        }
        throw failure("a comment does not end", at: start)
    }
}

// MARK: Values

extension JSON5Parser {
    private mutating func value() throws(JSON5SyntaxError) -> JSON5Value {
        let start = position
        guard let scalar = next else { throw failure("a value is missing at the end") }
        let kind: JSON5Value.Kind
        switch scalar {
        case "{": kind = try object()
        case "[": kind = try array()
        case "\"", "'": kind = .string(try string())
        case "+", "-", ".", "0"..."9", "I", "N": kind = try number()
        default: kind = try word()
        }
        return JSON5Value(kind: kind, position: start)
    }

    private mutating func word() throws(JSON5SyntaxError) -> JSON5Value.Kind {
        let start = position
        guard let scalar = next, Self.beginsName(scalar) else {
            throw failure("'\(next.map(Self.printable) ?? "")' cannot begin a value")
        }
        switch try name() {
        case "true": return .bool(true)
        case "false": return .bool(false)
        case "null": return .null
        case let other: throw failure("'\(other)' is no value; text needs quotes", at: start)
        }
    }

    private mutating func open() throws(JSON5SyntaxError) {
        depth += 1
        guard depth <= Self.maximumDepth else { throw failure("nested too deeply") }
        advance()
        try skipBlank()
    }

    private mutating func array() throws(JSON5SyntaxError) -> JSON5Value.Kind {
        let start = position
        try open()
        var elements: [JSON5Value] = []
        while !skip("]") {
            guard next != nil else { throw failure("a list does not end", at: start) }
            elements.append(try value())
            try skipBlank()
            guard skip(",") || next == "]" else { throw failure("a comma or ']' is missing") }
            try skipBlank()
        }
        depth -= 1
        return .array(elements)
    }

    private mutating func object() throws(JSON5SyntaxError) -> JSON5Value.Kind {
        let start = position
        try open()
        var members: [JSON5Value.Member] = []
        var names: Set<String> = []
        while !skip("}") {
            guard next != nil else { throw failure("an object does not end", at: start) }
            let place = position
            let name = next == "\"" || next == "'" ? try string() : try name()
            guard names.insert(name).inserted else { throw failure("'\(name)' is given twice", at: place) }
            try skipBlank()
            guard skip(":") else { throw failure("a colon is missing behind '\(name)'") }
            try skipBlank()
            members.append(JSON5Value.Member(name: name, position: place, value: try value()))
            try skipBlank()
            guard skip(",") || next == "}" else { throw failure("a comma or '}' is missing") }
            try skipBlank()
        }
        depth -= 1
        return .object(members)
    }
}

// MARK: Names and text

extension JSON5Parser {
    private static func beginsName(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "$", "_", "\\", "a"..."z", "A"..."Z": return true
        case _ where scalar.value < 0x80: return false
        default:
            switch scalar.properties.generalCategory {
            case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .letterNumber:
                return true
            default: return false
            }
        }
    }

    private static func continuesName(_ scalar: Unicode.Scalar) -> Bool {
        if beginsName(scalar) || ("0"..."9").contains(scalar) { return true }
        if scalar == "\u{200C}" || scalar == "\u{200D}" { return true }
        guard scalar.value >= 0x80 else { return false }
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .spacingMark, .decimalNumber, .connectorPunctuation: return true
        default: return false
        }
    }

    private mutating func name() throws(JSON5SyntaxError) -> String {
        var name = String.UnicodeScalarView()
        while let scalar = next, name.isEmpty ? Self.beginsName(scalar) : Self.continuesName(scalar) {
            let place = position
            advance()
            guard scalar == "\\" else {
                name.append(scalar)
                continue
            }
            guard skip("u") else { throw failure("only \\u escapes are allowed in a name", at: place) }
            let escaped = try unicodeEscape(from: place)
            guard escaped != "\\", name.isEmpty ? Self.beginsName(escaped) : Self.continuesName(escaped) else {
                throw failure("this character is not allowed in a name", at: place)
            }
            name.append(escaped)
        }
        guard !name.isEmpty else { throw failure("a name is missing") }
        return String(name)
    }

    private mutating func string() throws(JSON5SyntaxError) -> String {
        let start = position
        let quote = advance()
        var text = String.UnicodeScalarView()
        while let scalar = next, scalar != quote {
            let place = position
            guard scalar != "\n", scalar != "\r" else { throw failure("a text does not end", at: start) }
            advance()
            if scalar == "\\" {
                if let escaped = try escape(from: place) { text.append(escaped) }
            } else {
                text.append(scalar)
            }
        }
        guard advance() != nil else { throw failure("a text does not end", at: start) }
        return String(text)
    }

    /// What stands behind a backslash; `nil` for an escaped line end, which vanishes.
    private mutating func escape(from place: TextPosition) throws(JSON5SyntaxError) -> Unicode.Scalar? {
        guard let scalar = advance() else { throw failure("a text does not end", at: place) }
        switch scalar {
        case "b": return "\u{08}"
        case "f": return "\u{0C}"
        case "n": return "\n"
        case "r": return "\r"
        case "t": return "\t"
        case "v": return "\u{0B}"
        case "x": return try hexadecimal(digits: 2, from: place).flatMap { Unicode.Scalar($0) }
        case "u": return try unicodeEscape(from: place)
        case "0":
            if let digit = next, ("0"..."9").contains(digit) {
                throw failure("octal escapes are not allowed", at: place)
            }
            return "\0"
        case "1"..."9": throw failure("a digit cannot be escaped", at: place)
        case "\r":
            _ = skip("\n")
            return nil
        case _ where Self.endsLine(scalar): return nil
        default: return scalar
        }
    }

    private mutating func unicodeEscape(from place: TextPosition) throws(JSON5SyntaxError) -> Unicode.Scalar {
        var code = try hexadecimal(digits: 4, from: place) ?? 0
        if (0xD800...0xDBFF).contains(code) {
            guard skip("\\"), skip("u"), let low = try hexadecimal(digits: 4, from: place),
                (0xDC00...0xDFFF).contains(low)
            else { throw failure("half a surrogate pair", at: place) }
            code = 0x10000 + (code - 0xD800) << 10 + (low - 0xDC00)
        }
        guard let scalar = Unicode.Scalar(code) else { throw failure("half a surrogate pair", at: place) }
        return scalar
    }

    private mutating func hexadecimal(digits: Int, from place: TextPosition) throws(JSON5SyntaxError) -> UInt32? {
        var code: UInt32 = 0
        for _ in 0..<digits {
            guard let digit = next.flatMap({ Character($0).hexDigitValue }), next?.isASCII == true else {
                throw failure("\(digits) hexadecimal digits are missing", at: place)
            }
            code = code << 4 | UInt32(digit)
            advance()
        }
        return code
    }

    private static func printable(_ scalar: Unicode.Scalar) -> String {
        scalar.value < 0x20 || scalar.value == 0x7F ? "U+" + String(scalar.value, radix: 16) : String(scalar)
    }
}

// MARK: Numbers

extension JSON5Parser {
    private mutating func number() throws(JSON5SyntaxError) -> JSON5Value.Kind {
        let start = position
        let isNegative = next == "-"
        if next == "-" || next == "+" { advance() }
        if next == "I" || next == "N" {
            switch try name() {
            case "Infinity": return .number(isNegative ? -.infinity : .infinity)
            case "NaN": return .number(.nan)
            case let other: throw failure("'\(other)' is no value; text needs quotes", at: start)
            }
        }
        let kind =
            next == "0" && (peek(1) == "x" || peek(1) == "X")
            ? try hexadecimalNumber(isNegative, from: start) : try decimalNumber(isNegative, from: start)
        if let scalar = next, Self.continuesName(scalar) || scalar == "." {
            throw failure("'\(Self.printable(scalar))' does not belong in a number")
        }
        return kind
    }

    private mutating func hexadecimalNumber(
        _ isNegative: Bool, from start: TextPosition
    ) throws(JSON5SyntaxError) -> JSON5Value.Kind {
        advance()
        advance()
        let digits = takeDigits { $0.properties.isASCIIHexDigit }
        guard !digits.isEmpty else { throw failure("hexadecimal digits are missing", at: start) }
        guard let whole = Int64((isNegative ? "-" : "") + digits, radix: 16) else {
            throw failure("the number is too large", at: start)
        }
        return .integer(whole)
    }

    private mutating func decimalNumber(
        _ isNegative: Bool, from start: TextPosition
    ) throws(JSON5SyntaxError) -> JSON5Value.Kind {
        let isDigit = { (scalar: Unicode.Scalar) in ("0"..."9").contains(scalar) }
        var text = takeDigits(where: isDigit)
        guard text.count < 2 || !text.hasPrefix("0") else { throw failure("a number cannot begin with 0", at: start) }
        var hasDigits = !text.isEmpty
        if skip(".") {
            let fraction = takeDigits(where: isDigit)
            hasDigits = hasDigits || !fraction.isEmpty
            text = (text.isEmpty ? "0" : text) + "." + (fraction.isEmpty ? "0" : fraction)
        }
        guard hasDigits else { throw failure("digits are missing", at: start) }
        if next == "e" || next == "E" {
            advance()
            let sign = next == "-" ? "-" : ""
            if next == "-" || next == "+" { advance() }
            let exponent = takeDigits(where: isDigit)
            guard !exponent.isEmpty else { throw failure("digits of the exponent are missing", at: start) }
            text += "e" + sign + exponent
        }
        if isNegative { text = "-" + text }
        if let whole = Int64(text) { return .integer(whole) }
        guard let number = Double(text) else { throw failure("this is no number", at: start) }
        return Int64(exactly: number).map { .integer($0) } ?? .number(number)
    }

    private mutating func takeDigits(where isDigit: (Unicode.Scalar) -> Bool) -> String {
        var digits = String.UnicodeScalarView()
        while let scalar = next, isDigit(scalar) {
            digits.append(scalar)
            advance()
        }
        return String(digits)
    }
}
