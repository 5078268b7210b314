/// A prekey of somebody else that one of our messages is sealed to, so that no other one is.
public struct SpentPrekey: Hashable, Sendable {
    /// The owner's number for it.
    public let id: UInt32
    /// The message, all copies of which use this prekey.
    public let message: MessageID

    /// Makes a mark.
    public init(id: UInt32, message: MessageID) {
        self.id = id
        self.message = message
    }
}

/// Somebody's bundle as we keep it, with what we used of it; also its record in a store.
///
/// Source: spec, store-and-forward §4.4.
public struct CachedBundle: Hashable, Sendable {
    /// The bundle.
    public let bundle: PrekeyBundle
    /// When we took it; the owner updated longest ago gives way to a new one.
    public let updatedAt: WallTime
    /// What we used of it, by number; at most one for each prekey on offer.
    public private(set) var spent: [SpentPrekey]

    /// Makes a record; marks for prekeys that are not on offer, or were marked already, are left out.
    public init(bundle: PrekeyBundle, updatedAt: WallTime, spent: [SpentPrekey] = []) {
        self.bundle = bundle
        self.updatedAt = updatedAt
        var marks: [UInt32: SpentPrekey] = [:]
        for mark in spent where marks[mark.id] == nil { marks[mark.id] = mark }
        self.spent = bundle.offer.prekeys.compactMap { marks[$0.id] }.sorted { $0.id < $1.id }
    }

    /// Whose it is.
    public var owner: AgreementPublicKey { bundle.offer.owner }

    /// The prekey that the message has; `nil` when it has none.
    func prekey(of message: MessageID) -> Prekey? {
        spent.first { $0.message == message }.flatMap { mark in
            bundle.offer.prekeys.first { $0.id == mark.id }
        }
    }

    /// Gives the message the prekey with the lowest number of those unused; `nil` when all are used.
    mutating func spend(on message: MessageID) -> Prekey? {
        let used = Set(spent.map(\.id))
        guard let prekey = bundle.offer.prekeys.filter({ !used.contains($0.id) }).min(by: { $0.id < $1.id })
        else { return nil }
        spent.append(SpentPrekey(id: prekey.id, message: message))
        spent.sort { $0.id < $1.id }
        return prekey
    }
}
