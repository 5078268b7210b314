import Domain

/// A packet that passed the ingress guard, on its way to the handler of its type.
struct Inbound {
    /// The frame, located field by field.
    let view: PacketView
    /// The payload, inflated.
    let payload: ArraySlice<UInt8>
    /// The link that it came on; for a rebuilt packet, the link of its last fragment.
    let link: LinkID
    /// The peer that the frame is attributed to: the link's peer, or the claimed sender.
    let from: PeerID
    /// Whether it was rebuilt from fragments: then it is never direct, never relayed, and proves nothing about a link.
    let isRebuilt: Bool

    /// Bytes that keeping this packet holds: the whole frame, whatever trails in it, or the inflated payload.
    var cost: Int { max(payload.count, view.frame.count) }
    var type: MessageType { view.type }
    var sender: PeerID { view.sender }
    /// Hops left; none for a rebuilt packet, whose fragments were relayed already.
    var ttl: UInt8 { isRebuilt ? 0 : view.ttl }
    /// An announce with a route was passed on by somebody, whatever its TTL says.
    var isDirectAnnounce: Bool { !isRebuilt && view.isDirectAnnounce && view.hopCount == 0 }
}

/// What a handler says of a packet, for those types that are passed on only if they were found good (spec: mesh §2).
enum Handling {
    /// Pass it on by the rules of its class.
    case relayable
    /// Do not pass it on.
    case stop
}

/// Checks packet signatures within each link's budget.
final class SignatureCheck<C: Cryptography> {
    private let links: LinkTable
    private let clock: any Clock
    private let compression: any Compression
    private let counters: Counters
    private let cryptography: C

    init(links: LinkTable, ports: NodePorts, counters: Counters, cryptography: C) {
        self.links = links
        clock = ports.clock
        compression = ports.compression
        self.counters = counters
        self.cryptography = cryptography
    }

    /// Whether the packet's signature verifies under the key; each refusal is counted.
    func passes(_ packet: Inbound, by key: SigningPublicKey) -> Bool {
        let now = clock.uptime
        let budget = packet.type == .announce ? \LinkBudgets.announceChecks : \LinkBudgets.signatureChecks
        let verdict = packet.view.verifySignature(
            by: key, using: cryptography, compression,
            spend: { links.spend(of: budget, on: packet.link, at: now) })
        switch verdict {
        case .valid: return true
        case .missing: counters.add(.droppedUnsigned)
        case .invalid: counters.add(.droppedBadSignature)
        case .budgetExhausted: counters.add(.droppedSignatureBudget)
        }
        return false
    }

    /// Spends one check on a signature inside a payload.
    func spend(on link: LinkID) -> Bool {
        if links.spend(of: \.signatureChecks, on: link, at: clock.uptime) { return true }
        counters.add(.droppedSignatureBudget)
        return false
    }
}
