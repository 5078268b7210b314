import Domain
import NativeCryptography
import Testing

@Suite("Secrets and system randomness")
struct SecretTests {
    private let cryptography = ArrayCryptography()

    /// Counts up, so that a test knows what was drawn.
    private final class Counter: Randomness {
        private var last: UInt8 = 0
        func fill(_ bytes: inout MutableSpan<UInt8>) {
            for index in bytes.indices {
                last &+= 1
                bytes[index] = last
            }
        }
        func next() -> UInt64 { 0 }
    }

    @Test("a secret holds what was drawn, and only that", arguments: [0, 1, 16, 32, 64, 100])
    func drawn(count: Int) {
        let secret = cryptography.native.makeSecret(count: count, from: Counter())
        #expect(cryptography.bytes(of: secret) == (0..<count).map { UInt8($0 + 1) })
    }

    @Test("an imported secret is a copy", arguments: [0, 1, 31, 32, 33, 1000])
    func imported(count: Int) {
        let bytes = [UInt8](repeating: 0xa5, count: count)
        #expect(cryptography.bytes(of: cryptography.secret(bytes)) == bytes)
    }

    @Test("neither a description nor a dump shows a secret")
    func silent() {
        let secret = cryptography.secret([UInt8](repeating: 0xa5, count: 32))
        _ = cryptography.sign([1], with: [UInt8](repeating: 0xa5, count: 32))
        var shown = String(describing: secret) + String(reflecting: secret)
        dump((secret, [secret]), to: &shown)
        #expect(!shown.contains("0x"))
        #expect(!shown.contains("165"))
        #expect(!shown.lowercased().contains("a5"))
    }

    @Test("the system's bytes differ every time and fill the whole buffer")
    func system() {
        let source = SystemRandomness()
        let draws = (0..<16).map { _ in source.bytes(64) }
        #expect(Set(draws).count == 16)
        for position in 0..<64 { #expect(Set(draws.map { $0[position] }).count > 1) }
        #expect(Set((0..<16).map { _ in source.next() }).count == 16)
        #expect(source.bytes(0).isEmpty)
    }
}
