import Domain
import Testing

/// A delimiter by reference, so that expectations can call what changes it.
private final class Stream {
    private var delimiter = FrameDelimiter()

    var bufferedCount: Int { delimiter.bufferedCount }
    func append(_ bytes: ArraySlice<UInt8>, at now: Uptime) -> [[UInt8]] { delimiter.append(bytes, at: now) }
    func append(_ bytes: [UInt8], at now: Uptime) -> [[UInt8]] { delimiter.append(bytes, at: now) }
    func reset() { delimiter.reset() }
}

@Suite("Delimiting frames on a stream")
struct FrameDelimiterTests {
    private let start = Uptime(milliseconds: 1000)

    private func frame(_ text: String = "hello mesh", version: UInt8 = 1) throws -> [UInt8] {
        try Packet.sample(version: version, payload: Array(text.utf8)).plainFrame()
    }

    private func padded(_ text: String) throws -> [UInt8] {
        try #require(
            Packet.sample(type: .noiseHandshake, payload: Array(text.utf8)).encoded(
                padding: true, using: PacketTools.compression))
    }

    private func unpadded(_ text: String) throws -> [UInt8] {
        try Packet.sample(type: .noiseHandshake, payload: Array(text.utf8)).plainFrame()
    }

    @Test("frames come out whole wherever the stream is cut", arguments: [1, 2, 7, 20, 21, 22, 23, 24, 64, 500])
    func cuts(size: Int) throws {
        let routed = try Packet.sample(
            version: 2, recipient: PeerID(rawValue: 3), route: [PeerID(rawValue: 4)],
            payload: [UInt8](repeating: 1, count: 200), signature: Signature([UInt8](repeating: 2, count: 64))
        ).plainFrame()
        let frames = [try frame(), routed, try frame("x", version: 2), try frame("")]
        let bytes = Array(frames.joined())
        let stream = Stream()
        var received: [[UInt8]] = []
        for offset in stride(from: 0, to: bytes.count, by: size) {
            received += stream.append(bytes[offset..<min(offset + size, bytes.count)], at: start)
        }
        #expect(received == frames)
        #expect(stream.bufferedCount == 0)
    }

    @Test("padding between frames is dropped", arguments: [1, 100, 256, 512])
    func padding(size: Int) throws {
        let bytes = try padded("one") + padded("two")
        let stream = Stream()
        var received: [[UInt8]] = []
        for offset in stride(from: 0, to: bytes.count, by: size) {
            received += stream.append(bytes[offset..<min(offset + size, bytes.count)], at: start)
        }
        #expect(received == [try unpadded("one"), try unpadded("two")])
        #expect(stream.bufferedCount == 0)
    }

    @Test("a stray byte before a frame is dropped", arguments: [0, 3, 0x63, 0xFF] as [UInt8])
    func stray(byte: UInt8) throws {
        let stream = Stream()
        #expect(stream.append([byte] + (try frame()), at: start) == [try frame()])
    }

    @Test("a buffer of zeros is empty")
    func zeros() {
        let stream = Stream()
        #expect(stream.append([UInt8](repeating: 0, count: 10), at: start).isEmpty)
        #expect(stream.bufferedCount == 0)
        #expect(stream.append([], at: start).isEmpty)
    }

    @Test("too little of a header waits", arguments: [(1, 21), (2, 22), (2, 23)] as [(UInt8, Int)])
    func shortHeader(version: UInt8, length: Int) throws {
        let whole = try frame("", version: version)
        let stream = Stream()
        #expect(stream.append(whole.prefix(length), at: start).isEmpty)
        #expect(stream.append(whole.dropFirst(length), at: start + .seconds(10)) == [whole])
    }

    @Test("a compressed section shorter than its size field resets", arguments: [(1, 1), (2, 3)] as [(UInt8, Int)])
    func shortCompressed(version: UInt8, length: Int) throws {
        var broken = try Packet.sample(version: version, payload: [UInt8](repeating: 9, count: length)).plainFrame()
        broken[11] |= 0x04
        let stream = Stream()
        #expect(stream.append((try frame()) + broken + (try frame("lost")), at: start) == [try frame()])
        #expect(stream.bufferedCount == 0)
        #expect(stream.append(try frame(), at: start) == [try frame()])
    }

    @Test("a frame beyond 8 MiB resets")
    func hugeFrame() throws {
        var header = try frame("", version: 2)
        header.replaceSubrange(12..<16, with: [0x00, 0x90, 0x00, 0x00])
        let stream = Stream()
        #expect(stream.append(header, at: start).isEmpty)
        #expect(stream.bufferedCount == 0)
        header.replaceSubrange(12..<16, with: [0x00, 0x7F, 0xFF, 0xE8])
        #expect(stream.append(header, at: start).isEmpty)
        #expect(stream.bufferedCount == 24)
    }

    @Test("more than 8 MiB in the buffer resets")
    func hugeBuffer() throws {
        var header = try frame("", version: 2)
        header.replaceSubrange(12..<16, with: [0x00, 0x7F, 0xFF, 0xE8])
        let stream = Stream()
        _ = stream.append(header, at: start)
        let rest = [UInt8](repeating: 1, count: 8_388_608 - 24)
        #expect(stream.append(rest.dropLast(), at: start).isEmpty)
        #expect(stream.bufferedCount == 8_388_607)
        #expect(stream.append([1, 1], at: start).isEmpty)
        #expect(stream.bufferedCount == 0)
    }

    @Test("pieces at 0, 100 and 260 ms make a frame when the last one completes it")
    func lateCompletion() throws {
        let whole = try frame("a longer text than before")
        let stream = Stream()
        #expect(stream.append(whole[..<25], at: start).isEmpty)
        #expect(stream.append(whole[25..<30], at: start + 100).isEmpty)
        #expect(stream.append(whole[30...], at: start + 260) == [whole])
    }

    @Test("a frame still incomplete after 250 ms is given up when more comes")
    func stalled() throws {
        let whole = try frame("a longer text than before")
        for (pause, survives) in [(249, true), (250, false)] as [(Milliseconds, Bool)] {
            let stream = Stream()
            _ = stream.append(whole[..<25], at: start)
            _ = stream.append(whole[25..<30], at: start + pause)
            #expect((stream.append(whole[30...], at: start + pause) == [whole]) == survives)
        }
    }

    @Test("two pieces have no time limit")
    func twoPieces() throws {
        let whole = try frame()
        let stream = Stream()
        _ = stream.append(whole[..<25], at: start)
        #expect(stream.append(whole[25...], at: start + .seconds(10)) == [whole])
    }

    @Test("waiting for the hop count does not start the clock")
    func hopCount() throws {
        let whole = try Packet.sample(version: 2, route: [PeerID(rawValue: 1)], payload: [1, 2, 3]).plainFrame()
        let stream = Stream()
        _ = stream.append(whole[..<24], at: start)
        _ = stream.append(whole[24..<25], at: start + 300)
        _ = stream.append(whole[25..<26], at: start + 549)
        #expect(stream.append(whole[26...], at: start + 600) == [whole])
    }

    @Test("after a reset nothing of the past is left")
    func reset() throws {
        let stream = Stream()
        _ = stream.append((try frame()).dropLast(), at: start)
        stream.reset()
        #expect(stream.append(try frame("new"), at: start) == [try frame("new")])
    }
}
