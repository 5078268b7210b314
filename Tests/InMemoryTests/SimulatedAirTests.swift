import Application
import Domain
import InMemory
import Testing

/// Two nodes' radios and all that they were told.
private final class Pair {
    let time = VirtualTime()
    let air: SimulatedAir
    let left: Endpoint
    let right: Endpoint
    var log: [String] = []
    var received: [[UInt8]] = []
    var arrivals: [Int64] = []

    init(seed: UInt64 = 1) {
        air = SimulatedAir(time, randomness: SeededRandomness(seed: seed))
        left = air.makeEndpoint("left")
        right = air.makeEndpoint("right")
        listen(left)
        listen(right)
        right.frame = { [unowned self] frame, _ in
            received.append(frame)
            arrivals.append(time.now.milliseconds)
        }
    }

    func listen(_ endpoint: Endpoint) {
        let name = endpoint.name
        endpoint.linkUp = { [unowned self] in log.append("\(name) up \($0.id.rawValue) \($0.isOutgoing) \($0.name)") }
        endpoint.linkDown = { [unowned self] in log.append("\(name) down \($0.rawValue)") }
        endpoint.frame = { [unowned self] in log.append("\(name) frame \($0) on \($1.rawValue)") }
        endpoint.linkWritable = { [unowned self] in log.append("\(name) writable \($0.rawValue)") }
    }

    /// Connects, and sends numbered frames of 100 bytes, one a millisecond; the numbers of those that arrived.
    func numbers(_ count: Int, _ profile: LinkProfile) -> [Int] {
        air.connect(left, right, profile)
        for number in 0..<count {
            time.at(Uptime(milliseconds: Int64(number))) { [self] in
                let frame = [UInt8(number >> 8), UInt8(number & 255)] + [UInt8](repeating: 0, count: 98)
                for link in left.openLinks { #expect(left.send(frame, on: link) == .accepted) }
            }
        }
        time.runUntilIdle()
        return received.map { Int($0[0]) << 8 | Int($0[1]) }
    }
}

@Suite("Simulated air")
struct SimulatedAirTests {
    private let link1 = LinkID(rawValue: 1)

    @Test("both ends are told of a link, the opener as outgoing, from the queue only")
    func up() {
        let pair = Pair()
        pair.air.connect(pair.left, pair.right, LinkProfile(frameLimit: 512))
        #expect(pair.log.isEmpty)
        pair.time.runUntilIdle()
        #expect(pair.log == ["left up 1 true simulated:right", "right up 1 false simulated:left"])
    }

    @Test("a frame arrives after the latency, in the buffer in which it was sent")
    func delivers() throws {
        let pair = Pair()
        pair.air.connect(pair.left, pair.right, LinkProfile(latency: 30...30))
        let frame = [UInt8](repeating: 7, count: 100)
        #expect(pair.left.send(frame, on: link1) == .accepted)
        #expect(pair.received.isEmpty)
        pair.time.runUntilIdle()
        #expect(pair.arrivals == [30])
        let arrived = try #require(pair.received.first)
        #expect(arrived == frame)
        let isShared = frame.withUnsafeBufferPointer { sent in
            arrived.withUnsafeBufferPointer { $0.baseAddress == sent.baseAddress }
        }
        #expect(isShared)
    }

    @Test("links work in both directions, and each end has its own number for them")
    func directions() {
        let pair = Pair()
        let third = pair.air.makeEndpoint("third")
        pair.air.connect(pair.left, third)
        pair.air.connect(pair.right, pair.left)
        #expect(pair.left.openLinks == [LinkID(rawValue: 1), LinkID(rawValue: 2)])
        #expect(pair.left.neighbour(on: LinkID(rawValue: 2)) === pair.right)
        #expect(pair.right.send([9], on: link1) == .accepted)
        pair.time.runUntilIdle()
        #expect(pair.log.contains("left frame [9] on 2"))
    }

    @Test("without faults everything arrives once and in order, even with changing latency")
    func inOrder() {
        #expect(Pair().numbers(500, LinkProfile(latency: 1...50)) == Array(0..<500))
    }

    @Test("lost frames are gone, about as many as asked for, and the rest keep their order")
    func loss() {
        let numbers = Pair().numbers(1000, LinkProfile(latency: 1...50, loss: 0.2))
        #expect((740...860).contains(numbers.count))
        #expect(numbers == numbers.sorted())
        #expect(Set(numbers).count == numbers.count)
    }

    @Test("doubled frames arrive twice, about as many as asked for")
    func duplication() {
        let numbers = Pair().numbers(1000, LinkProfile(duplication: 0.3))
        #expect((1240...1360).contains(numbers.count))
        #expect(Set(numbers) == Set(0..<1000))
    }

    @Test("reordered frames all arrive, some out of turn")
    func reordering() {
        let numbers = Pair().numbers(500, LinkProfile(latency: 1...50, reordering: 0.3))
        #expect(numbers != numbers.sorted())
        #expect(numbers.sorted() == Array(0..<500))
    }

