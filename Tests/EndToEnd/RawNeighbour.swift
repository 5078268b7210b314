import Application
import Domain
import SocketLinks
import Support
import Synchronization

/// Somebody on a link to a node who keeps no rules: sends bytes as they are, and hears what was asked for.
final class RawNeighbour: Sendable {
    private struct State {
        var link: LinkID?
        var isFull = false
        var heard: [[UInt8]] = []
    }

    /// What a send found out.
    struct NoLink: Error {}

    private let state: Watched<State>
    private let links: SocketLinks

    /// Joins an air, or connects to an address, and waits for the link.
    ///
    /// - Parameter hears: Which frames are kept.
    init(
        air: String? = nil, address: String? = nil, hears: @escaping @Sendable ([UInt8]) -> Bool = { _ in false }
    ) throws {
        let state = Watched(State())
        let numbers = Atomic<UInt64>(0)
        let handlers = SocketLinksHandlers(
            linkUp: { description in state.change { $0.link = description.id } },
            linkDown: { link, _ in state.change { if $0.link == link { $0.link = nil } } },
            frame: { frame, _ in if hears(frame) { state.change { $0.heard.append(frame) } } },
            linkWritable: { _ in state.change { $0.isFull = false } }, log: { _, _ in })
        let configuration = SocketLinksConfiguration(
            airs: air.map { [$0] } ?? [], connects: try address.map { [try HostPort(parsing: $0)] } ?? [])
        self.state = state
        links = try SocketLinks(
            configuration, randomness: { UInt64.random(in: 0...UInt64.max) },
            nextLinkID: { LinkID(rawValue: numbers.add(1, ordering: .relaxed).newValue) }, handlers: handlers)
        try links.start()
        guard state.wait(within: SatchelNode.patience, until: { $0.link }) != nil else { throw NoLink() }
    }

    /// Leaves.
    func leave() { links.stop() }

    /// Sends a frame if the link takes it now.
    @discardableResult
    func offer(_ frame: [UInt8]) -> Bool {
        guard let link = state.look({ $0.link }) else { return false }
        return links.send(frame, on: link) == .accepted
    }

    /// Sends a frame, waiting for room on the link.
    func send(_ frame: [UInt8]) throws {
        while true {
            guard let link = state.look({ $0.link }) else { throw NoLink() }
            state.change { $0.isFull = true }
            switch links.send(frame, on: link) {
            case .accepted: return
            case .refused: throw NoLink()
            case .full:
                // The link says when it has room; it cannot have said so before it was full.
                let hasRoom = state.wait(within: SatchelNode.patience) { !$0.isFull || $0.link == nil ? true : nil }
                guard hasRoom == true else { throw NoLink() }
            }
        }
    }

    /// Waits until so many frames were heard; `false` when they do not come.
    func hears(_ count: Int, within seconds: Double = SatchelNode.patience) -> Bool {
        state.wait(within: seconds) { $0.heard.count >= count ? true : nil } ?? false
    }

    /// What was heard since it was last forgotten.
    var heard: [[UInt8]] { state.look { $0.heard } }

    /// Forgets what was heard.
    func forget() { state.change { $0.heard = [] } }
}
