import Domain
import Foundation
import Testing

@Suite("Copies in a crowd")
struct CourierWalkTests {
    /// 300 walks; ten times as many when there is time (`SATCHEL_SOAK=1`).
    private static let walks = ProcessInfo.processInfo.environment["SATCHEL_SOAK"] == "1" ? 3000 : 300

    @Test("whatever links, disks and replays do, a message never has more copies than its deposits gave it")
    func budget() throws {
        var tally = CourierCrowd.Tally()
        for seed in 0..<Self.walks {
            var crowd = CourierCrowd(seed: UInt64(seed))
            for step in 0..<150 {
                crowd.step()
                guard crowd.alive <= crowd.granted, crowd.aliveAfterPowerCut <= crowd.granted else {
                    Issue.record(
                        """
                        seed \(seed), step \(step): \(crowd.alive) copies, \(crowd.aliveAfterPowerCut) after a power cut, \
                        \(crowd.granted) given
                        """)
                    return
                }
                for holder in crowd.holders {
                    let store = holder.store
                    try #require(store.count <= 4 && store.count(of: .verified) <= 1)
                    try #require(store.mails.count { store.isDurable($0.id) } <= 2)
                    try #require(store.mails.allSatisfy { $0.sprayedTo.count <= CourierPolicy.maximumSprays })
                }
            }
            tally.sent += crowd.tally.sent
            tally.refused += crowd.tally.refused
            tally.refilled += crowd.tally.refilled
            tally.replays += crowd.tally.replays
            tally.evictions += crowd.tally.evictions
            tally.crashes += crowd.tally.crashes
            tally.failures += crowd.tally.failures
            tally.handovers += crowd.tally.handovers
            tally.mostHolders = max(tally.mostHolders, crowd.tally.mostHolders)
        }
        // The walks reach what they are there for.
        let counts = [
            tally.sent, tally.refused, tally.refilled, tally.replays, tally.evictions, tally.crashes, tally.failures,
            tally.handovers,
        ]
        #expect(counts.allSatisfy { $0 > Self.walks / 10 }, "\(counts)")
        #expect(tally.mostHolders >= 5)
    }

    @Test("the same seed walks the same way")
    func deterministic() {
        var (first, second) = (CourierCrowd(seed: 7), CourierCrowd(seed: 7))
        for _ in 0..<300 {
            first.step()
            second.step()
        }
        #expect(first.holders.map(\.store.mails) == second.holders.map(\.store.mails))
        #expect(first.holders.map(\.mails) == second.holders.map(\.mails))
    }
}
