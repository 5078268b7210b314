import Application

/// Frames that wait to be sent on one link, bounded in bytes (spec: mesh §20).
///
/// Once a frame was turned away the box owes its link a notice, due when less than half of the bound is left: at every
/// freed byte would wake the node for nothing, at empty would let the link run dry.
struct Outbox {
    private let frameLimit: Int
    private let byteLimit: Int
    private var frames: [[UInt8]] = []
    private var head = 0
    private var owesNotice = false
    /// Bytes waiting.
    private(set) var bytes = 0

    init(frameLimit: Int, byteLimit: Int) {
        self.frameLimit = frameLimit
        self.byteLimit = byteLimit
    }

    /// Whether nothing waits.
    var isEmpty: Bool { head == frames.count }

    /// Takes a frame, unless it is empty, beyond the link's limit, or there is no room. One frame always fits.
    mutating func append(_ frame: [UInt8]) -> SendOutcome {
        guard !frame.isEmpty, frame.count <= frameLimit else { return .refused }
        guard isEmpty || frame.count <= byteLimit - bytes else {
            owesNotice = true
            return .full
        }
        frames.append(frame)
        bytes += frame.count
        return .accepted
    }

    /// Gives out the oldest frame.
    mutating func next() -> [UInt8]? {
        guard head < frames.count else { return nil }
        let frame = frames[head]
        frames[head] = []
        head += 1
        bytes -= frame.count
        if head == frames.count {
            frames.removeAll(keepingCapacity: head <= 64)
            head = 0
        } else if head >= 1024, head * 2 >= frames.count {
            frames.removeFirst(head)
            head = 0
        }
        return frame
    }

    /// Whether the notice is due; asking settles the debt.
    mutating func takeNotice() -> Bool {
        guard owesNotice, bytes < byteLimit / 2 || isEmpty else { return false }
        owesNotice = false
        return true
    }
}
