import Domain
import Testing

@testable import Application

@Suite("A full registry of peers")
struct PeerRegistryTests {
    private func entry(_ number: UInt64, on link: UInt64, isConnected: Bool = false, at time: Int64 = 0) -> PeerEntry {
        PeerEntry(
            id: PeerID(rawValue: number), noiseKey: AgreementPublicKey(Bytes32(high: 0, low: UInt128(number))),
            signingKey: SigningPublicKey(Bytes32(high: 1, low: UInt128(number))), nickname: "n\(number)",
            isConnected: isConnected, lastSeen: Uptime(milliseconds: time), capabilities: nil,
            link: LinkID(rawValue: link))
    }

    private func registry(_ capacity: Int, _ entries: [PeerEntry]) -> PeerRegistry {
        let registry = PeerRegistry(capacity: capacity)
        for entry in entries { _ = registry.upsert(entry) }
        return registry
    }

    @Test("a link that floods identities displaces its own, not the peers that another brought")
    func flood() {
        let registry = registry(20, (1...8).map { entry($0, on: 1) })
        for number in 100..<2000 as Range<UInt64> {
            #expect(registry.upsert(entry(number, on: 2)))
            #expect(registry.count <= 20)
        }
        for number in 1...8 as ClosedRange<UInt64> { #expect(registry[PeerID(rawValue: number)] != nil) }
        #expect(registry[PeerID(rawValue: 1999)] != nil)
        #expect(registry[PeerID(rawValue: 1987)] == nil)
    }

    @Test("of one link's peers the one that was silent longest goes, and its eviction is told")
    func recency() {
        let registry = registry(3, (1...3).map { entry($0, on: 1) })
        var evicted: [UInt64] = []
        registry.evicted = { evicted.append($0.id.rawValue) }
        registry.touch(PeerID(rawValue: 1), at: Uptime(milliseconds: 5))
        _ = registry.upsert(entry(2, on: 1, at: 6))
        for number in 4...6 as ClosedRange<UInt64> { _ = registry.upsert(entry(number, on: 1)) }
        #expect(evicted == [3, 1, 2])
    }

    @Test("connected peers stay; when there are only such, a newcomer is refused")
    func connected() {
        let registry = registry(3, (1...3).map { entry($0, on: 1, isConnected: true) })
        #expect(!registry.upsert(entry(4, on: 2)))
        #expect(registry.count == 3)
        registry.update(PeerID(rawValue: 2)) { $0.isConnected = false }
        #expect(registry.upsert(entry(4, on: 2)))
        #expect(registry[PeerID(rawValue: 2)] == nil)
        #expect(registry.degree == 2)
        #expect(registry.upsert(entry(4, on: 2, isConnected: true)))
        #expect(!registry.upsert(entry(5, on: 3)))
    }

    @Test("a flooded link cannot claim the peers of another by bringing their announces too; a quiet one relieves it")
    func claims() {
        let registry = registry(40, [entry(1, on: 1), entry(2, on: 2)] + (100..<120).map { entry($0, on: 2) })
        _ = registry.upsert(entry(1, on: 2))
        #expect(registry[PeerID(rawValue: 1)]?.link == LinkID(rawValue: 1))
        _ = registry.upsert(entry(2, on: 1))
        #expect(registry[PeerID(rawValue: 2)]?.link == LinkID(rawValue: 1))
        for number in 1000..<2000 as Range<UInt64> { _ = registry.upsert(entry(number, on: 2)) }
        #expect(registry[PeerID(rawValue: 1)] != nil && registry[PeerID(rawValue: 2)] != nil)
        #expect(registry.count == 40)
    }

    @Test("a removed peer leaves no trace in the shares")
    func removal() {
        let registry = registry(4, (1...4).map { entry($0, on: $0 % 2) })
        for number in 1...4 as ClosedRange<UInt64> { #expect(registry.remove(PeerID(rawValue: number)) != nil) }
        #expect(registry.remove(PeerID(rawValue: 1)) == nil)
        for number in 5...20 as ClosedRange<UInt64> { #expect(registry.upsert(entry(number, on: number % 3))) }
        #expect(registry.count == 4)
    }
}

@Suite("Identifiers of received private messages")
struct ReceivedIDsTests {
    @Test("one who writes without end makes us forget his own, not another's")
    func flood() {
        var ids = ReceivedIDs()
        let quiet = PeerID(rawValue: 1)
        for number in 0..<500 { _ = ids.insert(MessageID("q\(number)"), from: quiet) }
        for number in 0..<100_000 {
            _ = ids.insert(MessageID("f\(number)"), from: PeerID(rawValue: UInt64(2 + number / 1900)))
            if ids.count > ChatPolicy.rememberedInAll { break }
        }
        #expect(ids.count <= ChatPolicy.rememberedInAll)
        let again = (0..<500).count { ids.insert(MessageID("q\($0)"), from: quiet) }
        #expect(again == 0)
    }

    @Test("a message that could not be kept is taken again")
    func removal() {
        var ids = ReceivedIDs()
        let peer = PeerID(rawValue: 1)
        let first = ids.insert(MessageID("m"), from: peer)
        let repeated = ids.insert(MessageID("m"), from: peer)
        ids.remove(MessageID("m"), from: peer)
        #expect(ids.count == 0)
        let again = ids.insert(MessageID("m"), from: peer)
        #expect(first && !repeated && again)
    }
}
