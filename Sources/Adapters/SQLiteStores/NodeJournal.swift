import Application

/// What the journal tells the node; called in order, from the journal's own queue, and must return soon.
public struct JournalReports: Sendable {
    /// Everything up to this append is durable, except what was reported as failed before.
    public var committed: @Sendable (CommitID) -> Void
    /// This append will never be durable; why.
    public var commitFailed: @Sendable (CommitID, String) -> Void
    /// The event log now reaches up to this sequence.
    public var logged: @Sendable (UInt64) -> Void

    /// Takes the three calls.
    public init(
        committed: @escaping @Sendable (CommitID) -> Void,
        commitFailed: @escaping @Sendable (CommitID, String) -> Void,
        logged: @escaping @Sendable (UInt64) -> Void
    ) {
        self.committed = committed
        self.commitFailed = commitFailed
        self.logged = logged
    }
}

/// A journal and event log as the program holds them that runs a node; whether it keeps anything or not.
public protocol NodeJournal: Journal, EventHistory {
    /// Begins to write and to report, what was appended before included.
    func start(reporting reports: JournalReports)
    /// Writes what is queued, reports it, and lets go of the files. Later appends fail. Never from a report.
    func close()
    /// The peers' records, the one that changed longest ago first; and how many more there are that cannot be read.
    func identities() throws(JournalError) -> (records: [PeerIdentity], damaged: Int)
    /// The stores' entries that have not expired, the one that changed longest ago first; and how many more there are that
    /// cannot be read.
    func records() throws(JournalError) -> (records: [Record], damaged: Int)
}
