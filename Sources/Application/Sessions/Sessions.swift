import Domain

/// The live Noise sessions with all peers: who may start one, which of two crossed handshakes wins, what a displaced
/// session may still do, and when an attempt is tried again.
///
/// The core is synchronous, so a first message leaves in the same step that makes it: the specification's claim token,
/// which guards the time between, has no counterpart here.
///
/// Source: spec, noise §4.
final class Sessions<C: Cryptography> {
    weak var observer: (any SessionObserver)?
    var slots: [PeerID: SessionSlot<C>] = [:]
    var handshakeLimits = HandshakeLimits()
    var messageLimit = PeerRateLimit<PeerID>(
        perPeer: SessionPolicy.messagesPerPeer, inAll: SessionPolicy.messagesInAll, window: SessionPolicy.messageWindow)
    let localPeer: PeerID
    let clock: any Clock
    let scheduler: any Scheduler
    let cryptography: C
    private let staticKeys: AgreementKeyPair<C>
    private let randomness: any Randomness
    private var lastGeneration: UInt64 = 0
    private var lastRekeyCheck: Uptime?

    init(localPeer: PeerID, staticKey: C.Secret, ports: NodePorts, cryptography: C) {
        self.localPeer = localPeer
        staticKeys = AgreementKeyPair(staticKey, using: cryptography)
        clock = ports.clock
        scheduler = ports.scheduler
        randomness = ports.randomness
        self.cryptography = cryptography
    }

    /// Established sessions, quarantined ones not counted.
    var establishedCount: Int { slots.values.count { $0.current?.isEstablished == true } }

    /// The session that sends to the peer, if one stands.
    func established(with peer: PeerID) -> EstablishedSession? {
        guard let session = slots[peer]?.current, let key = session.remoteKey else { return nil }
        return EstablishedSession(peer: peer, remoteKey: key, generation: session.generation)
    }

    /// Whether a session or an attempt exists.
    func exists(for peer: PeerID) -> Bool { slots[peer]?.current != nil || slots[peer]?.quarantined != nil }

    // MARK: Starting

    /// Starts a handshake unless there is a session or an attempt already; `false` when the rate limit refused it.
    func start(with peer: PeerID, retry: Bool = true) -> Bool {
        guard !exists(for: peer) else { return true }
        guard handshakeLimits.spendOwn(for: peer, at: clock.uptime) else { return false }
        cancelRecovery(of: peer)
        return install(initiatorFor: peer, retry: retry)
    }

    /// Replaces a standing session by a fresh handshake; the sending keys go at once.
    ///
    /// A refusal by the rate limit, or a failure to make message 1, leaves the session as it is.
    func reconnect(to peer: PeerID, spendingUnit: Bool = true) -> Bool {
        guard slots[peer]?.current?.isEstablished == true else { return false }
        guard !spendingUnit || handshakeLimits.spendOwn(for: peer, at: clock.uptime) else { return false }
        return install(initiatorFor: peer, retry: true)
    }

    /// Makes message 1, and only when it is made puts the attempt in the place of whatever was there.
    func install(initiatorFor peer: PeerID, retry: Bool) -> Bool {
        guard let handshake = makeHandshake(role: .initiator), let message = try? handshake.writeMessage() else {
            return false
        }
        cancelTimers(of: peer)
        var slot = SessionSlot<C>()
        slot.current = makeSession(.initiating(handshake))
        slot.initiatorRetry = retry
        slots[peer] = slot
        scheduler.schedule(.handshakeInitiator(peer), at: clock.uptime + SessionPolicy.initiatorTimeout)
        observer?.session(sends: message, to: peer)
        return true
    }

    func makeHandshake(role: HandshakeRole) -> HandshakeState<C>? {
        try? HandshakeState(
            .xx, role: role, staticKeys: staticKeys,
            ephemeral: cryptography.makeSecret(count: Bytes32.count, from: randomness), using: cryptography)
    }

    func makeSession(_ phase: Session<C>.Phase) -> Session<C> {
        lastGeneration += 1
        return Session(generation: lastGeneration, phase: phase, at: clock.uptime)
    }

    // MARK: Using

    /// Seals a plaintext for the peer: type byte and body.
    func seal(_ plaintext: [UInt8], for peer: PeerID) -> SealResult {
        guard let session = slots[peer]?.current, case .established(let cipher, _) = session.phase else {
            return .noSession
        }
        let now = clock.uptime
        guard now - session.createdAt <= SessionPolicy.lifetime, cipher.counter < SessionPolicy.maximumMessages
        else { return .expired }
        guard messageLimit.spend(for: peer, at: now) else { return .limited }
        do {
            let frame = try cipher.seal(plaintext.span)
            session.lastUsed = now
            return .sealed(frame)
        } catch {
            if case .tooLarge = error { return .tooLarge }
            return .expired
        }
    }

