import Domain
import NativeCryptography
import Testing

/// A node with a disk that commits late and forgets in crashes, and the world that sees only what was committed.
private struct PrekeyWorld {
    /// What leaves once a change is committed.
    private struct Waiting {
        let change: PrekeyChange
        let offer: PrekeyOffer?
        let opened: (id: UInt32, time: WallTime)?
    }

    private(set) var prekeys: OwnPrekeys
    private var dice: PacketTestGenerator
    private let randomness: PacketTestRandomness
    private(set) var now = Prekeys.time(0)

    private var disk: [UInt32: StoredPrekey] = [:]
    private var sequence: PrekeySequence?
    private var waiting: [Waiting] = []

    /// Every key that was ever published, by its number.
    private var published: [UInt32: AgreementPublicKey] = [:]
    private var lastOffer: PrekeyOffer?
    /// When mail to a prekey was first opened and shown.
    private var consumed: [UInt32: WallTime] = [:]
    private(set) var faults: [String] = []
    private(set) var counts = (opened: 0, refused: 0, crashes: 0)

    init(seed: UInt64) {
        dice = PacketTestGenerator(seed: seed)
        randomness = PacketTestRandomness(seed: seed &+ 1000)
        prekeys = OwnPrekeys(
            owner: Prekeys.identity.publicKey, dataKey: Prekeys.dataKey, using: Prekeys.cryptography)
        // Half of the worlds pass the end of the numbers.
        if seed.isMultiple(of: 2) {
            sequence = PrekeySequence(nextID: .max - UInt32(seed % 50), generatedAt: Prekeys.time(-1))
            var stored = PrekeyChange()
            stored.sequence = sequence
            prekeys = Prekeys.restored(stored)
        }
        maintain()
    }

    private mutating func number(below bound: Int) -> Int { Int(dice.next() % UInt64(bound)) }

    mutating func step() {
        switch number(below: 10) {
        case 0...3: openMail()
        case 4: maintain()
        case 5: crash()
        case 6, 7: commit(number(below: waiting.count + 1))
        default: passTime()
        }
        check()
    }

    private mutating func openMail() {
        // Mostly what was offered lately, sometimes anything ever published.
        let recent = lastOffer?.prekeys.map(\.id) ?? []
        let candidates = number(below: 4) == 0 || recent.isEmpty ? published.keys.sorted() : recent
        guard !candidates.isEmpty else { return }
        let id = candidates[number(below: candidates.count)]
        guard let keys = prekeys.keys(of: id, at: now) else {
            counts.refused += 1
            return
        }
        if keys.publicKey != published[id] { faults.append("\(id) opens with another key") }
        let date = prekeys.sequence.generatedAt
        let change = prekeys.consume(id, at: now, from: randomness, using: Prekeys.cryptography)
        counts.opened += 1
        guard !change.isEmpty else { return }
        if prekeys.sequence.generatedAt <= date { faults.append("consuming \(id) did not raise the date") }
        waiting.append(Waiting(change: change, offer: prekeys.offer, opened: (id, now)))
    }

    private mutating func maintain() {
        let change = prekeys.maintain(at: now, from: randomness, using: Prekeys.cryptography)
        let count = prekeys.offer?.prekeys.count ?? 0
        if !(3...8).contains(count) { faults.append("\(count) on offer") }
        if !change.isEmpty { waiting.append(Waiting(change: change, offer: prekeys.offer, opened: nil)) }
    }

    private mutating func commit(_ count: Int) {
        for item in waiting.prefix(count) {
            for id in item.change.removed { disk[id] = nil }
            for prekey in item.change.written { disk[prekey.id] = prekey }
            if let changed = item.change.sequence { sequence = changed }
            if let (id, time) = item.opened, consumed[id] == nil { consumed[id] = time }
            if let offer = item.offer { publish(offer) }
        }
        waiting.removeFirst(count)
    }

    private mutating func publish(_ offer: PrekeyOffer) {
        for prekey in offer.prekeys {
            if let key = published[prekey.id], key != prekey.key { faults.append("\(prekey.id) is used again") }
            if consumed[prekey.id] != nil { faults.append("\(prekey.id) is offered after its use") }
            published[prekey.id] = prekey.key
        }
        if let lastOffer, lastOffer.prekeys != offer.prekeys, offer.generatedAt <= lastOffer.generatedAt {
            faults.append("another offer without a later date")
        }
        lastOffer = offer
    }

    private mutating func crash() {
        counts.crashes += 1
        waiting = []
        var stored = PrekeyChange()
        stored.written = disk.values.sorted { $0.id > $1.id }
        stored.sequence = sequence
        prekeys = Prekeys.restored(stored)
        check()
        maintain()
    }

    private mutating func passTime() {
        let spans = [0, 1, Prekeys.hour, 5 * Prekeys.hour, Prekeys.day, 2 * Prekeys.day + 1, -Prekeys.hour]
        let isLong = number(below: 40) == 0
        now = now.moved(isLong ? 31 * Prekeys.day : spans[number(below: spans.count)])
    }

    private mutating func check() {
        for (id, time) in consumed where now.milliseconds > time.milliseconds + 48 * 3_600_000 {
            if prekeys.keys(of: id, at: now) != nil { faults.append("\(id) opens after its grace") }
        }
        for id in prekeys.ids where consumed[id] != nil { faults.append("\(id) is about to be offered again") }
    }
}

@Suite("Own prekeys: properties")
struct LocalPrekeysPropertyTests {
    @Test(
        "whatever comes in between, no number is used again, no consumed key offered, none opens after its grace",
        arguments: 1...30 as ClosedRange<UInt64>)
    func sequences(seed: UInt64) {
        var world = PrekeyWorld(seed: seed)
        for _ in 0..<250 { world.step() }
        #expect(world.faults == [])
        #expect(world.counts.opened > 20)
        #expect(world.counts.refused > 0)
        #expect(world.counts.crashes > 5)
    }
}
