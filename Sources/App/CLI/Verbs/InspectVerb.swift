import Domain

/// `inspect`: explains a packet.
enum InspectVerb {
    /// The verb.
    static let verb = Verb(
        spec: VerbSpec(
            "inspect", summary: "explain a packet field by field",
            details: """
                Takes a whole frame as hexadecimal digits, blanks and colons allowed, or reads it from standard input \
                with -, as digits or as raw bytes. What is not a packet ends with 65 and says why.
                """,
            positionals: [PositionalSpec("HEX", .rest(atLeast: 1), "the frame, or - to read it")],
            example: "satchel inspect - < frame.bin"),
        run: { context throws(Failure) in
            let explanation = try PacketExplanation.explain(frame(context.invocation.arguments("HEX")))
            if context.invocation.wantsJSON {
                try context.output.answer(explanation.json)
            } else {
                try context.output.answer(explanation.text)
            }
            return .done
        })

    /// The largest frame that any link carries, twice over in hexadecimal, with room for blanks.
    private static let inputLimit = 16 << 20

    private static func frame(_ words: [String]) throws(Failure) -> [UInt8] {
        guard words == ["-"] else {
            let text = words.joined()
            guard let bytes = bytes(fromHex: Array(text.utf8)) else {
                throw Failure(
                    .badInput, "these are not hexadecimal digits, two a byte",
                    hints: ["raw bytes are read from standard input with: satchel inspect -"])
            }
            return bytes
        }
        let input = try SystemFile.read("-", limit: inputLimit)
        return bytes(fromHex: input) ?? input
    }

    /// Digits with blanks, line ends, colons and a leading `0x` left out; `nil` when anything else is among them.
    static func bytes(fromHex input: [UInt8]) -> [UInt8]? {
        let separators = Array(" \t\r\n:".utf8)
        var digits = input.filter { !separators.contains($0) }
        if digits.starts(with: "0x".utf8) { digits.removeFirst(2) }
        return Hex.decode(digits)
    }
}
