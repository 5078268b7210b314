import Domain
import Testing

@testable import BluetoothHCI

/// The order in which phones do it (spec: ble-gatt §6.2), as scripts: what they send, and what they must get.
@Suite("Phone sequences")
struct PhoneSequenceTests {
    private let phone = BearerHarness()
    private let service = BluetoothService.production.uuid.bytes
    private let mesh = AttributeUUID.mesh.bytes
    private let announce = (0..<180).map { UInt8($0) }

    private func play(_ script: [(request: [UInt8], answer: [UInt8])]) {
        for (request, answer) in script { #expect(phone.answer(request) == answer) }
    }

    @Test("Android connects: MTU first, everything discovered, subscribed, then write commands")
    func androidConnects() {
        play([
            (pdu("02 05 02"), pdu("03 05 02")),
            // The whole database: services, then what each includes and consists of.
            (pdu("10 01 00 FF FF 00 28"), pdu("11 06 01 00 05 00 00 18 06 00 09 00 01 18")),
            (pdu("10 0A 00 FF FF 00 28"), pdu("11 14 0A 00 0D 00") + service),
            (pdu("10 0E 00 FF FF 00 28"), pdu("01 10 0E 00 0A")),
            (pdu("08 01 00 05 00 02 28"), pdu("01 08 01 00 0A")),
            (pdu("08 01 00 05 00 03 28"), pdu("09 07 02 00 02 03 00 00 2A 04 00 02 05 00 01 2A")),
            (pdu("08 05 00 05 00 03 28"), pdu("01 08 05 00 0A")),
            (pdu("08 06 00 09 00 02 28"), pdu("01 08 06 00 0A")),
            (pdu("08 06 00 09 00 03 28"), pdu("09 07 07 00 20 08 00 05 2A")),
            (pdu("08 08 00 09 00 03 28"), pdu("01 08 08 00 0A")),
            (pdu("04 09 00 09 00"), pdu("05 01 09 00 02 29")),
            (pdu("08 0A 00 0D 00 02 28"), pdu("01 08 0A 00 0A")),
            (pdu("08 0A 00 0D 00 03 28"), pdu("09 15 0B 00 1E 0C 00") + mesh),
            (pdu("08 0C 00 0D 00 03 28"), pdu("01 08 0C 00 0A")),
            (pdu("04 0D 00 0D 00"), pdu("05 01 0D 00 02 29")),
            (pdu("12 0D 00 01 00"), pdu("13")),
        ])
        #expect(phone.exchange(pdu("52 0C 00") + announce).isEmpty)
        #expect(phone.takeEvents() == [.mtu(517), .subscription(true), .written(announce)])
        let frame = [UInt8](repeating: 7, count: 512)
        #expect(phone.bearer.notification(of: frame) == pdu("1B 0C 00") + frame)
    }

    @Test("an iPhone connects: more than we can, restricted discovery, subscribed, announces as write commands")
    func iPhoneConnects() {
        play([
            (pdu("02 0F 02"), pdu("03 05 02")),
            // The system's own interest: name, Service Changed, and features that we do without.
            (pdu("08 01 00 FF FF 00 2A"), pdu("09 02 03 00")),
            (pdu("06 01 00 FF FF 00 28 01 18"), pdu("07 06 00 09 00")),
            (pdu("08 06 00 09 00 03 28"), pdu("09 07 07 00 20 08 00 05 2A")),
            (pdu("04 09 00 09 00"), pdu("05 01 09 00 02 29")),
            (pdu("12 09 00 02 00"), pdu("13")),
            (pdu("08 01 00 FF FF 3A 2B"), pdu("01 08 01 00 0A")),
            // The app's.
            (pdu("06 01 00 FF FF 00 28") + service, pdu("07 0A 00 0D 00")),
            (pdu("06 0E 00 FF FF 00 28") + service, pdu("01 06 0E 00 0A")),
            (pdu("08 0A 00 0D 00 03 28"), pdu("09 15 0B 00 1E 0C 00") + mesh),
            (pdu("08 0C 00 0D 00 03 28"), pdu("01 08 0C 00 0A")),
            (pdu("04 0D 00 0D 00"), pdu("05 01 0D 00 02 29")),
        ])
        #expect(phone.exchange(pdu("52 0C 00") + announce).isEmpty, "50 ms after it asked for the subscription")
        play([(pdu("12 0D 00 01 00"), pdu("13"))])
        #expect(phone.exchange(pdu("52 0C 00") + announce).isEmpty, "at its confirmation")
        #expect(
            phone.takeEvents() == [.mtu(517), .written(announce), .subscription(true), .written(announce)])
        play([(pdu("12 0D 00 00 00"), pdu("13"))])
        #expect(phone.takeEvents() == [.subscription(false)])
    }

