/// What happens to a private message at first: the staircase. The first case that applies is taken, and only the transport
/// that decided it sends.
///
/// Source: spec, store-and-forward §1.3.
public enum SendRoute: Hashable, Sendable {
    /// The peer is connected and a session stands. It may be stale on the other side: so the message is kept too.
    case session
    /// The peer is connected without a session. The mesh starts a handshake and sends behind it; as it may lead nowhere,
    /// couriers get a copy.
    case handshake
    /// The peer can be reached on this way at once.
    case prompt(MessageTransport)
    /// Only relays can reach the peer, and none is connected: the message joins their queue, and couriers get a copy. On the
    /// mesh whatever is reachable is prompt.
    case relayQueue
    /// Nothing leads to the peer but couriers and the bridge.
    case couriers

    /// Decides.
    public init(_ signals: TransportSignals) {
        switch signals.reachable {
        case .mesh where signals.mesh.isConnected: self = signals.mesh.deliversSecurely ? .session : .handshake
        case .mesh: self = .prompt(.mesh)
        case .nostr: self = signals.nostr.deliversPromptly ? .prompt(.nostr) : .relayQueue
        case nil: self = .couriers
        }
    }

    /// What sends now; `nil` when nothing can.
    public var transport: MessageTransport? {
        switch self {
        case .session, .handshake: .mesh
        case .prompt(let transport): transport
        case .relayQueue: .nostr
        case .couriers: nil
        }
    }

    /// Whether the first transmission counts as an attempt: wherever there is one.
    public var isCounted: Bool { transport != nil }

    /// Whether couriers and the bridge are offered a copy.
    public var deposits: Bool {
        switch self {
        case .handshake, .relayQueue, .couriers: true
        case .session, .prompt: false
        }
    }

    /// The secure mark afterwards; `nil` where the old one stays.
    public var marksSecure: Bool? {
        switch self {
        case .session: true
        case .handshake: false
        case .prompt, .relayQueue, .couriers: nil
        }
    }
}
