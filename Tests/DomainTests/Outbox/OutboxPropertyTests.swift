import Domain
import Testing

@Suite("Outbox: any sequence of events")
struct OutboxPropertyTests {
    /// The rules in the plainest form, to compare with: one list of everything.
    private struct Model {
        struct Item {
            let owner: String
            let id: String
            var time: UInt64
            var attempts: Int
            var isMarked: Bool
            var couriers: Int
        }
        var items: [Item] = []

        func ids(_ owner: String) -> [String] { items.filter { $0.owner == owner }.map(\.id) }
        func index(_ owner: String, _ id: String) -> Int? { items.firstIndex { $0.owner == owner && $0.id == id } }
        mutating func remove(_ owner: String, _ id: String) -> Item? { index(owner, id).map { items.remove(at: $0) } }

        mutating func put(_ owner: String, _ id: String, at time: UInt64) {
            let earlier = remove(owner, id)
            items.append(
                Item(
                    owner: owner, id: id, time: time, attempts: 0, isMarked: earlier?.isMarked ?? false,
                    couriers: earlier?.couriers ?? 0))
            if ids(owner).count > 100, let first = items.firstIndex(where: { $0.owner == owner }) {
                items.remove(at: first)
            }
        }

        /// What a flush does with an item; `true` when it goes.
        mutating func step(_ owner: String, _ id: String, _ signals: TransportSignals, at now: UInt64) -> Bool {
            guard let index = index(owner, id) else { return false }
            if now - items[index].time > 86_400 {
                items.remove(at: index)
                return false
            }
            let (connected, secure) = (signals.mesh.isConnected, signals.mesh.deliversSecurely)
            if connected, !secure {
                items[index].isMarked = false
                return true
            }
            guard connected || signals.mesh.isReachable || signals.nostr.isReachable else { return false }
            guard items[index].attempts < 8 else {
                items.remove(at: index)
                return false
            }
            if connected { items[index].isMarked = true }
            items[index].attempts += 1
            return true
        }
    }

    private static let owners = ["anna", "bob", "carol"]
    private static let states: [TransportSignals] = [.proven, .insecure, .retained, .relays, .nothing]

    @Test("the limits hold, nothing confirmed comes back, and all is as the plain rules say", arguments: 1...4)
    func sequences(seed: Int) {
        var generator = PacketTestGenerator(seed: UInt64(seed))
        let probe = OutboxProbe()
        var model = Model()
        // Counted transmissions since the message was put in, and what was confirmed since.
        var (transmissions, confirmed): ([OutboxProbe.Key: Int], Set<OutboxProbe.Key>) = ([:], [])
        var (now, number, mostSent) = (OutboxProbe.now, 0, 0)

        func confirm(_ owner: String, _ id: String) {
            let removed = probe.acknowledge(id, by: [owner])
            let expected = model.remove(owner, id)
            #expect(removed.isEmpty == (expected == nil))
            confirmed.insert(OutboxProbe.key(id, owner))
        }
        func left(_ key: OutboxProbe.Key, _ signals: TransportSignals) {
            #expect(!confirmed.contains(key))
            if !signals.mesh.isConnected || signals.isProvenNeighbour { transmissions[key, default: 0] += 1 }
            mostSent = max(mostSent, transmissions[key] ?? 0)
        }

        for _ in 0..<3000 {
            now += UInt64.random(in: 0...80, using: &generator)
            let owner = Self.owners[Int.random(in: 0..<3, using: &generator)]
            let signals = Self.states[Int.random(in: 0..<5, using: &generator)]
            switch Int.random(in: 0..<100, using: &generator) {
            case 0..<70:
                // Now and then one that is in already, or was.
                let isOld = number > 0 && Int.random(in: 0..<10, using: &generator) == 0
                let id = "m\(isOld ? Int.random(in: max(0, number - 50)..<number, using: &generator) : number)"
                number += isOld ? 0 : 1
                probe.put(OutboxProbe.entry(id, owner, at: now, key: 0xB0))
                model.put(owner, id, at: now)
                transmissions[OutboxProbe.key(id, owner)] = 0
                confirmed.remove(OutboxProbe.key(id, owner))
            case 70..<85:
                // Inside the third call a receipt arrives for one that is still to come.
                let before = model.ids(owner)
                var calls = 0
                let sent = probe.flush(signals, of: owner, at: now) { key in
                    calls += 1
                    left(key, signals)
                    // The model goes along: what the receipt hits must not be stepped there either.
                    let goes = model.step(owner, key.id.text, signals, at: now)
                    #expect(goes)
                    if calls == 3, let victim = model.ids(owner).last { confirm(owner, victim) }
                }
                for id in before where !sent.contains(id) {
                    let goes = model.step(owner, id, signals, at: now)
                    #expect(!goes)
                }
            case 85..<90:
                if let id = model.ids(owner).randomElement(using: &generator) { confirm(owner, id) }
            case 90..<95:
                let marked = model.items.filter { $0.owner == owner && $0.isMarked }
                let sent = probe.retry(signals, of: [owner, owner], at: now) { left($0, signals) }
                guard signals.isProvenNeighbour else {
                    #expect(sent == [])
                    continue
                }
                let expected = marked.filter { model.step(owner, $0.id, signals, at: now) }
                #expect(sent.map(\.id.text) == expected.map(\.id))
            case 95..<98:
                let courier = UInt8.random(in: 1...5, using: &generator)
                if let id = model.ids(owner).randomElement(using: &generator) {
                    probe.deposited(id, with: [courier, courier &+ 5], of: owner)
                    let held = probe.entry(id, of: owner)?.couriers ?? []
                    #expect((1...3).contains(held.count) && Set(held).count == held.count)
                    model.index(owner, id).map { model.items[$0].couriers = held.count }
                }
            default:
                let dropped = probe.expire(at: now)
                let old = model.items.filter { now - $0.time > 86_400 }
                model.items.removeAll { now - $0.time > 86_400 }
                #expect(dropped.count == old.count)
            }
            let entries = probe.outbox.entries(of: owner)
            let isAsExpected =
                entries.count <= 100
                && entries.elementsEqual(model.items.lazy.filter { $0.owner == owner }) { entry, item in
                    entry.id.text == item.id && entry.sendAttempts == item.attempts
                        && entry.couriers.count == item.couriers && probe.outbox.isMarked(entry.key) == item.isMarked
                }
            #expect(isAsExpected, "\(entries) is not \(model.ids(owner))")
            #expect(probe.outbox.count == model.items.count)
        }
        // The run met the limits; otherwise it shows nothing.
        #expect(mostSent == 8)
        #expect(probe.dropped.contains { $0.reason == .attempts })
        #expect(transmissions.values.allSatisfy { $0 <= 8 })
    }
}
