import Domain

/// A peer, as `peers` of the control protocol lists it.
struct ChatPeer: Hashable, Sendable {
    /// The identifier.
    let id: PeerID
    /// The nickname, raw.
    let nickname: String
    /// The nickname, with a suffix where it is not unique, raw.
    let displayName: String
    /// 64 hexadecimal digits.
    let fingerprint: String
    /// 64 hexadecimal digits.
    let noiseKey: String
    /// Whether a link ends there.
    let isConnected: Bool
    /// Whether it was heard of lately.
    let isReachable: Bool
    /// Whether a session stands.
    let isSecure: Bool

    /// Reads an entry; `nil` when it has no identifier.
    init?(_ json: JSONValue) {
        guard let id = json["id"]?.string.flatMap({ PeerID(hex: $0) }) else { return nil }
        self.id = id
        nickname = json["nickname"]?.string ?? ""
        displayName = json["displayName"]?.string ?? nickname
        fingerprint = json["fingerprint"]?.string ?? ""
        noiseKey = json["noiseKey"]?.string ?? ""
        isConnected = json["isConnected"]?.bool ?? false
        isReachable = json["isReachable"]?.bool ?? false
        isSecure = json["isSecure"]?.bool ?? false
    }

    /// Whether a typed name means this peer. Behind `#` stand digits of the identifier, whatever a nickname says there.
    func isCalled(_ name: String) -> Bool {
        let suffix = name.suffix(5)
        guard suffix.first == "#", suffix.count == 5, suffix.dropFirst().allSatisfy({ $0.isASCII && $0.isHexDigit })
        else { return [displayName, nickname].contains(name) }
        return ChatNames.suffix(of: id) == suffix.lowercased() && [name, String(name.dropLast(5))].contains(nickname)
    }

    /// The name with the four digits that nobody can choose.
    var suffixedName: String { ChatNames.suffixed(displayName, id) }
}

/// Those who are here.
struct ChatRoster: Sendable {
    /// In the node's order.
    private(set) var peers: [ChatPeer] = []

    /// Nobody.
    init() {}

    /// Reads the answer to `peers`.
    init(_ json: JSONValue) { peers = (json["peers"]?.array ?? []).compactMap { ChatPeer($0) } }

    /// What a typed name came to.
    enum Match: Hashable, Sendable {
        case one(PeerID)
        case none
        case several([String])
    }

    /// Finds the peer that a person means: by nickname, `nickname#suffix`, peer ID, fingerprint or key.
    ///
    /// A name that several carry is not chosen among: a message to the wrong one tells a stranger (spec: app §3.6).
    func match(_ name: String) -> Match {
        let digits = name.lowercased()
        guard !digits.isEmpty else { return .none }
        if let peer = peers.first(where: { [$0.id.hex, $0.fingerprint, $0.noiseKey].contains(digits) }) {
            return .one(peer.id)
        }
        // An identifier or a key is never a nickname: somebody could be called like another's identifier.
        if let id = PeerID(hex: digits) { return .one(id) }
        if Hex.decode(digits)?.count == Bytes32.count { return .none }
        let hits = peers.filter { $0.isCalled(name) }
        switch hits.count {
        case 1: return .one(hits[0].id)
        case 0: return .none
        default:
            return .several(hits.map { "\($0.suffixedName) (\($0.id.hex))" })
        }
    }

    subscript(id: PeerID) -> ChatPeer? { peers.first { $0.id == id } }

    /// The names of those who are here, in the order of their code points.
    var names: [String] {
        peers.filter { $0.isConnected || $0.isReachable }.map(\.displayName)
            .sorted { $0.unicodeScalars.lexicographicallyPrecedes($1.unicodeScalars) }
    }
}
