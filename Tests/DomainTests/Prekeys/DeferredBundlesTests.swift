import Domain
import Testing

@Suite("Prekeys that wait for their owner's announce")
struct DeferredBundlesTests {
    private func owner(_ number: Int) -> AgreementPublicKey {
        AgreementPublicKey(Bytes32(high: 1, low: UInt128(number)))
    }

    private func full(from source: UInt64 = 1) -> DeferredBundles<Int> {
        var deferred = DeferredBundles<Int>()
        for number in 0..<64 { deferred.keep(number, of: owner(number), from: source, cost: 500) }
        return deferred
    }

    @Test("the latest packet of an owner is kept, and given back once")
    func latest() {
        var deferred = DeferredBundles<Int>()
        deferred.keep(1, of: owner(7), from: 1, cost: 500)
        deferred.keep(2, of: owner(7), from: 1, cost: 500)
        #expect(deferred.count == 1)
        let (stranger, first, second) = (
            deferred.take(of: owner(8)), deferred.take(of: owner(7)), deferred.take(of: owner(7))
        )
        #expect(stranger == nil)
        #expect(first == 2)
        #expect(second == nil)
    }

    @Test("64 owners; on one link the oldest gives way, and an owner who is here again counts as new")
    func bounded() {
        var deferred = full()
        deferred.keep(100, of: owner(0), from: 1, cost: 500)
        deferred.keep(101, of: owner(64), from: 1, cost: 500)
        #expect(deferred.count == 64)
        let (first, second, last) = (
            deferred.take(of: owner(0)), deferred.take(of: owner(1)), deferred.take(of: owner(64))
        )
        #expect(first == 100)
        #expect(second == nil)
        #expect(last == 101)
    }

    @Test("a link that invents owners displaces its own packets, not another link's")
    func fair() {
        var deferred = DeferredBundles<Int>()
        for number in 0..<3 { deferred.keep(number, of: owner(number), from: 2, cost: 500) }
        for number in 1000..<3000 { deferred.keep(number, of: owner(number), from: 1, cost: 500) }
        #expect(deferred.count == 64)
        for number in 0..<3 {
            let kept = deferred.take(of: owner(number))
            #expect(kept == number)
        }
    }

    @Test("a full table has room for another link")
    func newcomer() {
        var deferred = full()
        deferred.keep(100, of: owner(100), from: 2, cost: 500)
        #expect(deferred.count == 64)
        let (kept, oldest) = (deferred.take(of: owner(100)), deferred.take(of: owner(0)))
        #expect(kept == 100)
        #expect(oldest == nil)
    }

    @Test(
        "a packet that would hold too much is not kept, and does not displace",
        arguments: [(4096, true), (4097, false)])
    func large(cost: Int, isKept: Bool) {
        var deferred = DeferredBundles<Int>()
        deferred.keep(1, of: owner(7), from: 1, cost: 500)
        let kept = deferred.keep(2, of: owner(7), from: 1, cost: cost)
        #expect(kept == isKept)
        let packet = deferred.take(of: owner(7))
        #expect(packet == (isKept ? 2 : 1))
    }

    @Test("nothing is left after a wipe")
    func wiped() {
        var deferred = full()
        deferred.removeAll()
        #expect(deferred.count == 0)
    }
}
