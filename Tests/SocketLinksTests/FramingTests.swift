import Application
import Testing

@testable import SocketLinks

@Suite("Frames in a stream")
struct StreamDecoderTests {
    @Test("a frame comes out whole however it is cut", arguments: [1, 2, 3, 5, 100])
    func cuts(step: Int) throws {
        let frames: [[UInt8]] = [[7], Array(1...200), Array(repeating: 9, count: 256)]
        var stream = frames.flatMap { StreamDecoder.header(for: $0) + $0 }[...]
        var decoder = StreamDecoder(limit: 256)
        var decoded: [[UInt8]] = []
        while !stream.isEmpty {
            let chunk = stream.prefix(min(step, decoder.wanted))
            stream = stream.dropFirst(chunk.count)
            if let frame = try decoder.supply(chunk) { decoded.append(frame) }
        }
        #expect(decoded == frames)
        #expect(decoder.wanted == StreamDecoder.headerSize)
    }

    @Test("the header is four bytes, most significant first")
    func header() {
        #expect(StreamDecoder.header(for: Array(repeating: 0, count: 0x1_0203)) == [0, 1, 2, 3])
    }

    @Test("a length of zero is refused from its four bytes alone")
    func empty() {
        var decoder = StreamDecoder(limit: 65_536)
        #expect(throws: StreamDecoder.Fault.empty) { try decoder.supply([0, 0, 0, 0]) }
    }

    @Test(
        "a length beyond the limit is refused from its four bytes alone",
        arguments: [([0, 1, 0, 1], 65_537), ([0x80, 0, 0, 0], 0x8000_0000), ([255, 255, 255, 255], UInt32.max)]
            as [([UInt8], UInt32)])
    func tooLong(header: [UInt8], length: UInt32) {
        var decoder = StreamDecoder(limit: 65_536)
        #expect(throws: StreamDecoder.Fault.tooLong(length, limit: 65_536)) { try decoder.supply(header[...]) }
    }

    @Test("a length at the limit is taken")
    func atLimit() throws {
        var decoder = StreamDecoder(limit: 65_536)
        let none = try decoder.supply([0, 1, 0, 0])
        #expect(none == nil)
        #expect(decoder.wanted == 65_536)
    }
}

@Suite("Hello")
struct HelloTests {
    private let hello = Hello(frameLimit: 0x0102_0304, node: 0x0506_0708_090A_0B0C)

    @Test("it has twenty bytes and reads back")
    func roundTrip() throws {
        #expect(hello.bytes == Array("satchel".utf8) + [1] + Array(1...12))
        #expect(try Hello(partial: hello.bytes, ourselves: 1) == hello)
    }

    @Test("every shorter beginning waits for more", arguments: 0..<20)
    func partial(length: Int) throws {
        #expect(try Hello(partial: Array(hello.bytes.prefix(length)), ourselves: 1) == nil)
    }

    @Test("a wrong beginning is refused at its first wrong byte", arguments: ["G", "GET / HTTP/1.1\r\n", "sat.", "\0"])
    func stranger(text: String) {
        #expect(throws: Hello.Fault.notSatchel) { try Hello(partial: Array(text.utf8), ourselves: 1) }
    }

    @Test("another version is told apart before the rest is there", arguments: [0, 2, 255] as [UInt8])
    func version(number: UInt8) {
        #expect(throws: Hello.Fault.otherVersion(number)) {
            try Hello(partial: Hello.magic + [number], ourselves: 1)
        }
    }

    @Test("one's own hello is recognised")
    func ourselves() {
        #expect(throws: Hello.Fault.ourselves) { try Hello(partial: hello.bytes, ourselves: hello.node) }
    }

    @Test("a side that takes no frames is refused")
    func noFrames() {
        #expect(throws: Hello.Fault.noFrames) {
            try Hello(partial: Hello(frameLimit: 0, node: 2).bytes, ourselves: 1)
        }
    }
}

