/// Limits of the outbox. Source: spec, store-and-forward §1.1 and §1.3, unless a line says otherwise.
public enum OutboxPolicy {
    /// Messages kept for one peer; the oldest goes for a newer one (§1.1).
    public static let entriesPerOwner = 100
    /// Messages kept for all peers together. [ours]: memory, about 2 MB; a new message is refused then, for no other has to
    /// give way to it.
    public static let entriesInAll = 4000
    /// A message is tried for this long, as long as a courier's envelope lives (§1.1).
    public static let lifetime: Milliseconds = .seconds(86_400)
    /// Transmissions after which a peer that never confirms gets no more (§1.1, §1.8).
    public static let attempts = 8
    /// Couriers that may hold one message: redundancy without flooding (§1.1).
    public static let couriersPerMessage = 3
    /// How often what has run out is dropped (§1.1, §1.5).
    public static let sweepInterval: Milliseconds = .seconds(120)
    /// Messages that wait for one peer's session, behind a mesh send; the oldest goes (§1.3).
    public static let handshakeMessages = 100
    /// Other payloads that wait for one peer's session; the oldest goes (§1.3).
    public static let handshakePayloads = 100
}
