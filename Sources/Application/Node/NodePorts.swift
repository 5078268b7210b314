import Domain

/// Everything outside that the node talks to.
public struct NodePorts {
    /// Tells the time.
    public let clock: any Clock
    /// Wakes the node.
    public let scheduler: any Scheduler
    /// Gives random bytes.
    public let randomness: any Randomness
    /// Carries frames.
    public let links: any LinkLayer
    /// Keeps events and identities.
    public let journal: any Journal
    /// Keeps received files.
    public let files: any FileStore
    /// Takes notices.
    public let events: any EventSink
    /// Deflates and inflates.
    public let compression: any Compression
    /// Normalises names.
    public let normalization: any TextNormalization

    /// Gathers the ports.
    public init(
        clock: any Clock, scheduler: any Scheduler, randomness: any Randomness, links: any LinkLayer,
        journal: any Journal, files: any FileStore, events: any EventSink, compression: any Compression,
        normalization: any TextNormalization
    ) {
        self.clock = clock
        self.scheduler = scheduler
        self.randomness = randomness
        self.links = links
        self.journal = journal
        self.files = files
        self.events = events
        self.compression = compression
        self.normalization = normalization
    }
}
