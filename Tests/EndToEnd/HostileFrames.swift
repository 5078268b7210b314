import Application
import Domain
import Foundation
import InMemory
import NativeCryptography
import Testing
import ZlibCompression

extension WallTime {
    /// The system's time.
    static var now: WallTime { WallTime(milliseconds: UInt64(Date().timeIntervalSince1970 * 1000)) }
}

/// One frame again and again, each time with a time of its own, so that none is a duplicate.
struct TimedFrame {
    private var frame: [UInt8]
    private var last: UInt64 = 0

    init(_ frame: [UInt8]) { self.frame = frame }

    mutating func next() -> [UInt8] {
        last = max(last + 1, WallTime.now.milliseconds)
        // The timestamp fills bytes 3 to 10 (spec: packet §2.1).
        for place in 0..<8 { frame[3 + place] = UInt8(truncatingIfNeeded: last >> UInt64(56 - 8 * place)) }
        return frame
    }
}

/// Somebody hostile who has an identity, and what it sends.
struct HostileFrames {
    private let cryptography = NativeCryptography()
    private let noiseKey: AgreementPublicKey
    private let signing: NativeCryptography.Secret
    private let signingKey: SigningPublicKey

    var id: PeerID { PeerID(of: noiseKey, using: cryptography) }

    init(seed: UInt64) {
        let dice = SeededRandomness(seed: seed)
        noiseKey = cryptography.agreementPublicKey(of: cryptography.makeSecret(count: 32, from: dice))
        signing = cryptography.makeSecret(count: 32, from: dice)
        signingKey = cryptography.signingPublicKey(of: signing)
    }

    /// A frame whose payload takes a kilobyte and inflates to a megabyte.
    static func inflating() throws -> TimedFrame {
        let packet = Packet(
            version: 2, type: MessageType(rawValue: 0x7E), ttl: 7, timestamp: .now,
            sender: PeerID(rawValue: 0x6666_6666_6666_6666), payload: [UInt8](repeating: 0, count: 1_000_000))
        let frame = try #require(packet.encoded(padding: false, using: ZlibCompression()))
        #expect(frame.count < 2000)
        return TimedFrame(frame)
    }

