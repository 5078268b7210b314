import Application
import Glibc

/// One link that is up: moves frames between its socket, the outbox and the node. Confined to the I/O thread.
final class Link: Watcher {
    let id: LinkID
    let place: LinkQuota.Place
    /// When it came up, by ``monotonicMilliseconds()``.
    let since = monotonicMilliseconds()
    /// What whoever opened the link does once it is down.
    let whenDown: (LinkEnd) -> Void
    private let socket: any FrameSocket
    private unowned let table: LinkTable
    /// A frame that the system has not (wholly) taken.
    private var unsent: [UInt8]?
    private var wantsToWrite = false
    /// Why nothing can be sent any more. What the neighbour said before is still read, then the link ends.
    private var writeFault: String?
    private var hasReportedOversize = false

    init(
        id: LinkID, socket: any FrameSocket, place: LinkQuota.Place, table: LinkTable,
        whenDown: @escaping (LinkEnd) -> Void
    ) {
        self.id = id
        self.socket = socket
        self.place = place
        self.table = table
        self.whenDown = whenDown
    }

    var descriptor: Descriptor { socket.descriptor }

    var interest: Int32 { wantsToWrite ? POLLIN | POLLOUT : POLLIN }

    func ready(_ events: Int32) {
        // Reading first: what a neighbour said before it went away still counts.
        if events & (POLLIN | POLLHUP | POLLERR) != 0 { receive() }
        if events & POLLOUT != 0, descriptor.number >= 0 { flush() }
    }

    /// Reads some frames; the others have their turn before the rest.
    private func receive() {
        var frames = 0
        // A frame takes up to two steps (length, body), each of which a dribbling neighbour can split.
        for _ in 0..<3 * table.policy.framesPerTurn where frames < table.policy.framesPerTurn {
            switch socket.receive(into: table.buffer) {
            case .frame(let frame):
                frames += 1
                table.handlers.frame(frame, id)
            case .part: continue
            case .oversized:
                frames += 1
                reportOversize()
            case .nothing:
                if let writeFault { table.end(self, .lost(writeFault)) }
                return
            case .closed(let reason): return table.end(self, .lost(reason))
            case .broken(let reason):
                table.inbox.count { $0.brokenStreams += 1 }
                return table.end(self, .lost(reason))
            }
        }
    }

    private func reportOversize() {
        table.inbox.count { $0.oversizedFrames += 1 }
        guard !hasReportedOversize else { return }
        hasReportedOversize = true
        table.handlers.log(
            .warning,
            "link \(id.rawValue): dropped a frame beyond \(table.policy.frameLimit) bytes; further ones are only counted"
        )
    }

    /// Writes what waits, as far as the system takes it.
    func flush() {
        wantsToWrite = false
        guard writeFault == nil else { return }
        for _ in 0..<table.policy.framesPerTurn {
            guard let frame = unsent ?? table.inbox.nextFrame(for: id) else { break }
            unsent = nil
            switch socket.send(frame) {
            case .sent: continue
            case .blocked: unsent = frame
            case .failed(let reason):
                writeFault = reason
                return receive()
            }
            break
        }
        wantsToWrite = unsent != nil || table.inbox.hasFrames(for: id)
        if table.inbox.takeNotice(for: id) { table.handlers.linkWritable(id) }
    }
}

/// How a link ended.
enum LinkEnd {
    /// The neighbour or the system ended it.
    case lost(String)
    /// The node asked for it.
    case closed
    /// Everything ends.
    case stopped

    var reason: String {
        switch self {
        case .lost(let reason): reason
        case .closed: "this node closed it"
        case .stopped: "this node is stopping"
        }
    }
}
