/// The tunables of the judgement on our wall clock. All are [ours]: the specification has no rule for a wrong clock.
public enum ClockPolicy {
    /// How far the clock may be off before it counts as wrong.
    ///
    /// Phones refuse what is more than 120 s from *their* clock, and theirs are spread by seconds, rarely by a minute.
    /// Half of the limit leaves room for both: at 60 s off, a phone that is a minute off the other way still hears us.
    public static let tolerance: Milliseconds = .seconds(60)
    /// How far neighbours may be apart and still agree: what phones accept of each other (spec: mesh §3).
    public static let agreement: Milliseconds = .seconds(120)
    /// Neighbours that must agree. Two liars, or one and a wrong clock, must not be enough.
    public static let quorum = 3
    /// How long a neighbour's word counts; several times the longest gap between announces (spec: mesh §12.4).
    public static let evidenceLifetime: Milliseconds = .seconds(300)
    /// Least time between two announces with a strange time that are verified on one link: the clock judges by the latest
    /// one, so more would only cost.
    public static let strangeAnnounceInterval: Milliseconds = .seconds(1)
    /// Public messages that wait for a right clock. Bounds memory; a person notices sooner.
    public static let heldMessages = 64
}
