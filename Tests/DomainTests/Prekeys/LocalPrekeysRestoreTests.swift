import Domain
import NativeCryptography
import Testing

@Suite("Own prekeys across restarts")
struct LocalPrekeysRestoreTests {
    @Test("what was written down comes back as it was")
    func same() throws {
        var (prekeys, dice) = Prekeys.fresh()
        _ = prekeys.consume(2, Prekeys.hour, dice)
        let restored = Prekeys.restored(prekeys.everything)
        #expect(restored.everything == prekeys.everything)
        #expect(restored.offer == prekeys.offer)
        for id in 0..<8 as Range<UInt32> {
            #expect(
                restored.keys(of: id, at: Prekeys.time(0))?.publicKey
                    == prekeys.keys(of: id, at: Prekeys.time(0))?.publicKey)
        }
    }

    @Test("numbers go on when every prekey is gone")
    func numbers() {
        let (prekeys, dice) = Prekeys.fresh()
        var nothing = PrekeyChange()
        nothing.sequence = prekeys.sequence
        var restored = Prekeys.restored(nothing)
        #expect(restored.offer == nil)
        let change = restored.maintain(0, dice)
        #expect(change.written.map(\.id) == Array(8..<16))
        // Within the same millisecond, and still later than what was published before the restart.
        #expect(restored.sequence.generatedAt == Prekeys.time(1))
    }

    @Test("a lost sequence goes on behind the highest number and the latest date on record")
    func lostSequence() {
        var (prekeys, dice) = Prekeys.fresh()
        _ = prekeys.consume(7, Prekeys.hour, dice)
        var stored = prekeys.everything
        stored.sequence = nil
        let restored = Prekeys.restored(stored)
        #expect(restored.sequence == PrekeySequence(nextID: 8, generatedAt: Prekeys.time(Prekeys.hour)))
        var nothing = Prekeys.restored(PrekeyChange())
        let change = nothing.maintain(0, dice)
        #expect(change.written.map(\.id) == Array(0..<8))
    }

    @Test("numbers wrap around, and pass over one that is still in use")
    func wrapping() {
        let (prekeys, dice) = Prekeys.fresh()
        var stored = prekeys.everything
        stored.written = stored.written.filter { $0.id == 1 }
        stored.sequence = PrekeySequence(nextID: .max - 1, generatedAt: Prekeys.time(0))
        var restored = Prekeys.restored(stored)
        let change = restored.maintain(0, dice)
        #expect(change.written.map(\.id) == [.max - 1, .max, 0, 2, 3, 4, 5])
        #expect(restored.ids == [0, 1, 2, 3, 4, 5, .max - 1, .max])
        #expect(change.sequence?.nextID == 6)
    }

    @Test("a consumed prekey whose removal was lost in a crash does not come back after its grace")
    func lostRemoval() {
        var (prekeys, dice) = Prekeys.fresh()
        _ = prekeys.consume(0, 0, dice)
        let stored = prekeys.everything
        // The removal happens, and is lost.
        _ = prekeys.maintain(49 * Prekeys.hour, dice)
        var restored = Prekeys.restored(stored)
        #expect(!restored.has(0, 49 * Prekeys.hour))
        #expect(!restored.ids.contains(0))
        let change = restored.maintain(49 * Prekeys.hour, dice)
        #expect(change.removed == [0])
    }

    @Test("records of another node, or damaged ones, are removed and open nothing", arguments: [0, 11, 12, 44, 59])
    func unreadable(place: Int) throws {
        let (prekeys, dice) = Prekeys.fresh()
        var stored = prekeys.everything
        let good = stored.written[3]
        var wrapped = good.wrapped
        #expect(wrapped.count == 60)
        wrapped[place] ^= 1
        stored.written[3] = StoredPrekey(id: 3, wrapped: wrapped, createdAt: good.createdAt)
        var restored = Prekeys.restored(stored)
        #expect(restored.ids == [0, 1, 2, 4, 5, 6, 7])
        #expect(!restored.has(3, 0))
        let change = restored.maintain(0, dice)
        #expect(change.removed == [3])
        let again = restored.maintain(0, dice)
        #expect(again.isEmpty)
        var foreign = Prekeys.restored(prekeys.everything, dataKey: Prekeys.secret(77))
        let all = foreign.maintain(0, dice)
        #expect(all.removed == Array(0..<8))
        #expect(foreign.ids == Array(8..<16))
    }

    @Test("a wrapped key does not open in the place of another, nor cut or lengthened")
    func places() throws {
        let (prekeys, _) = Prekeys.fresh()
        var stored = prekeys.everything
        let wrapped = stored.written.map(\.wrapped)
        let swapped = [wrapped[1], wrapped[0], Array(wrapped[2].dropLast()), wrapped[3] + [0], []]
        stored.written = swapped.enumerated().map {
            StoredPrekey(id: UInt32($0.offset), wrapped: $0.element, createdAt: Prekeys.time(0))
        }
        #expect(Prekeys.restored(stored).offer == nil)
    }

    @Test("a wrapped secret that is no key, though it opens, is not taken for one")
    func wrongLength() {
        // Wrapped as ours are, but shorter: the length is checked before anything is made of it.
        let context = Array("satchel-prekeys-v1".utf8)
        let (key, _) = Prekeys.cryptography.hkdf(
            chainingKey: Prekeys.dataKey, input: Prekeys.cryptography.importSecret(context.span))
        let short = [UInt8](repeating: 5, count: 31)
        let place = Array("prekey".utf8) + Prekeys.identity.publicKey.bytes.bytes + [0, 0, 0, 0]
        let wrapped = Prekeys.cryptography.wrap(
            Prekeys.cryptography.importSecret(short.span), under: key, nonce: AEADNonce(counter: 0),
            associatedData: place.span)
        let opens =
            Prekeys.cryptography.unwrap(wrapped.span, under: key, associatedData: place.span) != nil
        #expect(opens)
        var stored = PrekeyChange()
        stored.written = [StoredPrekey(id: 0, wrapped: wrapped, createdAt: Prekeys.time(0))]
        #expect(Prekeys.restored(stored).offer == nil)
    }

    @Test("no private key stands in a record")
    func sealed() throws {
        let (prekeys, _) = Prekeys.fresh()
        for prekey in prekeys.everything.written {
            let keys = try #require(prekeys.keys(of: prekey.id, at: Prekeys.time(0)))
            let bytes = Prekeys.cryptography.withBytes(of: keys.secret) { span in span.indices.map { span[$0] } }
            #expect(!prekey.wrapped.contains(bytes))
        }
        #expect(Set(prekeys.everything.written.map { $0.wrapped.prefix(12) }).count == 8)
    }

    @Test(
        "a record's end is the first moment at which it counts no more",
        arguments: [(nil, 30 * 24), (0, 48), (5, 53)] as [(Int64?, Int64)])
    func expiry(consumedAfter hours: Int64?, end: Int64) {
        let prekey = StoredPrekey(
            id: 0, wrapped: [], createdAt: Prekeys.time(0), consumedAt: hours.map { Prekeys.time($0 * Prekeys.hour) })
        #expect(prekey.expiry == Prekeys.time(end * Prekeys.hour + 1))
    }
}
