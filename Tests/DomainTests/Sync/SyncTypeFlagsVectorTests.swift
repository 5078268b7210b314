import Domain
import Support
import Testing

@Suite("Sync type flag vectors")
struct SyncTypeFlagsVectorTests {
    @Test("every vector holds", arguments: Vectors.cases("sync-type-flags"))
    func vector(_ vector: VectorCase) throws {
        switch vector.op {
        case "from_types":
            let types = try vector.input.list("types").compactMap(\.unsigned).compactMap { UInt8(exactly: $0) }
            let flags = SyncTypeFlags(types.map { MessageType(rawValue: $0) })
            vector.expect(.object(["raw": .number(flags.rawValue), "bytes": .hex(flags.encoded)]))
        case "decode":
            let flags = SyncTypeFlags(try vector.input.bytes("bytes")[...])
            vector.expect(
                flags.map {
                    .object([
                        "raw": .number($0.rawValue), "types": .numbers($0.types.map(\.rawValue)),
                        "reencoded": .hex($0.encoded),
                    ])
                })
        default: vector.nobodyRunsThis()
        }
    }
}
