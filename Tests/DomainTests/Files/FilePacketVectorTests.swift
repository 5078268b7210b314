import Domain
import Support
import Testing

@Suite("File vectors")
struct FilePacketVectorTests {
    @Test("every vector holds", arguments: Vectors.cases("file-packet"))
    func vector(_ vector: VectorCase) throws {
        let input = vector.input
        switch vector.op {
        case "encode":
            let file = FilePacket(
                fileName: input.member("file_name").string,
                fileSize: input.member("file_size").unsigned.map { UInt32(clamping: $0) },
                mimeType: input.member("mime").string, content: try input.bytes("content"))
            vector.expect(file?.encoded, is: "tlv")
        case "encode_repeat":
            let content = [UInt8](
                repeating: try input.number("content_byte"), count: try input.number("content_length"))
            let file = FilePacket(fileName: input.member("file_name").string, mimeType: nil, content: content)
            vector.expect(
                file.map { file in
                    .object([
                        "length": .number(file.encoded.count),
                        "sha256": .string(payloadCryptography.sha256(file.encoded.span).hex),
                    ])
                })
        case "decode":
            let file = FilePacket(try input.bytes("tlv")[...])
            vector.expect(
                file.map {
                    .object([
                        "file_name": .optional($0.fileName), "file_size": .number($0.fileSize),
                        "mime": .optional($0.mimeType), "content": .hex($0.content),
                    ])
                })
        default: vector.nobodyRunsThis()
        }
    }
}
