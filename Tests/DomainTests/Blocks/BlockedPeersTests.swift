import Domain
import Testing

@Suite("Blocked peers")
struct BlockedPeersTests {
    private func fingerprint(_ number: Int) -> Fingerprint {
        Fingerprint(digest: Bytes32(high: UInt128(number) << 64, low: 5))
    }
    private func time(_ number: Int) -> WallTime { WallTime(milliseconds: UInt64(number)) }

    @Test("a blocked peer is known by fingerprint and by the identifier it begins with, until the block is lifted")
    func block() throws {
        var blocked = BlockedPeers()
        let verdict = blocked.block(fingerprint(1), nickname: "eve", at: time(3))
        let entry = BlockedPeers.Entry(fingerprint: fingerprint(1), nickname: "eve", since: time(3))
        #expect(verdict == .blocked(entry))
        #expect(blocked.contains(fingerprint(1)) && blocked.contains(PeerID(fingerprint(1))))
        #expect(!blocked.contains(fingerprint(2)) && !blocked.contains(PeerID(fingerprint(2))))
        let lifted = blocked.unblock(fingerprint(1))
        #expect(lifted == entry && blocked.count == 0)
        #expect(!blocked.contains(fingerprint(1)) && !blocked.contains(PeerID(fingerprint(1))))
    }

    @Test("blocked twice is once, lifted twice is once (app §19, 8)")
    func twice() {
        var blocked = BlockedPeers()
        _ = blocked.block(fingerprint(1), nickname: "eve", at: time(3))
        let again = blocked.block(fingerprint(1), nickname: "other", at: time(4))
        #expect(again == .already && blocked.all.map(\.nickname) == ["eve"])
        let (first, second) = (blocked.unblock(fingerprint(1)), blocked.unblock(fingerprint(1)))
        #expect(first != nil && second == nil)
    }

    @Test("lifting one of two blocks with one short identifier leaves the other")
    func twins() {
        let twins = [5, 6].map { Fingerprint(digest: Bytes32(high: 1 << 100, low: $0)) }
        var blocked = BlockedPeers()
        for twin in twins { _ = blocked.block(twin, nickname: "", at: time(1)) }
        _ = blocked.unblock(twins[0])
        #expect(blocked.contains(PeerID(twins[1])))
        _ = blocked.unblock(twins[1])
        #expect(!blocked.contains(PeerID(twins[1])))
    }

    @Test("a full list refuses and forgets nobody")
    func full() {
        var blocked = BlockedPeers()
        for number in 0..<BlockedPeers.maximumCount {
            _ = blocked.block(fingerprint(number), nickname: "", at: time(1))
        }
        let more = blocked.block(fingerprint(-1 & 0xFFFFFF), nickname: "", at: time(1))
        #expect(more == .full && blocked.count == BlockedPeers.maximumCount)
        #expect(blocked.contains(fingerprint(0)))
    }

    @Test("what was written down comes back, the earliest first, each once, within the bound")
    func restore() {
        let entries = (0..<(BlockedPeers.maximumCount + 3)).map {
            BlockedPeers.Entry(fingerprint: fingerprint($0), nickname: "n\($0)", since: time($0 + 1))
        }
        let blocked = BlockedPeers(restoring: Array(entries.reversed()) + [entries[0]])
        #expect(blocked.all == Array(entries.prefix(BlockedPeers.maximumCount)))
        #expect(blocked.contains(PeerID(fingerprint(2))))
    }

    @Test("a long name is cut at a character")
    func name() {
        let entry = BlockedPeers.Entry(
            fingerprint: fingerprint(1), nickname: String(repeating: "é", count: 200), since: time(1))
        #expect(entry.nickname == String(repeating: "é", count: 127))
    }
}
