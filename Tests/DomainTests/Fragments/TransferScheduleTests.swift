import Domain
import Testing

/// spec: mesh §19.
@Suite("The schedule of transfers")
struct TransferScheduleTests {
    private typealias Schedule = TransferSchedule<String>

    private func transfer(_ name: String, to audience: PeerID? = nil) -> Schedule.Transfer {
        Schedule.Transfer(id: .named(name), audience: audience, item: name)
    }

    private func raw(_ digest: UInt128, to audience: PeerID? = nil, item: String = "raw") -> Schedule.Transfer {
        Schedule.Transfer(id: .content(Bytes32(high: digest, low: 0)), audience: audience, item: item)
    }

    @Test("lets two leave; a third waits for its turn")
    func third() {
        var schedule = Schedule()
        let admissions = ["a", "b", "c", "d"].map { schedule.admit(transfer($0)) }
        #expect(admissions == [.start, .start, .queued, .queued])
        #expect(schedule.finish(.named("b")) == ["c"])
        #expect(schedule.finish(.named("a")) == ["d"])
        #expect(schedule.finish(.named("c")).isEmpty)
        #expect(schedule.activeCount == 1)
    }

    @Test("drops the same content for the same people, on its way or waiting; not for a peer whom it does not reach")
    func duplicates() {
        let (one, other) = (PeerID(rawValue: 1), PeerID(rawValue: 2))
        var schedule = Schedule()
        #expect(schedule.admit(raw(7)) == .start)
        #expect(schedule.admit(raw(7)) == .duplicate)
        // What goes to everyone covers one peer too.
        #expect(schedule.admit(raw(7, to: one)) == .duplicate)
        #expect(schedule.admit(raw(8, to: one)) == .start)
        #expect(schedule.admit(raw(8, to: one)) == .duplicate)
        #expect(schedule.admit(raw(8, to: other)) == .queued)
        #expect(schedule.admit(raw(8, to: other)) == .duplicate)
        #expect(schedule.waitingCount == 1)
    }

    @Test("lets what was named leave again, after its earlier copy")
    func named() {
        var schedule = Schedule()
        #expect(schedule.admit(transfer("a")) == .start)
        // A slot is free and its own copy is leaving: to the front, before anybody else.
        #expect(schedule.admit(transfer("a")) == .queued)
        #expect(schedule.admit(transfer("b")) == .start)
        #expect(schedule.admit(transfer("c")) == .queued)
        // The slot stays free rather than that the copies run side by side.
        #expect(schedule.finish(.named("b")).isEmpty)
        #expect(schedule.finish(.named("a")) == ["a", "c"])
    }

    @Test("asks again at its turn whether the content is on its way by now")
    func refill() {
        let peer = PeerID(rawValue: 1)
        var schedule = Schedule()
        _ = schedule.admit(raw(7, to: peer))
        _ = schedule.admit(transfer("b"))
        #expect(schedule.admit(raw(7, item: "for all")) == .queued)
        #expect(schedule.admit(raw(7, to: PeerID(rawValue: 2), item: "covered")) == .duplicate)
        // Its identifier is leaving to one peer: it waits on.
        #expect(schedule.finish(.named("b")).isEmpty)
        #expect(schedule.finish(.content(Bytes32(high: 7, low: 0))) == ["for all"])
    }

    @Test("refuses what may not wait, and what exceeds its bound")
    func refused() {
        var schedule = Schedule(concurrent: 1, capacity: 2)
        #expect(schedule.admit(transfer("a"), mayWait: false) == .start)
        #expect(schedule.admit(transfer("b"), mayWait: false) == .refused)
        let admissions = ["b", "c", "d"].map { schedule.admit(transfer($0)) }
        #expect(admissions == [.queued, .queued, .refused])
        #expect(schedule.removeWaiting() == ["b", "c"])
        #expect(schedule.finish(.named("a")).isEmpty)
    }
}
