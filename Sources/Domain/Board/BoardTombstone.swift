/// The removal of a notice by its author.
///
/// Source: spec, packet §4.10; store-and-forward §6.1.
public struct BoardTombstone: Hashable, Sendable {
    /// The notice to remove.
    public let id: UInt128
    /// When it was removed.
    public let deletedAt: WallTime

    /// Makes a removal.
    public init(id: UInt128, deletedAt: WallTime) {
        self.id = id
        self.deletedAt = deletedAt
    }

    /// The bytes that the author signs. The author's key is not among them; it is bound because it verifies them.
    var signedBytes: [UInt8] {
        var bytes = BoardNotice.context("bitchat-board-del-v1")
        bytes.append(bigEndian: id)
        bytes.append(bigEndian: deletedAt.milliseconds)
        return bytes
    }
}