    @Test("corrupted frames differ in one bit, about as many as asked for, and the sender's buffer is untouched")
    func corruption() {
        let pair = Pair()
        var seen = 0
        pair.air.tap = { if $0.isCorrupted { seen += 1 } }
        pair.air.connect(pair.left, pair.right, LinkProfile(corruption: 0.25))
        let frame = [UInt8](repeating: 0, count: 64)
        for _ in 0..<1000 { #expect(pair.left.send(frame, on: link1) == .accepted) }
        pair.time.runUntilIdle()
        let flipped = pair.received.map { $0.reduce(0) { $0 + $1.nonzeroBitCount } }
        #expect(flipped.allSatisfy { $0 <= 1 })
        #expect(flipped.count { $0 == 1 } == seen)
        #expect((190...310).contains(seen))
        #expect(frame.allSatisfy { $0 == 0 })
    }

    @Test("an empty frame survives corruption")
    func emptyFrame() {
        let pair = Pair()
        pair.air.connect(pair.left, pair.right, LinkProfile(corruption: 1))
        #expect(pair.left.send([], on: link1) == .accepted)
        pair.time.runUntilIdle()
        #expect(pair.received == [[]])
    }

    @Test("the same seed gives the same faults, another seed gives others")
    func seeded() {
        let profile = LinkProfile(latency: 1...90, loss: 0.1, duplication: 0.1, reordering: 0.1, corruption: 0.1)
        let trace = { (seed: UInt64) in
            let pair = Pair(seed: seed)
            _ = pair.numbers(300, profile)
            return zip(pair.arrivals, pair.received).map { "\($0) \($1)" }
        }
        #expect(trace(5) == trace(5))
        #expect(trace(5) != trace(6))
    }

    @Test("turning one fault on does not shift the others")
    func independent() {
        let base = Pair(seed: 3).numbers(300, LinkProfile(loss: 0.2))
        let more = Pair(seed: 3).numbers(300, LinkProfile(latency: 5...70, loss: 0.2, duplication: 0.5))
        #expect(Set(base) == Set(more))
    }

    @Test("a frame at the limit is taken, one beyond it is refused")
    func frameLimit() {
        let pair = Pair()
        pair.air.connect(pair.left, pair.right, LinkProfile(frameLimit: 512))
        #expect(pair.left.send([UInt8](repeating: 1, count: 512), on: link1) == .accepted)
        #expect(pair.left.send([UInt8](repeating: 1, count: 513), on: link1) == .refused)
        pair.time.runUntilIdle()
        #expect(pair.received.map(\.count) == [512])
    }

    @Test("a link that never was and one that went down refuse")
    func noLink() {
        let pair = Pair()
        #expect(pair.left.send([1], on: link1) == .refused)
        let connection = pair.air.connect(pair.left, pair.right)
        pair.air.disconnect(connection)
        #expect(pair.left.send([1], on: link1) == .refused)
        #expect(pair.right.send([1], on: link1) == .refused)
    }

    @Test("numbers of links are not used again")
    func freshLinks() {
        let pair = Pair()
        pair.air.disconnect(pair.air.connect(pair.left, pair.right))
        pair.air.connect(pair.left, pair.right)
        #expect(pair.left.openLinks == [LinkID(rawValue: 2)])
    }
}

@Suite("Simulated air: bandwidth, ends and taps")
struct SimulatedAirFlowTests {
    private let link1 = LinkID(rawValue: 1)

