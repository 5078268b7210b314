/// How long a filter is, and how many candidates go into it.
struct SyncFilterPlan: Hashable {
    /// Longest data.
    let bytes: Int
    /// The filter's parameter.
    let parameter: UInt8
    /// The number of candidates, newest first.
    let take: Int

    init(for types: SyncTypeFlags, count: Int, round: SyncRound) {
        let capacity = GCSFilter.capacity(bytes: SyncPolicy.filterBytes, parameter: SyncPolicy.filterParameter)
        let common = min(count, capacity, Self.maximumCandidates(of: types))
        guard round.isSweep, common < count else {
            (bytes, parameter, take) = (SyncPolicy.filterBytes, SyncPolicy.filterParameter, common)
            return
        }
        bytes = SyncPolicy.sweepBytes
        // The finest with which all fit; with more than fit at all, the newest.
        parameter =
            (1...SyncPolicy.sweepParameter).last {
                GCSFilter.capacity(bytes: SyncPolicy.sweepBytes, parameter: $0) >= count
            } ?? 1
        take = min(count, GCSFilter.capacity(bytes: SyncPolicy.sweepBytes, parameter: parameter))
    }

    /// What a request takes at most, by what it asks for.
    private static func maximumCandidates(of types: SyncTypeFlags) -> Int {
        switch types {
        case SyncTypeFlags([.fragment]): SyncPolicy.maximumFragmentCandidates
        case SyncTypeFlags([.fileTransfer]), SyncTypeFlags([.prekeyBundle]), SyncTypeFlags([.boardPost]):
            SyncPolicy.maximumOtherCandidates
        default: SyncPolicy.maximumCandidates
        }
    }
}
