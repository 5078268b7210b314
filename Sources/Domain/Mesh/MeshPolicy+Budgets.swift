/// What one neighbour, and all of them together, may make us do. [ours] throughout: the reference trusts the radio to be
/// slow, but a hostile radio, and every socket, is not. Each is asked before the step that it bounds.
extension MeshPolicy {
    /// Frames looked at for one link: what no radio delivers. A third of a core, were each of them new.
    public static let framesPerLink = Allowance(burst: 4000, refill: 2000)
    /// Bytes of frames looked at for one link: each is hashed once. A radio delivers a twentieth of it.
    public static let bytesPerLink = Allowance(burst: 8 << 20, refill: 4 << 20)
    /// Packets of one link passed on: what a dense room produces, and more than a radio sends.
    public static let relaysPerLink = Allowance(burst: 500, refill: 250)
    /// Packets of all links together passed on.
    public static let relaysInAll = Allowance(burst: 2000, refill: 1000)
    /// Packets of one link passed on whose author could be checked in principle and was not, announces and public
    /// messages without a good signature; and first announces. A flood of invented people would else use up the checks of
    /// those further on. Honest ones are of people who have just come: a crowd fits the burst, and they announce again.
    public static let unverifiedRelaysPerLink = Allowance(burst: 300, refill: 20)
    /// Announces of one link whose signature is checked: 1,000 people announce that often.
    public static let announceChecksPerLink = Allowance(burst: 200, refill: 50)
    /// Messages in pieces that may begin on one link. Each takes a place among the assemblies, here and in every node
    /// further on; so a place is kept for six seconds at least, where a long text takes a tenth of one.
    public static let fragmentStreamsPerLink = Allowance(burst: 64, refill: 10)
    /// Ciphertexts on one link that do not open. Trying one costs microseconds; honest ones fail when a peer has restarted,
    /// and a link may carry those of many.
    public static let failedOpensPerLink = Allowance(burst: 400, refill: 200)
    /// Identities pinned or renamed on the disk for one link: a crowd arriving fits the burst; a flood must not wear an SD
    /// card out, nor roll the pins over in less than hours.
    public static let pinsPerLink = Allowance(burst: 200, refill: 1)
    /// The same for all links together.
    public static let pinsInAll = Allowance(burst: 1000, refill: 4)
    /// Announces of ours that one link's peers provoke: answers (§12.3) and pushes of a new peer's presence. One of ours
    /// answers everybody, and the periodic one follows within half a minute.
    public static let provokedAnnouncesPerLink = Allowance(burst: 10, refill: 1, per: .seconds(5))
    /// Links that come up with full budgets: who closes and opens links again and again must not have its budgets filled
    /// each time. What comes up beyond that begins with empty ones, and is announced to only with the next announce.
    public static let freshLinks = Allowance(burst: 64, refill: 1, per: .seconds(2))
    /// Public messages of one link that are shown: a person reads fewer, and identities are free to invent.
    public static let shownMessagesPerLink = Allowance(burst: 100, refill: 20)
    /// Comings and goings of neighbours logged for one link.
    public static let linkEventsPerLink = Allowance(burst: 20, refill: 1, per: .seconds(5))
    /// Peers' comings, goings and new names logged for one link.
    public static let peerEventsPerLink = Allowance(burst: 50, refill: 1, per: .seconds(2))
    /// The same for all links together: they must not push messages out of the event log.
    public static let peerEventsInAll = Allowance(burst: 100, refill: 1)
    /// Alarms about conflicting keys logged for one link.
    public static let keyAlarmsPerLink = Allowance(burst: 5, refill: 1, per: .seconds(10))
}
