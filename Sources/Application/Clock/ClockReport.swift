import Domain

/// The wall clock, as `status` and `doctor` show it.
public struct ClockReport: Hashable, Sendable {
    /// How it stands, and why.
    public var judgement: ClockJudgement
    /// A time that has passed for certain, as far as is known: when this version was made, or when the node last ran.
    public var floor: WallTime
    /// Whether the kernel's clock is synchronised; `nil` when that is not known.
    public var isSynchronised: Bool?
    /// Links whose neighbour told its time lately.
    public var witnesses: Int

    /// Makes a report.
    public init(judgement: ClockJudgement, floor: WallTime, isSynchronised: Bool?, witnesses: Int) {
        self.judgement = judgement
        self.floor = floor
        self.isSynchronised = isSynchronised
        self.witnesses = witnesses
    }

    /// The form of `status --json`: `offset` is how far the neighbours' time is ahead of ours, in milliseconds.
    public var json: JSONValue {
        .object([
            "state": .string(judgement.state.rawValue), "reason": .string(judgement.reason.rawValue),
            "offset": judgement.offset.map { .number($0.count) }, "isSynchronised": isSynchronised.map { .bool($0) },
            "floor": .number(floor.milliseconds),
            "isDisputed": .bool(judgement.isDisputed), "witnesses": .number(witnesses),
            "explanation": .string(judgement.explanation),
        ])
    }
}

extension ClockJudgement {
    /// The judgement in words, and what to do where something is to be done.
    public var explanation: String {
        switch reason {
        case .trusted: isDisputed ? "you vouch for it, and neighbours say that it is \(distance)" : "you vouch for it"
        case .synchronised:
            isDisputed
                ? "the kernel says that it is synchronised, and neighbours say that it is \(distance)"
                : "the kernel says that it is synchronised"
        case .neighboursAgree: "several neighbours show the same time"
        case .neighboursDisagree: "several neighbours agree that it is \(distance); \(Self.remedy)"
        case .beforeFloor: "it shows a time before this version was made or last ran; \(Self.remedy)"
        case .noWitness: "nothing contradicts it, and nobody confirms it"
        }
    }

    private static var remedy: String {
        "set it, or vouch for it: start with --trust-clock, or write trustClock: true into the configuration and send SIGHUP"
    }

    private var distance: String {
        guard let offset else { return "off" }
        return "\(Self.span(offset.count.magnitude / 1000)) \(offset.count < 0 ? "fast" : "slow")"
    }

    private static func span(_ seconds: UInt64) -> String {
        let units: [(name: String, seconds: UInt64)] = [("days", 86_400), ("hours", 3600), ("minutes", 60)]
        for unit in units where seconds >= 2 * unit.seconds { return "\(seconds / unit.seconds) \(unit.name)" }
        return "\(seconds) seconds"
    }
}
