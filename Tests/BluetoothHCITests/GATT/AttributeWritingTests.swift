import Testing

@testable import BluetoothHCI

/// Answers of our server to what is written, and what it reports of it.
@Suite("Attribute server: writing")
struct AttributeWritingTests {
    private let peer = BearerHarness()

    private func error(_ request: UInt8, _ handle: UInt16, _ error: ATTError) -> [UInt8] {
        [0x01, request, UInt8(handle & 0xFF), UInt8(handle >> 8), error.rawValue]
    }

    private func long(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7) } }

    // MARK: Values

    @Test("a write command is taken and not answered")
    func writeCommand() {
        #expect(peer.exchange(pdu("52 0C 00 01 02 03")).isEmpty)
        #expect(peer.takeEvents() == [.written([1, 2, 3])])
    }

    @Test("a write request is taken and answered")
    func writeRequest() {
        #expect(peer.answer("12 0C 00 01 02 03") == pdu("13"))
        #expect(peer.takeEvents() == [.written([1, 2, 3])])
    }

    @Test("values up to MTU − 3 are taken, those above 512 too", arguments: [511, 512, 513, 514])
    func longValues(count: Int) {
        peer.exchange(pdu("02 05 02"))
        #expect(peer.answer(pdu("12 0C 00") + long(count)) == pdu("13"))
        #expect(peer.exchange(pdu("52 0C 00") + long(count)).isEmpty)
        #expect(peer.takeEvents() == [.mtu(517), .written(long(count)), .written(long(count))])
    }

    @Test("an empty write is answered, and is nothing")
    func emptyWrite() {
        #expect(peer.answer("12 0C 00") == pdu("13"))
        #expect(peer.exchange(pdu("52 0C 00")).isEmpty)
        #expect(peer.takeEvents().isEmpty)
    }

    @Test("a frame may come before anybody subscribed")
    func writeBeforeSubscribing() {
        peer.exchange(pdu("52 0C 00 01"))
        #expect(peer.takeEvents() == [.written([1])] && !peer.bearer.isSubscribed)
    }

    @Test("what may not be written is refused; by command, ignored", arguments: [1, 2, 3, 5, 6, 8, 10, 11] as [UInt8])
    func writeNotPermitted(handle: UInt8) {
        #expect(peer.answer([0x12, handle, 0x00, 0x01]) == error(0x12, UInt16(handle), .writeNotPermitted))
        #expect(peer.answer([0x16, handle, 0, 0, 0, 1]) == error(0x16, UInt16(handle), .writeNotPermitted))
        #expect(peer.exchange([0x52, handle, 0x00, 0x01]).isEmpty)
        #expect(peer.takeEvents().isEmpty)
    }

    @Test("so is what is not there", arguments: [0x0000, 0x000E, 0xFFFF] as [UInt16])
    func writeNothing(handle: UInt16) {
        let bytes = [UInt8(handle & 0xFF), UInt8(handle >> 8), 0x01, 0x00]
        #expect(peer.answer([0x12] + bytes) == error(0x12, handle, .invalidHandle))
        #expect(peer.answer([0x16] + bytes) == error(0x16, handle, .invalidHandle))
        #expect(peer.exchange([0x52] + bytes).isEmpty)
        #expect(peer.takeEvents().isEmpty)
    }

    @Test("signed writes and unknown commands are ignored", arguments: [0xD2, 0x40, 0x53, 0x7F, 0xC0, 0xFF] as [UInt8])
    func ignoredCommands(code: UInt8) {
        for length in 0...23 {
            let bytes = [code, 0x0C, 0x00] + [UInt8](repeating: 1, count: length)
            #expect(peer.exchange(bytes).isEmpty)
        }
        #expect(peer.takeEvents().isEmpty)
    }

    @Test("confirmations of what we never indicated are ignored")
    func confirmation() {
        #expect(peer.exchange(pdu("1E")).isEmpty && peer.exchange(pdu("1E 00")).isEmpty)
    }

    // MARK: Subscriptions

    @Test(
        "bit 0 of the client configuration subscribes, whatever the rest says",
        arguments: ["01 00", "03 00", "FF FF", "01"])
    func subscribe(value: String) {
        #expect(peer.answer("12 0D 00 " + value) == pdu("13"))
        #expect(peer.takeEvents() == [.subscription(true)] && peer.bearer.isSubscribed)
    }

    @Test("written twice is one subscription")
    func subscribeTwice() {
        #expect(peer.answer("12 0D 00 01 00") == pdu("13") && peer.answer("12 0D 00 01 00") == pdu("13"))
        #expect(peer.takeEvents() == [.subscription(true)])
    }

    @Test("without bit 0 it ends", arguments: ["00 00", "02 00", "00"])
    func unsubscribe(value: String) {
        peer.exchange(pdu("12 0D 00 01 00"))
        #expect(peer.answer("12 0D 00 " + value) == pdu("13"))
        #expect(peer.takeEvents() == [.subscription(true), .subscription(false)] && !peer.bearer.isSubscribed)
    }

    @Test("it reads back as it was written, and is written byte by byte")
    func readBack() {
        #expect(peer.answer("0A 0D 00") == pdu("0B 00 00"))
        peer.exchange(pdu("12 0D 00 03 01"))
        #expect(peer.answer("0A 0D 00") == pdu("0B 03 01"))
        peer.exchange(pdu("12 0D 00 01"))
        #expect(peer.answer("0A 0D 00") == pdu("0B 01 01"))
        #expect(peer.answer("12 0D 00") == pdu("13"))
        #expect(peer.answer("0A 0D 00") == pdu("0B 01 01"))
    }

    @Test("three bytes are too many, and change nothing")
    func configurationTooLong() {
        #expect(peer.answer("12 0D 00 01 00 00") == error(0x12, 0x0D, .invalidAttributeValueLength))
        #expect(peer.exchange(pdu("52 0D 00 01 00 00")).isEmpty)
        #expect(!peer.bearer.isSubscribed && peer.takeEvents().isEmpty)
    }

    @Test("a command subscribes as well")
    func subscribeByCommand() {
        #expect(peer.exchange(pdu("52 0D 00 01 00")).isEmpty)
        #expect(peer.bearer.isSubscribed)
    }

    @Test("the configuration of Service Changed is another one")
    func otherConfiguration() {
        #expect(peer.answer("12 09 00 03 00") == pdu("13"))
        #expect(peer.answer("0A 09 00") == pdu("0B 03 00") && peer.answer("0A 0D 00") == pdu("0B 00 00"))
        #expect(!peer.bearer.isSubscribed && peer.takeEvents().isEmpty)
    }

    // MARK: Long writes

    @Test("parts are echoed, and executed as one value")
    func longWrite() {
        #expect(peer.answer("16 0C 00 00 00 01 02") == pdu("17 0C 00 00 00 01 02"))
        #expect(peer.answer("16 0C 00 02 00 03") == pdu("17 0C 00 02 00 03"))
        #expect(peer.takeEvents().isEmpty)
        #expect(peer.answer("18 01") == pdu("19"))
        #expect(peer.takeEvents() == [.written([1, 2, 3])])
        #expect(peer.answer("18 01") == pdu("19"))
        #expect(peer.takeEvents().isEmpty)
    }

    @Test("parts are put together by their offsets; later ones overwrite, empty ones are nothing")
    func offsets() {
        for part in ["16 0C 00 02 00 09 04", "16 0C 00 00 00 01 02", "16 0C 00 02 00 03", "16 0C 00 FF 00"] {
            peer.exchange(pdu(part))
        }
        #expect(peer.answer("18 01") == pdu("19"))
        #expect(peer.takeEvents() == [.written([1, 2, 3, 4])])
    }

    @Test("a gap makes the offset invalid, and all is discarded")
    func gap() {
        peer.exchange(pdu("16 0D 00 00 00 01 00"))
        peer.exchange(pdu("16 0C 00 01 00 02"))
        #expect(peer.answer("18 01") == error(0x18, 0x0C, .invalidOffset))
        #expect(peer.answer("18 01") == pdu("19"))
        #expect(peer.takeEvents().isEmpty && !peer.bearer.isSubscribed)
    }

    @Test("cancelled parts are forgotten")
    func cancel() {
        peer.exchange(pdu("16 0C 00 00 00 01"))
        #expect(peer.answer("18 00") == pdu("19"))
        #expect(peer.answer("18 01") == pdu("19"))
        #expect(peer.takeEvents().isEmpty)
    }

    @Test("the longest value comes in at the smallest MTU; one byte more does not", arguments: [514, 515])
    func longestValue(count: Int) {
        let value = long(count)
        for start in stride(from: 0, to: count, by: 18) {
            let part = value[start..<min(start + 18, count)]
            let request = [0x16, 0x0C, 0x00, UInt8(start & 0xFF), UInt8(start >> 8)] + part
            #expect(peer.answer(request) == [0x17] + request.dropFirst())
        }
        if count == 514 {
            #expect(peer.answer("18 01") == pdu("19"))
            #expect(peer.takeEvents() == [.written(value)])
        } else {
            #expect(peer.answer("18 01") == error(0x18, 0x0C, .invalidAttributeValueLength))
            #expect(peer.takeEvents().isEmpty)
        }
    }

    @Test("a part longer than the MTU could not be echoed, and is refused")
    func partTooLong() {
        let part = pdu("16 0C 00 00 00") + long(18)
        #expect(peer.answer(part) == [0x17] + part.dropFirst())
        #expect(peer.answer(part + [0]) == error(0x16, 0, .invalidPDU))
        peer.exchange(pdu("02 05 02"))
        #expect(peer.answer(part + [0]) == [0x17] + part.dropFirst() + [0])
    }

    @Test("parts are bounded in number, and the queue stays as it is")
    func queueFull() {
        for _ in 0..<BluetoothPolicy.preparedWrites { #expect(peer.answer("16 0C 00 00 00 01") != nil) }
        #expect(peer.answer("16 0C 00 00 00 02") == error(0x16, 0x0C, .prepareQueueFull))
        #expect(peer.answer("18 01") == pdu("19"))
        #expect(peer.takeEvents() == [.written([1])])
        #expect(peer.answer("16 0C 00 00 00 02") == pdu("17 0C 00 00 00 02"))
    }

    @Test("parts are bounded in bytes")
    func queueFullOfBytes() {
        peer.exchange(pdu("02 05 02"))
        let part = pdu("16 0C 00 00 00") + long(512)
        let answers = (0..<10).map { _ in peer.answer(part) }
        #expect(answers.filter { $0?.first == 0x17 }.count == BluetoothPolicy.preparedBytes / 512)
        #expect(answers.last == error(0x16, 0x0C, .prepareQueueFull))
    }

    @Test("value and configuration in one queue: both, or neither")
    func severalHandles() {
        peer.exchange(pdu("16 0C 00 00 00 01"))
        peer.exchange(pdu("16 0D 00 00 00 01"))
        peer.exchange(pdu("16 0D 00 01 00 00"))
        #expect(peer.answer("18 01") == pdu("19"))
        #expect(peer.takeEvents() == [.subscription(true), .written([1])])
        peer.exchange(pdu("16 0C 00 00 00 01"))
        peer.exchange(pdu("16 0D 00 00 00 00 00 00"))
        #expect(peer.answer("18 01") == error(0x18, 0x0D, .invalidAttributeValueLength))
        #expect(peer.takeEvents().isEmpty && peer.bearer.isSubscribed)
    }

    @Test("part of a configuration keeps the rest of it")
    func configurationInPart() {
        peer.exchange(pdu("12 0D 00 03 01"))
        peer.exchange(pdu("16 0D 00 01 00 02"))
        peer.exchange(pdu("18 01"))
        #expect(peer.answer("0A 0D 00") == pdu("0B 03 02"))
    }

    @Test("a plain write between the parts is a value of its own")
    func interleaved() {
        peer.exchange(pdu("16 0C 00 00 00 01"))
        peer.exchange(pdu("52 0C 00 09"))
        peer.exchange(pdu("18 01"))
        #expect(peer.takeEvents() == [.written([9]), .written([1])])
    }
}
