/// How many links we may open, so that neighbours can still open theirs.
///
/// A controller carries a fixed number of links for both roles together. If we took them all, nobody new could connect
/// to us, and we would not even hear of it.
///
/// Source: spec, mesh §21; ble-gatt §5.
public struct LinkBudget: Hashable, Sendable {
    /// Links that the controller carries in both roles together.
    public let controllerLinks: Int

    /// Links kept free for neighbours: ``RadioPolicy/reservedIncomingLinks``, but never more than half of a small
    /// controller, which must be able to reach out as well.
    public var reserved: Int { min(RadioPolicy.reservedIncomingLinks, controllerLinks / 2) }

    /// Takes what the controller can do.
    public init(controllerLinks: Int) { self.controllerLinks = max(0, controllerLinks) }

    /// Whether one more link may be opened.
    ///
    /// - Parameters:
    ///   - outgoing: Links that we opened or are opening.
    ///   - incoming: Links that neighbours opened; they use up the reserve.
    public func allowsOutgoing(outgoing: Int, incoming: Int) -> Bool {
        outgoing < RadioPolicy.maximumOutgoingLinks && outgoing + max(incoming, reserved) < controllerLinks
    }
}
