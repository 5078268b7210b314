/// Whether a packet is of the present: the bound on replay that every frame from a link and every rebuilt packet must meet.
///
/// Source: spec, packet §2.11.
public enum ClockCheck {
    /// Whether an ordinary packet's timestamp lies within 120 s of our clock, inclusive, on either side.
    public static func accepts(_ timestamp: WallTime, at now: WallTime) -> Bool {
        timestamp.distance(to: now) <= PacketPolicy.maximumSkew
    }

    /// Whether an answer to a sync request was asked for: then its age does not matter.
    ///
    /// - Parameter requestedAt: When we last sent a sync request to the peer that the packet is attributed to.
    public static func acceptsSyncResponse(requestedAt: Uptime?, at now: Uptime) -> Bool {
        requestedAt.map { now - $0 <= PacketPolicy.syncResponseWindow } ?? false
    }
}
