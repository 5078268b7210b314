import Domain
import Testing

@Suite("Sync requests")
struct RequestSyncTests {
    @Test("parameter 1 to 32, a modulus, at most 1,024 bytes of filter")
    func limits() {
        func request(_ p: UInt8, _ m: UInt32, _ length: Int) -> RequestSync? {
            RequestSync(p: p, m: m, data: [UInt8](repeating: 0, count: length))
        }
        #expect(request(1, 1, 0) != nil && request(32, .max, 1024) != nil)
        #expect(request(0, 1, 0) == nil && request(33, 1, 0) == nil)
        #expect(request(7, 0, 0) == nil)
        #expect(request(7, 1, 1025) == nil)
    }

    @Test("a filter of streams beyond 1,024 bytes is refused to the writer and ignored by the reader")
    func longFilter() throws {
        let long = FragmentFilter(text: String(repeating: "a", count: 1025))
        #expect(RequestSync(p: 7, m: 1, data: [], fragmentFilter: long) == nil)
        let payload = try #require(RequestSync(p: 7, m: 1, data: [])?.encoded)
        let received: [UInt8] = payload + [6, 0x04, 0x01] + Array(long.text.utf8)
        let decoded = try #require(RequestSync(received[...]))
        #expect(decoded.fragmentFilter == nil)
    }

    @Test("sixty streams are written, all of them fit")
    func streams() throws {
        let filter = try #require(FragmentFilter(streams: (0..<100).map { FragmentID(rawValue: UInt64.max - $0) }))
        #expect(filter.streams.count == 60)
        #expect(filter.text.utf8.count <= FragmentFilter.maximumLength)
        #expect(FragmentFilter(streams: []) == nil)
    }

    @Test("types have their bits, and those without one are passed over")
    func types() {
        let flags = SyncTypeFlags([.announce, .message, .boardPost, .ping, MessageType(rawValue: 0x7E)])
        #expect(flags.rawValue == 0b1_0000_0011)
        #expect(flags.types == [.announce, .message, .boardPost])
        #expect(SyncTypeFlags([.boardPost]).encoded == [0x00, 0x01])
        #expect(SyncTypeFlags([]).encoded == nil)
        #expect(!flags.contains(.ping) && !flags.contains(.leave) && flags.contains(.boardPost))
        #expect(SyncTypeFlags.all.rawValue == 0x7FF)
    }

    @Test("unassigned bits are cleared, and only 1 to 8 bytes are types")
    func reading() {
        #expect(SyncTypeFlags([0x03, 0xF8, 0xFF][...])?.rawValue == 0x03)
        #expect(SyncTypeFlags([][...]) == nil)
        #expect(SyncTypeFlags([UInt8](repeating: 1, count: 9)[...]) == nil)
    }
}
