import Domain
import Testing

@Suite("Mesh probes")
struct PingPayloadTests {
    @Test("eight bytes are too few, twelve are read as nine")
    func length() {
        #expect(PingPayload([UInt8](repeating: 1, count: 8)[...]) == nil)
        let long = PingPayload(([0, 0, 0, 0, 0, 0, 0, 5, 7] + [1, 2, 3])[...])
        #expect(long == PingPayload(nonce: 5, originTTL: 7))
    }

    @Test("an answer that came with more TTL than it started with tells nothing")
    func hops() {
        #expect(PingPayload(nonce: 0, originTTL: 7).hops(receivedTTL: 7) == 1)
        #expect(PingPayload(nonce: 0, originTTL: 7).hops(receivedTTL: 8) == nil)
        #expect(PingPayload(nonce: 0, originTTL: 255).hops(receivedTTL: 0) == 256)
    }
}
