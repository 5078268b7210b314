import Testing

@testable import BluetoothHCI

@Suite("L2CAP channels")
struct L2CAPChannelsTests {
    private func frame(_ channel: UInt16, _ payload: [UInt8]) -> ArraySlice<UInt8> {
        L2CAPFrame(channel: L2CAPChannel(rawValue: channel), payload: payload[...]).encoded[...]
    }

    @Test("attribute PDUs go up and come down with their header")
    func attributes() {
        var channels = L2CAPChannels(isCentral: true)
        let received = channels.receive(frame(4, [0x02, 0x05, 0x02]), isStart: true)
        #expect(received == .attributePDU([0x02, 0x05, 0x02]))
        #expect(L2CAPChannels.frame(ofAttributePDU: [0x0A, 0x03, 0x00]) == pdu("03 00 04 00 0A 03 00"))
        let value = [UInt8](repeating: 7, count: 512)
        let long = AttributeValuePDU.encode(.writeCommand, 3, value, behind: L2CAPFrame.headerLength)
        #expect(L2CAPChannels.frame(ofAttributePDUBehindHeader: long) == pdu("03 02 04 00 52 03 00") + value)
        #expect(!channels.hasOutput)
    }

    @Test("pairing is refused, whoever asks for it", arguments: ["01 03 00 01 10 07 07", "0B 01", "01", "0B"])
    func pairing(request: String) {
        for isCentral in [true, false] {
            var channels = L2CAPChannels(isCentral: isCentral)
            let received = channels.receive(frame(6, pdu(request)), isStart: true)
            #expect(received == nil)
            let answer = channels.nextFrame()
            #expect(answer == pdu("02 00 06 00 05 05"))
            let more = channels.nextFrame()
            #expect(more == nil)
        }
    }

    @Test("nothing else of the security manager is answered, Pairing Failed least of all")
    func otherSecurity() {
        var channels = L2CAPChannels(isCentral: true)
        for code in UInt8.min...UInt8.max where code != 0x01 && code != 0x0B {
            for length in [0, 1, 16] {
                let payload = [code] + [UInt8](repeating: 5, count: length)
                let received = channels.receive(frame(6, payload), isStart: true)
                #expect(received == nil)
            }
        }
        let empty = channels.receive(frame(6, []), isStart: true)
        #expect(empty == nil && !channels.hasOutput)
    }

    @Test("other channels are passed over", arguments: [0, 1, 2, 3, 7, 0x3A, 0x40, 0x7F, 0xFFFF] as [UInt16])
    func otherChannels(channel: UInt16) {
        var channels = L2CAPChannels(isCentral: true)
        let received = channels.receive(frame(channel, [0x01, 0x01, 0x00, 0x00]), isStart: true)
        #expect(received == nil && !channels.hasOutput)
    }

    @Test("accepted parameters are answered, and handed up")
    func parameters() {
        var channels = L2CAPChannels(isCentral: true)
        let received = channels.receive(frame(5, pdu("12 07 08 00 18 00 28 00 00 00 F4 01")), isStart: true)
        #expect(received == .parameters(.ours))
        let answer = channels.nextFrame()
        #expect(answer == pdu("06 00 05 00 13 07 02 00 00 00"))
    }

    @Test("who floods and does not read gets few answers, and no more is acted on")
    func flood() {
        var channels = L2CAPChannels(isCentral: true)
        var accepted = 0
        for _ in 0..<1000 {
            let update = frame(5, pdu("12 07 08 00 18 00 28 00 00 00 F4 01"))
            if channels.receive(update, isStart: true) != nil { accepted += 1 }
            _ = channels.receive(frame(6, [0x01]), isStart: true)
        }
        #expect(accepted == BluetoothPolicy.answersPerChannel / 2)
        #expect(channels.dropped == 2000 - BluetoothPolicy.answersPerChannel)
        var answers = 0
        while channels.nextFrame() != nil { answers += 1 }
        #expect(answers == BluetoothPolicy.answersPerChannel)
        let again = channels.receive(frame(6, [0x01]), isStart: true)
        #expect(again == nil && channels.hasOutput)
    }
}
