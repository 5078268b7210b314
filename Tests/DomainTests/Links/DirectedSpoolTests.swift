import Domain
import Testing

/// The spool by reference, so that expectations can call what changes it.
private final class Spool {
    private var spool = DirectedSpool<Int>()

    var count: Int { spool.count }
    var cost: Int { spool.cost }
    func holds(_ peer: UInt64) -> Bool { spool.holds(for: PeerID(rawValue: peer)) }
    func insert(_ number: Int, for peer: UInt64 = 1, cost: Int = 100, at milliseconds: Int64) -> Int {
        let key = DedupKey(
            type: .noiseEncrypted, sender: PeerID(rawValue: 9), timestamp: WallTime(milliseconds: 1),
            digest: UInt32(number))
        return spool.insert(
            number, key: key, for: PeerID(rawValue: peer), cost: cost, at: Uptime(milliseconds: milliseconds))
    }
    func insert(_ entry: DirectedSpool<Int>.Entry) -> Int {
        spool.insert(entry.item, key: entry.key, for: entry.recipient, cost: entry.cost, at: entry.time)
    }
    func take(_ peer: UInt64? = nil, at milliseconds: Int64) -> [DirectedSpool<Int>.Entry] {
        spool.take(for: peer.map { PeerID(rawValue: $0) }, at: Uptime(milliseconds: milliseconds))
    }
    func items(_ peer: UInt64? = nil, at milliseconds: Int64) -> [Int] { take(peer, at: milliseconds).map(\.item) }
    func sweep(at milliseconds: Int64) { spool.sweep(at: Uptime(milliseconds: milliseconds)) }
    func reset() { spool.reset() }
}

@Suite("Directed spool")
struct DirectedSpoolTests {
    @Test("only what belongs to a session waits for a link")
    func types() {
        for number in 0...255 as ClosedRange<UInt8> {
            #expect(MessageType(rawValue: number).awaitsLink == (number == 0x10 || number == 0x11))
        }
    }

