import Domain
import Testing

@Suite("Outbound priority")
struct OutboundPriorityTests {
    private func fragment(total: UInt16, index: UInt16 = 0, length: Int = 13) -> [UInt8] {
        let header: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 8, 0, UInt8(index), UInt8(total >> 8), UInt8(total & 255), 0x22]
        return Array(header.prefix(length))
    }

    private func priority(_ type: MessageType, _ payload: [UInt8] = []) -> OutboundPriority {
        OutboundPriority(type: type, payload: payload[...])
    }

    @Test("everything known goes first but media; a raw file goes behind, what is unknown last")
    func types() {
        let known: [UInt8] = [
            0x01, 0x02, 0x03, 0x04, 0x10, 0x11, 0x21, 0x23, 0x24, 0x25, 0x26, 0x27, 0x28, 0x29, 0x2C,
        ]
        for number in 0...255 as ClosedRange<UInt8> where number != 0x20 {
            let expected: OutboundPriority =
                known.contains(number) ? .prompt : number == 0x22 ? .file : .unknown
            #expect(priority(MessageType(rawValue: number)) == expected)
        }
    }

    @Test("the levels in their order")
    func order() {
        let ascending: [OutboundPriority] = [
            .prompt, .fragment(total: 1), .fragment(total: 2), .fragment(total: 300), .fragment(total: .max), .file,
            .unknown,
        ]
        for (one, left) in ascending.enumerated() {
            for (other, right) in ascending.enumerated() { #expect((left < right) == (one < other)) }
        }
    }

    @Test(
        "a fragment counts by the total that it claims, right or wrong, and above 256 by the next power of two",
        arguments: [(0, 1), (1, 1), (2, 2), (256, 256), (257, 512), (10_000, 16_384), (65_535, 65_535)]
            as [(UInt16, UInt16)])
    func totals(claimed: UInt16, expected: UInt16) {
        #expect(priority(.fragment, fragment(total: claimed)) == .fragment(total: expected))
        #expect(priority(.fragment, fragment(total: claimed, index: 255)) == .fragment(total: expected))
        #expect(priority(.fragment, fragment(total: claimed, length: 12)) == .fragment(total: expected))
        // A slice that does not begin at 0.
        let slice = ([9, 9, 9] + fragment(total: claimed))[3...]
        #expect(OutboundPriority(type: .fragment, payload: slice) == .fragment(total: expected))
    }

    @Test("a fragment too short to say counts as the longest train", arguments: [0, 1, 10, 11])
    func short(length: Int) {
        #expect(priority(.fragment, fragment(total: 1, length: length)) == .fragment(total: .max))
    }
}

/// The queue by reference, so that expectations can call what changes it.
private final class Queue {
    private var queue: OutboundQueue
    /// Frames that had to go.
    private(set) var dropped = 0

    init(capacity: Int = RelayPolicy.queueBytes) { queue = OutboundQueue(capacity: capacity) }

    var count: Int { queue.count }
    var byteCount: Int { queue.byteCount }
    var isEmpty: Bool { queue.isEmpty }
    var first: [UInt8]? { queue.first }
    func insert(_ frame: [UInt8], _ priority: OutboundPriority) -> Bool {
        queue.insert(frame, priority, dropped: &dropped)
    }
    func removeFirst() { queue.removeFirst() }
    func drain() -> [[UInt8]] {
        var frames: [[UInt8]] = []
        while let frame = queue.first {
            frames.append(frame)
            queue.removeFirst()
        }
        return frames
    }
}