@Suite("Outbox")
struct OutboxTests {
    @Test("frames leave in the order in which they came")
    func order() {
        var box = Outbox(frameLimit: 8, byteLimit: 1_000_000)
        let frames = (0..<5000).map { [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)] }
        var taken: [[UInt8]] = []
        var accepted = 0
        for (round, frame) in frames.enumerated() {
            if box.append(frame) == .accepted { accepted += 1 }
            if round % 3 == 0, let next = box.next() { taken.append(next) }
        }
        while let next = box.next() { taken.append(next) }
        #expect(accepted == frames.count)
        #expect(taken == frames)
        #expect(box.isEmpty && box.bytes == 0)
    }

    @Test(
        "empty and oversized frames are refused, at the limit taken",
        arguments: [(0, .refused), (1, .accepted), (4, .accepted), (5, .refused)] as [(Int, SendOutcome)])
    func sizes(count: Int, expected: SendOutcome) {
        var box = Outbox(frameLimit: 4, byteLimit: 100)
        let outcome = box.append([UInt8](repeating: 1, count: count))
        #expect(outcome == expected)
    }

    @Test("it fills to its limit and not beyond; notice is due below half, once")
    func notice() {
        var box = Outbox(frameLimit: 10, byteLimit: 40)
        let outcomes = (0..<5).map { _ in box.append([UInt8](repeating: 1, count: 10)) }
        #expect(outcomes == [.accepted, .accepted, .accepted, .accepted, .full])
        #expect(box.bytes == 40)
        var dues = [box.takeNotice()]
        while box.next() != nil { dues.append(box.takeNotice()) }
        #expect(dues == [false, false, false, true, false])
    }

    @Test("nobody who was not turned away gets notice")
    func noDebt() {
        var box = Outbox(frameLimit: 10, byteLimit: 40)
        let outcome = box.append([1])
        let frame = box.next()
        let isDue = box.takeNotice()
        #expect(outcome == .accepted && frame == [1] && !isDue)
    }

    @Test("a single frame fits even where the limit is smaller")
    func single() {
        var box = Outbox(frameLimit: 10, byteLimit: 4)
        let outcomes = [box.append([1, 2, 3, 4, 5]), box.append([1])]
        #expect(outcomes == [.accepted, .full])
        let frame = box.next()
        let isDue = box.takeNotice()
        #expect(frame == [1, 2, 3, 4, 5] && isDue)
    }
}

@Suite("Pauses and places")
struct PolicyTests {
    @Test("pauses double up to the longest and stay within half and all of it")
    func backoff() {
        var longest = Backoff(first: 1000, longest: 60_000)
        for nominal in [1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000] as [Int64] {
            let pause = longest.pause(UInt64(nominal / 2))
            #expect(pause == nominal)
        }
        var lowest = Backoff(first: 1000, longest: 60_000)
        let shortest = (0..<8).map { _ in lowest.pause(0) }
        #expect(shortest == [500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000])
        lowest.reset()
        let afterReset = lowest.pause(0)
        lowest.exhaust()
        let afterExhaustion = lowest.pause(0)
        #expect(afterReset == 500 && afterExhaustion == 30_000)
    }

    @Test("the jitter reaches both ends")
    func jitter() {
        var pauses: Set<Int64> = []
        for random in 0..<11 as Range<UInt64> {
            var backoff = Backoff(first: 20, longest: 20)
            pauses.insert(backoff.pause(random))
        }
        #expect(pauses == Set(10...20))
    }

    @Test("one address cannot take every place, and places come back")
    func quota() throws {
        var quota = LinkQuota(total: 3, perAddress: 2)
        let first = try quota.take(origin: [1])
        _ = try quota.take(origin: [1])
        #expect(throws: LinkQuota.Refusal.perAddress(2)) { try quota.take(origin: [1]) }
        _ = try quota.take(origin: [2])
        #expect(throws: LinkQuota.Refusal.total(3)) { try quota.take(origin: nil) }
        quota.giveBack(first)
        _ = try quota.take(origin: [1])
    }

    @Test("strangers leave a quarter of the places to those that we dial and to this machine")
    func incomingQuota() throws {
        var quota = LinkQuota(total: 8, perAddress: 8)
        let strangers = try (0..<6).map { try quota.take(origin: [UInt8($0)]) }
        #expect(throws: LinkQuota.Refusal.incoming(6)) { try quota.take(origin: [9]) }
        let own = [try quota.take(origin: nil), try quota.take(origin: nil)]
        #expect(throws: LinkQuota.Refusal.total(8)) { try quota.take(origin: nil) }
        quota.giveBack(own[0])
        #expect(throws: LinkQuota.Refusal.incoming(6)) { try quota.take(origin: [9]) }
        quota.giveBack(strangers[0])
        _ = try quota.take(origin: [9])
    }

    @Test("an IPv6 host counts by its /64, a link-local one by itself, IPv4 by address")
    func origins() throws {
        func origin(_ text: String) throws -> [UInt8] {
            try #require(try Resolver.addresses(of: HostPort(parsing: text), forListening: true).get().first).origin
        }
        #expect(try origin("[2001:db8::1]:1") == origin("[2001:db8::ffff:2]:2"))
        #expect(try origin("[2001:db8::1]:1") != origin("[2001:db8:0:1::1]:1"))
        #expect(try origin("[fe80::1]:1") != origin("[fe80::2]:1"))
        #expect(try origin("192.0.2.1:1") == [192, 0, 2, 1])
    }

    @Test("a repeated line is left out for ten seconds and counted")
    func rareLine() {
        var line = RareLine()
        let omitted = [5, 6, 10_004, 10_005, 20_005].map { line.occur(at: $0) }
        #expect(omitted == [0, nil, nil, 2, 0])
    }
}
