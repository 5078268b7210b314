import Domain
import Support
import Testing

@Suite("Message identity")
struct MessageIdentityTests {
    private let cryptography = PacketTools.cryptography

    @Test("vectors: public messages", arguments: Vectors.cases("ids", op: "mesh_message_id"))
    func publicMessage(vector: VectorCase) throws {
        let sender = try #require(vector.input.member("sender").string.flatMap { PeerID(hex: $0) })
        let time = WallTime(milliseconds: try #require(vector.input.member("timestamp_ms").unsigned))
        let text = try #require(vector.input.member("content").string)
        let id = MessageIdentity.publicMessage(sender: sender, timestamp: time, text: text, using: cryptography)
        #expect(id == vector.output.member("id").string)
    }

    @Test("vectors: private media", arguments: Vectors.cases("ids", op: "private_media_id"))
    func privateMedia(vector: VectorCase) throws {
        let sender = PeerName(parsing: try #require(vector.input.member("sender").string))
        let recipient = PeerName(parsing: try #require(vector.input.member("recipient").string))
        let id = vector.input.member("file_name").string.flatMap {
            MessageIdentity.privateMedia(sender: sender, recipient: recipient, fileName: $0, using: cryptography)
        }
        #expect(id == vector.output["id"]?.string)
    }

    @Test("the specification's value")
    func published() {
        let id = MessageIdentity.publicMessage(
            sender: PeerID(rawValue: 0x0011_2233_4455_6677), timestamp: WallTime(milliseconds: 1_750_000_000_123),
            text: " hello mesh\n", using: cryptography)
        #expect(id == "b83f94d81dcdd1b0c0048f6645995dd4")
    }

    @Test("exactly the phones' blanks are trimmed")
    func trimming() {
        let trimmed: [ClosedRange<UInt32>] = [
            0x09...0x0D, 0x20...0x20, 0x85...0x85, 0xA0...0xA0, 0x1680...0x1680, 0x2000...0x200B, 0x2028...0x2029,
            0x202F...0x202F, 0x205F...0x205F, 0x3000...0x3000,
        ]
        for value in 0...0x3100 as ClosedRange<UInt32> {
            guard let scalar = Unicode.Scalar(value) else { continue }
            var text = String.UnicodeScalarView()
            text.append(scalar)
            text.append("x")
            text.append(scalar)
            let isTrimmed = trimmed.contains { $0.contains(value) }
            #expect(String(text).trimmedForWire == (isTrimmed ? "x" : String(text)), "U+\(String(value, radix: 16))")
        }
        #expect(" \n\u{200B}".trimmedForWire == "")
        #expect("".trimmedForWire == "")
        #expect(" a b ".trimmedForWire == "a b")
        // Carriage return and line feed are one character and two scalars.
        #expect("\r\na\r\n".trimmedForWire == "a")
    }
}
