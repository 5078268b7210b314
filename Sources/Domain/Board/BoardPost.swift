/// What a notice on the board says.
///
/// Source: spec, packet §4.10; store-and-forward §6.1.
public struct BoardPost: Hashable, Sendable {
    /// Sixteen random bytes, the first one most significant.
    public let id: UInt128
    /// The place whose board it is on, at most 12 characters of the geohash alphabet; empty for the mesh's own board.
    public let geohash: String
    /// The text, 1 to 512 bytes of UTF-8.
    public let content: String
    /// The author's name, at most 64 bytes of UTF-8.
    public let nickname: String
    /// When it was written.
    public let createdAt: WallTime
    /// When it is to be taken down: later than ``createdAt``, by at most ``maximumLifetime``.
    public let expiresAt: WallTime
    /// Bit 0 says urgent; the others are kept as they came.
    public let flags: UInt8

    /// The longest geohash, in bytes.
    public static let maximumGeohashLength = 12
    /// The longest text, in bytes.
    public static let maximumContentLength = 512
    /// The longest name, in bytes.
    public static let maximumNicknameLength = 64
    /// The longest life: seven days.
    public static let maximumLifetime = Milliseconds.seconds(7 * 24 * 60 * 60)
    /// The flag of an urgent notice.
    public static let urgentFlag: UInt8 = 0x01

    /// Makes a notice; `nil` when a limit is broken.
    public init?(
        id: UInt128, geohash: String, content: String, nickname: String, createdAt: WallTime, expiresAt: WallTime,
        flags: UInt8
    ) {
        guard geohash.utf8.count <= Self.maximumGeohashLength, geohash.utf8.allSatisfy(Self.isGeohashDigit),
            (1...Self.maximumContentLength).contains(content.utf8.count),
            nickname.utf8.count <= Self.maximumNicknameLength, expiresAt > createdAt,
            createdAt.distance(to: expiresAt) <= UInt64(clamping: Self.maximumLifetime.count)
        else { return nil }
        self.id = id
        self.geohash = geohash
        self.content = content
        self.nickname = nickname
        self.createdAt = createdAt
        self.expiresAt = expiresAt
        self.flags = flags
    }

    /// Whether it is urgent.
    public var isUrgent: Bool { flags & Self.urgentFlag != 0 }

    /// Whether the byte is a lowercase digit of a geohash: no `a`, `i`, `l` or `o`.
    private static func isGeohashDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a"), UInt8(ascii: "i"), UInt8(ascii: "l"), UInt8(ascii: "o"): false
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "b")...UInt8(ascii: "z"): true
        default: false
        }
    }

    /// The bytes that the author signs.
    func signedBytes(author: SigningPublicKey) -> [UInt8] {
        var bytes = BoardNotice.context("bitchat-board-v1")
        bytes.append(bigEndian: id)
        for text in [geohash, content] { Self.append(text, to: &bytes) }
        bytes += author.bytes.bytes
        Self.append(nickname, to: &bytes)
        bytes.append(bigEndian: createdAt.milliseconds)
        bytes.append(bigEndian: expiresAt.milliseconds)
        bytes.append(flags)
        return bytes
    }

    private static func append(_ text: String, to bytes: inout [UInt8]) {
        bytes.append(bigEndian: UInt16(clamping: text.utf8.count))
        bytes += text.utf8
    }
}