    @Test("what was put in comes out once, in its order, before what is put in later")
    func order() {
        let spool = Spool()
        for number in 0..<10 { #expect(spool.insert(number, at: Int64(number)) == 0) }
        #expect(spool.count == 10 && spool.cost == 1000 && spool.holds(1))
        #expect(spool.insert(10, at: 10) == 0)
        #expect(spool.items(at: 20) == Array(0...10))
        #expect(spool.items(at: 20).isEmpty)
        #expect(spool.count == 0 && spool.cost == 0 && !spool.holds(1))
    }

    @Test("a packet is kept once for a recipient, with its first time")
    func duplicates() {
        let spool = Spool()
        #expect(spool.insert(1, at: 0) == 0)
        #expect(spool.insert(1, at: 50_000) == 0)
        #expect(spool.count == 1 && spool.cost == 100)
        #expect(spool.items(at: 60_001).isEmpty)
    }

    @Test("the same packet for another recipient is another, also once one of the two has gone")
    func recipientsApart() {
        let spool = Spool()
        #expect(spool.insert(1, for: 1, at: 0) == 0)
        #expect(spool.insert(1, for: 2, at: 0) == 0)
        #expect(spool.count == 2)
        #expect(spool.items(1, at: 0) == [1])
        #expect(spool.insert(1, for: 2, at: 0) == 0)
        #expect(spool.count == 1)
        #expect(spool.items(at: 0) == [1])
    }

    @Test("sixty seconds are inclusive", arguments: [(60_000, 1), (60_001, 0)] as [(Int64, Int)])
    func age(milliseconds: Int64, left: Int) {
        let swept = Spool()
        #expect(swept.insert(1, at: 0) == 0)
        swept.sweep(at: milliseconds)
        #expect(swept.count == left && swept.cost == left * 100 && swept.holds(1) == (left > 0))
        let taken = Spool()
        #expect(taken.insert(1, at: 0) == 0)
        #expect(taken.take(at: milliseconds).count == left)
        #expect(taken.count == 0)
    }

    @Test("a flush that leads nowhere changes neither order nor time")
    func returned() {
        let spool = Spool()
        for number in 0..<5 { #expect(spool.insert(number, at: Int64(number / 2) * 1000) == 0) }
        let taken = spool.take(at: 10_000)
        #expect(spool.insert(5, at: 10_000) == 0)
        for entry in taken { #expect(spool.insert(entry) == 0) }
        #expect(spool.items(at: 60_001) == [2, 3, 4, 5])
    }

    @Test("one recipient's packets can be taken alone")
    func single() {
        let spool = Spool()
        for number in 0..<6 { #expect(spool.insert(number, for: UInt64(number % 2), at: 0) == 0) }
        #expect(spool.items(1, at: 0) == [1, 3, 5])
        #expect(!spool.holds(1) && spool.holds(0))
        #expect(spool.items(7, at: 0).isEmpty)
        #expect(spool.items(at: 0) == [0, 2, 4])
    }

    @Test("of 65 packets for one recipient the oldest goes, and nobody else's")
    func perRecipient() {
        let spool = Spool()
        #expect(spool.insert(1000, for: 2, at: 0) == 0)
        for number in 0..<64 { #expect(spool.insert(number, at: Int64(number)) == 0) }
        #expect(spool.insert(64, at: 64) == 1)
        #expect(spool.count == 65)
        #expect(spool.items(1, at: 64) == Array(1...64))
        #expect(spool.items(2, at: 64) == [1000])
    }

    @Test("of 513 packets in all the oldest goes")
    func inAll() {
        let spool = Spool()
        for number in 0..<512 { #expect(spool.insert(number, for: UInt64(number % 16), at: Int64(number)) == 0) }
        #expect(spool.insert(512, for: 99, at: 512) == 1)
        #expect(spool.items(at: 512) == Array(1...512))
    }

    @Test("the oldest may be the one that comes back")
    func returnedToAFullSpool() {
        let spool = Spool()
        #expect(spool.insert(0, at: 0) == 0)
        let taken = spool.take(at: 0)
        for number in 1...64 { #expect(spool.insert(number, at: Int64(number)) == 0) }
        #expect(spool.insert(taken[0]) == 1)
        #expect(spool.items(at: 64) == Array(1...64))
    }

    @Test("bytes are bounded; a packet larger than the spool costs no other")
    func bytes() {
        let spool = Spool()
        let half = RelayPolicy.spoolBytes / 2
        #expect(spool.insert(0, cost: half, at: 0) == 0)
        #expect(spool.insert(1, cost: half, at: 1) == 0)
        #expect(spool.insert(2, cost: RelayPolicy.spoolBytes + 1, at: 2) == 1)
        #expect(spool.count == 2)
        #expect(spool.insert(3, cost: half + 1, at: 3) == 2)
        #expect(spool.items(at: 3) == [3])
    }

    @Test("nothing is left after a reset")
    func reset() {
        let spool = Spool()
        #expect(spool.insert(1, at: 0) == 0)
        spool.reset()
        #expect(spool.count == 0 && spool.cost == 0 && !spool.holds(1))
        #expect(spool.insert(1, at: 0) == 0)
        #expect(spool.count == 1)
    }

    /// The rules in the plainest form, to compare with.
    private struct Model {
        struct Item { let number: Int, peer: UInt64, cost: Int, time: Int64 }
        var items: [Item] = []

        mutating func insert(_ item: Item) -> Int {
            if items.contains(where: { $0.number == item.number && $0.peer == item.peer }) { return 0 }
            items.insert(item, at: items.firstIndex { $0.time > item.time } ?? items.count)
            let before = items.count
            if items.filter({ $0.peer == item.peer }).count > 64 {
                items.remove(at: items.firstIndex { $0.peer == item.peer } ?? 0)
            }
            while items.count > 512 || items.reduce(0, { $0 + $1.cost }) > 4_194_304 { items.removeFirst() }
            return before - items.count
        }
        mutating func sweep(_ now: Int64) { items.removeAll { now - $0.time > 60_000 } }
        mutating func take(_ peer: UInt64?, _ now: Int64) -> [Int] {
            sweep(now)
            let taken = items.filter { peer == nil || $0.peer == peer }
            items.removeAll { peer == nil || $0.peer == peer }
            return taken.map(\.number)
        }
    }

    @Test("one link's packets push out only their own kind; ours have no such share")
    func share() {
        var spool = DirectedSpool<Int>()
        func key(_ number: Int) -> DedupKey {
            DedupKey(
                type: .noiseEncrypted, sender: PeerID(rawValue: UInt64(number)), timestamp: WallTime(milliseconds: 1),
                digest: 0)
        }
        let now = Uptime(milliseconds: 1)
        for number in 0..<10 {
            _ = spool.insert(number, key: key(number), for: PeerID(rawValue: 1), from: 1, cost: 100, at: now)
        }
        for number in 10..<400 {
            let recipient = PeerID(rawValue: UInt64(number))
            _ = spool.insert(number, key: key(number), for: recipient, from: 2, cost: 100, at: now)
        }
        #expect(spool.count == 10 + RelayPolicy.spoolPerLink)
        #expect(spool.holds(for: PeerID(rawValue: 1)))
        let isLost = spool.insert(400, key: key(400), for: PeerID(rawValue: 9), from: 2, cost: 1_040_000, at: now)
        #expect(isLost == RelayPolicy.spoolPerLink + 1 - 86)
        for number in 500..<700 {
            _ = spool.insert(number, key: key(number), for: PeerID(rawValue: UInt64(number)), cost: 1, at: now)
        }
        #expect(spool.count == 10 + 86 + 200)
    }

    @Test("any sequence of operations does what the plain rules do", arguments: 1...4 as ClosedRange<UInt64>)
    func model(seed: UInt64) {
        var generator = PacketTestGenerator(seed: seed)
        let spool = Spool()
        var model = Model()
        var (now, dropped) = (Int64(0), 0)
        for _ in 0..<6000 {
            now += Int64.random(in: 0...60, using: &generator)
            let peer = UInt64.random(in: 1...16, using: &generator)
            switch Int.random(in: 0..<1200, using: &generator) {
            case 0: #expect(spool.items(at: now) == model.take(nil, now))
            case 1...6: #expect(spool.items(peer, at: now) == model.take(peer, now))
            case 7...10:
                spool.sweep(at: now)
                model.sweep(now)
            default:
                // Now and then one that a flush gave back, or one that is there already.
                let isOld = Int.random(in: 0..<8, using: &generator) == 0
                let time = isOld ? now - Int64.random(in: 0...40_000, using: &generator) : now
                let number = Int.random(in: 0..<5000, using: &generator)
                let cost = seed % 2 == 0 ? Int.random(in: 0...40_000, using: &generator) : 100
                let expected = model.insert(Model.Item(number: number, peer: peer, cost: cost, time: time))
                #expect(spool.insert(number, for: peer, cost: cost, at: time) == expected)
                dropped += expected
            }
            #expect(spool.count == model.items.count)
        }
        #expect(dropped > 100)
        #expect(spool.cost == model.items.reduce(0) { $0 + $1.cost })
        #expect(spool.items(at: now) == model.take(nil, now))
    }
}
