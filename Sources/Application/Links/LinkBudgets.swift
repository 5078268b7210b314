import Domain

/// What one link may still cost us, each kind of work in a budget of its own, asked before the work is done.
///
/// Keyed by the link, because that is what a hostile neighbour cannot invent at will: senders' names are free. Full when
/// the link comes up.
struct LinkBudgets {
    /// Frames that are looked at.
    var frames: TokenBucket
    /// Bytes of frames that are looked at.
    var bytes: TokenBucket
    /// Bytes that inflation may still cost.
    var inflation: TokenBucket
    /// Checks of signatures, announces apart.
    var signatureChecks: TokenBucket
    /// Checks of announces: identities are free to invent, and theirs must not use up the checks of messages.
    var announceChecks: TokenBucket
    /// Packets passed on.
    var relays: TokenBucket
    /// Packets passed on although nobody could check who made them, or for the first time of an identity.
    var unverifiedRelays: TokenBucket
    /// Messages in pieces begun.
    var fragmentStreams: TokenBucket
    /// Handshake units: messages taken, and handshakes of ours that a packet provoked.
    var handshakes: RateWindow
    /// Ciphertexts that do not open.
    var failedOpens: TokenBucket
    /// Identities pinned or renamed, on the disk.
    var pins: TokenBucket
    /// Announces of ours that a peer provoked: answers, and those that push a new peer's presence on.
    var provokedAnnounces: TokenBucket
    /// Public messages shown.
    var shownMessages: TokenBucket
    /// Comings and goings of neighbours logged.
    var linkEvents: TokenBucket
    /// Comings and goings logged.
    var peerEvents: TokenBucket
    /// Alarms about conflicting keys.
    var keyAlarms: TokenBucket
    /// Pings answered lately.
    var pingAnswers: RateWindow

    /// - Parameter isSpent: Whether the budgets begin empty.
    init(at now: Uptime, isSpent: Bool = false) {
        func bucket(_ allowance: Allowance) -> TokenBucket {
            var bucket = TokenBucket(allowance, at: now)
            if isSpent { _ = bucket.spend(allowance.burst, at: now) }
            return bucket
        }
        frames = bucket(MeshPolicy.framesPerLink)
        bytes = bucket(MeshPolicy.bytesPerLink)
        inflation = TokenBucket(
            capacity: MeshPolicy.inflationBurst, perSecond: MeshPolicy.inflationPerSecond, at: now)
        signatureChecks = TokenBucket(
            capacity: MeshPolicy.signatureChecksPerSecond, perSecond: MeshPolicy.signatureChecksPerSecond, at: now)
        announceChecks = bucket(MeshPolicy.announceChecksPerLink)
        fragmentStreams = bucket(MeshPolicy.fragmentStreamsPerLink)
        relays = bucket(MeshPolicy.relaysPerLink)
        unverifiedRelays = bucket(MeshPolicy.unverifiedRelaysPerLink)
        handshakes = RateWindow(limit: SessionPolicy.handshakesPerLink, window: SessionPolicy.handshakeWindow)
        failedOpens = bucket(MeshPolicy.failedOpensPerLink)
        pins = bucket(MeshPolicy.pinsPerLink)
        provokedAnnounces = bucket(MeshPolicy.provokedAnnouncesPerLink)
        shownMessages = bucket(MeshPolicy.shownMessagesPerLink)
        linkEvents = bucket(MeshPolicy.linkEventsPerLink)
        peerEvents = bucket(MeshPolicy.peerEventsPerLink)
        keyAlarms = bucket(MeshPolicy.keyAlarmsPerLink)
        pingAnswers = RateWindow(limit: MeshPolicy.pingAnswersPerLink, window: MeshPolicy.pingWindow)
    }
}

extension LinkTable {
    /// Spends from one of a link's budgets; `false` when it holds too little, or the link is gone.
    func spend(
        _ amount: Int64 = 1, of budget: WritableKeyPath<LinkBudgets, TokenBucket>, on link: LinkID, at now: Uptime
    ) -> Bool {
        update(link) { $0.budgets[keyPath: budget].spend(amount, at: now) } ?? false
    }
}

/// What passing packets on may cost: a budget for each link, so that a flood on one does not take the air of the rest,
/// and one for all of them.
///
/// [ours]: a radio passes on some hundred frames a second; what exceeds that fills queues and displaces other traffic.
final class RelayBudget {
    private let links: LinkTable
    private let counters: Counters
    private var all: TokenBucket

    init(links: LinkTable, counters: Counters, at now: Uptime) {
        self.links = links
        self.counters = counters
        all = TokenBucket(MeshPolicy.relaysInAll, at: now)
    }

    /// Spends what passing on one packet costs; a refusal is counted, and costs nothing.
    func spendRelay(on link: LinkID, at now: Uptime) -> Bool {
        // The link first: what it has spent itself must not be taken from the others.
        guard links.spend(of: \.relays, on: link, at: now), all.spend(1, at: now) else {
            counters.add(.droppedRelayBudget)
            return false
        }
        return true
    }

    /// Spends what passing on a packet of unchecked or unheard-of origin costs beyond that.
    func spendUnverifiedRelay(on link: LinkID, at now: Uptime) -> Bool {
        guard links.spend(of: \.unverifiedRelays, on: link, at: now) else {
            counters.add(.droppedUnverifiedRelay)
            return false
        }
        return true
    }
}
