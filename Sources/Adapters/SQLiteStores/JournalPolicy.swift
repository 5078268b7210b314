/// Bounds of the journal and of what it keeps.
public struct JournalPolicy: Hashable, Sendable {
    /// Changes that wait for the disk. Bounds memory while the disk stalls; further ones fail at once.
    public var queueLimit = 1000
    /// Events kept. Bounds the disk at some 25 MB, and a backlog that a returning script has to read.
    public var eventLimit = 50_000
    /// Days that events are kept: what nobody fetched in a month is a liability, not a service.
    public var eventDays: Int64 = 30
    /// Newest events kept whatever their age: a clock that was wrong when they were recorded must not lose them.
    public var eventMinimum = 1000
    /// Peers remembered; those go first that no session ever authenticated and that changed longest ago.
    public var identityLimit = 10_000
    /// The most pages of 4096 bytes that the database may have; `nil` for no limit but the disk's.
    public var pageLimit: Int?

    /// The bounds as documented.
    public init() {}
}
