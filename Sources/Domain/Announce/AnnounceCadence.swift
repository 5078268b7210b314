/// Whether a periodic announce is due: often while alone, seldom in a crowd, and at once in a conversation.
///
/// The jitter keeps neighbours from announcing in step. The longest gap that it allows, 38 s, stays below the minute
/// after which a silent peer is forgotten.
///
/// Source: spec, mesh §12.4.
public enum AnnounceCadence {
    /// Decides at one maintenance tick.
    ///
    /// - Parameters:
    ///   - sinceLast: Time since our last announce of any kind; `nil` when there was none.
    ///   - sinceTraffic: Time since the last packet that we accepted; `nil` when there was none.
    ///   - degree: The number of connected peers.
    ///   - draw: Draws a number in a range, uniformly, both ends included. Asked at most once, and only when the interval
    ///     is a random one.
    public static func isDue(
        sinceLast: Milliseconds?, sinceTraffic: Milliseconds?, degree: Int, draw: (ClosedRange<Int64>) -> Int64
    ) -> Bool {
        guard let sinceLast else { return true }
        let isBusy = sinceTraffic.map { $0 <= MeshPolicy.recentTraffic } ?? false
        if isBusy, sinceLast >= MeshPolicy.busyAnnounceInterval { return true }
        if degree == 0 { return sinceLast >= MeshPolicy.lonelyAnnounceInterval }
        let isDense = degree >= MeshPolicy.denseDegree
        return sinceLast.count
            >= draw(isDense ? MeshPolicy.denseAnnounceInterval : MeshPolicy.sparseAnnounceInterval)
    }
}
