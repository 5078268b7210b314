import Domain
import Testing

@testable import Application

@Suite("What passing packets on may cost")
struct RelayBudgetTests {
    private let links = LinkTable()
    private let counters = Counters()

    private func link(_ number: UInt64) -> LinkID {
        let id = LinkID(rawValue: number)
        _ = links.insert(
            LinkDescription(id: id, frameLimit: 512, isOutgoing: false, name: ""), tag: 1, at: Uptime(milliseconds: 0))
        return id
    }

    @Test("500 at once for each link and 250 a second, 2,000 at once for all and 1,000 a second")
    func budgets() {
        let budget = RelayBudget(links: links, counters: counters, at: Uptime(milliseconds: 0))
        func spend(_ link: LinkID, at time: Int64) -> Int {
            (0..<1000).count { _ in budget.spendRelay(on: link, at: Uptime(milliseconds: time)) }
        }
        let ids = (1...5).map { link($0) }
        #expect(ids.map { spend($0, at: 0) } == [500, 500, 500, 500, 0])
        #expect(counters[.droppedRelayBudget] == 3000)
        #expect(ids.prefix(3).map { spend($0, at: 1000) } == [250, 250, 250])
        #expect(spend(ids[4], at: 1000) == 250)
    }

    @Test("a link that is gone has none")
    func gone() {
        let budget = RelayBudget(links: links, counters: counters, at: Uptime(milliseconds: 0))
        #expect(!budget.spendRelay(on: LinkID(rawValue: 9), at: Uptime(milliseconds: 0)))
        #expect(!budget.spendUnverifiedRelay(on: LinkID(rawValue: 9), at: Uptime(milliseconds: 0)))
    }
}
