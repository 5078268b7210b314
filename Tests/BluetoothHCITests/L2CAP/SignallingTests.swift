import Testing

@testable import BluetoothHCI

@Suite("LE signalling")
struct SignallingTests {
    private let central = Signalling(isCentral: true)
    private let peripheral = Signalling(isCentral: false)
    /// 30–50 ms, latency 0, 5 s.
    private let update = pdu("12 07 08 00 18 00 28 00 00 00 F4 01")

    @Test("a central accepts valid connection parameters")
    func accepts() {
        let reaction = central.receive(update[...])
        #expect(reaction == Signalling.Reaction(answer: pdu("13 07 02 00 00 00"), update: .ours))
    }

    @Test(
        "a central rejects invalid connection parameters, and its controller is not told",
        arguments: [
            "05 00 28 00 00 00 F4 01", "28 00 18 00 00 00 F4 01", "18 00 81 0C 00 00 80 0C", "18 00 28 00 F4 01 80 0C",
            "18 00 28 00 00 00 09 00", "18 00 28 00 00 00 81 0C", "FF FF FF FF FF FF FF FF", "06 00 80 0C 00 00 20 03",
        ])
    func rejects(parameters: String) {
        let reaction = central.receive((pdu("12 09 08 00") + pdu(parameters))[...])
        #expect(reaction == Signalling.Reaction(answer: pdu("13 09 02 00 01 00")))
    }

    @Test("the limits themselves are valid", arguments: ["06 00 06 00 00 00 0A 00", "06 00 80 0C 00 00 21 03"])
    func acceptsLimits(parameters: String) {
        let reaction = central.receive((pdu("12 09 08 00") + pdu(parameters))[...])
        #expect(reaction.answer == pdu("13 09 02 00 00 00") && reaction.update != nil)
    }

    @Test("a peripheral does not understand the request")
    func peripheralRejects() {
        #expect(peripheral.receive(update[...]) == Signalling.Reaction(answer: pdu("01 07 02 00 00 00")))
    }

    @Test(
        "a request of the wrong length is not understood",
        arguments: [
            "12 07 07 00 18 00 28 00 00 00 F4", "12 07 09 00 18 00 28 00 00 00 F4 01 00", "12 07 00 00",
            "14 07 09 00 80 00 40 00 17 00 17 00 01", "17 07 08 00 80 00 40 00 40 00 01 00",
            "17 07 09 00 80 00 40 00 40 00 01 00 40", "19 07 04 00 40 00 40 00", "06 07 03 00 40 00 41",
        ])
    func wrongLengths(command: String) {
        let reaction = central.receive(pdu(command)[...])
        #expect(reaction == Signalling.Reaction(answer: pdu("01 07 02 00 00 00")))
    }

    @Test(
        "unknown commands, and those of BR/EDR, are rejected by their identifier",
        arguments: [0x00, 0x02, 0x04, 0x08, 0x0A, 0x0C, 0x0E, 0x10, 0x1B, 0x7F, 0xFF] as [UInt8])
    func unknown(code: UInt8) {
        #expect(central.receive([code, 0x42, 0x00, 0x00]).answer == pdu("01 42 02 00 00 00"))
    }

    @Test("responses, rejects and credits are never answered, whatever their length")
    func unanswered() {
        for code in [0x01, 0x03, 0x05, 0x07, 0x09, 0x0B, 0x0D, 0x0F, 0x11, 0x13, 0x15, 0x16, 0x18, 0x1A] as [UInt8] {
            for length in 0...40 {
                let command = [code, 0x01, UInt8(length), 0x00] + [UInt8](repeating: 0, count: length)
                #expect(central.receive(command[...]) == Signalling.Reaction())
            }
        }
    }

    @Test("the identifier 0 is ignored")
    func identifierZero() {
        #expect(central.receive(pdu("12 00 08 00 18 00 28 00 00 00 F4 01")[...]) == Signalling.Reaction())
        #expect(central.receive(pdu("08 00 00 00")[...]) == Signalling.Reaction())
    }

    @Test("a frame longer than 23 bytes is rejected with the MTU")
    func tooLong() {
        let longest = pdu("08 05 13 00") + [UInt8](repeating: 1, count: 19)
        #expect(central.receive(longest[...]).answer == pdu("01 05 02 00 00 00"))
        let long = pdu("08 05 14 00") + [UInt8](repeating: 1, count: 20)
        #expect(central.receive(long[...]).answer == pdu("01 05 04 00 01 00 17 00"))
    }

    @Test("several commands in a frame are rejected as one, and none is carried out")
    func severalCommands() {
        let reaction = central.receive((pdu("08 05 00 00") + update)[...])
        #expect(reaction == Signalling.Reaction(answer: pdu("01 05 02 00 00 00")))
        let updateFirst = central.receive((update + pdu("08 05 00 00"))[...])
        #expect(updateFirst == Signalling.Reaction(answer: pdu("01 07 02 00 00 00")))
    }

    @Test("less than was announced is not understood; less than a header is nothing")
    func short() {
        #expect(central.receive(pdu("12 07 08 00 18 00")[...]).answer == pdu("01 07 02 00 00 00"))
        #expect(central.receive(pdu("12 07 08")[...]).answer == pdu("01 07 02 00 00 00"))
        #expect(central.receive(pdu("12")[...]) == Signalling.Reaction())
        #expect(central.receive([]) == Signalling.Reaction())
    }

    @Test("connections are refused: there is no such protocol")
    func connections() {
        let request = pdu("14 03 0A 00 80 00 40 00 17 00 17 00 01 00")
        #expect(central.receive(request[...]).answer == pdu("15 03 0A 00 00 00 00 00 00 00 00 00 02 00"))
        let enhanced = pdu("17 04 0C 00 27 00 40 00 40 00 01 00 40 00 41 00")
        #expect(peripheral.receive(enhanced[...]).answer == pdu("18 04 0C 00 00 00 00 00 00 00 02 00 00 00 00 00"))
    }

    @Test("channels that are not there can be neither changed nor closed")
    func noChannels() {
        #expect(central.receive(pdu("19 05 06 00 40 00 40 00 40 00")[...]).answer == pdu("1A 05 02 00 03 00"))
        #expect(central.receive(pdu("06 06 04 00 40 00 41 00")[...]).answer == pdu("01 06 06 00 02 00 40 00 41 00"))
    }

    @Test("nothing that comes in is answered by something that would be answered in turn")
    func comesToRest() {
        for code in UInt8.min...UInt8.max {
            for length in 0...23 {
                let payload = [code, 0x01, UInt8(length), 0x00] + [UInt8](repeating: 7, count: length)
                guard let answer = central.receive(payload[...]).answer else { continue }
                #expect(peripheral.receive(answer[...]) == Signalling.Reaction())
                #expect(answer.count <= Signalling.mtu)
            }
        }
    }
}
