import Testing

@testable import BluetoothHCI

@Suite("L2CAP assembler")
struct L2CAPAssemblerTests {
    /// A frame on the attribute channel.
    private func frame(_ payload: [UInt8], announcing length: Int? = nil) -> [UInt8] {
        let length = length ?? payload.count
        return [UInt8(length & 0xFF), UInt8(length >> 8), 0x04, 0x00] + payload
    }

    @Test("a frame in one piece")
    func whole() {
        var assembler = L2CAPAssembler()
        let frame = assembler.receive(frame([1, 2, 3])[...], isStart: true)
        #expect(frame == L2CAPFrame(channel: .attributes, payload: [1, 2, 3]))
        #expect(assembler.dropped == 0)
    }

    @Test("an empty frame is a frame")
    func empty() {
        var assembler = L2CAPAssembler()
        let frame = assembler.receive([0x00, 0x00, 0x06, 0x00], isStart: true)
        #expect(frame == L2CAPFrame(channel: .security, payload: []))
    }

    @Test("what is encoded comes out again, however it is cut", arguments: [1, 2, 3, 4, 5, 27, 251, 600])
    func cut(size: Int) {
        let payload = (0..<517).map { UInt8(truncatingIfNeeded: $0) }
        let bytes = L2CAPFrame(channel: .attributes, payload: payload[...]).encoded
        #expect(bytes.count == 521)
        var assembler = L2CAPAssembler()
        var frames: [L2CAPFrame] = []
        for start in stride(from: 0, to: bytes.count, by: size) {
            let piece = bytes[start..<min(start + size, bytes.count)]
            if let frame = assembler.receive(piece, isStart: start == 0) { frames.append(frame) }
        }
        #expect(frames == [L2CAPFrame(channel: .attributes, payload: payload[...])])
        #expect(assembler.dropped == 0)
    }

    @Test("a continuation without a start is dropped, and the next frame is not harmed")
    func strayContinuation() {
        var assembler = L2CAPAssembler()
        let stray = assembler.receive(frame([9])[...], isStart: false)
        let next = assembler.receive(frame([1])[...], isStart: true)
        #expect(stray == nil)
        #expect(next?.payload == [1])
        #expect(assembler.dropped == 1)
    }

    @Test("a new start drops what is unfinished")
    func newStart() {
        var assembler = L2CAPAssembler()
        let first = assembler.receive(frame([1, 2], announcing: 5)[...], isStart: true)
        let second = assembler.receive(frame([7, 8])[...], isStart: true)
        let rest = assembler.receive([3, 4, 5], isStart: false)
        #expect(first == nil && rest == nil)
        #expect(second?.payload == [7, 8])
        #expect(assembler.dropped == 2)
    }

    @Test("more than was announced drops the frame", arguments: [0, 1])
    func tooMuch(lateBy pieces: Int) {
        var assembler = L2CAPAssembler()
        var seen: [L2CAPFrame?] = []
        if pieces == 0 {
            seen.append(assembler.receive(frame([1, 2, 3], announcing: 2)[...], isStart: true))
        } else {
            seen.append(assembler.receive(frame([1], announcing: 2)[...], isStart: true))
            seen.append(assembler.receive([2, 3], isStart: false))
        }
        seen.append(assembler.receive([4], isStart: false))
        let next = assembler.receive(frame([5])[...], isStart: true)
        #expect(seen.allSatisfy { $0 == nil })
        #expect(next?.payload == [5])
        #expect(assembler.dropped == 2)
    }

    @Test("a frame over the limit is passed over to its end, and the stream stays in step")
    func overLimit() {
        var assembler = L2CAPAssembler(limit: 8)
        let start = assembler.receive(frame([1, 2], announcing: 9)[...], isStart: true)
        let middle = assembler.receive([3, 4, 5, 6, 7, 8], isStart: false)
        let end = assembler.receive([9], isStart: false)
        #expect(start == nil && middle == nil && end == nil)
        #expect(assembler.dropped == 1)
        let stray = assembler.receive([10], isStart: false)
        #expect(stray == nil)
        #expect(assembler.dropped == 2)
        let longest = assembler.receive(frame(Array(repeating: 1, count: 8))[...], isStart: true)
        #expect(longest?.payload.count == 8)
    }

    @Test("a frame over the limit that is whole is dropped alone")
    func wholeOverLimit() {
        var assembler = L2CAPAssembler(limit: 2)
        let long = assembler.receive(frame([1, 2, 3])[...], isStart: true)
        let next = assembler.receive(frame([1, 2])[...], isStart: true)
        #expect(long == nil)
        #expect(next?.payload == [1, 2])
        #expect(assembler.dropped == 1)
    }

    @Test("a start in the midst of a frame that is passed over begins anew")
    func startWhileSkipping() {
        var assembler = L2CAPAssembler(limit: 2)
        let long = assembler.receive(frame([1], announcing: 0xFFFF)[...], isStart: true)
        let next = assembler.receive(frame([1, 2])[...], isStart: true)
        #expect(long == nil)
        #expect(next?.payload == [1, 2])
        #expect(assembler.dropped == 1)
    }

    @Test("empty pieces change nothing")
    func emptyPieces() {
        var assembler = L2CAPAssembler()
        let start = assembler.receive([], isStart: true)
        let nothing = assembler.receive([], isStart: false)
        let rest = assembler.receive(frame([1])[...], isStart: false)
        #expect(start == nil && nothing == nil)
        #expect(rest?.payload == [1])
    }

    @Test("the payload may be a slice of whatever came in")
    func slices() {
        var assembler = L2CAPAssembler()
        let bytes = [0xEE, 0xEE] + frame([1, 2])
        let frame = assembler.receive(bytes.dropFirst(2), isStart: true)
        #expect(frame?.payload == [1, 2])
    }
}
