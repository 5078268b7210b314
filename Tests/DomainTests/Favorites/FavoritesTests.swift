import Domain
import Testing

@Suite("Favorites")
struct FavoritesTests {
    private let cryptography = payloadCryptography
    private let now = WallTime(milliseconds: 1_760_000_000_000)
    private let later = WallTime(milliseconds: 1_760_000_005_000)

    private func key(_ number: Int) -> AgreementPublicKey {
        AgreementPublicKey(Bytes32(high: 7, low: UInt128(number)))
    }
    private func nostr(_ number: Int) -> NostrPublicKey { NostrPublicKey(Bytes32(high: 9, low: UInt128(number))) }
    private func says(_ isFavorite: Bool, _ nostrKey: NostrPublicKey? = nil) -> FavoriteMessage {
        FavoriteMessage(isFavorite: isFavorite, nostrKey: nostrKey)
    }

    @Test("our choice makes a record, and is known by key and by short identifier")
    func add() throws {
        var favorites = Favorites()
        let verdict = favorites.add(key(1), nickname: "ann", at: now, using: cryptography)
        let update = try #require(verdict.update)
        #expect(update.before == nil && update.oursChanged && !update.theirsChanged && update.removed.isEmpty)
        let record = try #require(favorites[key(1)])
        #expect(update.after == record)
        #expect(record.isFavorite && !record.favorsUs && !record.isMutual)
        #expect(record.nickname == "ann" && record.favoritedAt == now && record.lastUpdated == now)
        #expect(favorites[PeerID(of: key(1), using: cryptography)] == record)
        #expect(favorites[PeerID(rawValue: 1)] == nil)
    }

    @Test("asked for what is so already, nothing changes (app §2.1)")
    func unchanged() {
        var favorites = Favorites()
        let none = favorites.remove(key(1), at: now)
        _ = favorites.add(key(1), nickname: "ann", at: now, using: cryptography)
        let again = favorites.add(key(1), nickname: "anna", at: later, using: cryptography)
        #expect(none == .unchanged && again == .unchanged)
        #expect(favorites[key(1)]?.lastUpdated == now)
    }

    @Test("both choices make it mutual; each side's end leaves the other's; none leaves no record")
    func mutual() throws {
        var favorites = Favorites()
        _ = favorites.add(key(1), nickname: "ann", at: now, using: cryptography)
        let told = favorites.receive(says(true), from: key(1), nickname: nil, at: now, using: cryptography)
        #expect(told.update?.theirsChanged == true && told.update?.oursChanged == false)
        #expect(favorites[key(1)]?.isMutual == true)
        let struck = favorites.remove(key(1), at: later)
        #expect(struck.update?.after?.favorsUs == true)
        #expect(favorites[key(1)]?.isFavorite == false && favorites[key(1)]?.favoritedAt == nil)
        let gone = favorites.receive(says(false), from: key(1), nickname: nil, at: later, using: cryptography)
        let update = try #require(gone.update)
        #expect(update.after == nil && update.theirsChanged && update.removed == [key(1)])
        #expect(favorites.count == 0 && favorites[PeerID(of: key(1), using: cryptography)] == nil)
    }

    @Test("who favors us has a record without our choice, and is no mutual favorite")
    func admirer() {
        var favorites = Favorites()
        let verdict = favorites.receive(
            says(true, nostr(1)), from: key(1), nickname: "ann", at: now, using: cryptography)
        #expect(verdict.update?.theirsChanged == true)
        #expect(favorites[key(1)]?.isMutual == false && favorites[key(1)]?.nostrKey == nostr(1))
    }

    @Test("a repeated word changes nothing, so that no line is shown and nothing written (app §19, 32)")
    func repeated() {
        var favorites = Favorites()
        for (round, expected) in [(0, true), (1, false), (2, false)] {
            let verdict = favorites.receive(
                says(true, nostr(1)), from: key(1), nickname: "a", at: later, using: cryptography)
            #expect((verdict != .unchanged) == expected, "round \(round)")
        }
        let moved = favorites.receive(says(true, nostr(2)), from: key(1), nickname: "a", at: later, using: cryptography)
        #expect(moved.update?.theirsChanged == false && moved.update?.after?.nostrKey == nostr(2))
    }

