import Domain
import InMemory
import NativeCryptography
import Testing

@testable import Application

@Suite("Sessions (spec: noise §4, §13 cases 11 to 24)")
struct SessionTests {
    @Test("a handshake gives a session that works both ways")
    func handshake() {
        let bench = SessionBench()
        bench.connect(bench.low, bench.high)
        #expect(bench.talks(bench.low, bench.high))
        #expect(bench.talks(bench.high, bench.low))
    }

    @Test("11: a static key that does not belong to the claimed identifier ends the attempt, and message 3 stays here")
    func identityMismatch() throws {
        let bench = SessionBench()
        let stranger = SessionSide(bench.time, seed: 3)
        #expect(bench.low.sessions.start(with: bench.high.id))
        let first = try #require(bench.low.nextMessage())
        let second = try #require(stranger.take(first, from: bench.low))
        guard case .identityMismatch = bench.low.sessions.receive(second[...], from: bench.high.id) else {
            Issue.record("a stranger's key was taken for the peer's")
            return
        }
        #expect(!bench.low.sessions.exists(for: bench.high.id))
        bench.time.run(for: .seconds(60))
        #expect(bench.low.outbox.isEmpty)
    }

    @Test("12: a forged message 1 pauses sending, not receiving; the forger's message 3 brings the old session back")
    func forgedFirstMessage() throws {
        let bench = SessionBench()
        bench.connect(bench.low, bench.high)
        let generation = try #require(bench.high.sessions.established(with: bench.low.id)?.generation)
        bench.time.run(for: .seconds(5))
        let forger = SessionSide(bench.time, seed: 3)
        #expect(forger.sessions.start(with: bench.high.id))
        let first = try #require(forger.nextMessage())
        let second = try #require(bench.high.take(first, from: bench.low))
        guard case .noSession = bench.high.sessions.seal([1], for: bench.low.id) else {
            Issue.record("a session in doubt still sends")
            return
        }
        guard case .sealed(let frame) = bench.low.sessions.seal([0x03], for: bench.high.id),
            case .opened = bench.high.sessions.open(frame[...], from: bench.low.id)
        else {
            Issue.record("the quarantined session does not receive")
            return
        }
        let third = try #require(forger.take(second, from: bench.high))
        guard case .identityMismatch = bench.high.sessions.receive(third[...], from: bench.low.id) else {
            Issue.record("a forger's key was taken for the peer's")
            return
        }
        #expect(bench.high.sessions.established(with: bench.low.id)?.generation == generation)
        #expect(bench.high.restored == [false])
        #expect(bench.talks(bench.high, bench.low))
    }

    @Test("13: repeated forged first messages never extend the deadline; one recovery follows the rollback")
    func repeatedForgery() throws {
        let bench = SessionBench()
        bench.connect(bench.low, bench.high)
        bench.time.run(for: .seconds(5))
        let forger = SessionSide(bench.time, seed: 3)
        #expect(forger.sessions.start(with: bench.high.id))
        let first = try #require(forger.nextMessage())
        let answer = try #require(bench.high.take(first, from: bench.low))
        bench.time.run(for: .seconds(15))
        let other = try #require(bench.high.take(first, from: bench.low))
        #expect(answer != other)
        bench.high.isReachable = false
        bench.time.run(for: .seconds(4))
        #expect(!bench.high.isSecure(with: bench.low))
        bench.time.run(for: .seconds(1))
        #expect(bench.high.isSecure(with: bench.low))
        // Parked at the rollback, and let go when the recovery found nobody.
        #expect(bench.high.restored == [true, false])
        #expect(bench.high.outbox.isEmpty)
        // Within the cooldown a third forgery is not heard.
        #expect(bench.high.take(first, from: bench.low) == nil)
        #expect(bench.talks(bench.high, bench.low))
    }

