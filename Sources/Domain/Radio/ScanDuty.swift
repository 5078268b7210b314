/// How the scanner divides its time: listening costs power and air time, not listening costs neighbours.
///
/// Source: spec, mesh §22.
public enum ScanDuty: Hashable, Sendable {
    /// Listen all the time.
    case continuous
    /// Listen for `on`, rest for `off`, and so on.
    case cycle(on: Milliseconds, off: Milliseconds)

    /// Chooses; asked again at each maintenance tick.
    ///
    /// - Parameters:
    ///   - savesPower: Whether resting is wanted at all; a node on mains power need not.
    ///   - isActive: Whether the app is in the foreground, in the words of the phones; they pace themselves only then. For
    ///     a node that always runs: `true`.
    ///   - degree: The number of connected peers.
    ///   - sinceTraffic: Time since the last accepted packet; `nil` when there was none.
    public static func choose(
        savesPower: Bool, isActive: Bool, degree: Int, sinceTraffic: Milliseconds?
    ) -> ScanDuty {
        let isBusy = sinceTraffic.map { $0 <= RadioPolicy.scanTraffic } ?? false
        guard savesPower, isActive, degree > RadioPolicy.continuousScanDegree, !isBusy else { return .continuous }
        return degree >= MeshPolicy.denseDegree ? RadioPolicy.denseDuty : RadioPolicy.sparseDuty
    }
}
