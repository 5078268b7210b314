extension MeshPolicy {
    /// Links to one peer are thinned out at most this often (§13.3).
    public static let retirementInterval: Milliseconds = .seconds(60)
}

/// Which of several links that we opened to one peer stays.
///
/// A peer changes its radio address every quarter of an hour, and we connect to the new one while the old link lives on.
/// The newest link sits on the address that the peer advertises now, so it outlives the others. Links that the peer
/// opened are the peer's to close; it runs the same rule.
///
/// Source: spec, mesh §13.3.
public enum RedundantLinks {
    /// A connected link that we opened and that is bound to the peer.
    public struct Candidate<Link: Comparable & Sendable>: Sendable {
        /// Which link.
        public let link: Link
        /// Whether frames can be sent on it already: over Bluetooth, whether its characteristic was found.
        public let isWritable: Bool
        /// When it came up, if that is known.
        public let connectedAt: Uptime?

        /// Describes a link.
        public init(link: Link, isWritable: Bool, connectedAt: Uptime?) {
            self.link = link
            self.isWritable = isWritable
            self.connectedAt = connectedAt
        }
    }

    /// Chooses the link to keep; all other ones in `bound` go. `nil`: none goes now.
    ///
    /// - Parameters:
    ///   - bound: The peer's connected links that we opened, in any order.
    ///   - ingress: The link that the peer's verified announce came in on.
    ///   - preferred: The link that packets to the peer go out on.
    ///   - retiredAt: When links to this peer were last thinned out.
    public static func survivor<Link>(
        among bound: [Candidate<Link>], ingress: Link?, preferred: Link?, retiredAt: Uptime?, at now: Uptime
    ) -> Link? {
        guard bound.count >= 2, retiredAt.map({ now - $0 >= MeshPolicy.retirementInterval }) ?? true else {
            return nil
        }
        let writable = bound.filter(\.isWritable)
        let newestBound = bound.compactMap(\.connectedAt).max()
        if let newestBound, !writable.isEmpty, !writable.contains(where: { $0.connectedAt == newestBound }) {
            return nil
        }
        let candidates = writable.isEmpty ? bound : writable
        guard let newest = candidates.compactMap(\.connectedAt).max() else {
            let links = candidates.map(\.link)
            return choose(ingress, among: links) ?? choose(preferred, among: links)
        }
        let links = candidates.filter { $0.connectedAt == newest }.map(\.link)
        return choose(ingress, among: links) ?? choose(preferred, among: links) ?? links.min()
    }

    private static func choose<Link: Equatable>(_ link: Link?, among links: [Link]) -> Link? {
        link.flatMap { links.contains($0) ? $0 : nil }
    }
}
