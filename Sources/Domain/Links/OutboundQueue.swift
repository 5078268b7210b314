/// How much a frame matters on a link that cannot take all at once; the most important first.
///
/// Source: spec, mesh §20.
public enum OutboundPriority: Hashable, Comparable, Sendable {
    /// Everything known but media: a chat message never waits behind a file.
    case prompt
    /// A fragment; one of a short train before one of a long train.
    case fragment(total: UInt16)
    /// A raw file in one piece.
    case file
    /// A type that we do not know.
    case unknown

    /// The priority of a packet.
    ///
    /// - Parameter payload: The payload as far as it is at hand; a fragment states in bytes 10 and 11 how many there
    ///   are, and one that is too short for that counts as the longest train.
    public init(type: MessageType, payload: ArraySlice<UInt8>) {
        switch type {
        case .fragment: self = .fragment(total: Self.graded(FragmentHeader.claimedTotal(payload) ?? .max))
        case .fileTransfer: self = .file
        default: self = type.isKnown ? .prompt : .unknown
        }
    }

    /// A claimed total as it counts: exact for trains that any phone takes, else the next power of two. [ours]: totals are
    /// free to invent, and each would have a lane of its own.
    private static func graded(_ total: UInt16) -> UInt16 {
        guard total > RelayPolicy.exactlyRankedFragments else { return max(1, total) }
        let power = UInt32(1) << UInt32(UInt16.bitWidth - (total - 1).leadingZeroBitCount)
        return UInt16(clamping: power)
    }

    private var rank: (Int, UInt16) {
        switch self {
        case .prompt: (0, 0)
        case .fragment(let total): (1, total)
        case .file: (2, 0)
        case .unknown: (3, 0)
        }
    }

    /// Orders the more important one first.
    public static func < (left: OutboundPriority, right: OutboundPriority) -> Bool { left.rank < right.rank }
}

/// Frames that wait for one link, the most important first, those alike by turns of where they came from. Bounded in
/// bytes: what matters least goes, and there the source that takes the most gives way.
///
/// Frames of one source and priority keep their order; those of different sources take turns, so that a link that floods
/// us takes no more of the air than another, and no more of it than we do. [ours]: the reference has one line for all.
///
/// Source: spec, mesh §20.
public struct OutboundQueue: Sendable {
    /// What came from one source.
    private struct Flow: Sendable {
        var frames: [[UInt8]] = []
        var head = 0
        var isEmpty: Bool { head == frames.count }
        var first: [UInt8]? { isEmpty ? nil : frames[head] }

        /// Bytes that were sent beyond the share of the turns so far, negative; nothing is saved up.
        private var credit = 0
        var isInDebt: Bool { credit < 0 }

        /// Gives to the credit, or takes from it.
        mutating func pay(_ bytes: Int) { credit = min(0, credit + bytes) }
        /// Ends a debt.
        mutating func forgive() { credit = 0 }

        mutating func removeFirst() {
            frames[head] = []
            head += 1
            guard head > 64, head * 2 > frames.count else { return }
            frames.removeFirst(head)
            head = 0
        }
    }

    /// The frames of one priority.
    private struct Lane: Sendable {
        let priority: OutboundPriority
        var flows: [UInt64: Flow] = [:]
        /// Sources with frames, the one whose turn it is first.
        var turns: [UInt64] = []
        var bytes = FairShares<UInt64>()

        var first: [UInt8]? { turns.first.flatMap { flows[$0]?.first } }

        mutating func append(_ frame: [UInt8], from source: UInt64) {
            if flows[source] == nil { turns.append(source) }
            flows[source, default: Flow()].frames.append(frame)
            bytes.add(max(1, frame.count), to: source)
        }

        mutating func removeFirst() {
            guard let source = turns.first, let frame = flows[source]?.first else { return }
            turns.removeFirst()
            flows[source]?.removeFirst()
            flows[source]?.pay(RelayPolicy.turnBytes - frame.count)
            bytes.add(-max(1, frame.count), to: source)
            if flows[source]?.isEmpty == true { flows[source] = nil } else { turns.append(source) }
            skipDebtors()
        }

        /// Passes over those who had more than their share at their last turns.
        private mutating func skipDebtors() {
            // Who is alone takes nothing from anybody.
            if turns.count == 1, let source = turns.first { flows[source]?.forgive() }
            while turns.count > 1, let source = turns.first, flows[source]?.isInDebt == true {
                flows[source]?.pay(RelayPolicy.turnBytes)
                turns.append(turns.removeFirst())
            }
        }

        /// Takes the newest frame of a source out.
        mutating func removeLast(of source: UInt64) -> [UInt8]? {
            guard flows[source]?.isEmpty == false, let frame = flows[source]?.frames.popLast() else { return nil }
            bytes.add(-max(1, frame.count), to: source)
            if flows[source]?.isEmpty == true {
                flows[source] = nil
                turns.removeAll { $0 == source }
            }
            return frame
        }
    }

    /// Ascending by priority; none is empty.
    private var lanes: [Lane] = []
    /// Bytes that wait.
    public private(set) var byteCount = 0
    /// Frames that wait.
    public private(set) var count = 0
    private let capacity: Int

    /// Starts empty.
    ///
    /// - Parameter capacity: The most bytes that wait.
    public init(capacity: Int = RelayPolicy.queueBytes) { self.capacity = capacity }

    /// Whether nothing waits.
    public var isEmpty: Bool { lanes.isEmpty }

    /// Queues a frame; `false` when it had to go because the queue is full.
    ///
    /// - Parameters:
    ///   - source: The number of the link that the frame came on; 0 for one of ours.
    ///   - limit: The most bytes that may wait now, if that is less than the capacity.
    ///   - dropped: Raised by the number of frames that had to make room, this one included.
    public mutating func insert(
        _ frame: [UInt8], _ priority: OutboundPriority, from source: UInt64 = 0, within limit: Int = .max,
        dropped: inout Int
    ) -> Bool {
        let capacity = min(capacity, limit)
        guard frame.count <= capacity else {
            dropped += 1
            return false
        }
        lanes[lane(of: priority)].append(frame, from: source)
        byteCount += frame.count
        count += 1
        while byteCount > capacity, let last = lanes.last,
            let yielding = last.bytes.yielding(to: source, amount: 0)
        {
            dropped += 1
            removeLast(of: yielding)
            // The newest of the source's own, which is this one.
            if last.priority == priority, yielding == source { return false }
        }
        return true
    }

    /// The frame that goes next.
    public var first: [UInt8]? { lanes.first?.first }

    /// Takes the frame that goes next.
    public mutating func removeFirst() {
        guard let frame = first else { return }
        byteCount -= frame.count
        count -= 1
        lanes[0].removeFirst()
        if lanes[0].turns.isEmpty { lanes.removeFirst() }
    }

    /// The place of a priority's lane, which is made if there is none.
    private mutating func lane(of priority: OutboundPriority) -> Int {
        var (low, high) = (0, lanes.count)
        while low < high {
            let middle = (low + high) / 2
            if lanes[middle].priority < priority { low = middle + 1 } else { high = middle }
        }
        if low == lanes.count || lanes[low].priority != priority {
            lanes.insert(Lane(priority: priority), at: low)
        }
        return low
    }

    private mutating func removeLast(of source: UInt64) {
        guard let last = lanes.indices.last, let frame = lanes[last].removeLast(of: source) else { return }
        byteCount -= frame.count
        count -= 1
        if lanes[last].turns.isEmpty { lanes.removeLast() }
    }
}
