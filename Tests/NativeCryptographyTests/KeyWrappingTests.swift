import Domain
import NativeCryptography
import Testing

@Suite("Wrapped secrets")
struct KeyWrappingTests {
    private static let key = [UInt8](0..<32)
    private static let place: [UInt8] = [4, 2]
    private static let nonce = AEADNonce(prefix: 0x0102_0304, suffix: 0x0506_0708_090a_0b0c)
    private let cryptography = ArrayCryptography()

    private func wrap(_ secret: [UInt8]) -> [UInt8] {
        let place = Self.place
        return cryptography.native.wrap(
            cryptography.secret(secret), under: cryptography.secret(Self.key), nonce: Self.nonce,
            associatedData: place.span)
    }

    private func unwrap(_ wrapped: [UInt8], key: [UInt8] = key, place: [UInt8] = place) -> [UInt8]? {
        cryptography.native.unwrap(wrapped.span, under: cryptography.secret(key), associatedData: place.span)
            .map { cryptography.bytes(of: $0) }
    }

    private static func secret(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: 7 * $0 + 1) } }

    @Test("nonce, then what the cipher makes of the bytes, then the tag", arguments: [0, 1, 31, 32, 64, 600])
    func form(count: Int) {
        let wrapped = wrap(Self.secret(count))
        #expect(wrapped.count == count + wrappingOverhead)
        #expect(wrapped.prefix(12) == [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12])
        #expect(
            Array(wrapped.dropFirst(12))
                == cryptography.seal(
                    Self.secret(count), key: Self.key, nonce: Self.nonce, associatedData: Self.place))
    }

    @Test("a secret of any length comes back", arguments: [0, 1, 31, 32, 64, 600])
    func roundTrip(count: Int) { #expect(unwrap(wrap(Self.secret(count))) == Self.secret(count)) }

    @Test("an unwrapped key does what the key did")
    func usable() throws {
        let pair = cryptography.secret(Self.secret(32))
        let (wrapped, place) = (wrap(Self.secret(32)), Self.place)
        let opened = try #require(
            Result {
                cryptography.native.unwrap(
                    wrapped.span, under: cryptography.secret(Self.key), associatedData: place.span)
            }.get())
        #expect(
            cryptography.native.agreementPublicKey(of: opened) == cryptography.native.agreementPublicKey(of: pair))
    }

    @Test("another key, or another place, opens nothing")
    func foreign() {
        let wrapped = wrap(Self.secret(32))
        #expect(unwrap(wrapped, key: [UInt8](1..<33)) == nil)
        #expect(unwrap(wrapped, place: [4, 3]) == nil)
        #expect(unwrap(wrapped, place: []) == nil)
        #expect(unwrap(wrapped, place: Self.place + [0]) == nil)
    }

    @Test("cut, lengthened or damaged anywhere, it opens nothing")
    func damaged() {
        let wrapped = wrap(Self.secret(32))
        for length in 0..<wrapped.count { #expect(unwrap(Array(wrapped.prefix(length))) == nil) }
        #expect(unwrap(wrapped + [0]) == nil)
        for index in wrapped.indices {
            var bytes = wrapped
            bytes[index] ^= 0x80
            #expect(unwrap(bytes) == nil)
        }
    }

    @Test("a nonce is read from exactly twelve bytes", arguments: [0, 11, 12, 13])
    func nonce(count: Int) {
        let bytes = [UInt8](Self.nonce.bytes + [0]).prefix(count)
        let array = Array(bytes)
        let nonce = AEADNonce(array.span)
        #expect(nonce == (count == 12 ? Self.nonce : nil))
        #expect(nonce == AEADNonce(array))
    }
}
