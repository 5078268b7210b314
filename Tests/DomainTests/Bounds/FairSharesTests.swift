import Domain
import Testing

@Suite("Equal shares of a full table")
struct FairSharesTests {
    private func shares(_ held: [Int]) -> FairShares<Int> {
        var shares = FairShares<Int>()
        for (holder, amount) in held.enumerated() { shares.add(amount, to: holder) }
        return shares
    }

    @Test(
        "whoever would have the most gives way; of equals the newcomer, else the lowest",
        arguments: [
            ([5, 3], 1, 0), ([5, 5], 1, 1), ([4, 5], 0, 0), ([3, 5], 0, 1), ([5, 5, 1], 2, 0), ([1, 1, 1], 3, 0),
            ([9, 1], 0, 0), ([0, 7], 0, 1),
        ] as [([Int], Int, Int)])
    func yielding(held: [Int], newcomer: Int, expected: Int) {
        #expect(shares(held).yielding(to: newcomer) == expected)
    }

    @Test("an empty table has nobody to give way")
    func empty() { #expect(FairShares<Int>().yielding(to: 1) == nil) }

    @Test("what is given back is not held any more")
    func returned() {
        var shares = shares([2, 3])
        shares.add(-2, to: 0)
        #expect(shares.holders == 1)
        #expect(shares[0] == 0)
        #expect(shares.total == 3)
    }

    @Test(
        "the level leaves the small what they have and cuts the large alike",
        arguments: [
            ([1000], 750, 750), ([10, 1000], 750, 740), ([400, 400, 10], 410, 200), ([5, 5], 20, Int.max),
            ([], 5, .max),
            ([3, 3, 3], 2, 0),
        ] as [([Int], Int, Int)])
    func level(held: [Int], target: Int, expected: Int) {
        #expect(shares(held).level(keeping: target) == expected)
    }

    @Test(
        "under any sequence of newcomers nobody falls below an equal share that it wants",
        arguments: 1...5 as ClosedRange<UInt64>)
    func fairness(seed: UInt64) throws {
        var generator = PacketTestGenerator(seed: seed)
        var shares = FairShares<Int>()
        let capacity = 60
        // Holder 0 takes 15 of 60 and no more; the others take whatever they get.
        for _ in 0..<15 { shares.add(1, to: 0) }
        for _ in 0..<2000 {
            let newcomer = Int.random(in: 1...3, using: &generator)
            if shares.total >= capacity { shares.add(-1, to: try #require(shares.yielding(to: newcomer))) }
            shares.add(1, to: newcomer)
            #expect(shares.total <= capacity)
            #expect(shares[0] == 15)
        }
    }
}

@Suite("Order of last use")
struct RecencyOrderTests {
    @Test("any sequence of calls keeps the order that a plain list keeps", arguments: 1...6 as ClosedRange<UInt64>)
    func model(seed: UInt64) {
        var generator = PacketTestGenerator(seed: seed)
        var order = RecencyOrder<Int>()
        var list: [Int] = []
        for _ in 0..<3000 {
            let key = Int.random(in: 0..<40, using: &generator)
            switch Int.random(in: 0..<8, using: &generator) {
            case 0:
                let oldest = order.removeOldest()
                #expect(oldest == (list.isEmpty ? nil : list.removeFirst()))
            case 1, 2:
                let isRemoved = order.remove(key)
                #expect(isRemoved == list.contains(key))
                list.removeAll { $0 == key }
            default:
                order.touch(key)
                list.removeAll { $0 == key }
                list.append(key)
            }
            #expect(order.count == list.count)
            #expect(order.oldest == list.first)
            #expect(order.contains(key) == list.contains(key))
        }
    }
}