    @Test("an older iPhone lets through 182 bytes")
    func olderIPhone() {
        #expect(phone.answer("02 B9 00") == pdu("03 05 02"))
        #expect(phone.answer("12 0D 00 01 00") == pdu("13"))
        #expect(phone.bearer.notification(of: announce + [1, 2]) == pdu("1B 0C 00") + announce + [1, 2])
        #expect(phone.bearer.notification(of: announce + [1, 2, 3]) == nil)
    }

    @Test("a phone that wrote and never subscribed is not notified")
    func writesOnly() {
        #expect(phone.exchange(pdu("52 0C 00") + announce).isEmpty)
        #expect(phone.takeEvents() == [.written(announce)] && phone.bearer.notification(of: announce) == nil)
    }

    // MARK: We connect

    private func playServer(_ script: [(request: [UInt8], answer: [UInt8])]) {
        phone.bearer.openClient()
        for (request, answer) in script {
            #expect(phone.sent() == [request])
            phone.bearer.receive(answer[...])
        }
    }

    @Test("we connect to Android: one service behind those of the system, the database open-ended")
    func toAndroid() {
        playServer([
            (pdu("02 05 02"), pdu("03 05 02")),
            (pdu("06 01 00 FF FF 00 28") + service, pdu("07 28 00 FF FF")),
            (pdu("08 28 00 FF FF 03 28"), pdu("09 15 29 00 1E 2A 00") + mesh),
            (pdu("04 2B 00 FF FF"), pdu("05 01 2B 00 02 29")),
            (pdu("12 2B 00 01 00"), pdu("13")),
            (pdu("06 01 00 FF FF 00 28 01 18"), pdu("07 01 00 09 00")),
            (pdu("04 01 00 09 00"), pdu("05 01 01 00 01 28 02 00 03 28 03 00 05 2A 04 00 02 29 05 00 03 28")),
            (pdu("12 04 00 02 00"), pdu("13")),
        ])
        #expect(phone.takeEvents() == [.mtu(517), .ready])
        let frame = [UInt8](repeating: 7, count: 512)
        #expect(phone.bearer.write(of: frame) == pdu("52 2A 00") + frame)
        #expect(phone.exchange(pdu("1B 2A 00") + frame).isEmpty)
        #expect(phone.takeEvents() == [.notified(frame)])
    }

    @Test("we connect to an iPhone: it asks for the MTU as well, and answers with its own")
    func toIPhone() {
        phone.bearer.openClient()
        #expect(phone.sent() == [pdu("02 05 02")])
        // Its own request crosses ours, and its discovery goes on beside ours.
        #expect(phone.answer("02 0F 02") == pdu("03 05 02"))
        phone.bearer.receive(pdu("03 B9 00")[...])
        #expect(phone.takeEvents() == [.mtu(517), .mtu(185)])
        #expect(phone.exchange(pdu("0A 03 00")) == [pdu("0B"), pdu("06 01 00 FF FF 00 28") + service])
        phone.bearer.receive(pdu("07 30 00 33 00")[...])
        #expect(phone.exchange(pdu("12 0D 00 01 00")) == [pdu("13"), pdu("08 30 00 33 00 03 28")])
        #expect(phone.takeEvents() == [.subscription(true)])
        #expect(phone.bearer.valueLimit == 182)
    }
}
