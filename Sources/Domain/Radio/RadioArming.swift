/// What a radio does besides its links: what it is wished to do, or what it does.
public struct RadioActivity<Device: Hashable & Sendable>: Hashable, Sendable {
    /// Whether it shows itself.
    public var isAdvertising: Bool
    /// Whether it listens for others.
    public var isScanning: Bool
    /// Whom it is opening a link to; a radio opens one at a time.
    public var connecting: Device?

    /// Describes an activity; nothing, unless said otherwise.
    public init(isAdvertising: Bool = false, isScanning: Bool = false, connecting: Device? = nil) {
        self.isAdvertising = isAdvertising
        self.isScanning = isScanning
        self.connecting = connecting
    }
}

/// One change of what a radio does.
public enum ArmingStep<Device: Hashable & Sendable>: Hashable, Sendable {
    case startAdvertising
    case stopAdvertising
    case startScanning
    case stopScanning
    case connect(Device)
    case cancelConnect
}

/// What a radio is to do next, from what is wished and what it does.
///
/// The best-known fault of Bluetooth programs is that something ends and is not restored: advertising ends with an
/// accepted link, a scan with an attempt to connect, everything with a reset. Here nobody has to remember what ended: wish
/// and activity are compared again and again, and while they differ there is a step.
///
/// The order is fixed. An attempt that is no longer wished goes first, since it blocks the next one. Advertising follows:
/// it is what lets phones in the background find us, so it never stops for an attempt or for links. Scanning gives way to an
/// attempt, because many controllers refuse the one during the other, and comes back after it.
///
/// For one opening of an adapter; a new one starts without refusals.
///
/// Source: spec, ble-gatt §3, §4; mesh §21. The order and the waits: [ours].
public struct RadioArming<Device: Hashable & Sendable>: Sendable {
    /// What is wished for in one kind of step, whoever it is about.
    private enum Kind: Hashable, Sendable {
        case startAdvertising, stopAdvertising, startScanning, stopScanning, connect, cancelConnect
    }

    /// What is known of a kind of step that was refused.
    private struct Refusal: Sendable {
        /// Refusals in a row.
        var count: Int64
        /// When the step may be tried again.
        var retryAt: Uptime
    }

    private var refusals: [Kind: Refusal] = [:]
    /// When something was last started.
    private var starts: [Kind: Uptime] = [:]

    /// Starts without refusals.
    public init() {}

    /// The next step; `nil` when everything is as wished, or what is left has to wait.
    ///
    /// Ask again after each step that was taken (see ``took(_:at:)``) or refused, after each change of the wish or the activity, and at
    /// `retryAt`: the earliest time at which a step that waits may be tried; `nil` when none waits.
    public func next(
        wish: RadioActivity<Device>, activity: RadioActivity<Device>, at now: Uptime
    ) -> (step: ArmingStep<Device>?, retryAt: Uptime?) {
        let steps = steps(wish: wish, activity: activity, at: now)
        let next = steps.first { wait(for: $0, at: now) == nil }
        return (next, steps.compactMap { wait(for: $0, at: now) }.min())
    }

    /// A step was given to the controller.
    ///
    /// What is started is not started again within ``RadioPolicy/startInterval``: where it ends as soon as it begins, whether
    /// by a broken controller or by neighbours in a row, restoring it would be all that the radio does.
    public mutating func took(_ step: ArmingStep<Device>, at now: Uptime) {
        switch step {
        case .startAdvertising, .startScanning: starts[Self.kind(of: step)] = now
        default: break
        }
    }

    /// The controller declined a step: steps of its kind wait, a second longer for each refusal in a row; other kinds go on.
    ///
    /// A refusal long after the last one is the first of another row, whatever happened in between.
    public mutating func refused(_ step: ArmingStep<Device>, at now: Uptime) {
        let kind = Self.kind(of: step)
        let earlier = refusals[kind].flatMap { now - $0.retryAt <= RadioPolicy.maximumRefusalWait ? $0.count : nil }
        let longest = RadioPolicy.maximumRefusalWait.count / RadioPolicy.refusalWait.count
        let count = min((earlier ?? 0) + 1, longest)
        refusals[kind] = Refusal(count: count, retryAt: now + RadioPolicy.refusalWait * count)
    }

    /// The controller took a step: earlier refusals of its kind are forgotten.
    public mutating func succeeded(_ step: ArmingStep<Device>) { refusals[Self.kind(of: step)] = nil }

    // MARK: Parts

    /// What separates the activity from the wish, in the order in which it may be changed now.
    private func steps(
        wish: RadioActivity<Device>, activity: RadioActivity<Device>, at now: Uptime
    ) -> [ArmingStep<Device>] {
        var steps: [ArmingStep<Device>] = []
        if activity.connecting != nil, activity.connecting != wish.connecting { steps.append(.cancelConnect) }
        if activity.isAdvertising != wish.isAdvertising {
            steps.append(wish.isAdvertising ? .startAdvertising : .stopAdvertising)
        }
        // An attempt that has to wait after a refusal does not keep us deaf meanwhile.
        let attempt = wish.connecting.map(ArmingStep.connect)
        let attemptWaits = activity.connecting == nil && attempt.flatMap { wait(for: $0, at: now) } != nil
        let mayScan = wish.isScanning && (attempt == nil || attemptWaits)
        if activity.isScanning, !mayScan { steps.append(.stopScanning) }
        if activity.connecting == nil, !activity.isScanning, mayScan { steps.append(.startScanning) }
        if activity.connecting == nil, !activity.isScanning || attemptWaits, let attempt { steps.append(attempt) }
        return steps
    }

    /// Until when a step has to wait; `nil` when it need not.
    private func wait(for step: ArmingStep<Device>, at now: Uptime) -> Uptime? {
        let kind = Self.kind(of: step)
        let moments = [refusals[kind]?.retryAt, starts[kind].map { $0 + RadioPolicy.startInterval }]
        return moments.compactMap { $0 }.max().flatMap { now < $0 ? $0 : nil }
    }

    private static func kind(of step: ArmingStep<Device>) -> Kind {
        switch step {
        case .startAdvertising: .startAdvertising
        case .stopAdvertising: .stopAdvertising
        case .startScanning: .startScanning
        case .stopScanning: .stopScanning
        case .connect: .connect
        case .cancelConnect: .cancelConnect
        }
    }
}