    /// Opens a ciphertext of the peer, under the session that sends or under the quarantined one.
    func open(_ frame: ArraySlice<UInt8>, from peer: PeerID) -> OpenResult {
        guard let slot = slots[peer] else { return .noSession }
        let isResponding = slot.current?.isResponding == true
        let candidate = slot.current?.isEstablished == true ? slot.current : isResponding ? slot.quarantined : nil
        guard let session = candidate, case .established(let cipher, let key) = session.phase else {
            return isResponding ? .early : slot.current == nil ? .noSession : .refused
        }
        let now = clock.uptime
        guard now - session.createdAt <= SessionPolicy.lifetime else { return isResponding ? .refused : .expired }
        guard messageLimit.allows(for: peer, at: now) else { return .limited }
        do {
            let plaintext = try cipher.open(frame.span)
            // Only what opens is the peer's: a forger must not use up its units.
            _ = messageLimit.spend(for: peer, at: now)
            session.lastUsed = now
            return .opened(
                plaintext, EstablishedSession(peer: peer, remoteKey: key, generation: session.generation))
        } catch {
            // New-key ciphertext tried against quarantined keys looks like a forgery or a replay.
            switch error {
            case .authenticationFailure, .replay: return isResponding ? .early : .refused
            default: return .refused
            }
        }
    }

    // MARK: Ending

    /// Forgets everything about a peer: it left, or its session has run out.
    func remove(_ peer: PeerID) {
        cancelTimers(of: peer)
        cancelRecovery(of: peer)
        slots[peer] = nil
    }

    /// Gives up an unfinished handshake because its link is gone; answers whether there was one.
    ///
    /// A quarantined session takes its place again, as after a timeout: its peer may have been out of range only.
    func abortUnfinished(with peer: PeerID) -> Bool {
        guard let slot = slots[peer], let current = slot.current, !current.isEstablished else { return false }
        cancelTimers(of: peer)
        guard slot.quarantined == nil else {
            giveUpResponding(to: peer, slot)
            return true
        }
        cancelRecovery(of: peer)
        slots[peer] = nil
        return true
    }

    /// Replaces sessions before they run out, and forgets what says nothing any more.
    func maintain() {
        let now = clock.uptime
        handshakeLimits.prune(at: now)
        messageLimit.prune(at: now)
        slots = slots.filter { !$0.value.isIdle(at: now) }
        forgetSurplus(at: now)
        guard lastRekeyCheck.map({ now - $0 >= SessionPolicy.rekeyInterval }) ?? true else { return }
        lastRekeyCheck = now
        let old = slots.filter { _, slot in
            guard let session = slot.current, session.isEstablished else { return false }
            return now - session.createdAt >= SessionPolicy.rekeyAge || now - session.lastUsed > SessionPolicy.lifetime
                || session.sentMessages >= SessionPolicy.rekeyMessages
        }
        for peer in old.keys.sorted() where observer?.session(canReach: peer) == true {
            _ = reconnect(to: peer, spendingUnit: false)
        }
    }

    /// Drops sessions that have run out, and of too many those that were used least lately: identities are free to
    /// invent, and each session holds keys.
    private func forgetSurplus(at now: Uptime) {
        let standing = slots.compactMap { peer, slot in slot.current.map { (peer: peer, session: $0) } }
            .filter(\.session.isEstablished)
        let expired = standing.filter { now - $0.session.createdAt > SessionPolicy.lifetime }
        for peer in expired.map(\.peer).sorted() { remove(peer) }
        guard standing.count - expired.count > SessionPolicy.maximumSessions else { return }
        let oldest = standing.filter { slots[$0.peer] != nil }.sorted {
            ($0.session.lastUsed, $0.peer) < ($1.session.lastUsed, $1.peer)
        }
        for entry in oldest.dropLast(SessionPolicy.maximumSessions) { remove(entry.peer) }
    }

    func cancelTimers(of peer: PeerID) {
        scheduler.cancel(.handshakeInitiator(peer))
        scheduler.cancel(.handshakeResponder(peer))
        scheduler.cancel(.handshakeGrace(peer))
    }

    func cancelRecovery(of peer: PeerID) {
        scheduler.cancel(.handshakeRecovery(peer))
        slots[peer]?.isRecovering = false
    }
}

/// What became of a plaintext.
enum SealResult {
    /// The frame for a packet of type 0x11.
    case sealed([UInt8])
    /// A handshake is required first.
    case noSession
    /// Over the rate limit; try again in a second.
    case limited
    /// The session has run out.
    case expired
    /// The plaintext exceeds the limit of an ordinary payload.
    case tooLarge
}