    @Test("edge case 41: a bare colon leaves the npub; an end with an npub stores it while the record lives")
    func edge41() throws {
        var favorites = Favorites()
        _ = favorites.receive(says(true, nostr(1)), from: key(1), nickname: "ann", at: now, using: cryptography)
        let bare = try #require(FavoriteMessage("[FAVORITED]:"))
        _ = favorites.receive(bare, from: key(1), nickname: nil, at: later, using: cryptography)
        #expect(favorites[key(1)]?.favorsUs == true && favorites[key(1)]?.nostrKey == nostr(1))

        _ = favorites.add(key(1), nickname: nil, at: later, using: cryptography)
        let end = try #require(FavoriteMessage("[UNFAVORITED]:" + nostr(2).npub))
        _ = favorites.receive(end, from: key(1), nickname: nil, at: later, using: cryptography)
        #expect(favorites[key(1)]?.favorsUs == false && favorites[key(1)]?.nostrKey == nostr(2))

        let stranger = favorites.receive(end, from: key(2), nickname: "bob", at: later, using: cryptography)
        #expect(stranger == .unchanged && favorites[key(2)] == nil)
    }

    @Test(
        "neither a placeholder nor nothing replaces a name, and nothing clears an npub",
        arguments: ["", "Unknown", " "])
    func placeholders(name: String) {
        var favorites = Favorites()
        _ = favorites.add(key(1), nickname: "ann", at: now, using: cryptography)
        _ = favorites.learn(nostrKey: nostr(1), of: key(1), at: now)
        let verdict = favorites.learn(nickname: name, of: key(1), at: later)
        #expect(verdict == .unchanged)
        _ = favorites.receive(says(true), from: key(1), nickname: name, at: later, using: cryptography)
        #expect(favorites[key(1)]?.nickname == "ann" && favorites[key(1)]?.nostrKey == nostr(1))
        let renamed = favorites.learn(nickname: "Unknown too", of: key(1), at: later)
        #expect(renamed.update?.after?.nickname == "Unknown too")
        #expect(renamed.update?.oursChanged == false && renamed.update?.theirsChanged == false)
    }

    @Test("a record begun without a name takes the first real one; a long one is cut at a character")
    func names() {
        var favorites = Favorites()
        _ = favorites.add(key(1), nickname: "Unknown", at: now, using: cryptography)
        #expect(favorites[key(1)]?.nickname == "")
        _ = favorites.learn(nickname: String(repeating: "é", count: 200), of: key(1), at: later)
        #expect(favorites[key(1)]?.nickname == String(repeating: "é", count: 127))
    }

    @Test("peers without a record learn nothing")
    func strangers() {
        var favorites = Favorites()
        let verdict = favorites.learn(nickname: "ann", nostrKey: nostr(1), of: key(1), at: now)
        #expect(verdict == .unchanged && favorites.count == 0)
    }

    @Test("an npub finds its owner; a stranger who claims a favorite's does not take it over")
    func owner() {
        var favorites = Favorites()
        #expect(favorites.owner(of: nostr(1)) == nil)
        _ = favorites.receive(says(true, nostr(1)), from: key(1), nickname: "ann", at: now, using: cryptography)
        #expect(favorites.owner(of: nostr(1))?.key == key(1))
        _ = favorites.receive(says(true, nostr(1)), from: key(2), nickname: "eve", at: now, using: cryptography)
        #expect(favorites.owner(of: nostr(1)) == nil)
        _ = favorites.add(key(1), nickname: nil, at: now, using: cryptography)
        #expect(favorites.owner(of: nostr(1))?.key == key(1))
        _ = favorites.add(key(2), nickname: nil, at: now, using: cryptography)
        #expect(favorites.owner(of: nostr(1)) == nil)
    }

    // MARK: Bounds

    @Test("a crowd that favors us is bounded, longest without a change goes, and our choices stay")
    func crowd() {
        var favorites = Favorites()
        for number in 0..<10 { _ = favorites.add(key(number), nickname: "ours", at: now, using: cryptography) }
        var evicted: [AgreementPublicKey] = []
        for number in 10..<(FavoritesPolicy.maximumRecords + 50) {
            let verdict = favorites.receive(says(true), from: key(number), nickname: "x", at: now, using: cryptography)
            evicted += verdict.update?.removed ?? []
        }
        #expect(favorites.count == FavoritesPolicy.maximumRecords)
        #expect(evicted == (10..<60).map { key($0) })
        #expect((0..<10).allSatisfy { favorites[key($0)]?.isFavorite == true })
        #expect(favorites[PeerID(of: key(10), using: cryptography)] == nil)

        // One that changed lately stays before one that did not.
        _ = favorites.learn(nickname: "y", of: key(60), at: later)
        let next = favorites.receive(says(true), from: key(5000), nickname: "x", at: later, using: cryptography)
        #expect(next.update?.evicted == key(61) && favorites[key(60)] != nil)
    }

