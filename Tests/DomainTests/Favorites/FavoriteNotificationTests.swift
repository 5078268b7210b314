import Domain
import Testing

@Suite("Who is told of a favorite")
struct FavoriteNotificationTests {
    private static let nostrKey = NostrPublicKey(Bytes32(high: 1, low: 2))

    @Test(
        "on the mesh always; else by npub, an addition only to whom favors us (app §8.2)",
        arguments: [
            (true, true, false, false, "mesh"), (false, true, false, false, "mesh"), (true, true, true, true, "mesh"),
            (false, false, false, true, "nostr"), (false, false, true, true, "nostr"),
            (false, false, false, false, "none"), (false, false, true, false, "none"),
            (true, false, true, true, "nostr"), (true, false, true, false, "none"), (true, false, false, true, "none"),
            (true, false, false, false, "none"),
        ])
    func table(isAdded: Bool, isOnMesh: Bool, favorsUs: Bool, hasKey: Bool, way: String) {
        let told = FavoriteNotification(
            isAdded: isAdded, isOnMesh: isOnMesh, favorsUs: favorsUs, nostrKey: hasKey ? Self.nostrKey : nil)
        let expected: [String: FavoriteNotification] = [
            "mesh": .overMesh, "nostr": .overNostr(Self.nostrKey), "none": .none,
        ]
        #expect(told == expected[way])
    }

    @Test("the last removal is told too, though the record is gone by then")
    func removed() throws {
        var favorites = Favorites()
        let key = AgreementPublicKey(Bytes32(high: 3, low: 4))
        let now = WallTime(milliseconds: 1)
        _ = favorites.add(key, nickname: "ann", at: now, using: payloadCryptography)
        _ = favorites.learn(nostrKey: Self.nostrKey, of: key, at: now)
        let removal = favorites.remove(key, at: now)
        let update = try #require(removal.update)
        #expect(update.after == nil)
        #expect(FavoriteNotification(of: update, isOnMesh: false) == .overNostr(Self.nostrKey))
        #expect(FavoriteNotification(of: update, isOnMesh: true) == .overMesh)
    }

    @Test("an addition reaches an absent peer once it favors us; a change that is not ours reaches nobody")
    func changes() throws {
        var favorites = Favorites()
        let key = AgreementPublicKey(Bytes32(high: 3, low: 4))
        let now = WallTime(milliseconds: 1)
        let word = FavoriteMessage(isFavorite: true, nostrKey: Self.nostrKey)
        let received = favorites.receive(word, from: key, nickname: "ann", at: now, using: payloadCryptography)
        let theirs = try #require(received.update)
        #expect(FavoriteNotification(of: theirs, isOnMesh: true) == .none)
        let addition = favorites.add(key, nickname: nil, at: now, using: payloadCryptography)
        let ours = try #require(addition.update)
        #expect(FavoriteNotification(of: ours, isOnMesh: false) == .overNostr(Self.nostrKey))
        let renaming = favorites.learn(nickname: "anna", of: key, at: now)
        let renamed = try #require(renaming.update)
        #expect(FavoriteNotification(of: renamed, isOnMesh: true) == .none)
    }
}
