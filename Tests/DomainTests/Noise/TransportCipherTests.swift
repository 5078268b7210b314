import Domain
import NativeCryptography
import Testing

@Suite("Noise transport")
struct TransportCipherTests {
    @Test("the specification's computed frames come out byte for byte")
    func computed() throws {
        let (initiator, responder) = try Noise.session()
        let message = Noise.bytes("010004706d2d310106736563726574")
        let first = try initiator.sealed(message)
        #expect(Hex.encode(first) == "00000000752594412f5516df3671332ceff4fe5b325d7751b5e3371e868e01fdf15f81")
        let second = try initiator.sealed(Noise.bytes("02706d2d32"))
        #expect(Hex.encode(second) == "00000001b5d0b94931794467eee85e645bc129ca25b7507846")
        let answer = try responder.sealed(Noise.bytes("03706d2d31"))
        #expect(Hex.encode(answer) == "00000000d6672196629186d28fe8baea0fb82e7b35ad803b79")
        #expect(try responder.opened(first) == message)
        #expect(try responder.opened(second) == Noise.bytes("02706d2d32"))
        #expect(try initiator.opened(answer) == Noise.bytes("03706d2d31"))
        let key = Noise.bytes("3062fff068d0abd171b4b4603c5b7633bf5ee4e79da311370c2eba7f1ed6c69a")
        let later = try Noise.oneWay(key: key, counter: 0x0102_0304).sealed(Noise.bytes("0378"))
        #expect(Hex.encode(later) == "0102030440a61c280bfcc0b07bf0696249dbde614dd6")
        #expect(try responder.opened(later) == Noise.bytes("0378"))
    }

    // Edge case 4.
    @Test(
        "a frame without room for counter and tag is invalid and changes nothing",
        arguments: [0, 4, 15, 16, 17, 18, 19])
    func short(count: Int) throws {
        let cipher = Noise.oneWay()
        let frame = try cipher.sealed([])
        #expect(frame.count == 20)
        #expect(noiseError { try cipher.opened(Array(frame.prefix(count))) } == .invalidCiphertext)
        #expect(try cipher.opened(frame) == [])
    }

    // Edge case 4: the order of the checks.
    @Test("a frame of 16 to 19 bytes with a seen counter is a replay", arguments: [16, 17, 18, 19])
    func shortReplay(count: Int) throws {
        let cipher = Noise.oneWay()
        let frame = try cipher.sealed([1])
        _ = try cipher.opened(frame)
        #expect(noiseError { try cipher.opened(Array(frame.prefix(count))) } == .replay(counter: 0))
        #expect(noiseError { try cipher.opened(Array(frame.prefix(15))) } == .invalidCiphertext)
    }

    // Edge case 5.
    @Test("the same frame twice is a replay, and one 1,024 behind is too old")
    func replays() throws {
        let cipher = Noise.oneWay()
        let frames = try (0...1024).map { try cipher.sealed([UInt8(truncatingIfNeeded: $0)]) }
        for frame in frames { _ = try cipher.opened(frame) }
        #expect(noiseError { try cipher.opened(frames[1024]) } == .replay(counter: 1024))
        #expect(noiseError { try cipher.opened(frames[1]) } == .replay(counter: 1))
        #expect(noiseError { try cipher.opened(frames[0]) } == .replay(counter: 0))
    }

    // Edge case 5.
    @Test("the first frame may have any counter, and older ones inside the window follow")
    func startsLate() throws {
        let receiver = Noise.oneWay()
        _ = try receiver.opened(try Noise.oneWay(counter: 1500).sealed([1]))
        _ = try receiver.opened(try Noise.oneWay(counter: 1499).sealed([2]))
        _ = try receiver.opened(try Noise.oneWay(counter: 477).sealed([3]))
        for old: UInt32 in [0, 100, 476] {
            let frame = try Noise.oneWay(counter: UInt64(old)).sealed([4])
            #expect(noiseError { try receiver.opened(frame) } == .replay(counter: old))
        }
    }

    // Edge case 6: where the phones answer otherwise.
    @Test("a late first-time frame is accepted, and every replay refused")
    func strict() throws {
        let cipher = Noise.oneWay()
        let frames = try (0..<2000).map { _ in try cipher.sealed([1]) }
        for index in frames.indices where index != 50 && index < 100 { _ = try cipher.opened(frames[index]) }
        #expect(try cipher.opened(frames[50]) == [1])
        for index in frames.indices where index >= 100 { _ = try cipher.opened(frames[index]) }
        for index in 1..<2000 {
            #expect(noiseError { try cipher.opened(frames[index]) } == .replay(counter: UInt32(index)))
        }
    }

    // Edge case 7.
    @Test("a forged frame burns no counter")
    func forged() throws {
        let cipher = Noise.oneWay()
        let frame = try cipher.sealed([1, 2])
        var forgery = frame
        forgery[frame.count - 1] ^= 1
        #expect(noiseError { try cipher.opened(forgery) } == .authenticationFailure)
        var ahead = frame
        ahead[0] = 0xff
        #expect(noiseError { try cipher.opened(ahead) } == .authenticationFailure)
        #expect(try cipher.opened(frame) == [1, 2])
    }

