import Domain

/// One Noise session with a peer, from its first handshake message on.
final class Session<C: Cryptography> {
    /// Where it stands.
    enum Phase {
        case initiating(HandshakeState<C>)
        case responding(HandshakeState<C>)
        case established(TransportCipher<C>, remoteKey: AgreementPublicKey)
    }

    /// Differs for every session of a run, also with the same keys: what is valid "for this session only" carries it.
    let generation: UInt64
    /// When the handshake began.
    let createdAt: Uptime
    var phase: Phase
    var lastUsed: Uptime

    init(generation: UInt64, phase: Phase, at now: Uptime) {
        self.generation = generation
        self.phase = phase
        createdAt = now
        lastUsed = now
    }

    var isEstablished: Bool { if case .established = phase { true } else { false } }
    var isInitiating: Bool { if case .initiating = phase { true } else { false } }
    var isResponding: Bool { if case .responding = phase { true } else { false } }
    var remoteKey: AgreementPublicKey? { if case .established(_, let key) = phase { key } else { nil } }
    /// Messages sent so far.
    var sentMessages: UInt64 { if case .established(let cipher, _) = phase { cipher.counter } else { 0 } }
}

/// What is kept for one peer about its sessions. Source: spec, noise §4.1.
struct SessionSlot<C: Cryptography> {
    var current: Session<C>?
    /// An established session that an unproved first message displaced: receives, never sends.
    var quarantined: Session<C>?
    /// Whether the initiator's timeout asks for a retry.
    var initiatorRetry = false
    /// When the responder gives up; not moved by repeated first messages.
    var responderDeadline: Uptime?
    var responderRetry = false
    /// We gave our own initiation up for theirs.
    var responderYielded = false
    var completedAsInitiatorAt: Uptime?
    var cooldownUntil: Uptime?
    /// A late first message was ignored; when the grace ends it gets its retry.
    var isSuppressing = false
    var isRecovering = false

    /// Whether the slot says nothing any more.
    func isIdle(at now: Uptime) -> Bool {
        current == nil && quarantined == nil && !isSuppressing && !isRecovering
            && (cooldownUntil.map { $0 <= now } ?? true)
    }
}

/// A session that just came to stand.
struct EstablishedSession: Hashable {
    let peer: PeerID
    let remoteKey: AgreementPublicKey
    let generation: UInt64
}

/// What the session table tells the node; called only after its own state is settled.
protocol SessionObserver: AnyObject {
    /// Send this handshake message to the peer.
    func session(sends message: [UInt8], to peer: PeerID)
    /// A quarantined session took its place again; with `isPending` outbound queues stay parked until a retry succeeds.
    func session(restoredFor peer: PeerID, generation: UInt64, isPending: Bool)
    /// An attempt ended without a session and without a retry of its own.
    func session(failedFor peer: PeerID)
    /// Whether packets may reach the peer now.
    func session(canReach peer: PeerID) -> Bool
}

/// What a handshake message led to.
enum HandshakeResult {
    /// Goes on: a reply, if any; and the session, if it stands now.
    case progress(reply: [UInt8]?, established: EstablishedSession?)
    /// The message was not for this state; nothing changed.
    case ignored
    /// Over the rate limit; nothing changed.
    case limited
    /// The attempt failed and the table owns the retry, if any.
    case managed
    /// The static key does not belong to the claimed identifier: terminal.
    case identityMismatch
    /// The attempt failed.
    case failed
}

/// What a ciphertext led to.
enum OpenResult {
    /// The plaintext, and the session that opened it.
    case opened([UInt8], EstablishedSession)
    /// Keep it until the handshake in progress has ended.
    case early
    /// There are no keys for it and no handshake in progress.
    case noSession
    /// Over the rate limit; neither nonce nor session was touched.
    case limited
    /// It does not open, or was seen; the session stays.
    case refused
    /// The session has run out.
    case expired
}
