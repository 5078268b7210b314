/// Numbers of gossip sync.
///
/// Source: spec, store-and-forward §5.2, §5.4, §5.8 to §5.10, unless a line says otherwise.
public enum SyncPolicy {
    // MARK: Stores

    /// Packets and bytes of each type that are kept. Bounds memory and what one answer replays.
    ///
    /// The bytes, and the number of announces, are [ours]: the reference counts packets alone, and 200 files may have
    /// 236 MB. Here all together have 26 MiB, of the 512 of a Raspberry Pi Zero 2 W, and only when files fill them.
    public static let limits = GossipLimits(
        announces: GossipLimit(packets: 1000, bytes: 1 << 20),
        messages: GossipLimit(packets: 1000, bytes: 4 << 20),
        fragments: GossipLimit(packets: 600, bytes: 2 << 20),
        files: GossipLimit(packets: 200, bytes: 16 << 20),
        groupMessages: GossipLimit(packets: 200, bytes: 2 << 20),
        prekeyBundles: GossipLimit(packets: 200, bytes: 1 << 20))

    /// The oldest public or group message kept and served; equals what receivers take.
    public static let messageWindow = MeshPolicy.publicMessageMaximumAge
    /// The oldest prekey bundle kept and served: its owner is away.
    public static let prekeyBundleWindow: Milliseconds = .seconds(86_400)
    /// The oldest announce, fragment or file kept and served: only useful soon.
    public static let briefWindow: Milliseconds = .seconds(900)
    /// An announce older than this does not tell that its author is there.
    public static let announceTimeout: Milliseconds = .seconds(60)
    /// How far ahead of our clock a stored packet may be; what is further would stay fresh for as long (§5.2, REF-GAP).
    public static let maximumLead: Milliseconds = .seconds(120)

    // MARK: Filters

    /// Longest filter, in bytes: a request is little more than one frame of a link.
    public static let filterBytes = 400
    /// Rate of wrong matches that a filter aims at.
    public static let falsePositiveRate = 0.01
    /// The parameter that ``falsePositiveRate`` comes to.
    public static let filterParameter: UInt8 = 7
    /// Most candidates in a request, whatever the filter holds.
    public static let maximumCandidates = 1000
    /// The same, for fragments alone.
    public static let maximumFragmentCandidates = 600
    /// The same, for files, prekey bundles or board packets alone.
    public static let maximumOtherCandidates = 200

    // MARK: Sweeps ([ours], see ``SyncRound``)

    /// Every so many requests to a neighbour, one filter covers everything that is kept.
    public static let sweepInterval: UInt32 = 3
    /// Longest filter of a sweep, in bytes: the longest that anybody reads.
    public static let sweepBytes = RequestSync.maximumDataLength
    /// The highest parameter of a sweep: errs once in 4,096, after which more bits buy nothing.
    public static let sweepParameter: UInt8 = 12
    /// The modulus of a filter varies by up to this part of it; the error rate, by as little.
    public static let modulusVariation: UInt64 = 16

    // MARK: Cadence

    /// Pause between maintenance ticks; the first comes as long after the start.
    public static let tick: Milliseconds = .seconds(30)
    /// Least pause between two looks for announces over ``announceTimeout``.
    public static let staleCheckInterval: Milliseconds = .seconds(60)
    /// What is asked for, and how often at most. One request each: in a shared filter fragments would leave no room.
    public static let rows = [
        SyncRow(types: SyncTypeFlags([.announce, .message, .groupMessage]), interval: .seconds(15)),
        SyncRow(types: SyncTypeFlags([.fragment]), interval: .seconds(30)),
        SyncRow(types: SyncTypeFlags([.fileTransfer]), interval: .seconds(60)),
        SyncRow(types: SyncTypeFlags([.prekeyBundle]), interval: .seconds(60)),
        SyncRow(types: SyncTypeFlags([.boardPost]), interval: .seconds(60)),
    ]
    /// How long after a new neighbour's announce it is asked for everything: lets the exchange of announces settle.
    public static let initialDelay: Milliseconds = .seconds(1)
    /// What a new neighbour is asked for.
    public static let initialTypes = SyncTypeFlags(
        [.announce, .message, .fragment, .fileTransfer, .boardPost, .prekeyBundle, .groupMessage])
    /// What a request without types asks for (§5.6).
    public static let defaultTypes = SyncTypeFlags([.announce, .message])

    // MARK: Answers

    /// Requests of one peer answered within ``responseWindow``: an answer may replay the whole store.
    public static let responsesPerWindow = 8
    /// The window of ``responsesPerWindow``: a request answered exactly 30 s ago still counts.
    public static let responseWindow: Milliseconds = 30_001
    /// Peers whose requests are counted. [ours]: bounds memory; neighbours are fewer.
    public static let maximumRequesters = 1024
    /// Peers of whom we remember that we asked them. [ours]: as above.
    public static let maximumRequested = 1024

    // MARK: Stalled fragments

    /// Pause between looks for fragment streams to ask for; the streams' own numbers are in ``FragmentPolicy``.
    public static let recoveryInterval: Milliseconds = .seconds(15)
}
