import Domain
import InMemory
import NativeCryptography

@testable import Application

/// One side of a session under test: its table, and the messages that it wants to send, which the test delivers or not.
final class SessionSide: SessionObserver {
    let id: PeerID
    let sessions: Sessions<NativeCryptography>
    let scheduler: NodeScheduler
    var outbox: [[UInt8]] = []
    var restored: [Bool] = []
    var failures = 0
    var isReachable = true

    init(_ time: VirtualTime, seed: UInt64) {
        let cryptography = NativeCryptography()
        let dice = SeededRandomness(seed: seed)
        let secret = cryptography.makeSecret(count: 32, from: dice)
        let scheduler = NodeScheduler(time)
        let air = SimulatedAir(time, randomness: dice.fork("air"))
        let ports = NodePorts(
            clock: NodeClock(time), scheduler: scheduler, randomness: dice, links: air.makeEndpoint("unused"),
            journal: MemoryJournal(time), files: MemoryFiles(time), events: NoticeRecorder(),
            compression: NoCompression(), normalization: IdentityNormalization())
        id = PeerID(of: cryptography.agreementPublicKey(of: secret), using: cryptography)
        self.scheduler = scheduler
        let sessions = Sessions(localPeer: id, staticKey: secret, ports: ports, cryptography: cryptography)
        self.sessions = sessions
        scheduler.fire = { timer in
            switch timer {
            case .handshakeInitiator(let peer): sessions.initiatorTimedOut(peer)
            case .handshakeResponder(let peer): sessions.responderTimedOut(peer)
            case .handshakeGrace(let peer): sessions.graceEnded(peer)
            case .handshakeRecovery(let peer): sessions.recover(peer)
            default: break
            }
        }
        sessions.observer = self
    }

    func session(sends message: [UInt8], to peer: PeerID) { outbox.append(message) }
    func session(restoredFor peer: PeerID, generation: UInt64, isPending: Bool) { restored.append(isPending) }
    func session(failedFor peer: PeerID) { failures += 1 }
    func session(canReach peer: PeerID) -> Bool { isReachable }

    /// Takes the newest message out of the outbox.
    func nextMessage() -> [UInt8]? { outbox.popLast() }

    /// Takes a message from `peer` and answers what it replies.
    func take(_ message: [UInt8], from peer: SessionSide) -> [UInt8]? {
        if case .progress(let reply, _) = sessions.receive(message[...], from: peer.id) { reply } else { nil }
    }

    /// Whether a session stands that sends.
    func isSecure(with peer: SessionSide) -> Bool { sessions.established(with: peer.id) != nil }
}

/// Two sides; `low` has the lower identifier and so keeps the initiator's role when handshakes cross.
struct SessionBench {
    let time = VirtualTime(now: Uptime(milliseconds: 1_000_000))
    let low: SessionSide
    let high: SessionSide

    init() {
        let (first, second) = (SessionSide(time, seed: 1), SessionSide(time, seed: 2))
        (low, high) = first.id < second.id ? (first, second) : (second, first)
    }

    /// Runs a whole handshake.
    func connect(_ initiator: SessionSide, _ responder: SessionSide) {
        guard initiator.sessions.start(with: responder.id), let first = initiator.nextMessage(),
            let second = responder.take(first, from: initiator), let third = initiator.take(second, from: responder)
        else { return }
        _ = responder.take(third, from: initiator)
    }

    /// Whether a message sealed by one opens at the other.
    func talks(_ sender: SessionSide, _ receiver: SessionSide) -> Bool {
        guard case .sealed(let frame) = sender.sessions.seal([0x03, 0x78], for: receiver.id),
            case .opened(let plaintext, _) = receiver.sessions.open(frame[...], from: sender.id)
        else { return false }
        return plaintext == [0x03, 0x78]
    }
}
