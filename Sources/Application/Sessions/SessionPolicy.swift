import Domain

/// The tunables of live sessions. Source: spec, noise §3.6, §3.7, §4.1, §5.3.
struct SessionPolicy {
    /// The length of message 1: a bare ephemeral key.
    static let firstMessageLength = 32
    /// How long an initiator waits: message 1 or 2 was lost.
    static let initiatorTimeout: Milliseconds = .seconds(10)
    /// How long a responder waits: a lost message 3 must not strand outbound traffic.
    static let responderTimeout: Milliseconds = .seconds(20)
    /// Before a retry after a collision: lets an old client retry first.
    static let collisionDelay: Milliseconds = 200
    /// Before a retry that the rate limit refused: no spinning.
    static let rateLimitDelay: Milliseconds = .seconds(60)
    /// After completing as initiator: a winning message 3 and a losing message 1 may arrive in either order.
    static let completionGrace: Milliseconds = .seconds(1)
    /// After a rollback: paced forged first messages must not keep outbound traffic paused.
    static let rollbackCooldown: Milliseconds = .seconds(60)
    /// The most that a session may be old; it then fails both ways.
    static let lifetime: Milliseconds = .seconds(86_400)
    /// From this age on a session is replaced, before its lifetime ends in the middle of a talk (spec: noise §3.6).
    static let rekeyAge: Milliseconds = .seconds(82_800)
    /// From so many sent messages on a session is replaced.
    static let rekeyMessages: UInt64 = 900_000_000
    /// The most messages that a session sends.
    static let maximumMessages: UInt64 = 1_000_000_000
    /// Sessions are looked over for replacement this often.
    static let rekeyInterval: Milliseconds = .seconds(60)

    /// Sessions that may stand at once. [ours]: memory; far above what one node talks to.
    static let maximumSessions = 2000

    /// Handshake units per peer and in all, within ``handshakeWindow``.
    static let handshakesPerPeer = 10
    /// See ``handshakesPerPeer``.
    static let handshakesInAll = 30
    /// Units that one link may spend of ``handshakesInAll``. [ours]: half, so that invented senders on one link leave the
    /// other half to our neighbours on the others and to handshakes of our own.
    static let handshakesPerLink = handshakesInAll / 2
    /// See ``handshakesPerPeer``.
    static let handshakeWindow: Milliseconds = .seconds(60)
    /// Message units per peer and in all, within ``messageWindow``.
    static let messagesPerPeer = 100
    /// See ``messagesPerPeer``.
    static let messagesInAll = 500
    /// See ``messagesPerPeer``.
    static let messageWindow: Milliseconds = .seconds(1)

    /// Early ciphertexts kept per peer, in all, and their bytes in all.
    static let earlyPerPeer = 4
    /// See ``earlyPerPeer``.
    static let earlyInAll = 32
    /// Of those, how many may have come on one link. [ours]: for the reason of ``handshakesPerLink``.
    static let earlyPerLink = earlyInAll / 2
    /// See ``earlyPerPeer``: the largest frame and 256 KiB.
    static let earlyBytes = 1_441_872
    /// The largest early ciphertext kept: the largest frame.
    static let earlyPacketBytes = NoisePolicy().maximumPrivateFilePlaintext + NoisePolicy.frameOverhead
    /// How long an early ciphertext is kept, inclusive.
    static let earlyLifetime: Milliseconds = .seconds(20)
}
