/// What a device that opens a link to us gets at once.
///
/// Source: spec, mesh §12.2.
public enum SubscriptionVerdict: Hashable, Sendable {
    /// An announce, and the packets that wait for a way.
    case allow
    /// No announce because of this link, but the packets that wait.
    case limited
    /// Neither.
    case suppress
}

extension MeshPolicy {
    /// How soon a device may come back and get an announce again, at first (§12.2).
    public static let subscriptionBackoff: Milliseconds = .seconds(2)
    /// The wait after many attempts (§12.2).
    public static let maximumSubscriptionBackoff: Milliseconds = .seconds(30)
    /// From this attempt on a device gets nothing (§12.2).
    public static let suppressedSubscription = 5
    /// A device that kept away this long starts anew (§12.2).
    public static let subscriptionMemory: Milliseconds = .seconds(60)
    /// Devices remembered at once. [ours]: twice the links that we accept; who has more addresses than this to try with
    /// is not slowed down by a memory of them either.
    public static let maximumSubscriptionStates = 512
}

/// Keeps a device from collecting our identities by reconnecting: it gets an announce on its first attempt, and again
/// only after a wait that doubles with each attempt that came too early.
///
/// Every refused attempt starts the wait again. Bounded; when it is full, the device that tried longest ago is forgotten.
///
/// Source: spec, mesh §12.2.
public struct SubscriptionLimiter<Device: Hashable & Sendable>: Sendable {
    private struct State: Sendable {
        var last: Uptime
        var attempts = 1
        var backoff = MeshPolicy.subscriptionBackoff
        /// Rises with every attempt of anyone, so that the oldest state is the same one in every run.
        var turn: UInt64
    }

    private var states: [Device: State] = [:]
    private var turn: UInt64 = 0
    private let capacity: Int

    /// Starts empty.
    ///
    /// - Parameter capacity: The most devices remembered.
    public init(capacity: Int = MeshPolicy.maximumSubscriptionStates) { self.capacity = capacity }

    /// The number of devices remembered.
    public var count: Int { states.count }

    /// Judges an attempt of a device and remembers it.
    public mutating func judge(_ device: Device, at now: Uptime) -> SubscriptionVerdict {
        states = states.filter { now - $0.value.last < MeshPolicy.subscriptionMemory }
        turn &+= 1
        guard var state = states[device], now - state.last < state.backoff else {
            makeRoom(for: device)
            states[device] = State(last: now, turn: turn)
            return .allow
        }
        state.last = now
        state.turn = turn
        state.attempts += 1
        state.backoff = min(state.backoff * 2, MeshPolicy.maximumSubscriptionBackoff)
        states[device] = state
        return state.attempts >= MeshPolicy.suppressedSubscription ? .suppress : .limited
    }

    /// Forgets every device: the radio went off, or everything starts anew.
    public mutating func reset() { states = [:] }

    private mutating func makeRoom(for device: Device) {
        guard states[device] == nil, states.count >= capacity,
            let oldest = states.min(by: { $0.value.turn < $1.value.turn })
        else { return }
        states[oldest.key] = nil
    }
}
