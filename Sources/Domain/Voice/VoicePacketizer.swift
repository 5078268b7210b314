/// Gathers the frames of one burst into packets that stay within one BLE write.
///
/// Source: spec, packet §4.9.
public struct VoicePacketizer: Sendable {
    /// The most bytes of a packet: with type byte and Noise tag it stays in the 256-byte padding bucket.
    public static let defaultBudget = 210
    /// What each frame costs beyond its own bytes.
    private static let frameHeaderLength = 2

    /// The sequence number of the next packet; the first one with frames has 1, the start has 0.
    public private(set) var nextSequence: UInt16 = 1
    /// How many packets with frames there were.
    public private(set) var dataPackets: UInt16 = 0
    private let burstID: UInt64
    private let budget: Int
    private var pending: [[UInt8]] = []
    private var pendingLength = VoiceBurst.headerLength

    /// Starts a burst.
    ///
    /// - Parameter budget: The most bytes of one packet, its eleven header bytes included.
    public init(burstID: UInt64, budget: Int = defaultBudget) {
        self.burstID = burstID
        self.budget = budget
    }

    /// Adds a frame; returns the packet with the frames before it when this one does not fit with them.
    ///
    /// An empty frame, and one that fits no packet, are dropped and flush nothing.
    public mutating func add(_ frame: [UInt8]) -> VoiceBurst? {
        let length = Self.frameHeaderLength + frame.count
        guard !frame.isEmpty, VoiceBurst.headerLength + length <= budget, frame.count <= UInt16.max else { return nil }
        var flushed: VoiceBurst?
        if pendingLength + length > budget || pending.count == VoiceBurst.maximumFrames { flushed = flush() }
        pending.append(frame)
        pendingLength += length
        return flushed
    }

    /// The packet with the frames that wait; `nil` when none do.
    public mutating func flush() -> VoiceBurst? {
        guard let packet = VoiceBurst(burstID: burstID, sequence: nextSequence, content: .frames(pending)) else {
            return nil
        }
        nextSequence &+= 1
        dataPackets &+= 1
        pending = []
        pendingLength = VoiceBurst.headerLength
        return packet
    }
}
