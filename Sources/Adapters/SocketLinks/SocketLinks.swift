import Application
import Glibc
import Synchronization

/// Links over sockets: to the nodes in an air directory on this machine, and over TCP.
///
/// An *air directory* is the radio of a machine without Bluetooth: every node that has a socket in it links to every
/// other. TCP links join what no radio spans. Both carry whole frames up to ``SocketLinksPolicy/frameLimit``.
///
/// One thread does all the work; every method returns at once, and may be called from any thread.
public final class SocketLinks: LinkLayer, Sendable {
    private enum Phase {
        case new
        case running(pthread_t)
        case stopped
    }

    private struct State {
        var phase = Phase.new
        var addresses: [String] = []
    }

    private let configuration: SocketLinksConfiguration
    private let random: @Sendable () -> UInt64
    private let nextLinkID: @Sendable () -> LinkID
    private let handlers: SocketLinksHandlers
    private let inbox: Inbox
    private let state = Mutex(State())

    /// Describes the links; nothing is opened before ``start()``.
    ///
    /// - Parameters:
    ///   - configuration: Where to meet neighbours, and the limits.
    ///   - randomness: 64 uniform bits, for the name in an air directory and for pauses; called from any thread.
    ///   - nextLinkID: A fresh number, shared with the other link layers of the node; called from the I/O thread.
    ///   - handlers: What is reported.
    /// - Throws: ``SocketLinksError/system(action:subject:code:)`` when the process has no descriptors left.
    public init(
        _ configuration: SocketLinksConfiguration, randomness: @escaping @Sendable () -> UInt64,
        nextLinkID: @escaping @Sendable () -> LinkID, handlers: SocketLinksHandlers
    ) throws(SocketLinksError) {
        self.configuration = configuration
        random = randomness
        self.nextLinkID = nextLinkID
        self.handlers = handlers
        inbox = try Inbox()
    }

    deinit { stop() }

    /// The TCP addresses that are listened on, `192.0.2.1:4000`, with the port that the system chose where 0 was asked for.
    public var listeningAddresses: [String] { state.withLock { $0.addresses } }

    /// What was turned away so far.
    public var counters: SocketLinksCounters { inbox.counters }

    /// Appears in the air directories, listens, and begins to connect. Once.
    ///
    /// May take as long as the system's resolver if a name (not an address) is to be listened on.
    ///
    /// - Throws: ``SocketLinksError``; then nothing stays open, and no file behind.
    public func start() throws(SocketLinksError) {
        let result = state.withLock { state -> Result<Void, SocketLinksError> in
            guard case .new = state.phase else { return .failure(.alreadyStarted) }
            // Should it fail, it has been tried all the same.
            state.phase = .stopped
            return Result { () throws(SocketLinksError) in
                let table = LinkTable(
                    inbox: inbox, handlers: handlers, policy: configuration.policy, random: random,
                    nextLinkID: nextLinkID)
                let loop = try LinkLoop(configuration, inbox: inbox, table: table)
                state.addresses = loop.listeningAddresses
                state.phase = .running(try Self.spawn(loop))
            }
        }
        try result.get()
    }

    /// Closes every link (each is reported as down), removes our files, and waits until that is done.
    ///
    /// Frames that were accepted before are handed to the system as far as it takes them. Further calls do nothing.
    public func stop() {
        let thread = state.withLock { state -> pthread_t? in
            defer { state.phase = .stopped }
            guard case .running(let thread) = state.phase else { return nil }
            return thread
        }
        guard let thread else { return }
        inbox.stop()
        if pthread_equal(thread, pthread_self()) != 0 {
            // A handler stops us from our own thread: it ends when the handler returns.
            pthread_detach(thread)
        } else {
            pthread_join(thread, nil)
        }
    }

    /// Hands over one whole frame, 1 byte to the link's limit, and returns at once.
    public func send(_ frame: [UInt8], on link: LinkID) -> SendOutcome { inbox.send(frame, on: link) }

    /// Closes a link; its end is reported.
    public func close(_ link: LinkID) { inbox.close(link) }

    private static func spawn(_ loop: LinkLoop) throws(SocketLinksError) -> pthread_t {
        var thread = pthread_t()
        // The loop was made on this thread and moves to the new one as a whole: the reference that is handed over is the
        // only one left when this function returns.
        let reference = Unmanaged.passRetained(loop)
        let code = pthread_create(
            &thread, nil,
            { argument in
                guard let argument else { return nil }
                Unmanaged<LinkLoop>.fromOpaque(argument).takeRetainedValue().run()
                return nil
            }, reference.toOpaque())
        guard code == 0 else {
            reference.takeRetainedValue().abandon()
            throw .system(action: "start", subject: "the I/O thread", code: code)
        }
        return thread
    }
}
