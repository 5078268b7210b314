import Domain
import Support
import Testing

@Suite("Bech32")
struct Bech32Tests {
    @Test("every vector holds", arguments: Vectors.cases("bech32"))
    func vector(_ vector: VectorCase) throws {
        switch vector.op {
        case "encode":
            let text = Bech32.encode(try vector.input.bytes("data"), prefix: try vector.input.text("hrp"))
            #expect(text == vector.output.member("text").string, "\(vector.label)")
        case "decode":
            let decoded = Bech32.decode(try vector.input.text("text"))
            vector.expect(decoded.map { .object(["hrp": .string($0.prefix), "data": .hex($0.bytes)]) })
        default: vector.nobodyRunsThis()
        }
    }

    @Test("the keys of NIP-19 come out both ways", arguments: Vectors.cases("standard-crypto", op: "bech32"))
    func published(_ vector: VectorCase) throws {
        let (prefix, bytes) = (try vector.input.text("hrp"), try vector.input.bytes("data"))
        let text = try #require(vector.output.member("text").string)
        #expect(Bech32.encode(bytes, prefix: prefix) == text)
        let decoded = try #require(Bech32.decode(text))
        #expect(decoded.prefix == prefix && decoded.bytes == bytes)
    }

    @Test("what is written is read, for every number of bytes up to the limit")
    func lengths() throws {
        var generator = PacketTestGenerator(seed: 32)
        let most = (Bech32.maximumLength - Bech32.checksumLength - 2) * 5 / 8
        for count in 0...most {
            let bytes = generator.bytes(count)
            let text = try #require(Bech32.encode(bytes, prefix: "x"), "\(count) bytes")
            #expect(text.utf8.count <= Bech32.maximumLength)
            #expect(Bech32.decode(text)?.bytes == bytes)
        }
        #expect(Bech32.encode(generator.bytes(most + 1), prefix: "x") == nil)
        #expect(Bech32.encode([UInt8](repeating: 0, count: 1 << 20), prefix: "x") == nil)
    }

    @Test(
        "a prefix is 1 to 83 characters of ASCII, without blanks and capital letters",
        arguments: [
            ("", false), ("n", true), ("!~", true), ("a1b", true), ("nPub", false), ("n pub", false), ("é", false),
            ("\u{7F}", false), (String(repeating: "p", count: 83), true), (String(repeating: "p", count: 84), false),
        ])
    func prefixes(prefix: String, isProper: Bool) throws {
        let text = Bech32.encode([1, 2, 3], prefix: prefix)
        #expect((text != nil) == isProper)
        if let text { #expect(Bech32.decode(text)?.prefix == prefix) }
    }

    @Test("an improper prefix is refused also where the checksum fits")
    func refusedPrefixes() {
        // Checksums of BIP-173's own list of invalid texts, and one of an empty prefix.
        for text in ["\u{20}1nwldj5", "\u{7F}1axkwrx", "\u{80}1eym55h", "1pzry9x0s0muk", "10a06t8", "1qzzfhee"] {
            #expect(Bech32.decode(text) == nil)
        }
        #expect(Bech32.decode("a12uel5l")?.bytes == [])
    }

    @Test("a text of 1023 characters is read, one of 1024 is not looked at")
    func tooLong() {
        // Both have the right checksum, by another implementation.
        let (longest, longer) = (
            String(repeating: "q", count: 1015) + "9r5pwa", String(repeating: "q", count: 1016) + "3ghawf"
        )
        #expect(Bech32.decode("a1" + longest)?.bytes == [UInt8](repeating: 0, count: 634))
        #expect(Bech32.decode("a1" + longer) == nil)
        #expect(Bech32.decode(String(repeating: "1", count: 1 << 20)) == nil)
    }

    @Test("each slip of one letter is caught")
    func slips() throws {
        let text = Array("npub1tpq9vu4k5yapvvtp95zh9jay8vyj5rsvx0p0t98yr8u76h6cr8yq8dw0ky".utf8)
        var missed = 0
        for place in text.indices {
            for letter in Array("qpzry9x8gf2tvdw0s3jn54khce6mua7l1b".utf8) where letter != text[place] {
                var slipped = text
                slipped[place] = letter
                if Bech32.decode(String(decoding: slipped, as: UTF8.self)) != nil { missed += 1 }
            }
        }
        #expect(missed == 0)
    }

    @Test("no text traps, and what is accepted settles")
    func damage() throws {
        var generator = PacketTestGenerator(seed: 173)
        let characters = Array("qpzry9x8gf2tvdw0s3jn54khce6mua7l11npub \u{0}é😀".unicodeScalars)
        var accepted = 0
        for round in 0..<4000 {
            var text = String.UnicodeScalarView()
            for _ in 0..<generator.next() % 24 {
                text.append(characters[Int(generator.next() % UInt64(characters.count))])
            }
            if round.isMultiple(of: 4), let whole = Bech32.encode(generator.bytes(round % 40), prefix: "npub") {
                text = whole.unicodeScalars
                // Half of these stay as they are.
                if round.isMultiple(of: 8), !text.isEmpty { text.removeLast() }
            }
            guard let decoded = Bech32.decode(String(text)) else { continue }
            accepted += 1
            let again = try #require(Bech32.encode(decoded.bytes, prefix: decoded.prefix))
            #expect(Bech32.decode(again)?.bytes == decoded.bytes)
        }
        #expect(accepted >= 400)
    }
}