    @Test("bandwidth spaces frames, each direction for itself")
    func bandwidth() {
        let pair = Pair()
        pair.air.connect(pair.left, pair.right, LinkProfile(latency: 5...5, bytesPerSecond: 1000))
        let frame = [UInt8](repeating: 1, count: 100)
        for _ in 0..<3 { #expect(pair.left.send(frame, on: link1) == .accepted) }
        #expect(pair.right.send(frame, on: link1) == .accepted)
        var answered: Int64 = 0
        pair.left.frame = { _, _ in answered = pair.time.now.milliseconds }
        pair.time.runUntilIdle()
        #expect(pair.arrivals == [105, 205, 305])
        #expect(answered == 105)
    }

    @Test("a full queue says so, takes nothing, and tells when there is room; nobody who did not ask is told")
    func backpressure() {
        let pair = Pair()
        pair.air.connect(pair.left, pair.right, LinkProfile(bytesPerSecond: 1000, queueLimit: 400))
        pair.time.run(until: Uptime(milliseconds: 1))
        pair.log = []
        let frame = [UInt8](repeating: 1, count: 100)
        let outcomes = (0..<6).map { _ in pair.left.send(frame, on: link1) }
        #expect(outcomes == [.accepted, .accepted, .accepted, .accepted, .full, .full])
        pair.time.run(until: Uptime(milliseconds: 200))
        #expect(pair.log.isEmpty)
        pair.time.run(until: Uptime(milliseconds: 201))
        #expect(pair.log == ["left writable 1"])
        #expect(pair.left.send(frame, on: link1) == .accepted)
        pair.time.runUntilIdle()
        #expect(pair.received.count == 5)
        #expect(pair.log == ["left writable 1"])
    }

    @Test("a frame larger than the queue is taken when the queue is empty, so that no sender waits for ever")
    func largerThanQueue() {
        let pair = Pair()
        pair.air.connect(pair.left, pair.right, LinkProfile(bytesPerSecond: 1000, queueLimit: 10))
        #expect(pair.left.send([UInt8](repeating: 1, count: 100), on: link1) == .accepted)
        #expect(pair.left.send([1], on: link1) == .full)
    }

    @Test("closing tells both ends once and loses what is on its way")
    func close() {
        let pair = Pair()
        pair.air.connect(pair.left, pair.right, LinkProfile(latency: 10...10))
        pair.time.run(until: Uptime(milliseconds: 1))
        pair.log = []
        #expect(pair.left.send([1], on: link1) == .accepted)
        pair.left.close(link1)
        pair.left.close(link1)
        #expect(pair.log.isEmpty)
        pair.time.runUntilIdle()
        #expect(pair.log == ["left down 1", "right down 1"])
        #expect(pair.received.isEmpty)
        #expect(pair.air.openConnections.isEmpty)
    }

    @Test("a link that closes before its ends heard of it is never mentioned")
    func stillborn() {
        let pair = Pair()
        pair.air.disconnect(pair.air.connect(pair.left, pair.right))
        pair.time.runUntilIdle()
        #expect(pair.log.isEmpty)
    }

    @Test("a crash tells the neighbour only; what was meant for the dead is not told to its successor")
    func crash() {
        let pair = Pair()
        let third = pair.air.makeEndpoint("third")
        pair.air.connect(pair.left, pair.right)
        let other = pair.air.connect(third, pair.left)
        pair.time.runUntilIdle()
        pair.log = []
        pair.air.disconnect(other)
        pair.air.crash(pair.left)
        pair.listen(pair.left)
        pair.time.runUntilIdle()
        #expect(pair.log == ["right down 1"])
        pair.air.connect(pair.left, pair.right)
        pair.time.runUntilIdle()
        #expect(pair.log.last == "right up 2 false simulated:left")
        #expect(pair.left.openLinks == [LinkID(rawValue: 3)])
    }

    @Test("the tap sees each accepted frame, its ends and its fate; refused ones it does not see")
    func tap() {
        let pair = Pair()
        var seen: [String] = []
        pair.air.tap = {
            let fate = $0.arrivals.map(\.milliseconds)
            seen.append("\($0.sender.name)/\($0.senderLink.rawValue) \($0.bytes) \($0.receiver.name) \(fate)")
        }
        pair.air.connect(pair.left, pair.right, LinkProfile(latency: 4...4, frameLimit: 3))
        #expect(pair.left.send([1, 2], on: link1) == .accepted)
        #expect(pair.left.send([1, 2, 3, 4], on: link1) == .refused)
        pair.air.openConnections.first?.profile.loss = 1
        #expect(pair.right.send([3], on: link1) == .accepted)
        #expect(seen == ["left/1 [1, 2] right [4]", "right/1 [3] left []"])
        pair.time.runUntilIdle()
        #expect(pair.air.framesSent == 2)
        #expect(pair.air.framesDelivered == 1)
    }

    @Test("a filter loses the frames that it names, the tap sees them go, and the dice fall as they would have")
    func filter() {
        let profile = LinkProfile(latency: 1...50, loss: 0.2, duplication: 0.2)
        let whole = Pair(seed: 4).numbers(300, profile)
        let pair = Pair(seed: 4)
        var lost = 0
        pair.air.filter = { frame, sender, receiver in
            #expect(sender === pair.left && receiver === pair.right)
            return frame[1] % 3 != 0
        }
        pair.air.tap = { if $0.bytes[1] % 3 == 0, $0.arrivals.isEmpty { lost += 1 } }
        let some = pair.numbers(300, profile)
        #expect(some == whole.filter { $0 % 256 % 3 != 0 })
        #expect(lost == (0..<300).count { $0 % 256 % 3 == 0 })
        #expect(pair.air.framesSent == 300)
    }

    @Test("a test can put a frame on a link, and not on one that is not there")
    func inject() {
        let pair = Pair()
        pair.air.connect(pair.left, pair.right)
        #expect(pair.air.inject([4, 5], into: pair.right, on: link1))
        #expect(!pair.air.inject([4, 5], into: pair.right, on: LinkID(rawValue: 9)))
        pair.time.runUntilIdle()
        #expect(pair.received == [[4, 5]])
    }

    @Test("a world that ends is released, open links and all")
    func released() {
        weak var endpoint: Endpoint?
        do {
            let pair = Pair()
            pair.air.connect(pair.left, pair.right)
            pair.time.runUntilIdle()
            endpoint = pair.left
            #expect(endpoint != nil)
        }
        #expect(endpoint == nil)
    }
}
