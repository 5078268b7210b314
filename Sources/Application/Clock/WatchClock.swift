import Domain

/// Watches whether our wall clock is right enough to speak: what phones would refuse as too old or too new had better
/// wait (spec: mesh §3).
///
/// Witnesses are the direct announces of neighbours, one for each link, the latest: whoever sits at the far end may
/// invent identities, and has one voice all the same. Also announces that the ingress guard drops for their time count,
/// else a clock that is a year behind would never hear of it. Our own time is never corrected by what they say.
final class WatchClock<C: Cryptography> {
    /// How the clock stands.
    private(set) var judgement: ClockJudgement
    /// Told when what was held back may go.
    var released: (() -> Void)?
    /// Told when from now on everything is held back.
    var heldBack: (() -> Void)?
    private let localPeer: PeerID
    private let links: LinkTable
    private let ports: NodePorts
    private let counters: Counters
    private let cryptography: C
    private var isTrusted: Bool
    /// A time that has passed for certain.
    private var floor: WallTime
    /// The latest word on each link.
    private var heard: [LinkID: NeighbourClock] = [:]
    /// When an announce with a strange time was last verified on each link.
    private var examined: [LinkID: Uptime] = [:]
    /// Our own clock's epoch at the last judgement: moves when somebody sets the clock.
    private var judgedEpoch: Int64?
    private var isDisputeTold = false

    init(
        localPeer: PeerID, floor: WallTime, isTrusted: Bool, links: LinkTable, ports: NodePorts, counters: Counters,
        cryptography: C
    ) {
        self.localPeer = localPeer
        self.floor = floor
        self.isTrusted = isTrusted
        self.links = links
        self.ports = ports
        self.counters = counters
        self.cryptography = cryptography
        judgement = ClockJudgement(
            ClockEvidence(
                wall: ports.clock.wall, uptime: ports.clock.uptime, floor: floor,
                isSynchronised: ports.clock.isSynchronised, neighbours: NeighbourClocks([], at: ports.clock.uptime),
                isTrusted: isTrusted))
        judgedEpoch = epoch
        settleFloor()
    }

    /// Whether what we originate must wait. Looks at the clock again when it was set since the last judgement.
    var isHolding: Bool {
        if wasSet { judge() }
        return judgement.isWrong
    }

    /// The clock as `status` shows it.
    var report: ClockReport {
        ClockReport(
            judgement: judgement, floor: floor, isSynchronised: ports.clock.isSynchronised, witnesses: heard.count)
    }

    /// What a refusal says while the clock is wrong.
    var refusal: Refusal { .clockWrong(judgement.explanation) }

    // MARK: Evidence

    /// An announce that was accepted, signature and all.
    func take(accepted packet: Inbound) {
        guard packet.isDirectAnnounce else { return }
        note(packet.view, on: packet.link)
    }

    /// A frame that the ingress guard drops for its time; a direct announce may still show that the fault is ours.
    func take(strange view: PacketView, on link: LinkID) {
        let now = ports.clock.uptime
        guard view.isDirectAnnounce, isOwnWord(of: view.sender, on: link),
            examined[link].map({ now - $0 >= ClockPolicy.strangeAnnounceInterval }) ?? true,
            mayInflate(view, on: link, at: now), let payload = view.payload(using: ports.compression),
            let reading = AnnounceReading(payload, using: cryptography), reading.derivedPeer == view.sender,
            view.sender != localPeer, let key = reading.announce.signingPublicKey
        else { return }
        examined[link] = now
        let verdict = view.verifySignature(
            by: key, using: cryptography, ports.compression,
            spend: { links.spend(of: \.signatureChecks, on: link, at: now) })
        guard verdict == .valid else { return }
        note(view, on: link)
    }

    private func mayInflate(_ view: PacketView, on link: LinkID, at now: Uptime) -> Bool {
        let size = Int64(view.payloadLengthAfterInflation)
        return !view.isCompressed || links.spend(size, of: \.inflation, on: link, at: now)
    }

    /// A link is gone, and with it the word of who sat there.
    func linkDown(_ link: LinkID) {
        examined[link] = nil
        guard heard.removeValue(forKey: link) != nil else { return }
        judge()
    }

    private func note(_ view: PacketView, on link: LinkID) {
        guard isOwnWord(of: view.sender, on: link),
            let clock = NeighbourClock(peer: view.sender, timestamp: view.timestamp, at: ports.clock.uptime)
        else { return }
        heard[link] = clock
        judge()
    }

    /// What comes on a link that is bound to another peer was at best passed on late.
    private func isOwnWord(of peer: PeerID, on link: LinkID) -> Bool {
        guard let state = links[link] else { return false }
        return state.boundPeer == nil || state.boundPeer == peer
    }

    // MARK: Judgement

    /// Judges anew, in every maintenance tick: the kernel may have changed its mind, and words grow old.
    func maintain() {
        let now = ports.clock.uptime
        heard = heard.filter { now - $0.value.heardAt <= ClockPolicy.evidenceLifetime }
        judge()
    }

    /// Takes over what the operator says of the clock.
    func setTrust(_ isTrusted: Bool) {
        self.isTrusted = isTrusted
        judge()
    }

    private func judge() {
        let (before, now) = (judgement, ports.clock.uptime)
        judgedEpoch = epoch
        judgement = ClockJudgement(
            ClockEvidence(
                wall: ports.clock.wall, uptime: now, floor: floor, isSynchronised: ports.clock.isSynchronised,
                neighbours: NeighbourClocks(heard.values, at: now), isTrusted: isTrusted))
        settleFloor()
        tell(since: before)
        if judgement.isWrong, !before.isWrong { heldBack?() }
        if before.isWrong, !judgement.isWrong { released?() }
    }

    /// Who vouches for a clock below the floor shows that the floor came from a clock that was ahead.
    private func settleFloor() {
        if judgement.state == .right { floor = min(floor, ports.clock.wall) }
    }

    private var epoch: Int64? { ClockEpoch.of(ports.clock.wall, at: ports.clock.uptime) }

    /// Whether the clock was set since the last judgement; one that is only trimmed drifts by less than a second.
    private var wasSet: Bool {
        guard let judgedEpoch, let epoch else { return judgedEpoch != epoch }
        return (epoch - judgedEpoch).magnitude > 1000
    }

    /// Logs what is wrong at the start.
    func tellAtStart() {
        if judgement.isWrong { tellWrong() }
    }

    private func tell(since before: ClockJudgement) {
        if judgement.isWrong {
            if !before.isWrong || before.reason != judgement.reason { tellWrong() }
        } else if before.isWrong {
            ports.events.emit(.log(.info, "the clock is taken for right again: \(judgement.explanation)"))
        }
        if judgement.isDisputed, !isDisputeTold {
            ports.events.emit(.log(.warning, "neighbours contradict the clock: \(judgement.explanation)"))
        }
        isDisputeTold = judgement.isDisputed
    }

    private func tellWrong() {
        ports.events.emit(.log(.warning, "the clock is wrong, nothing of ours is sent: \(judgement.explanation)"))
    }
}
