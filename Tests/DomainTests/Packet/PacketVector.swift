import Domain
import NativeCryptography
import Support
import Testing
import ZlibCompression

/// A packet as the vector files write it, before identifiers are cut or filled to eight bytes.
struct PacketVector {
    /// The packet; `nil` when the vector has a hop of no bytes, which no ``Packet`` can hold.
    let packet: Packet?

    init(_ json: JSONValue) {
        let version = UInt8(truncatingIfNeeded: json.member("version").unsigned ?? 0)
        let hops = (json.member("route").array ?? []).map { $0.hex ?? [] }
        // Version 1 has no route, so its hops do not matter; version 2 cannot encode an empty one.
        guard version == 1 || hops.allSatisfy({ !$0.isEmpty }) else {
            packet = nil
            return
        }
        packet = Packet(
            version: version, type: MessageType(rawValue: UInt8(truncatingIfNeeded: json.member("type").unsigned ?? 0)),
            ttl: UInt8(truncatingIfNeeded: json.member("ttl").unsigned ?? 0),
            timestamp: WallTime(milliseconds: json.member("timestamp").unsigned ?? 0),
            sender: PeerID(fitting: json.member("sender").hex ?? []),
            recipient: json.member("recipient").hex.map { PeerID(fitting: $0) },
            route: hops.map { PeerID(fitting: $0) }, payload: json.member("payload").hex ?? [],
            signature: json.member("signature").hex.flatMap { Signature($0.prefix(64)) },
            isSyncResponse: json.member("rsr").bool ?? false)
    }
}

/// The adapters that the packet tests run with.
enum PacketTools {
    static let compression = ZlibCompression()
    static let cryptography = NativeCryptography()

    static func seed(_ bytes: [UInt8]) -> NativeCryptography.Secret { cryptography.importSecret(bytes.span) }
}

/// A small deterministic generator (SplitMix64), so that every run of a property test is the same.
struct PacketTestGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }

    mutating func bytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8(truncatingIfNeeded: next()) } }

    /// Bytes that deflate well: few values, repeating.
    mutating func text(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8(ascii: "a") + UInt8(next() % 7) } }
}

/// Draws from a ``PacketTestGenerator``.
final class PacketTestRandomness: Randomness {
    private var generator: PacketTestGenerator

    init(seed: UInt64) { generator = PacketTestGenerator(seed: seed) }

    func next() -> UInt64 { generator.next() }

    func fill(_ bytes: inout MutableSpan<UInt8>) {
        for index in bytes.indices { bytes[index] = UInt8(truncatingIfNeeded: generator.next()) }
    }
}

extension Packet {
    /// A packet to vary in tests: the one of vector 3 in spec packet §9.
    static func sample(
        version: UInt8 = 1, type: MessageType = .message, ttl: UInt8 = 7,
        timestamp: WallTime = WallTime(milliseconds: 1_750_000_000_123),
        sender: PeerID = PeerID(rawValue: 0x0011_2233_4455_6677), recipient: PeerID? = nil, route: [PeerID] = [],
        payload: [UInt8] = Array("hello mesh".utf8), signature: Signature? = nil, isSyncResponse: Bool = false
    ) -> Packet {
        Packet(
            version: version, type: type, ttl: ttl, timestamp: timestamp, sender: sender, recipient: recipient,
            route: route, payload: payload, signature: signature, isSyncResponse: isSyncResponse)
    }

    /// The unpadded frame; a test that calls this has no use for a packet that cannot be encoded.
    func plainFrame() throws -> [UInt8] {
        try #require(encoded(padding: false, using: PacketTools.compression))
    }
}
