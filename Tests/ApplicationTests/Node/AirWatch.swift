import Application
import Domain
import InMemory
import NativeCryptography

/// What one node hands to its links, from now on.
final class AirWatch {
    /// One frame.
    struct Sent {
        let time: Uptime
        let link: LinkID
        let view: PacketView
    }

    private(set) var sent: [Sent] = []

    init(_ world: RealWorld, of member: RealMember) {
        world.air.tap = { [weak self] frame in
            guard frame.sender === member.endpoint, let view = PacketView(frame.bytes) else { return }
            self?.sent.append(Sent(time: frame.sentAt, link: frame.senderLink, view: view))
        }
    }

    /// Forgets what was sent so far.
    func clear() { sent = [] }

    /// What was sent of a type by an author, on a link or on any.
    func frames(_ type: MessageType, by author: PeerID, on link: LinkID? = nil) -> [Sent] {
        sent.filter { $0.view.type == type && $0.view.sender == author && (link == nil || $0.link == link) }
    }

    /// The links on which a packet of a type by an author left, in order of age, each as often as it carried one.
    func links(_ type: MessageType, by author: PeerID) -> [LinkID] { frames(type, by: author).map(\.link).sorted() }
}

extension Stranger {
    /// The frame of a packet, signed.
    func frame(_ packet: Packet, signingWith seed: NativeCryptography.Secret? = nil) -> [UInt8]? {
        packet.signed(with: seed ?? keys.signing, using: cryptography, compression)?
            .encoded(padding: false, using: compression)
    }

    /// Sends a frame on all links at once, the oldest first.
    func sendEverywhere(_ frame: [UInt8]) {
        for link in endpoint.openLinks { _ = endpoint.send(frame, on: link) }
    }
}

extension World where C == NativeCryptography {
    /// A link that the node opens to a stranger; answers the node's name for it.
    func open(_ member: RealMember, to stranger: Stranger) -> LinkID? {
        air.connect(member.endpoint, stranger.endpoint, LinkProfile(latency: 1...1)).ends.first?.link
    }

    /// A link that a stranger opens to the node; answers the node's name for it.
    func open(_ stranger: Stranger, to member: RealMember) -> LinkID? {
        air.connect(stranger.endpoint, member.endpoint, LinkProfile(latency: 1...1)).ends.last?.link
    }
}
