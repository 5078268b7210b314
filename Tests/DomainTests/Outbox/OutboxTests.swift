import Domain
import Testing

@Suite("Outbox: what is kept (spec: store-and-forward §1.1, §1.3, §1.8, §1.9)")
struct OutboxTests {
    private static let day: UInt64 = 86_400

    @Test("7: the 101st message for one peer drops the first, and nobody else's")
    func overflow() {
        let probe = OutboxProbe()
        probe.put(OutboxProbe.entry("other", "carol"))
        for number in 1...100 { probe.put(OutboxProbe.entry("m\(number)")) }
        #expect(probe.outbox.freePlaces(for: "bob") == 0)
        let first = probe.entry("m1")
        let admission = probe.put(OutboxProbe.entry("m101"))
        guard case .queued(_, let displaced?) = admission else {
            Issue.record("nothing was dropped: \(admission)")
            return
        }
        #expect(displaced.entry == first)
        #expect(displaced.reason == .overflow)
        #expect(probe.ids() == (2...101).map { "m\($0)" })
        #expect(probe.ids("carol") == ["other"])
        #expect(probe.outbox.count == 101)
    }

    @Test(
        "when all lists together are full, a new message is refused and none has to go; a full list makes its own room")
    func capacity() {
        let probe = OutboxProbe(capacity: 102)
        for number in 1...100 { probe.put(OutboxProbe.entry("m\(number)")) }
        probe.put(OutboxProbe.entry("a", "anna"))
        #expect(probe.outbox.freePlaces(for: "carol") == 1)
        probe.put(OutboxProbe.entry("c", "carol"))
        #expect(probe.outbox.freePlaces(for: "carol") == 0)
        #expect(probe.put(OutboxProbe.entry("d", "dave")) == .refused(.full))
        #expect(probe.outbox.owners == ["anna", "bob", "carol"])

        guard case .queued(_, let displaced) = probe.put(OutboxProbe.entry("m101")) else {
            Issue.record("a message that displaces another was refused")
            return
        }
        #expect(displaced?.entry.id.text == "m1")
        guard case .queued = probe.put(OutboxProbe.entry("c", "carol")) else {
            Issue.record("a message that is in already was refused")
            return
        }
        #expect(probe.outbox.count == 102)
    }

    @Test(
        "what neither the mesh nor a seal can hold is refused",
        arguments: [(255, 255, true), (256, 1, false), (1, 256, false)] as [(Int, Int, Bool)])
    func tooLong(content: Int, id: Int, isTaken: Bool) {
        let probe = OutboxProbe()
        let entry = OutboxProbe.entry(
            String(repeating: "i", count: id), content: String(repeating: "x", count: content))
        #expect((probe.put(entry) != .refused(.tooLong)) == isTaken)
        #expect(probe.outbox.count == (isTaken ? 1 : 0))
    }

    @Test("the limit counts bytes, not characters")
    func bytes() {
        let probe = OutboxProbe()
        #expect(probe.put(OutboxProbe.entry("m", content: String(repeating: "é", count: 128))) == .refused(.tooLong))
        probe.put(OutboxProbe.entry("m", content: String(repeating: "é", count: 127)))
        #expect(probe.ids() == ["m"])
    }

    @Test("9: a message put in again has a new time and new attempts, and the couriers that hold it")
    func again() {
        let probe = OutboxProbe()
        probe.put(OutboxProbe.entry("m1", at: 100, attempts: 7, key: 0xB0, couriers: [0xC1, 0xC2]))
        probe.put(OutboxProbe.entry("m2", at: 101))
        probe.put(OutboxProbe.entry("m1", at: 200, couriers: [0xC2, 0xC3, 0xC4]))
        #expect(probe.ids() == ["m2", "m1"])
        let entry = probe.entry("m1")
        #expect(entry?.timestamp == OutboxProbe.time(200))
        #expect(entry?.sendAttempts == 0)
        #expect(entry?.couriers == [0xC1, 0xC2, 0xC3].map(OutboxProbe.noiseKey))
        #expect(entry?.recipientKey == OutboxProbe.noiseKey(0xB0))
        #expect(probe.outbox.count == 2)
    }

    @Test("one identifier in two conversations names two messages")
    func scoped() {
        let probe = OutboxProbe()
        probe.put(OutboxProbe.entry("m", "bob", content: "for bob"))
        probe.put(OutboxProbe.entry("m", "carol", content: "for carol"))
        #expect(probe.acknowledge("m", by: ["bob"]) == ["bob"])
        #expect(probe.entry("m", of: "carol")?.content == "for carol")
        #expect(probe.entry("m", of: "bob") == nil)
    }

    @Test("1: somebody else's receipt leaves a message in, its recipient's takes it out, from all of its names, once")
    func acknowledged() {
        let probe = OutboxProbe()
        for owner in ["bob", "bob-long"] { probe.put(OutboxProbe.entry("m", owner)) }
        #expect(probe.acknowledge("m", by: ["mallory"]) == [])
        #expect(probe.acknowledge("other", by: ["bob"]) == [])
        #expect(probe.outbox.count == 2)
        #expect(probe.acknowledge("m", by: ["bob", "bob", "bob-long"]) == ["bob", "bob-long"])
        #expect(probe.acknowledge("m", by: ["bob", "bob-long"]) == [])
        #expect(probe.outbox.count == 0 && probe.outbox.owners == [])
    }

