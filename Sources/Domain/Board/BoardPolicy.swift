/// Limits of the notice board. Source: spec, store-and-forward §6.2.
public enum BoardPolicy {
    /// How far ahead of our clock a notice may be dated: clocks disagree.
    public static let maximumSkew = Milliseconds.seconds(60 * 60)
    /// How long a removal is kept after it was made, when nobody knows how long the notice would have lived: as long as
    /// any notice may.
    public static let tombstoneLifetime = BoardPost.maximumLifetime

    /// Notices of one author.
    public static let postsPerAuthor = 5
    /// Notices in all.
    public static let posts = 200
    /// Removals of notices that never came here, of one author.
    public static let orphansPerAuthor = 5
    /// Removals of notices that never came here, in all.
    public static let orphans = 100
    /// Removals of notices that were here, of one author. [ours]: the reference has no limit, and one who posts and deletes
    /// in turns fills its memory. Nearly three a day for the week that one may have to be kept.
    public static let removalsPerAuthor = 20
    /// Removals of notices that were here, in all. [ours]: as above; twice the notices.
    public static let removals = 400
    /// The longest frame that is kept, in bytes. [ours]: a full notice fits into 1024 with its padding, but unknown fields
    /// may be of any length, and 700 frames of the longest kind would be memory for strangers to fill.
    public static let maximumFrameLength = 2048
}
