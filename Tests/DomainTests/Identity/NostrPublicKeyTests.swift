import Domain
import Support
import Testing

@Suite("Nostr public keys as text")
struct NostrPublicKeyTests {
    private static let npub = "npub1tpq9vu4k5yapvvtp95zh9jay8vyj5rsvx0p0t98yr8u76h6cr8yq8dw0ky"

    @Test("a vector's npub of 32 bytes is a key, any other is none")
    func vectors() throws {
        var (keys, others) = (0, 0)
        for vector in Vectors.cases("bech32", op: "decode") {
            let key = NostrPublicKey(npub: try vector.input.text("text"))
            let bytes = vector.output["data"]?.hex
            if vector.output["hrp"]?.string == "npub", let bytes, bytes.count == 32 {
                #expect(key?.bytes.bytes == bytes, "\(vector.label)")
                keys += 1
            } else {
                #expect(key == nil, "\(vector.label)")
                others += 1
            }
        }
        #expect(keys >= 2 && others >= 10)
    }

    @Test("it is written as it was read")
    func roundTrip() throws {
        let key = try #require(NostrPublicKey(npub: Self.npub))
        #expect(key.npub == Self.npub)
        #expect(key.npub.utf8.count == NostrPublicKey.textLength)
        #expect(NostrPublicKey(npub: NostrPublicKey(Bytes32(high: 0, low: 0)).npub) != nil)
    }

    @Test("31 and 33 bytes, another prefix, capitals and blanks are refused (nostr §13, 3)")
    func refused() throws {
        let bytes = [UInt8](repeating: 7, count: 33)
        for count in [0, 31, 33] {
            #expect(NostrPublicKey(npub: try #require(Bech32.encode(bytes.prefix(count), prefix: "npub"))) == nil)
        }
        for prefix in ["nsec", "npu", "npubx", "note"] {
            #expect(NostrPublicKey(npub: try #require(Bech32.encode(bytes.prefix(32), prefix: prefix))) == nil)
        }
        for text in [Self.npub.uppercased(), " " + Self.npub, Self.npub + " ", Self.npub + "q", ""] {
            #expect(NostrPublicKey(npub: text) == nil)
        }
    }
}
