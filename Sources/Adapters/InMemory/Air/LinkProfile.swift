import Domain

/// How one simulated link behaves, in both directions; the default is perfect and instant.
public struct LinkProfile: Hashable, Sendable {
    /// How long a frame is on its way, in milliseconds, drawn for each frame.
    public var latency: ClosedRange<Int64>
    /// The probability that a frame is lost.
    public var loss: Double
    /// The probability that a frame arrives twice.
    public var duplication: Double
    /// The probability that a frame does not keep its place and may overtake, or be overtaken; else order holds.
    public var reordering: Double
    /// The probability that one bit of a frame is flipped.
    public var corruption: Double
    /// What the link carries, in bytes a second; `nil`: everything at once, and then the queue never fills.
    public var bytesPerSecond: Int?
    /// The most bytes that wait to be sent in one direction, the frame on the air included; the first one always fits.
    public var queueLimit: Int
    /// The largest frame, in bytes.
    public var frameLimit: Int

    /// Describes a link.
    public init(
        latency: ClosedRange<Int64> = 0...0, loss: Double = 0, duplication: Double = 0, reordering: Double = 0,
        corruption: Double = 0, bytesPerSecond: Int? = nil, queueLimit: Int = 65_536, frameLimit: Int = 1_048_576
    ) {
        self.latency = latency
        self.loss = loss
        self.duplication = duplication
        self.reordering = reordering
        self.corruption = corruption
        self.bytesPerSecond = bytesPerSecond
        self.queueLimit = queueLimit
        self.frameLimit = frameLimit
    }
}