    /// A frame as large as a link carries, to be passed on.
    static func largest() throws -> TimedFrame {
        let packet = Packet(
            type: MessageType(rawValue: 0x7E), ttl: 7, timestamp: .now,
            sender: PeerID(rawValue: 0x7777_7777_7777_7777), payload: SeededRandomness(seed: 1).bytes(65_500))
        return TimedFrame(try #require(packet.encoded(padding: false, using: NoCompression())))
    }

    /// An announce that is believed.
    func announce(_ name: String) throws -> [UInt8] {
        let payload = Announce(
            nickname: name, noiseKey: noiseKey.bytes.bytes, signingKey: signingKey.bytes.bytes,
            capabilities: Capabilities())
        let packet = Packet(
            type: .announce, ttl: 7, timestamp: .now, sender: id, payload: try #require(payload.encoded))
        return try signedFrame(packet)
    }

    /// A message that costs the most to find out about: each encoding of its payload has to be tried.
    func forged() throws -> TimedFrame {
        let text = String(repeating: "these words are well worth compressing, ", count: 100)
        var packet = Packet(
            type: .message, ttl: 7, timestamp: .now, sender: id, payload: Array(text.utf8))
        packet.signature = try message("something else").signature
        return TimedFrame(try #require(packet.encoded(padding: false, using: NoCompression())))
    }

    /// A signed public message.
    func message(_ text: String) throws -> Packet {
        let packet = Packet(type: .message, ttl: 7, timestamp: .now, sender: id, payload: Array(text.utf8))
        return try #require(packet.signed(with: signing, using: cryptography, ZlibCompression()))
    }

    func signedFrame(_ packet: Packet) throws -> [UInt8] {
        let signed = try #require(packet.signed(with: signing, using: cryptography, ZlibCompression()))
        return try #require(signed.encoded(padding: packet.type.isPaddedOnAir, using: ZlibCompression()))
    }
}

/// Bad frames of every kind, the same for the same seed.
struct Corpus: Sendable {
    private static let perKind = 1000
    private let victim: PeerID
    private let seed: UInt64
    /// One good frame of each type that the node looks into.
    private let good: [[UInt8]]

    init(victim: PeerID, seed: UInt64) throws {
        self.victim = victim
        self.seed = seed
        let author = HostileFrames(seed: seed)
        let dice = SeededRandomness(seed: seed)
        let types: [MessageType] = [
            .announce, .message, .leave, .courierEnvelope, .noiseHandshake, .noiseEncrypted, .fragment, .requestSync,
            .fileTransfer, .boardPost, .prekeyBundle, .groupMessage, .ping, .pong, .nostrCarrier, .voiceFrame,
            .announceV2, MessageType(rawValue: 0x7E),
        ]
        var frames = [try author.announce("garbler"), try author.signedFrame(try author.message("well said"))]
        for type in types {
            for recipient in [nil, victim] {
                for version: UInt8 in [1, 2] {
                    var packet = Packet(
                        version: version, type: type, ttl: 7, timestamp: .now, sender: author.id, recipient: recipient,
                        payload: dice.bytes(Int(dice.number(in: 0...300))))
                    if version == 2, dice.next() & 1 == 0 { packet.route = [victim, author.id] }
                    frames.append(try author.signedFrame(packet))
                }
            }
        }
        let words = Array(String(repeating: "easily compressed ", count: 40).utf8)
        frames.append(
            try author.signedFrame(
                Packet(type: .message, ttl: 7, timestamp: .now, sender: author.id, payload: words)))
        good = frames
    }

    /// Truncated, flipped, repeated, untimely, self-spoofed and largest frames, mixed.
    func frames(round: Int) throws -> [[UInt8]] {
        let dice = SeededRandomness(seed: seed &+ UInt64(round))
        var frames: [[UInt8]] = []
        func pick() -> [UInt8] { good[Int(dice.number(in: 0...Int64(good.count - 1)))] }
        for number in 0..<Self.perKind {
            let frame = pick()
            frames.append(Array(frame.prefix(Int(dice.number(in: 1...Int64(frame.count - 1))))))
            frames.append(flipped(pick(), dice))
            let fresh = stamped(pick(), WallTime.now)
            frames += [fresh, fresh]
            let future = WallTime.now.milliseconds &+ (number.isMultiple(of: 2) ? 600_000 : dice.next() >> 1)
            frames.append(stamped(pick(), WallTime(milliseconds: future)))
            frames.append(spoofed(pick()))
            if number.isMultiple(of: 5) { frames.append(largest(dice)) }
        }
        return frames
    }

    private func flipped(_ frame: [UInt8], _ dice: SeededRandomness) -> [UInt8] {
        var frame = stamped(frame, .now)
        for _ in 0..<dice.number(in: 1...8) {
            let place = Int(dice.number(in: 0...Int64(frame.count - 1)))
            frame[place] ^= 1 << UInt8(dice.number(in: 0...7))
        }
        return frame
    }

    private func stamped(_ frame: [UInt8], _ time: WallTime) -> [UInt8] {
        var frame = frame
        for place in 0..<8 {
            frame[3 + place] = UInt8(truncatingIfNeeded: time.milliseconds >> UInt64(56 - 8 * place))
        }
        return frame
    }

    /// The frame under the victim's own name, which stands behind the header: byte 14 in version 1, 16 in version 2.
    private func spoofed(_ frame: [UInt8]) -> [UInt8] {
        var frame = stamped(frame, .now)
        let start = frame[0] == 2 ? 16 : 14
        for place in 0..<8 {
            frame[start + place] = UInt8(truncatingIfNeeded: victim.rawValue >> UInt64(56 - 8 * place))
        }
        return frame
    }

    /// As many bytes as a link carries: a good header that claims too much or too little, and noise.
    private func largest(_ dice: SeededRandomness) -> [UInt8] {
        var frame = stamped(good[Int(dice.number(in: 0...Int64(good.count - 1)))], .now)
        frame += dice.bytes(65_536 - frame.count)
        if dice.next() & 1 == 0 { for place in 12..<14 { frame[place] = 0xFF } }
        return frame
    }
}
