import Domain
import Testing

@Suite("Spray budget")
struct SprayBudgetTests {
    @Test(
        "half is offered, the holder keeps the odd copy",
        arguments: [(2, 1), (3, 1), (4, 2), (5, 2), (6, 3), (7, 3), (8, 4)] as [(UInt8, UInt8)])
    func share(held: UInt8, offered: UInt8) throws {
        var budget = SprayBudget(clamping: held)
        let share = try #require(budget.share)
        let isGiven = budget.give(share)
        #expect(isGiven)
        #expect(share.copies == offered)
        #expect(budget.copies + share.copies == held)
        budget.takeBack(share)
        #expect(budget.copies == held)
    }

    @Test("the last copy stays")
    func lastCopy() {
        #expect(SprayBudget.single.share == nil)
        var budget = SprayBudget.single
        let isGiven = budget.give(.single)
        #expect(!isGiven && budget == .single)
    }

    @Test("a share offered twice is given once")
    func raced() throws {
        var budget = SprayBudget(clamping: 2)
        let share = try #require(budget.share)
        let (first, second) = (budget.give(share), budget.give(share))
        #expect(first && !second)
        #expect(budget.copies == 1)
    }

    @Test("what is put back never exceeds the most that there may be")
    func bounded() {
        var budget = SprayBudget(clamping: 8)
        budget.takeBack(SprayBudget(clamping: 8))
        #expect(budget.copies == CourierPolicy.maximumCopies)
    }

    @Test("whatever is held, at most three couriers get copies", arguments: 1...8 as ClosedRange<UInt8>)
    func sprays(held: UInt8) {
        var (budget, couriers, given) = (SprayBudget(clamping: held), 0, 0)
        while let share = budget.share {
            guard budget.give(share) else { break }
            couriers += 1
            given += Int(share.copies)
        }
        #expect(couriers <= 3 && couriers <= CourierPolicy.maximumSprays)
        #expect(budget == .single && given + 1 == Int(held))
    }

    @Test("a sender starts with four, and the limits are those of the wire")
    func policy() {
        #expect(SprayBudget.initial.copies == 4)
        #expect(CourierPolicy.maximumCiphertextLength == 16_384)
        #expect(CourierPolicy.maximumLifetime == .seconds(86_400))
        #expect(SprayBudget.single < SprayBudget.initial)
    }
}