@Suite("Outbound queue")
struct OutboundQueueTests {
    @Test("the most important first, those alike in the order in which they came")
    func order() {
        let queue = Queue()
        let frames: [(UInt8, OutboundPriority)] = [
            (1, .unknown), (2, .fragment(total: 9)), (3, .prompt), (4, .file), (5, .fragment(total: 2)), (6, .prompt),
            (7, .fragment(total: 9)), (8, .unknown), (9, .prompt),
        ]
        for (name, priority) in frames { #expect(queue.insert([name], priority)) }
        #expect(queue.count == 9 && queue.byteCount == 9)
        #expect(queue.drain() == [[3], [6], [9], [5], [2], [7], [4], [1], [8]])
        #expect(queue.isEmpty && queue.count == 0 && queue.byteCount == 0)
        #expect(queue.dropped == 0)
    }

    @Test("looking at the first frame takes nothing; one that the link refuses stays in front")
    func peek() {
        let queue = Queue()
        #expect(queue.first == nil)
        queue.removeFirst()
        #expect(queue.insert([1], .prompt) && queue.insert([2], .prompt))
        #expect(queue.first == [1] && queue.first == [1])
        queue.removeFirst()
        #expect(queue.insert([3], .prompt))
        #expect(queue.drain() == [[2], [3]])
    }

    @Test("a million bytes wait on a link, not one more")
    func bound() {
        let queue = Queue()
        #expect(queue.insert([UInt8](repeating: 1, count: 999_999), .prompt))
        #expect(queue.insert([2], .unknown))
        #expect(!queue.insert([3], .unknown))
        #expect(queue.byteCount == 1_000_000 && queue.dropped == 1)
        // One more that matters takes the place of what does not.
        #expect(queue.insert([4], .prompt))
        #expect(queue.byteCount == 1_000_000 && queue.dropped == 2)
        #expect(queue.drain().map { $0[0] } == [1, 4])
    }

    @Test("a frame larger than the queue is dropped and costs no other")
    func oversized() {
        let queue = Queue(capacity: 10)
        #expect(queue.insert([1, 1], .unknown))
        #expect(!queue.insert([UInt8](repeating: 2, count: 11), .prompt))
        #expect(queue.dropped == 1)
        #expect(queue.drain() == [[1, 1]])
        #expect(queue.insert([UInt8](repeating: 3, count: 10), .unknown))
    }

    @Test("room is made from the end, and what came last of the least important goes first")
    func trim() {
        let queue = Queue(capacity: 10)
        for name in 1...3 as ClosedRange<UInt8> { #expect(queue.insert([name, name], .fragment(total: 5))) }
        for name in 4...5 as ClosedRange<UInt8> { #expect(queue.insert([name, name], .file)) }
        #expect(queue.insert([6, 6, 6], .fragment(total: 5)))
        #expect(queue.dropped == 2)
        #expect(queue.drain() == [[1, 1], [2, 2], [3, 3], [6, 6, 6]])
    }

    @Test("a frame for which even all lesser ones make too little room goes with them")
    func trimmedItself() {
        let queue = Queue(capacity: 10)
        #expect(queue.insert([UInt8](repeating: 1, count: 7), .prompt))
        #expect(queue.insert([2], .unknown))
        #expect(!queue.insert([3, 3, 3, 3], .prompt))
        #expect(queue.dropped == 2)
        #expect(queue.drain().map { $0[0] } == [1])
    }

    /// The rule as the specification has it, to compare with.
    private struct Model {
        let capacity: Int
        var items: [(frame: [UInt8], priority: OutboundPriority)] = []

        mutating func insert(_ frame: [UInt8], _ priority: OutboundPriority) -> Bool {
            guard frame.count <= capacity else { return false }
            let place = items.firstIndex { priority < $0.priority } ?? items.count
            items.insert((frame, priority), at: place)
            var survived = true
            while items.reduce(0, { $0 + $1.frame.count }) > capacity {
                survived = survived && items.count - 1 > place
                items.removeLast()
            }
            return survived
        }
    }

    @Test("any sequence of operations leaves what the plain rule leaves", arguments: 1...6 as ClosedRange<UInt64>)
    func model(seed: UInt64) {
        var generator = PacketTestGenerator(seed: seed)
        let queue = Queue(capacity: 600)
        var model = Model(capacity: 600)
        var (inserted, taken, refused) = (0, 0, 0)
        for round in 0..<8000 {
            if Int.random(in: 0..<5, using: &generator) < 2 {
                #expect(queue.first == model.items.first?.frame)
                queue.removeFirst()
                if !model.items.isEmpty {
                    model.items.removeFirst()
                    taken += 1
                }
            } else {
                let priority: OutboundPriority =
                    [.prompt, .fragment(total: .random(in: 1...6, using: &generator)), .file, .unknown]
                    .randomElement(using: &generator) ?? .prompt
                let size =
                    Int.random(in: 0..<50, using: &generator) == 0 ? 601 : Int.random(in: 0...30, using: &generator)
                let frame = [UInt8](repeating: UInt8(truncatingIfNeeded: round), count: size)
                let expected = model.insert(frame, priority)
                #expect(queue.insert(frame, priority) == expected)
                inserted += 1
                refused += expected ? 0 : 1
            }
            #expect(queue.count == model.items.count)
            #expect(queue.byteCount == model.items.reduce(0) { $0 + $1.frame.count })
            #expect(queue.isEmpty == model.items.isEmpty)
        }
        #expect(refused > 100)
        #expect(queue.dropped == inserted - taken - model.items.count)
        #expect(queue.drain() == model.items.map(\.frame))
    }

    @Test("a long train that is drained while it grows keeps its order")
    func longTrain() {
        let queue = Queue()
        var next = 0
        for number in 0..<5000 {
            #expect(queue.insert([UInt8(number & 255), UInt8(number >> 8)], .fragment(total: 5000)))
            guard number % 3 != 0 else { continue }
            #expect(queue.first == [UInt8(next & 255), UInt8(next >> 8)])
            queue.removeFirst()
            next += 1
        }
        #expect(queue.drain().map { Int($0[0]) + Int($0[1]) << 8 } == Array(next..<5000))
    }
}