    // Edge case 8.
    @Test("the last counter encrypts, the next one refuses for good; a received one may be the highest of all")
    func exhaustion() throws {
        let sender = Noise.oneWay(counter: 4_294_967_294)
        let last = try sender.sealed([1])
        #expect(last.prefix(4) == [0xff, 0xff, 0xff, 0xfe])
        for _ in 0..<2 { #expect(noiseError { try sender.sealed([1]) } == .exhausted) }
        #expect(sender.counter == 4_294_967_295)
        let receiver = Noise.oneWay()
        var highest: [UInt8] = [0xff, 0xff, 0xff, 0xff]
        let (plaintext, nothing): ([UInt8], [UInt8]) = ([5], [])
        Noise.cryptography.seal(
            plaintext.span, key: Noise.secret([UInt8](0..<32)), nonce: AEADNonce(counter: 4_294_967_295),
            associatedData: nothing.span, into: &highest)
        #expect(try receiver.opened(highest) == [5])
        #expect(noiseError { try receiver.opened(highest) } == .replay(counter: .max))
        #expect(try receiver.opened(last) == [1])
    }

    // Edge case 9.
    @Test("lost frames never cause a failure")
    func gaps() throws {
        let cipher = Noise.oneWay()
        for round in 0..<3000 {
            let frame = try cipher.sealed([UInt8(truncatingIfNeeded: round)])
            if round.isMultiple(of: 7) { _ = try cipher.opened(frame) }
        }
    }

    // Edge case 10.
    @Test("an ordinary plaintext has at most 65,535 bytes, whatever its type")
    func ordinaryLimit() throws {
        let cipher = Noise.oneWay()
        let largest = [UInt8](repeating: 0x20, count: 65_535)
        #expect(try cipher.opened(try cipher.sealed(largest)) == largest)
        let expected = NoiseError.tooLarge(count: 65_536, limit: 65_535)
        #expect(noiseError { try cipher.sealed(largest + [0]) } == expected)
        #expect(cipher.counter == 1)
    }

    // Edge case 10.
    @Test("a private file may be larger, up to 1,179,708 bytes; nothing else on its path may")
    func fileLimit() throws {
        let cipher = Noise.oneWay()
        let largest = [0x20] + [UInt8](repeating: 7, count: 1_179_707)
        let frame = try cipher.sealed(largest, path: .privateFile)
        #expect(frame.count == 1_179_728)
        #expect(try cipher.opened(frame) == largest)
        #expect(
            noiseError { try cipher.sealed(largest + [7], path: .privateFile) }
                == .tooLarge(count: 1_179_709, limit: 1_179_708))
        for type: UInt8 in [0x01, 0x09] {
            #expect(
                noiseError { try cipher.sealed([type] + largest.prefix(65_535), path: .privateFile) }
                    == .tooLarge(count: 65_536, limit: 65_535))
        }
        #expect(try cipher.sealed([], path: .privateFile).count == 20)
    }

    // Edge case 10: a peer that does not keep to the limits.
    @Test("a large frame that opens to another type is dropped, and the session goes on")
    func largeOrdinary() throws {
        // A sender without limits.
        var generous = NoisePolicy()
        generous.maximumOrdinaryPlaintext = 2_000_000
        let key = Noise.secret([UInt8](0..<32))
        let sender = Transport(sendingKey: key, receivingKey: key, policy: generous, using: Noise.cryptography)
        let receiver = Noise.oneWay()
        let plaintext = [0x01] + [UInt8](repeating: 7, count: 69_979)
        let frame = try sender.sealed(plaintext)
        #expect(frame.count == 70_000)
        var output: [UInt8] = [8]
        #expect(
            noiseError { try receiver.open(frame.span, into: &output) } == .tooLarge(count: 69_980, limit: 65_535))
        #expect(output == [8])
        #expect(noiseError { try receiver.opened(frame) } == .replay(counter: 0))
        for type: UInt8 in [0x20, 0x09] {
            let file = [type] + plaintext.dropFirst()
            #expect(try receiver.opened(try sender.sealed(file)) == file)
        }
        let beyond = try sender.sealed([0x20] + [UInt8](repeating: 0, count: 1_179_708))
        #expect(noiseError { try receiver.opened(beyond) } == .tooLarge(count: 1_179_729, limit: 1_179_728))
        #expect(try receiver.opened(try sender.sealed([1])) == [1])
    }

    @Test("the two directions have different keys")
    func directions() throws {
        let (initiator, responder) = try Noise.session()
        let frame = try initiator.sealed([1])
        #expect(noiseError { try initiator.opened(frame) } == .authenticationFailure)
        #expect(try responder.opened(frame) == [1])
    }
}
