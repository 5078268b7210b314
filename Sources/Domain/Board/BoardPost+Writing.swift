/// Why a notice cannot be put up as it was typed.
public enum BoardPostFault: Error, Hashable, Sendable {
    /// There is no text but blanks.
    case empty
    /// The text is longer than ``BoardPost/maximumContentLength``.
    case tooLong(bytes: Int)
    /// The place is no geohash in small letters, or longer than ``BoardPost/maximumGeohashLength``.
    case notAGeohash
}

extension BoardPost {
    /// The days that a notice may be up.
    public static let days = 1...7

    /// Makes a notice of what a user typed.
    ///
    /// Blanks around the text go, a long name is cut at a whole character, and the days are brought into range.
    ///
    /// Source: spec, store-and-forward §6.3.
    ///
    /// - Parameters:
    ///   - geohash: The place; empty for the mesh's own board.
    ///   - days: For how long.
    ///   - id: Sixteen random bytes, the first one most significant.
    ///   - now: When it is written; a wall clock that is not near the end of its range.
    public init(
        writing content: String, nickname: String, on geohash: String = "", isUrgent: Bool = false, days: Int,
        id: UInt128, at now: WallTime
    ) throws(BoardPostFault) {
        let text = content.trimmedForWire
        guard !text.isEmpty else { throw .empty }
        guard text.utf8.count <= Self.maximumContentLength else { throw .tooLong(bytes: text.utf8.count) }
        let life =
            Milliseconds.seconds(24 * 60 * 60) * Int64(min(max(Self.days.lowerBound, days), Self.days.upperBound))
        let post = BoardPost(
            id: id, geohash: geohash, content: text, nickname: nickname.prefix(utf8Bytes: Self.maximumNicknameLength),
            createdAt: now, expiresAt: now.adding(life), flags: isUrgent ? Self.urgentFlag : 0)
        // Of what can still be wrong only the place is the user's.
        guard let post else { throw .notAGeohash }
        self = post
    }
}
