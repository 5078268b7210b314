/// How strong a device's signal must be for us to connect on sight.
///
/// A node alone takes whom it can get; one with a choice prefers who is near. Weaker devices are not lost, they wait in
/// the queue.
///
/// Source: spec, mesh §21.
public struct SignalThreshold: Sendable {
    /// The signal strength, in dBm, that a device must exceed.
    public private(set) var decibels = RadioPolicy.signalThreshold
    /// Since when there is no connected peer.
    private var isolatedSince: Uptime?

    /// Starts with the normal threshold.
    public init() {}

    /// Whether a device with this signal strength, in dBm, is near enough.
    public func passes(_ signal: Int8) -> Bool { signal > decibels }

    /// Adapts to the surroundings; due at each maintenance tick.
    ///
    /// - Parameters:
    ///   - degree: The number of connected peers.
    ///   - outgoingLinks: Links that we opened or are opening.
    ///   - candidates: Devices in the queue.
    public mutating func adapt(degree: Int, outgoingLinks: Int, candidates: Int, at now: Uptime) {
        guard degree == 0 else {
            isolatedSince = nil
            let isCrowded =
                outgoingLinks >= RadioPolicy.maximumOutgoingLinks || candidates >= RadioPolicy.maximumCandidates
            decibels = isCrowded ? RadioPolicy.crowdedSignalThreshold : RadioPolicy.signalThreshold
            return
        }
        let since = isolatedSince ?? now
        isolatedSince = since
        let isDesperate = now - since > RadioPolicy.isolationPatience
        decibels = isDesperate ? RadioPolicy.desperateSignalThreshold : RadioPolicy.isolatedSignalThreshold
    }
}
