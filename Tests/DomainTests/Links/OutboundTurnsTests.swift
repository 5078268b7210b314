import Domain
import Testing

@Suite("Sources take turns on a full link")
struct OutboundTurnsTests {
    private func drained(_ queue: OutboundQueue) -> [UInt8] {
        var queue = queue
        var frames: [UInt8] = []
        while let frame = queue.first {
            frames.append(frame.first ?? 0)
            queue.removeFirst()
        }
        return frames
    }

    @Test("frames of one source keep their order; those of several alternate within their priority")
    func turns() {
        var queue = OutboundQueue()
        var dropped = 0
        for number in 1...5 as ClosedRange<UInt8> { _ = queue.insert([number], .prompt, from: 1, dropped: &dropped) }
        for number in 11...12 as ClosedRange<UInt8> { _ = queue.insert([number], .prompt, dropped: &dropped) }
        _ = queue.insert([21], .file, from: 2, dropped: &dropped)
        _ = queue.insert([31], .fragment(total: 3), from: 1, dropped: &dropped)
        #expect(queue.count == 9 && queue.byteCount == 9 && dropped == 0)
        #expect(drained(queue) == [1, 11, 2, 12, 3, 4, 5, 31, 21])
    }

    @Test("who sends large frames waits for more turns: sources get bytes, not frames")
    func bytes() {
        var queue = OutboundQueue()
        var dropped = 0
        for _ in 0..<4 {
            _ = queue.insert(
                [UInt8](repeating: 9, count: 10 * RelayPolicy.turnBytes), .prompt, from: 1, dropped: &dropped)
        }
        for _ in 0..<40 { _ = queue.insert([UInt8](repeating: 1, count: 500), .prompt, from: 2, dropped: &dropped) }
        let order = drained(queue)
        #expect(order.count == 44)
        // Ten small frames for each large one, as long as both have some.
        let places = order.indices.filter { order[$0] == 9 }
        #expect(places.first == 0)
        #expect(zip(places, places.dropFirst()).allSatisfy { (9...11).contains($1 - $0 - 1) })
    }

    @Test("a full queue takes room from what matters least, and there from the source that has the most")
    func room() {
        var queue = OutboundQueue(capacity: 10)
        var dropped = 0
        for number in 1...8 as ClosedRange<UInt8> { _ = queue.insert([number], .prompt, from: 1, dropped: &dropped) }
        for number in 51...52 as ClosedRange<UInt8> { _ = queue.insert([number], .file, from: 2, dropped: &dropped) }
        let more = queue.insert([9], .prompt, from: 1, dropped: &dropped)
        let least = queue.insert([53], .file, from: 2, dropped: &dropped)
        #expect(more && !least && dropped == 2)
        let other = (11...14).map { queue.insert([UInt8($0)], .prompt, from: 3, dropped: &dropped) }
        #expect(other == [true, true, true, true])
        #expect(queue.byteCount == 10)
        #expect(drained(queue) == [1, 11, 2, 12, 3, 13, 4, 14, 5, 6])
    }

    @Test(
        "one source cannot fill the queue against another, whatever it sends", arguments: 1...4 as ClosedRange<UInt64>)
    func fairness(seed: UInt64) {
        var generator = PacketTestGenerator(seed: seed)
        var queue = OutboundQueue(capacity: 4000)
        var dropped = 0
        var sent = 0
        for round in 0..<300 {
            for _ in 0..<20 {
                let frame = [UInt8](repeating: 1, count: Int.random(in: 1...500, using: &generator))
                _ = queue.insert(frame, .prompt, from: 1, dropped: &dropped)
            }
            if round.isMultiple(of: 2) {
                let isKept = queue.insert([2] + [UInt8](repeating: 0, count: 99), .prompt, from: 2, dropped: &dropped)
                #expect(isKept)
                sent += 1
            }
            // Two frames leave in the time of one of the honest source.
            for _ in 0..<2 {
                if queue.first?.first == 2 { sent -= 1 }
                queue.removeFirst()
            }
            #expect(queue.byteCount <= 4000)
            #expect(sent <= 1)
        }
        #expect(dropped > 0)
    }

    @Test("a frame beyond the room that there is now is refused")
    func limit() {
        var queue = OutboundQueue(capacity: 100)
        var dropped = 0
        let (fits, exceeds) = (
            queue.insert([1, 2], .prompt, within: 2, dropped: &dropped),
            queue.insert([3, 4, 5], .prompt, within: 2, dropped: &dropped)
        )
        #expect(fits && !exceeds && dropped == 1 && queue.count == 1)
    }
}