    @Test("13: where the peer can be reached, the recovery replaces the restored session at once")
    func recoveryAfterRollback() throws {
        let bench = SessionBench()
        bench.connect(bench.low, bench.high)
        bench.time.run(for: .seconds(5))
        let forger = SessionSide(bench.time, seed: 3)
        #expect(forger.sessions.start(with: bench.high.id))
        let first = try #require(forger.nextMessage())
        _ = bench.high.take(first, from: bench.low)
        bench.time.run(for: .seconds(20))
        #expect(bench.high.outbox.count == 1)
        #expect(!bench.high.isSecure(with: bench.low))
    }

    @Test("14: a peer that restarted replaces the session")
    func restart() {
        let bench = SessionBench()
        bench.connect(bench.low, bench.high)
        bench.time.run(for: .seconds(5))
        bench.low.sessions.remove(bench.high.id)
        bench.connect(bench.low, bench.high)
        #expect(bench.talks(bench.low, bench.high))
        #expect(bench.talks(bench.high, bench.low))
    }

    @Test(
        "15: of two crossed first messages the lower identifier's wins, whichever arrives first",
        arguments: [true, false])
    func crossed(lowFirst: Bool) throws {
        let bench = SessionBench()
        #expect(bench.low.sessions.start(with: bench.high.id))
        #expect(bench.high.sessions.start(with: bench.low.id))
        let fromLow = try #require(bench.low.nextMessage())
        let fromHigh = try #require(bench.high.nextMessage())
        if !lowFirst { #expect(bench.low.take(fromHigh, from: bench.high) == nil) }
        let second = try #require(bench.high.take(fromLow, from: bench.low))
        if lowFirst { #expect(bench.low.take(fromHigh, from: bench.high) == nil) }
        let third = try #require(bench.low.take(second, from: bench.high))
        _ = bench.high.take(third, from: bench.low)
        #expect(bench.talks(bench.low, bench.high))
        #expect(bench.talks(bench.high, bench.low))
    }

    @Test("16: a losing message 1 just after completion is ignored, also repeated; a retry follows when the grace ends")
    func lateLoser() throws {
        let bench = SessionBench()
        #expect(bench.high.sessions.start(with: bench.low.id))
        let losing = try #require(bench.high.nextMessage())
        bench.high.sessions.remove(bench.low.id)
        bench.connect(bench.low, bench.high)
        bench.time.run(for: 500)
        #expect(bench.low.take(losing, from: bench.high) == nil)
        #expect(bench.low.take(losing, from: bench.high) == nil)
        #expect(bench.low.isSecure(with: bench.high))
        bench.time.run(for: 600)
        #expect(bench.low.outbox.count == 1)
    }

    @Test("18: without an answer there is exactly one retry, after 10 s")
    func oneRetry() {
        let bench = SessionBench()
        #expect(bench.low.sessions.start(with: bench.high.id))
        bench.time.run(for: 9_999)
        #expect(bench.low.outbox.count == 1)
        bench.time.run(for: 1)
        #expect(bench.low.outbox.count == 2)
        #expect(bench.low.outbox.first != bench.low.outbox.last)
        bench.time.run(for: .seconds(120))
        #expect(bench.low.outbox.count == 2)
        #expect(bench.low.failures == 1)
        #expect(!bench.low.sessions.exists(for: bench.high.id))
    }

    @Test("a retry is not made for a peer that cannot be reached")
    func unreachable() {
        let bench = SessionBench()
        #expect(bench.low.sessions.start(with: bench.high.id))
        bench.low.isReachable = false
        bench.time.run(for: .seconds(60))
        #expect(bench.low.outbox.count == 1)
        #expect(bench.low.failures == 1)
    }

    @Test(
        "20: garbage, and repeated messages 2 and 3, leave a standing session alone", arguments: [0, 1, 31, 33, 64, 96])
    func garbage(length: Int) {
        let bench = SessionBench()
        bench.connect(bench.low, bench.high)
        bench.time.run(for: .seconds(5))
        let message = [UInt8](repeating: 7, count: length)
        guard case .ignored = bench.high.sessions.receive(message[...], from: bench.low.id) else {
            Issue.record("\(length) bytes of garbage were processed")
            return
        }
        #expect(bench.talks(bench.low, bench.high))
        #expect(bench.talks(bench.high, bench.low))
    }

    @Test("21: the 11th unit of a peer in a minute is refused; what we begin has units of its own")
    func handshakeLimit() {
        let bench = SessionBench()
        bench.connect(bench.low, bench.high)
        // Its message 2 cost a unit; nine are left.
        for _ in 0..<9 { _ = bench.low.sessions.receive([UInt8](repeating: 1, count: 31)[...], from: bench.high.id) }
        guard case .limited = bench.low.sessions.receive([1], from: bench.high.id) else {
            Issue.record("an 11th unit was granted")
            return
        }
        #expect(bench.talks(bench.low, bench.high))
        #expect(bench.low.sessions.reconnect(to: bench.high.id))
    }

    @Test("21: a reconnect that the 31st unit of ours would cost is refused, and leaves the session")
    func refusedReconnect() {
        let bench = SessionBench()
        bench.connect(bench.low, bench.high)
        let granted = (0..<29).count { bench.low.sessions.start(with: PeerID(rawValue: UInt64($0) + 1)) }
        #expect(granted == 29)
        #expect(!bench.low.sessions.reconnect(to: bench.high.id))
        #expect(bench.talks(bench.low, bench.high))
        bench.time.run(for: .seconds(60))
        #expect(bench.low.sessions.reconnect(to: bench.high.id))
    }

    @Test("21: the 31st unit over all peers is refused")
    func handshakeLimitOverAll() {
        let bench = SessionBench()
        let granted = (0..<40).count { index in
            let peer = PeerID(rawValue: UInt64(index) + 1)
            if case .limited = bench.low.sessions.receive([UInt8](repeating: 1, count: 31)[...], from: peer) {
                return false
            }
            return true
        }
        #expect(granted == 30)
    }

    @Test("21: the 101st message in a second is refused, and the refused frame opens later")
    func messageLimit() throws {
        let bench = SessionBench()
        bench.connect(bench.low, bench.high)
        var frames: [[UInt8]] = []
        for _ in 0..<100 {
            guard case .sealed(let frame) = bench.low.sessions.seal([0x03], for: bench.high.id) else { break }
            frames.append(frame)
        }
        #expect(frames.count == 100)
        guard case .limited = bench.low.sessions.seal([0x03], for: bench.high.id) else {
            Issue.record("a 101st message left within a second")
            return
        }
        bench.time.run(for: .seconds(1))
        guard case .sealed(let last) = bench.low.sessions.seal([0x03], for: bench.high.id) else {
            Issue.record("the budget did not come back")
            return
        }
        for frame in frames { _ = bench.high.sessions.open(frame[...], from: bench.low.id) }
        guard case .limited = bench.high.sessions.open(last[...], from: bench.low.id) else {
            Issue.record("a 101st message was opened within a second")
            return
        }
        bench.time.run(for: .seconds(1))
        guard case .opened = bench.high.sessions.open(last[...], from: bench.low.id) else {
            Issue.record("the refused frame burnt its counter")
            return
        }
    }

    @Test("22: ciphertext before message 3 is early, with no session it is not")
    func early() throws {
        let bench = SessionBench()
        guard case .noSession = bench.high.sessions.open([UInt8](repeating: 0, count: 30)[...], from: bench.low.id)
        else {
            Issue.record("there is no session")
            return
        }
        #expect(bench.low.sessions.start(with: bench.high.id))
        let first = try #require(bench.low.nextMessage())
        let second = try #require(bench.high.take(first, from: bench.low))
        let third = try #require(bench.low.take(second, from: bench.high))
        guard case .sealed(let frame) = bench.low.sessions.seal([0x03, 1], for: bench.high.id) else {
            Issue.record("the initiator may send at once")
            return
        }
        guard case .early = bench.high.sessions.open(frame[...], from: bench.low.id) else {
            Issue.record("the frame came before message 3")
            return
        }
        _ = bench.high.take(third, from: bench.low)
        guard case .opened = bench.high.sessions.open(frame[...], from: bench.low.id) else {
            Issue.record("an early frame does not open after message 3")
            return
        }
    }

    @Test("23: a session older than 24 h fails both ways; it is replaced before that")
    func lifetime() {
        let bench = SessionBench()
        bench.connect(bench.low, bench.high)
        guard case .sealed(let frame) = bench.low.sessions.seal([0x03], for: bench.high.id) else {
            Issue.record("no session")
            return
        }
        bench.time.run(for: .seconds(23 * 3600))
        bench.low.sessions.maintain()
        #expect(bench.low.outbox.count == 1)
        bench.time.run(for: .seconds(3601))
        guard case .expired = bench.high.sessions.seal([0x03], for: bench.low.id),
            case .expired = bench.high.sessions.open(frame[...], from: bench.low.id)
        else {
            Issue.record("a session outlived its day")
            return
        }
    }

    @Test("a lost link ends an unfinished handshake and brings a displaced session back; a standing one stays")
    func linkLoss() throws {
        let bench = SessionBench()
        #expect(bench.low.sessions.start(with: bench.high.id))
        #expect(bench.low.sessions.abortUnfinished(with: bench.high.id))
        #expect(!bench.low.sessions.exists(for: bench.high.id))
        bench.time.run(for: .seconds(60))
        #expect(bench.low.outbox.count == 1)
        bench.connect(bench.low, bench.high)
        #expect(!bench.low.sessions.abortUnfinished(with: bench.high.id))
        bench.time.run(for: .seconds(5))
        let forger = SessionSide(bench.time, seed: 3)
        #expect(forger.sessions.start(with: bench.high.id))
        let first = try #require(forger.nextMessage())
        _ = bench.high.take(first, from: bench.low)
        #expect(bench.high.sessions.abortUnfinished(with: bench.low.id))
        #expect(bench.talks(bench.high, bench.low))
    }

    @Test("an oversized handshake message is refused before it costs a unit")
    func oversized() {
        let bench = SessionBench()
        for _ in 0..<50 {
            _ = bench.low.sessions.receive([UInt8](repeating: 0, count: 2049)[...], from: bench.high.id)
        }
        bench.connect(bench.low, bench.high)
        #expect(bench.talks(bench.low, bench.high))
    }

    @Test("sessions that have run out are forgotten, also those whose peers never come back")
    func expiredSessions() {
        let bench = SessionBench()
        bench.connect(bench.low, bench.high)
        bench.high.isReachable = false
        bench.time.run(for: .seconds(86_401))
        #expect(bench.high.sessions.exists(for: bench.low.id))
        bench.high.sessions.maintain()
        #expect(!bench.high.sessions.exists(for: bench.low.id))
    }

    @Test("a ciphertext under a quarantined session that has run out does not end the handshake in progress")
    func expiredQuarantine() throws {
        let bench = SessionBench()
        bench.connect(bench.low, bench.high)
        guard case .sealed(let frame) = bench.low.sessions.seal([0x03], for: bench.high.id) else {
            Issue.record("no session")
            return
        }
        bench.time.run(for: .seconds(86_399))
        bench.low.sessions.remove(bench.high.id)
        #expect(bench.low.sessions.start(with: bench.high.id))
        let first = try #require(bench.low.nextMessage())
        let second = try #require(bench.high.take(first, from: bench.low))
        bench.time.run(for: .seconds(2))
        guard case .refused = bench.high.sessions.open(frame[...], from: bench.low.id) else {
            Issue.record("an expired session answered for a handshake")
            return
        }
        let third = try #require(bench.low.take(second, from: bench.high))
        _ = bench.high.take(third, from: bench.low)
        #expect(bench.talks(bench.low, bench.high))
    }
}
