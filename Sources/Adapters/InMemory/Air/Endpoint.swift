import Application
import Domain

/// One node's radio in the simulated air: its ``LinkLayer``, and what it is told.
///
/// Made by ``SimulatedAir/makeEndpoint(_:)``. Calls into the handlers come out of the event queue only, never from
/// within ``send(_:on:)`` or ``close(_:)``.
public final class Endpoint: LinkLayer {
    /// A person's name for the node.
    public let name: String
    /// The radio address that neighbours see; `nil`: none, as on a socket.
    public var device: String?
    /// Told of a link that came up.
    public var linkUp: (LinkDescription) -> Void = { _ in }
    /// Told of a link that went down.
    public var linkDown: (LinkID) -> Void = { _ in }
    /// Given a frame that arrived.
    public var frame: ([UInt8], LinkID) -> Void = { _, _ in }
    /// Told that a link that was full takes frames again.
    public var linkWritable: (LinkID) -> Void = { _ in }
    /// Told how many fragments a train that starts has; the simulated radio itself has nothing to silence.
    public var train: (Int) -> Void = { _ in }

    /// The links that are up, by number.
    var links: [LinkID: LinkSide] = [:]
    /// Rises at every crash, so that what was meant for the node before is not told to the one after.
    private(set) var life = 0
    private weak var air: SimulatedAir?
    private var lastLink: UInt64 = 0

    init(name: String, air: SimulatedAir) {
        self.name = name
        self.air = air
    }

    /// The links that are up, oldest first.
    public var openLinks: [LinkID] { links.keys.sorted() }

    /// Whom a link leads to; `nil` when there is no such link.
    public func neighbour(on link: LinkID) -> Endpoint? { links[link]?.peer?.endpoint }

    /// Hands over one whole frame.
    public func send(_ frame: [UInt8], on link: LinkID) -> SendOutcome {
        guard let side = links[link], let air else { return .refused }
        return air.send(frame, from: side)
    }

    /// Closes a link; both ends are told, and what is on its way is lost.
    public func close(_ link: LinkID) {
        if let side = links[link] { air?.disconnect(side.connection) }
    }

    /// A long train of fragments starts.
    public func trainStarts(of count: Int) { train(count) }

    /// Stops telling this node anything: it crashed. Give new handlers to the node that restarts.
    func forgetHandlers() {
        life += 1
        linkUp = { _ in }
        linkDown = { _ in }
        frame = { _, _ in }
        linkWritable = { _ in }
        train = { _ in }
    }

    func nextLink() -> LinkID {
        lastLink += 1
        return LinkID(rawValue: lastLink)
    }
}

/// One end of a connection, and what it is sending.
final class LinkSide {
    let endpoint: Endpoint
    let link: LinkID
    unowned let connection: Connection
    weak var peer: LinkSide?

    /// Whether the node was told that the link is up.
    var isAnnounced = false
    /// Bytes that wait to be sent.
    var queued = 0
    /// Whether a frame was refused for want of room, so that the node waits to be told.
    var wantsWritable = false
    /// When the last queued byte will have been sent, in microseconds of uptime.
    var busyUntil: Int64 = 0
    /// The latest arrival of a frame that keeps order.
    var lastArrival = Uptime(milliseconds: 0)
    /// This direction's own dice.
    let dice: SeededRandomness

    init(endpoint: Endpoint, connection: Connection, dice: SeededRandomness) {
        self.endpoint = endpoint
        self.connection = connection
        self.dice = dice
        link = endpoint.nextLink()
    }
}

/// A link between two endpoints, from ``SimulatedAir/connect(_:_:_:)`` until it is closed.
public final class Connection {
    /// Counts the connections of an air from 1.
    public let number: UInt64
    /// How the link behaves from the next frame on; the frame limit stays what it was at the start.
    public var profile: LinkProfile
    /// Whether the link is up.
    public internal(set) var isOpen = true
    /// What the ends were told as the largest frame.
    public let frameLimit: Int

    var sides: [LinkSide] = []

    init(number: UInt64, profile: LinkProfile) {
        self.number = number
        self.profile = profile
        frameLimit = profile.frameLimit
    }

    /// The two ends: the one that opened the link first.
    public var ends: [(endpoint: Endpoint, link: LinkID)] { sides.map { ($0.endpoint, $0.link) } }
}
