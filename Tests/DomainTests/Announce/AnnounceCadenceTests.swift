import Domain
import Testing

@Suite("When a periodic announce is due (spec: mesh §12.4)")
struct AnnounceCadenceTests {
    /// Decides with a draw that must not be asked for.
    private func isDue(last: Int64?, traffic: Int64?, degree: Int) -> Bool {
        AnnounceCadence.isDue(
            sinceLast: last.map { Milliseconds($0) }, sinceTraffic: traffic.map { Milliseconds($0) }, degree: degree
        ) { range in
            Issue.record("a number was drawn in \(range)")
            return 0
        }
    }

    @Test(
        "traffic within 5 s allows an announce after 10 s, with any number of neighbours",
        arguments: [0, 1, 5, 6, 40])
    func busy(degree: Int) {
        #expect(isDue(last: 10_000, traffic: 0, degree: degree))
        #expect(isDue(last: 10_000, traffic: 5000, degree: degree))
    }

    @Test("traffic does not help before 10 s, nor when it is older than 5 s")
    func notBusyEnough() {
        var asked: [ClosedRange<Int64>] = []
        for (last, traffic) in [(9999, 0), (10_000, 5001)] as [(Int64, Int64)] {
            let due = AnnounceCadence.isDue(
                sinceLast: Milliseconds(last), sinceTraffic: Milliseconds(traffic), degree: 3
            ) { range in
                asked.append(range)
                return range.lowerBound
            }
            #expect(!due)
        }
        #expect(asked == [11_000...19_000, 11_000...19_000])
    }

    @Test("alone: every 4 s", arguments: [(3999, false), (4000, true), (4001, true)] as [(Int64, Bool)])
    func alone(elapsed: Int64, due: Bool) {
        #expect(isDue(last: elapsed, traffic: nil, degree: 0) == due)
        #expect(isDue(last: elapsed, traffic: 100, degree: 0) == due)
    }

    @Test(
        "with neighbours: every 15 ± 4 s, with six or more every 30 ± 8 s; the drawn number decides",
        arguments: [
            (1, 11_000...19_000), (5, 11_000...19_000), (6, 22_000...38_000), (60, 22_000...38_000),
        ] as [(Int, ClosedRange<Int64>)])
    func neighbours(degree: Int, interval: ClosedRange<Int64>) {
        for drawn in [interval.lowerBound, (interval.lowerBound + interval.upperBound) / 2, interval.upperBound] {
            for (elapsed, due) in [(drawn - 1, false), (drawn, true)] {
                var asked: [ClosedRange<Int64>] = []
                let answer = AnnounceCadence.isDue(
                    sinceLast: Milliseconds(elapsed), sinceTraffic: nil, degree: degree
                ) { range in
                    asked.append(range)
                    return drawn
                }
                #expect(answer == due)
                #expect(asked == [interval])
            }
        }
    }

    @Test("the longest gap stays below the time that a peer is remembered")
    func worstCase() {
        let worst = MeshPolicy.denseAnnounceInterval.upperBound + MeshPolicy.maintenanceInterval.count
        #expect(worst < MeshPolicy.peerRetention.count)
    }

    @Test("who never announced is due", arguments: [0, 3, 9])
    func never(degree: Int) { #expect(isDue(last: nil, traffic: nil, degree: degree)) }
}