    @Test("a receipt takes the mark along; the message, put in again, has none")
    func markGoes() {
        let probe = OutboxProbe()
        probe.put(OutboxProbe.entry("m"))
        probe.step("m", .proven)
        #expect(probe.isMarked("m"))
        #expect(probe.acknowledge("m") == ["bob"])
        #expect(!probe.isMarked("m"))
        probe.put(OutboxProbe.entry("m"))
        #expect(!probe.isMarked("m"))
    }

    @Test("7: exactly a day is kept, a millisecond more is dropped, by owner and in order")
    func expired() {
        let probe = OutboxProbe()
        let now = OutboxProbe.now
        for owner in ["carol", "bob"] {
            for (number, age) in [Self.day + 1, Self.day, Self.day + 2, 0].enumerated() {
                probe.put(OutboxProbe.entry("m\(number)", owner, at: now - age))
            }
        }
        let dropped = probe.expire(at: now)
        #expect(dropped.map(\.entry.owner) == ["bob", "bob", "carol", "carol"])
        #expect(dropped.map(\.entry.id.text) == ["m0", "m2", "m0", "m2"])
        #expect(dropped.allSatisfy { $0.reason == .age })
        #expect(probe.ids() == ["m1", "m3"] && probe.ids("carol") == ["m1", "m3"])
        #expect(probe.expire(at: now) == [])

        let entry = OutboxProbe.entry("m", at: now - Self.day)
        #expect(!entry.isExpired(at: OutboxProbe.time(now)))
        #expect(entry.isExpired(at: WallTime(milliseconds: now * 1000 + 1)))
    }

    @Test("a clock that reads 1970, or the end of time, drops nothing by overflow")
    func clocks() {
        let probe = OutboxProbe()
        probe.put(OutboxProbe.entry("m", at: OutboxProbe.now))
        #expect(probe.expire(at: 0) == [])
        #expect(probe.flush(.retained, at: 0) == ["m"])
        let future = OutboxProbe.Entry(
            owner: "bob", id: MessageID("f"), content: "", nickname: "", timestamp: WallTime(milliseconds: .max))
        #expect(!future.isExpired(at: OutboxProbe.time(OutboxProbe.now)))
    }

    @Test("a message written under a wrong clock gets the right time, and is kept")
    func restamped() {
        let probe = OutboxProbe()
        probe.put(OutboxProbe.entry("m", at: 1000))
        #expect(probe.restamp("m", at: OutboxProbe.now)?.timestamp == OutboxProbe.time(OutboxProbe.now))
        #expect(probe.expire(at: OutboxProbe.now) == [])
        #expect(probe.restamp("gone", at: OutboxProbe.now) == nil)
    }

    @Test("only what the disk has may be told as queued, and once")
    func durable() {
        let probe = OutboxProbe()
        probe.put(OutboxProbe.entry("m"))
        #expect(probe.entry("m")?.isDurable == false)
        #expect(probe.committed("m")?.isDurable == true)
        #expect(probe.committed("m") == nil)
        #expect(probe.committed("gone") == nil)
        #expect(probe.entry("m")?.isDurable == true)
    }

    @Test("a message that the disk refused is taken out; one that is there in an earlier form stays")
    func failedCommit() {
        let probe = OutboxProbe()
        probe.put(OutboxProbe.entry("m"))
        let drop = probe.commitFailed("m")
        #expect(drop?.reason == .notKept)
        #expect(drop?.entry.id.text == "m")
        #expect(probe.outbox.count == 0)
        #expect(probe.commitFailed("m") == nil)

        probe.put(OutboxProbe.entry("n"))
        #expect(probe.committed("n") != nil)
        #expect(probe.sent("n")?.sendAttempts == 1)
        #expect(probe.commitFailed("n") == nil)
        probe.put(OutboxProbe.entry("n"))
        #expect(probe.commitFailed("n") == nil)
        #expect(probe.entry("n")?.isDurable == true)
    }

    @Test("a receipt that is faster than the disk leaves nothing to tell")
    func fasterThanTheDisk() {
        let probe = OutboxProbe()
        probe.put(OutboxProbe.entry("m"))
        #expect(probe.acknowledge("m") == ["bob"])
        #expect(probe.committed("m") == nil)
        #expect(probe.commitFailed("m") == nil)
        #expect(probe.outbox.count == 0)
    }

    @Test("numbers that no entry can have are taken into the limits")
    func limits() {
        #expect(OutboxProbe.entry("m", attempts: -1).sendAttempts == 0)
        #expect(OutboxProbe.entry("m", attempts: .max).sendAttempts == 8)
        let entry = OutboxProbe.entry("m", couriers: [3, 3, 2, 1, 4])
        #expect(entry.couriers == [3, 2, 1].map(OutboxProbe.noiseKey))
        #expect(entry.courierSlots == 0)
    }

    @Test("a list of thousands of changes finds every entry, whatever was taken out of its middle")
    func places() {
        let probe = OutboxProbe()
        var model: [String] = []
        var generator = PacketTestGenerator(seed: 5)
        for number in 0..<5000 {
            if Int.random(in: 0..<3, using: &generator) == 0, let id = model.randomElement(using: &generator) {
                #expect(probe.acknowledge(id) == ["bob"])
                model.removeAll { $0 == id }
            } else {
                probe.put(OutboxProbe.entry("m\(number)"))
                model.append("m\(number)")
                if model.count > 100 { model.removeFirst() }
            }
        }
        #expect(probe.ids() == model)
        #expect(model.allSatisfy { probe.entry($0)?.id.text == $0 })
    }
}
