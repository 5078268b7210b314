import Application

/// All links that are up, and what they share. Confined to the I/O thread once it runs.
final class LinkTable {
    let reactor: Reactor
    let inbox: Inbox
    let handlers: SocketLinksHandlers
    let policy: SocketLinksPolicy
    let buffer: ReceiveBuffer
    /// 64 uniform bits.
    let random: @Sendable () -> UInt64
    private let nextLinkID: @Sendable () -> LinkID
    private var links: [LinkID: Link] = [:]
    private var quota: LinkQuota
    private var refusals = RareLine()
    private var failures = RareLine()
    private(set) var isStopping = false

    init(
        inbox: Inbox, handlers: SocketLinksHandlers, policy: SocketLinksPolicy,
        random: @escaping @Sendable () -> UInt64,
        nextLinkID: @escaping @Sendable () -> LinkID
    ) {
        reactor = Reactor()
        self.inbox = inbox
        self.handlers = handlers
        self.policy = policy
        self.random = random
        self.nextLinkID = nextLinkID
        buffer = ReceiveBuffer(size: policy.frameLimit)
        quota = LinkQuota(total: policy.maximumLinks, perAddress: policy.maximumLinksPerAddress)
    }

    /// Takes a place for a connection before anything is spent on it; `nil` when there is none.
    func takePlace(origin: [UInt8]?, for name: @autoclosure () -> String) -> LinkQuota.Place? {
        do {
            return try quota.take(origin: origin)
        } catch {
            inbox.count { $0.refusedLinks += 1 }
            if let count = refusals.occur(at: monotonicMilliseconds()) {
                handlers.log(.warning, "\(name()): turned away: \(error)\(RareLine.suffix(count))")
            }
            return nil
        }
    }

    /// Gives back the place of a connection that did not become a link.
    func giveBack(_ place: LinkQuota.Place) { quota.giveBack(place) }

    /// Brings a link up: from here on its place is the link's.
    @discardableResult
    func open(
        _ socket: any FrameSocket, frameLimit: Int, isOutgoing: Bool, name: String, place: LinkQuota.Place,
        whenDown: @escaping (LinkEnd) -> Void
    ) -> LinkID {
        let id = nextLinkID()
        let link = Link(id: id, socket: socket, place: place, table: self, whenDown: whenDown)
        links[id] = link
        inbox.open(id, Outbox(frameLimit: frameLimit, byteLimit: policy.queueLimit))
        reactor.add(link)
        handlers.linkUp(LinkDescription(id: id, frameLimit: frameLimit, isOutgoing: isOutgoing, name: name))
        return id
    }

    /// Takes a link down, once.
    func end(_ link: Link, _ end: LinkEnd) {
        guard links.removeValue(forKey: link.id) != nil else { return }
        inbox.discard(link.id)
        reactor.remove(link)
        link.descriptor.close()
        quota.giveBack(link.place)
        handlers.linkDown(link.id, end.reason)
        link.whenDown(end)
    }

    /// Does what other threads asked for.
    func perform(_ work: Inbox.Work) {
        for id in work.unsent.sorted() { links[id]?.flush() }
        for id in work.closing {
            guard let link = links[id] else { continue }
            end(link, .closed)
        }
    }

    /// Hands the system what it still takes, then closes everything.
    func stop() {
        isStopping = true
        for id in links.keys.sorted() {
            guard let link = links[id] else { continue }
            link.flush()
            end(link, .stopped)
        }
    }

    /// Counts and reports an incoming connection that did not become a link.
    func reportFailure(_ name: String, _ failure: HandshakeFailure) {
        inbox.count { $0.failedHandshakes += 1 }
        guard let count = failures.occur(at: monotonicMilliseconds()) else { return }
        handlers.log(.info, "\(name): no link: \(failure)\(RareLine.suffix(count))")
    }
}

/// Keeps whoever knocks all day from filling the log: one line in ten seconds, with the number of those left out.
struct RareLine {
    private static let interval: Int64 = 10_000
    private var last: Int64?
    private var omitted = 0

    /// Notes an occurrence at `now` (milliseconds).
    ///
    /// - Returns: How many were left out since the last line, when it is time for one.
    mutating func occur(at now: Int64) -> Int? {
        if let last, now - last < Self.interval {
            omitted += 1
            return nil
        }
        defer { omitted = 0 }
        last = now
        return omitted
    }

    /// How a line ends that stands for `omitted` others.
    static func suffix(_ omitted: Int) -> String { omitted == 0 ? "" : " (and \(omitted) more before)" }
}
