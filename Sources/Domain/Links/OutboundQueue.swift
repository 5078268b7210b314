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
    /// - Parameter payload: The payload as far as it is at hand; a fragment states there how many there are.
    public init(type: MessageType, payload: ArraySlice<UInt8>) {
        switch type {
        case .fragment:
            let total = FragmentHeader(payload)?.total ?? .max
            self = .fragment(total: max(1, total))
        case .fileTransfer: self = .file
        default: self = type.isKnown ? .prompt : .unknown
        }
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

/// Frames that wait for one link, the most important first, those alike in the order in which they came. Bounded in bytes:
/// what matters least goes.
///
/// Source: spec, mesh §20.
public struct OutboundQueue: Sendable {
    private struct Lane: Sendable {
        let priority: OutboundPriority
        var frames: [[UInt8]]
        var head = 0
        var isEmpty: Bool { head == frames.count }
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

    /// Queues a frame; `false` when it, or nothing but it, had to go because the queue is full.
    ///
    /// - Parameter dropped: Raised by the number of frames that had to make room, this one included.
    public mutating func insert(_ frame: [UInt8], _ priority: OutboundPriority, dropped: inout Int) -> Bool {
        // What matters no more than the last frame there would be the first to go again.
        guard frame.count <= capacity,
            byteCount + frame.count <= capacity || lanes.last.map({ priority < $0.priority }) ?? true
        else {
            dropped += 1
            return false
        }
        let index = lane(of: priority)
        lanes[index].frames.append(frame)
        byteCount += frame.count
        count += 1
        while byteCount > capacity, lanes.last.map({ priority < $0.priority }) ?? false {
            removeLast()
            dropped += 1
        }
        guard byteCount > capacity else { return true }
        removeLast()
        dropped += 1
        return false
    }

    /// The frame that goes next.
    public var first: [UInt8]? { lanes.first.map { $0.frames[$0.head] } }

    /// Takes the frame that goes next.
    public mutating func removeFirst() {
        guard let frame = first else { return }
        byteCount -= frame.count
        count -= 1
        lanes[0].frames[lanes[0].head] = []
        lanes[0].head += 1
        if lanes[0].isEmpty {
            lanes.removeFirst()
        } else if lanes[0].head > 64, lanes[0].head * 2 > lanes[0].frames.count {
            lanes[0].frames.removeFirst(lanes[0].head)
            lanes[0].head = 0
        }
    }

    /// The place of a priority's lane, which is made if there is none.
    private mutating func lane(of priority: OutboundPriority) -> Int {
        var (low, high) = (0, lanes.count)
        while low < high {
            let middle = (low + high) / 2
            if lanes[middle].priority < priority { low = middle + 1 } else { high = middle }
        }
        if low == lanes.count || lanes[low].priority != priority {
            lanes.insert(Lane(priority: priority, frames: []), at: low)
        }
        return low
    }

    private mutating func removeLast() {
        guard let last = lanes.indices.last, let frame = lanes[last].frames.popLast() else { return }
        byteCount -= frame.count
        count -= 1
        if lanes[last].isEmpty { lanes.removeLast() }
    }
}
