/// How far one of our messages has come.
///
/// Source: spec, app §6.4; store-and-forward §1.10.
public enum DeliveryStatus: Hashable, Sendable {
    /// Accepted by the node, waiting for a session or a link.
    case sending
    /// Given to a transport; nothing is confirmed.
    case sent
    /// A courier's link took a copy, or a relay confirmed one; nobody says whether the courier kept it.
    case carried
    /// Some fragments of a file have left.
    case partiallySent(sent: Int, total: Int)
    /// The receiver acknowledged it.
    case delivered
    /// The receiver saw it.
    case read
    /// It will not arrive; why.
    case failed(reason: String)

    /// Whether `new` replaces this status: what is confirmed is never taken back, and what couriers carry is not merely sent.
    ///
    /// That progress of fragments does not replace a confirmation either is [ours]: a late count would take it back.
    public func yields(to new: DeliveryStatus) -> Bool {
        guard new != self else { return false }
        return switch (self, new) {
        case (.read, _): false
        case (.delivered, _): new == .read
        case (.carried, .sending), (.carried, .sent), (.sent, .sending): false
        default: true
        }
    }
}

extension DeliveryStatus? {
    /// Whether `new` replaces this status, where none means: not sent yet. Any status replaces none, and none replaces no
    /// status.
    public func yields(to new: DeliveryStatus?) -> Bool {
        guard let new else { return false }
        return self?.yields(to: new) ?? true
    }
}
