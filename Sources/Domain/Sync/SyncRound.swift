/// Which request to which neighbour this is, as far as it changes the filter. [ours]
///
/// A filter matches one in 128 packets that are not in it, and those are not sent. Asked again with the same filter, or
/// asking another neighbour, meets the same wrong matches, as they depend on the identifiers and the modulus alone. The
/// phones' modulus changes only when the number of packets does. And a filter holds some 355 packets: with more, a
/// cursor leaves out all older ones, so that what was missed of them is never asked for again. When two partitions meet
/// with 300 messages each, some are missing for good four times out of five. So:
///
/// - The modulus of each request is a little shorter than it would be, by an amount drawn from the round and the neighbour.
///   Values are then others everywhere, and a wrong match comes back with the chance that any packet has.
/// - Every third request to a neighbour is a sweep when there are more packets than a filter holds: one filter over all
///   of them, without a cursor. It may have 1,024 bytes, which everyone reads, and takes the highest parameter with which
///   all fit. A filter over older packets alone would have the neighbour send all newer ones again.
///
/// Any decoder reads both: it takes parameter, modulus and length from the request. A request of more than some 390 bytes
/// of filter already travels in fragments on a phone's link, with or without a sweep.
public struct SyncRound: Hashable, Sendable {
    /// Counts the requests.
    public let number: UInt32
    private let salt: UInt64?

    /// As the phones build every request.
    public static let plain = SyncRound(number: 0, salt: nil)

    /// Names a request.
    ///
    /// - Parameters:
    ///   - number: Rises by one with each request of the same types.
    ///   - neighbour: Who is asked; `nil` for whoever hears it.
    public init(number: UInt32, neighbour: PeerID?) {
        let rounds = (UInt64(number) + 1) &* 0x9E37_79B9_7F4A_7C15
        self.init(number: number, salt: Self.mixed(rounds &+ (neighbour?.rawValue ?? 0)))
    }

    private init(number: UInt32, salt: UInt64?) {
        self.number = number
        self.salt = salt
    }

    /// Whether this request covers everything if a common one cannot.
    public var isSweep: Bool {
        salt != nil && number % SyncPolicy.sweepInterval == SyncPolicy.sweepInterval - 1
    }

    /// By how much a modulus is shortened.
    func shortening(of modulus: UInt64) -> UInt64 {
        salt.map { $0 % (modulus / SyncPolicy.modulusVariation + 1) } ?? 0
    }

    /// Spreads a number over 64 bits, so that rounds and neighbours that differ a little do not follow each other.
    private static func mixed(_ value: UInt64) -> UInt64 {
        let first = (value ^ value >> 32) &* 0xD6E8_FEB8_6659_FD93
        let second = (first ^ first >> 32) &* 0xD6E8_FEB8_6659_FD93
        return second ^ second >> 32
    }
}
