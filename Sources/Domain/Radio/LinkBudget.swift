/// How many links we may open, so that neighbours can still open theirs.
///
/// A controller carries a fixed number of links for both roles together. If we took them all, nobody new could connect
/// to us, and we would not even hear of it.
///
/// No command tells how many links a controller carries, so the number is learned: a refusal shows that what is open is all,
/// more links than believed show that it carries them.
///
/// Source: spec, mesh §21; ble-gatt §5, §18. The learning: [ours].
public struct LinkBudget: Hashable, Sendable {
    /// Links that the controller carries in both roles together, as far as we know.
    public private(set) var controllerLinks: Int
    /// What it was believed to carry at first.
    private let assumedLinks: Int
    /// Since when the number is lower than that without having risen; `nil` when it is not.
    private var lowSince: Uptime?

    /// Links kept free for neighbours: ``RadioPolicy/reservedIncomingLinks``, but never more than half of a small
    /// controller, which must be able to reach out as well.
    public var reserved: Int { min(RadioPolicy.reservedIncomingLinks, controllerLinks / 2) }

    /// Takes what the controller is believed to carry.
    public init(controllerLinks: Int = RadioPolicy.assumedControllerLinks) {
        self.controllerLinks = max(0, controllerLinks)
        assumedLinks = self.controllerLinks
    }

    /// Whether one more link may be opened.
    ///
    /// - Parameters:
    ///   - outgoing: Links that we opened or are opening.
    ///   - incoming: Links that neighbours opened; they use up the reserve.
    public func allowsOutgoing(outgoing: Int, incoming: Int) -> Bool {
        outgoing < RadioPolicy.maximumOutgoingLinks && outgoing + max(incoming, reserved) < controllerLinks
    }

    /// The controller refused a link because it carries so many already: that is all it carries for now.
    ///
    /// One link is always tried for: with none open it was something else that was in the way.
    public mutating func limitReached(links: Int, at now: Uptime) {
        controllerLinks = max(1, links)
        lowSince = controllerLinks < assumedLinks ? now : nil
    }

    /// So many links are open in both roles together: the controller carries at least these.
    public mutating func observe(links: Int) { controllerLinks = max(controllerLinks, links) }

    /// After each ``RadioPolicy/linkLimitPatience`` one link more is tried for, up to what was believed at first: who held
    /// the controller's memory may have let go of it.
    public mutating func relax(at now: Uptime) {
        guard let since = lowSince, controllerLinks < assumedLinks, now - since >= RadioPolicy.linkLimitPatience
        else { return }
        controllerLinks += 1
        lowSince = controllerLinks < assumedLinks ? now : nil
    }
}
