import Application
import Domain
import SocketLinks
import Synchronization

/// A wire between two nodes that are each alone in an air of their own; it runs through the test, which sees every frame
/// and may hold one back. When one node goes, the other loses its link, as with a link between them.
final class Wire: Sendable {
    /// One end of the wire.
    enum Side: Hashable, Sendable, CaseIterable {
        case left
        case right

        var other: Side { self == .left ? .right : .left }
    }

    /// Looks at a frame and where it came from; answers whether it passes.
    typealias Watch = @Sendable (PacketView, Side) -> Bool

    private struct State {
        var ends: [Side: SocketLinks] = [:]
        var links: [Side: LinkID] = [:]
        var watch: Watch?
    }

    private let state = Mutex(State())

    /// Lays the wire from one air to the other.
    init(left: String, right: String) throws {
        for (side, air) in [(Side.left, left), (.right, right)] {
            let end = try end(side, in: air)
            state.withLock { $0.ends[side] = end }
        }
        for end in state.withLock({ Array($0.ends.values) }) { try end.start() }
    }

    /// Takes the wire away.
    func remove() {
        let ends = state.withLock { state in
            defer { state = State() }
            return state.ends.values
        }
        for end in ends { end.stop() }
    }

    /// Looks at each frame from now on.
    func watch(_ body: @escaping Watch) { state.withLock { $0.watch = body } }

    private func end(_ side: Side, in air: String) throws -> SocketLinks {
        var configuration = SocketLinksConfiguration(airs: [air])
        // A wire does not sulk: as soon as the node is back, so is the link.
        configuration.policy.longestRedial = configuration.policy.firstRedial
        let numbers = Atomic<UInt64>(0)
        let handlers = SocketLinksHandlers(
            linkUp: { [self] description in state.withLock { $0.links[side] = description.id } },
            linkDown: { [self] link, _ in wentDown(link, side) },
            frame: { [self] frame, _ in pass(frame, from: side) }, linkWritable: { _ in }, log: { _, _ in })
        return try SocketLinks(
            configuration, randomness: { UInt64.random(in: 0...UInt64.max) },
            nextLinkID: { LinkID(rawValue: numbers.add(1, ordering: .relaxed).newValue) }, handlers: handlers)
    }

    private func wentDown(_ link: LinkID, _ side: Side) {
        let other = state.withLock { state -> (SocketLinks, LinkID)? in
            guard state.links[side] == link else { return nil }
            state.links[side] = nil
            guard let end = state.ends[side.other], let link = state.links[side.other] else { return nil }
            return (end, link)
        }
        if let (end, link) = other { end.close(link) }
    }

    private func pass(_ frame: [UInt8], from side: Side) {
        let (watch, end, link) = state.withLock { ($0.watch, $0.ends[side.other], $0.links[side.other]) }
        if let watch, let view = PacketView(frame), !watch(view, side) { return }
        if let end, let link { _ = end.send(frame, on: link) }
    }
}

extension PacketView {
    /// Which message of the Noise XX handshake this is, 1 to 3, by its length (spec: noise §2.2).
    var handshakeMessage: Int? {
        guard type == .noiseHandshake else { return nil }
        return [32: 1, 96: 2, 64: 3][payloadSection.count]
    }
}
