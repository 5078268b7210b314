import Application
import Glibc
import Synchronization

/// Where other threads leave work for the I/O thread: frames to send, links to close, resolved names, the order to stop.
///
/// A byte in a socket pair wakes the thread, and only when it is not already due to wake.
final class Inbox: Sendable {
    /// What a resolver found for the connector with this number.
    struct Resolution {
        let connector: Int
        let result: Result<[SocketAddress], ResolverFailure>
    }

    /// Work since the last look.
    struct Work {
        var unsent: Set<LinkID> = []
        var closing: [LinkID] = []
        var resolutions: [Resolution] = []
        var isStopping = false
    }

    private struct State {
        var outboxes: [LinkID: Outbox] = [:]
        var work = Work()
        var isAwake = false
        var counters = SocketLinksCounters()
    }

    private let state = Mutex(State())
    /// The end that the I/O thread polls.
    let waker: Int32
    private let bell: Int32

    init() throws(SocketLinksError) {
        // A socket pair and not a pipe: only it can be made non-blocking and close-on-exec in the same call.
        var ends: [Int32] = [-1, -1]
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else {
            throw .system(action: "open", subject: "a socket pair", code: errno)
        }
        (waker, bell) = (ends[0], ends[1])
    }

    deinit {
        Glibc.close(waker)
        Glibc.close(bell)
    }

    // MARK: From any thread

    func send(_ frame: [UInt8], on link: LinkID) -> SendOutcome {
        let (outcome, rings) = state.withLock { state -> (SendOutcome, Bool) in
            guard let outcome = state.outboxes[link]?.append(frame) else { return (.refused, false) }
            guard outcome == .accepted else { return (outcome, false) }
            state.work.unsent.insert(link)
            return (outcome, Self.mustRing(&state))
        }
        if rings { ring() }
        return outcome
    }

    func close(_ link: LinkID) { leave { $0.closing.append(link) } }

    func deliver(_ resolution: Resolution) { leave { $0.resolutions.append(resolution) } }

    func stop() { leave { $0.isStopping = true } }

    var counters: SocketLinksCounters { state.withLock { $0.counters } }

    private func leave(_ change: (inout Work) -> Void) {
        let rings = state.withLock { state in
            change(&state.work)
            return Self.mustRing(&state)
        }
        if rings { ring() }
    }

    private static func mustRing(_ state: inout State) -> Bool {
        defer { state.isAwake = true }
        return !state.isAwake
    }

    private func ring() {
        var byte: UInt8 = 1
        _ = Glibc.send(bell, &byte, 1, Int32(MSG_NOSIGNAL))
    }

    // MARK: From the I/O thread

    /// Takes the work and lets the bell ring again.
    func take() -> Work {
        var bytes = [UInt8](repeating: 0, count: 16)
        _ = recv(waker, &bytes, bytes.count, 0)
        return state.withLock { state in
            defer { state.work = Work(isStopping: state.work.isStopping) }
            state.isAwake = false
            return state.work
        }
    }

    func open(_ link: LinkID, _ outbox: Outbox) { state.withLock { $0.outboxes[link] = outbox } }

    func discard(_ link: LinkID) { state.withLock { _ = $0.outboxes.removeValue(forKey: link) } }

    func nextFrame(for link: LinkID) -> [UInt8]? { state.withLock { $0.outboxes[link]?.next() } }

    func hasFrames(for link: LinkID) -> Bool { state.withLock { $0.outboxes[link]?.isEmpty == false } }

    func takeNotice(for link: LinkID) -> Bool { state.withLock { $0.outboxes[link]?.takeNotice() ?? false } }

    func count(_ change: (inout SocketLinksCounters) -> Void) { state.withLock { change(&$0.counters) } }
}