    @Test("one whom we strike off and who favors us gives way like others")
    func struckOff() {
        var favorites = Favorites()
        for number in 0..<FavoritesPolicy.maximumRecords {
            _ = favorites.add(key(number), nickname: nil, at: now, using: cryptography)
        }
        _ = favorites.receive(says(true), from: key(7), nickname: nil, at: now, using: cryptography)
        _ = favorites.remove(key(7), at: later)
        let ours = favorites.add(key(5000), nickname: nil, at: later, using: cryptography)
        #expect(ours.update?.removed == [key(7)] && favorites[key(7)] == nil)
        let more = favorites.add(key(5001), nickname: nil, at: later, using: cryptography)
        #expect(more == .full)
    }

    @Test("when every place is our choice, nobody gets in")
    func full() {
        var favorites = Favorites()
        for number in 0..<FavoritesPolicy.maximumRecords {
            _ = favorites.add(key(number), nickname: nil, at: now, using: cryptography)
        }
        let admirer = favorites.receive(
            says(true), from: key(-1 & 0xFFFFFF), nickname: nil, at: now, using: cryptography)
        let ours = favorites.add(key(0xFFFFFF), nickname: nil, at: now, using: cryptography)
        #expect(admirer == .full && ours == .full)
        let known = favorites.receive(says(true), from: key(3), nickname: nil, at: now, using: cryptography)
        #expect(known.update?.after?.isMutual == true)
    }

    // MARK: Restarts

    @Test("what was written down comes back the same, in any order")
    func restore() {
        var favorites = Favorites()
        for number in 0..<50 {
            let time = WallTime(milliseconds: now.milliseconds + UInt64(number * 7 % 50))
            _ = favorites.receive(
                says(true, nostr(number)), from: key(number), nickname: "n\(number)", at: time, using: cryptography)
            if number.isMultiple(of: 3) { _ = favorites.add(key(number), nickname: nil, at: time, using: cryptography) }
        }
        var generator = PacketTestGenerator(seed: 5)
        var again = Favorites()
        let dropped = again.restore(favorites.all.shuffled(using: &generator), using: cryptography)
        #expect(dropped.isEmpty && again.all == favorites.all)
        #expect(again[PeerID(of: key(7), using: cryptography)]?.key == key(7))
    }

    @Test("of two records of one peer the newer counts, with what only the other knows")
    func duplicates() {
        let old = Favorite(
            key: key(1), nostrKey: nostr(1), nickname: "ann", favoritedAt: now, favorsUs: false, lastUpdated: now)
        let new = Favorite(
            key: key(1), nostrKey: nil, nickname: "Unknown", favoritedAt: nil, favorsUs: true, lastUpdated: later)
        for order in [[old, new], [new, old]] {
            var favorites = Favorites()
            let dropped = favorites.restore(order, using: cryptography)
            #expect(dropped.isEmpty && favorites.count == 1)
            let record = favorites[key(1)]
            #expect(record?.isFavorite == false && record?.favorsUs == true)
            #expect(record?.nostrKey == nostr(1) && record?.nickname == "ann")
        }
    }

    @Test("a record of nobody's choice is not taken back, nor one beyond the bound; ours come first")
    func restoreRefusals() {
        let empty = Favorite(
            key: key(9), nostrKey: nostr(1), nickname: "x", favoritedAt: nil, favorsUs: false, lastUpdated: now)
        let crowd = (100..<(101 + FavoritesPolicy.maximumRecords)).map {
            Favorite(
                key: key($0), nostrKey: nil, nickname: "", favoritedAt: nil, favorsUs: true,
                lastUpdated: WallTime(milliseconds: UInt64($0)))
        }
        let ours = Favorite(
            key: key(1), nostrKey: nil, nickname: "", favoritedAt: now, favorsUs: false,
            lastUpdated: WallTime(milliseconds: 0))
        var favorites = Favorites()
        let dropped = favorites.restore([empty] + crowd + [ours], using: cryptography)
        #expect(favorites.count == FavoritesPolicy.maximumRecords)
        #expect(favorites[key(1)] != nil && favorites[key(9)] == nil)
        #expect(Set(dropped) == [key(9), key(100), key(101)])
    }
}
