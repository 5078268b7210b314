import Domain
import InMemory

/// What a packet is for; numbers of 8 bytes each follow.
enum RadioOrder: UInt8 {
    /// One of many, only counted.
    case data
    /// So many will come, and `done` is wanted when they have.
    case expect
    /// So many are wanted, with so many bytes each, and `done` behind them.
    case fetch
    /// With the processor time that it took, in nanoseconds.
    case done
    /// `pong` is wanted.
    case ping
    /// With the time at which `ping` came, in nanoseconds of the clock that all processes share.
    case pong

    /// Where the payload begins in a packet of version 1 for everyone.
    private static let start = PacketPolicy.shortestFrame1

    /// Reads the order in a packet.
    init?(_ frame: [UInt8]) {
        guard frame.count > Self.start else { return nil }
        self.init(rawValue: frame[Self.start])
    }

    /// A packet with the order; in all so many bytes, if given.
    func frame(_ numbers: [UInt64] = [], size: Int = 0) -> [UInt8] {
        var payload = [rawValue]
        for number in numbers { payload += (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) } }
        payload += [UInt8](repeating: 0x5A, count: max(0, size - Self.start - payload.count))
        let packet = Packet(
            type: .fragment, ttl: 7, timestamp: WallTime(milliseconds: 1_750_000_000_123), sender: PeerID(rawValue: 1),
            payload: payload)
        return packet.encoded(padding: false, using: NoCompression()) ?? []
    }

    /// One of the numbers of an order.
    static func number(_ place: Int, in frame: [UInt8]) -> Int {
        frame.dropFirst(start + 1 + 8 * place).prefix(8).reduce(0) { $0 << 8 | Int($1) }
    }
}
