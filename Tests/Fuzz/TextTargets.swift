import Domain

extension Target {
    private static let npub = "npub1tpq9vu4k5yapvvtp95zh9jay8vyj5rsvx0p0t98yr8u76h6cr8yq8dw0ky"

    /// Texts that peers write to each other's programs.
    static let texts: [Target] = [
        Target("bech32", [], samples: [Array(npub.utf8), Array("a1b1lhlgd8c5akg2q".utf8)]) { input in
            let text = String(decoding: input, as: UTF8.self)
            if let key = NostrPublicKey(npub: text) {
                require(NostrPublicKey(npub: key.npub) == key, "an npub does not settle")
            }
            guard let decoded = Bech32.decode(text) else { return }
            let again = Bech32.encode(decoded.bytes, prefix: decoded.prefix).flatMap { Bech32.decode($0) }
            require(again?.bytes == decoded.bytes && again?.prefix == decoded.prefix, "bech32 does not settle")
        },
        Target(
            "favorite-message", [], samples: [Array("[FAVORITED]:\(npub)".utf8), Array("[UNFAVORITED]".utf8)]
        ) { input in
            let text = String(decoding: input, as: UTF8.self)
            guard let message = FavoriteMessage(text) else { return }
            require(FavoriteMessage.isMarked(text), "a favorite message has no marker")
            require(FavoriteMessage(message.text) == message, "a favorite message does not settle")
        },
    ]
}
