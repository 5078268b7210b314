/// What speaks for our wall clock, and what against it.
public struct ClockEvidence: Hashable, Sendable {
    /// What our wall clock shows.
    public var wall: WallTime
    /// The uptime at that moment.
    public var uptime: Uptime
    /// A time that has passed for certain: when this version was made, or when the node last ran.
    public var floor: WallTime
    /// Whether the kernel says that something keeps its clock right; `nil` when it cannot be asked.
    public var isSynchronised: Bool?
    /// What the neighbours say.
    public var neighbours: NeighbourClocks
    /// Whether the operator vouches for the clock.
    public var isTrusted: Bool

    /// Gathers the evidence.
    public init(
        wall: WallTime, uptime: Uptime, floor: WallTime, isSynchronised: Bool?, neighbours: NeighbourClocks,
        isTrusted: Bool = false
    ) {
        self.wall = wall
        self.uptime = uptime
        self.floor = floor
        self.isSynchronised = isSynchronised
        self.neighbours = neighbours
        self.isTrusted = isTrusted
    }
}

/// Whether our wall clock is good enough to speak on the mesh, which refuses packets more than two minutes off.
///
/// The stronger witness decides: the operator, then the kernel (something disciplines its clock), then several neighbours
/// that agree, then the time that was recorded when the node last ran. The last one is the weakest: the clock that it came
/// from may have been ahead once.
///
/// [ours]; spec: mesh §3 gives the limit that makes it necessary.
public struct ClockJudgement: Hashable, Sendable {
    /// How the clock stands.
    public enum State: String, Hashable, Sendable {
        /// Somebody vouches for it.
        case right
        /// Nothing speaks against it, and nobody for it.
        case unproven
        /// Phones would refuse what we stamp with it.
        case wrong
    }

    /// The witness that decided.
    public enum Reason: String, Hashable, Sendable {
        /// The operator vouches for the clock.
        case trusted
        /// The kernel's clock is synchronised.
        case synchronised
        /// Several neighbours show the same time as we do.
        case neighboursAgree
        /// Several neighbours agree on another time.
        case neighboursDisagree
        /// The clock shows a time that has passed already.
        case beforeFloor
        /// There is no witness.
        case noWitness
    }

    /// How the clock stands.
    public let state: State
    /// Why.
    public let reason: Reason
    /// How far the neighbours' time is ahead of ours, negative when it is behind; `nil` when they do not agree on one.
    public let offset: Milliseconds?

    /// Puts a judgement together.
    public init(_ state: State, _ reason: Reason, offset: Milliseconds?) {
        self.state = state
        self.reason = reason
        self.offset = offset
    }

    /// Judges. Pure.
    public init(_ evidence: ClockEvidence) {
        let own = ClockEpoch.of(evidence.wall, at: evidence.uptime)
        let offset = evidence.neighbours.agreedEpoch.map { agreed in
            // A clock beyond any calendar is off by more than can be said.
            own.map { Milliseconds(agreed - $0) } ?? Milliseconds(-Int64.max)
        }
        let agrees = offset.map { $0.count.magnitude <= UInt64(ClockPolicy.tolerance.count) }
        if evidence.isTrusted {
            self.init(.right, .trusted, offset: offset)
        } else if evidence.isSynchronised == true {
            self.init(.right, .synchronised, offset: offset)
        } else if let agrees {
            self.init(agrees ? .right : .wrong, agrees ? .neighboursAgree : .neighboursDisagree, offset: offset)
        } else if evidence.wall.adding(ClockPolicy.tolerance) < evidence.floor {
            self.init(.wrong, .beforeFloor, offset: nil)
        } else {
            self.init(.unproven, .noWitness, offset: nil)
        }
    }

    /// Whether what we originate is held back.
    public var isWrong: Bool { state == .wrong }

    /// Whether neighbours contradict a clock that a stronger witness calls right: worth a warning, and no more.
    public var isDisputed: Bool {
        state == .right && (offset.map { $0.count.magnitude > UInt64(ClockPolicy.tolerance.count) } ?? false)
    }
}
