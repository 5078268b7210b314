import Testing

@testable import App

private func kind(_ text: String) throws -> JSON5Value.Kind { try JSON5Parser.parse(text).kind }

private func problem(_ text: String) -> JSON5SyntaxError? {
    do throws(JSON5SyntaxError) {
        _ = try JSON5Parser.parse(text)
        return nil
    } catch {
        return error
    }
}

private func names(_ text: String) throws -> [String] {
    guard case .object(let members) = try kind(text) else { return [] }
    return members.map(\.name)
}

@Suite("JSON5")
struct JSON5ParserTests {
    @Test(
        "whole numbers in every form",
        arguments: [
            ("0", 0), ("42", 42), ("+42", 42), ("-42", -42), ("0x1F", 31), ("0XdecAF", 912559), ("-0x10", -16),
            ("1e3", 1000), ("1.", 1), ("+0x0", 0), ("9223372036854775807", .max), ("-9223372036854775808", .min),
        ] as [(String, Int64)])
    func integers(text: String, value: Int64) throws { #expect(try kind(text) == .integer(value)) }

    @Test(
        "fractions in every form",
        arguments: [
            (".5", 0.5), ("5.25", 5.25), ("-.5", -0.5), ("25e-1", 2.5), ("2.5E+2", 250), ("1e400", .infinity),
            ("Infinity", .infinity), ("-Infinity", -.infinity), ("+Infinity", .infinity),
        ] as [(String, Double)])
    func fractions(text: String, value: Double) throws {
        let number: Double? =
            switch try kind(text) {
            case .number(let number): number
            case .integer(let whole): Double(whole)
            default: nil
            }
        #expect(number == value)
    }

    @Test("NaN is a number")
    func notANumber() throws {
        guard case .number(let number) = try kind("NaN") else {
            Issue.record("NaN was not read as a number")
            return
        }
        #expect(number.isNaN)
    }

    @Test(
        "text in either quotes, with every escape",
        arguments: [
            (#""a""#, "a"), ("'a'", "a"), (#"'say "hi"'"#, #"say "hi""#), (#""it's""#, "it's"),
            (#"'\b\f\n\r\t\v\0'"#, "\u{08}\u{0C}\n\r\t\u{0B}\0"), (#"'\x41\u00e9'"#, "Aé"),
            (#"'\uD83D\uDE00'"#, "😀"), ("'a\\\nb'", "ab"), ("'a\\\r\nb'", "ab"), (#"'\a\''"#, "a'"),
            ("'\u{2028}'", "\u{2028}"), ("''", ""),
        ])
    func strings(text: String, value: String) throws { #expect(try kind(text) == .string(value)) }

    @Test("words", arguments: [("true", JSON5Value.Kind.bool(true)), ("false", .bool(false)), ("null", .null)])
    func words(text: String, value: JSON5Value.Kind) throws { #expect(try kind(text) == value) }

    @Test(
        "names may be bare or quoted, and commas may trail",
        arguments: [
            ("{}", []), ("{a:1}", ["a"]), ("{a:1,}", ["a"]), ("{'a b':1, \"c\":2}", ["a b", "c"]),
            ("{$_x9:1}", ["$_x9"]), ("{größe:1}", ["größe"]), (#"{\u0061b:1}"#, ["ab"]), ("{null:1}", ["null"]),
            ("{Infinity:1, NaN:2}", ["Infinity", "NaN"]), ("{a\u{200D}b:1}", ["a\u{200D}b"]),
        ] as [(String, [String])])
    func objects(text: String, expected: [String]) throws { #expect(try names(text) == expected) }

    @Test("lists may end with a comma", arguments: [("[]", 0), ("[1]", 1), ("[1,]", 1), ("[1,2 , 3]", 3)])
    func lists(text: String, count: Int) throws {
        guard case .array(let elements) = try kind(text) else {
            Issue.record("no list")
            return
        }
        #expect(elements.count == count)
    }

    @Test("comments and every kind of blank are skipped")
    func blanks() throws {
        let text =
            "\u{FEFF}// one\r\n/* two\n * lines */ \u{A0}\u{2003}\u{0B}\u{0C}\t{ a /*x*/ : // y\u{2028} 1 } // end"
        #expect(try names(text) == ["a"])
    }

    @Test(
        "what is no JSON5 is refused where it goes wrong",
        arguments: [
            ("", "1:1"), ("   ", "1:4"), ("{", "1:1"), ("[1", "1:3"), ("{a 1}", "1:4"), ("{a:1 b:2}", "1:6"),
            ("[1,,2]", "1:4"), ("[,]", "1:2"), ("{,}", "1:2"), ("{a:1,,}", "1:6"), ("010", "1:1"), ("0x", "1:1"),
            ("1 2", "1:3"), (".", "1:1"), ("1e", "1:1"), ("+", "1:1"), ("--1", "1:1"), ("12abc", "1:3"),
            ("1.2.3", "1:4"), ("0x1FFFFFFFFFFFFFFFF", "1:1"), ("'a", "1:1"), ("'a\nb'", "1:1"), (#"'\1'"#, "1:2"),
            (#"'\01'"#, "1:2"), (#"'\x4'"#, "1:2"), (#"'\uD83D'"#, "1:2"), (#"'\uDE00'"#, "1:2"),
            ("/* x", "1:1"), ("/ x", "1:1"), ("yes", "1:1"), ("{a: yes}", "1:5"), ("{9a:1}", "1:2"),
            ("{a-b:1}", "1:3"), (#"{\x61:1}"#, "1:2"), (#"{\u0020:1}"#, "1:2"), ("{a:1}\n{b:2}", "2:1"),
            ("{\n  a: 1,\n  a: 2,\n}", "3:3"), ("{\r\n  a: ?\r\n}", "2:6"), ("tru", "1:1"), ("Inf", "1:1"),
            (#""\u12"#, "1:2"), (#"""#, "1:1"), (#"'\"#, "1:2"),
        ])
    func refusals(text: String, place: String) { #expect(problem(text)?.position.description == place) }

    @Test("nesting is bounded")
    func nesting() throws {
        let deep = { (depth: Int) in String(repeating: "[", count: depth) + String(repeating: "]", count: depth) }
        _ = try JSON5Parser.parse(deep(JSON5Parser.maximumDepth))
        #expect(problem(deep(JSON5Parser.maximumDepth + 1))?.problem == "nested too deeply")
    }

    @Test("values know where they stand")
    func positions() throws {
        guard case .object(let members) = try kind("{\n  // c\n  log: 'x',\n}"), let member = members.first else {
            Issue.record("no member")
            return
        }
        #expect(member.position.description == "3:3")
        #expect(member.value.position.description == "3:8")
    }
}
