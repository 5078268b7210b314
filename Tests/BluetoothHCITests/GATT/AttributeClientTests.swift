import Testing

@testable import BluetoothHCI

/// What our client asks, and what it makes of the answers. The far end is a script.
@Suite("Attribute client")
struct AttributeClientTests {
    private let far = BearerHarness()
    private let service = BluetoothService.production.uuid.bytes
    private let mesh = AttributeUUID.mesh.bytes

    private let exchangeMTU = pdu("02 05 02")
    private var findService: [UInt8] { pdu("06 01 00 FF FF 00 28") + service }
    private let findGenericAttribute = pdu("06 01 00 FF FF 00 28 01 18")

    /// Answers each request with the next answer, and checks that it is the expected one.
    private func play(
        _ script: [(request: [UInt8], answer: [UInt8])], sourceLocation: SourceLocation = #_sourceLocation
    ) {
        for (request, answer) in script {
            #expect(far.sent() == [request], sourceLocation: sourceLocation)
            far.bearer.receive(answer[...])
        }
    }

    /// A peer with the service at 0x28...0x2B and nothing beyond what is needed.
    private var discovery: [([UInt8], [UInt8])] {
        [
            (exchangeMTU, pdu("03 B9 00")),
            (findService, pdu("07 28 00 2B 00")),
            (pdu("08 28 00 2B 00 03 28"), pdu("09 15 29 00 1E 2A 00") + mesh),
            (pdu("04 2B 00 2B 00"), pdu("05 01 2B 00 02 29")),
        ]
    }
    private let subscribe = pdu("12 2B 00 01 00")

    private func makeReady() {
        far.bearer.openClient()
        play(discovery + [(subscribe, pdu("13"))])
        // Without Service Changed, to have it quiet.
        play([(findGenericAttribute, pdu("01 06 01 00 0A"))])
        #expect(far.takeEvents() == [.mtu(185), .ready])
    }

    // MARK: The way to the subscription

    @Test("MTU, service, characteristic, descriptor, one subscription, ready")
    func ready() {
        #expect(far.sent().isEmpty)
        far.bearer.openClient()
        #expect(far.outputs == 0, "the delegate is not called from within")
        far.timers.advance(by: 0)
        #expect(far.outputs == 1)
        play(discovery)
        #expect(far.takeEvents() == [.mtu(185)] && !far.bearer.isClientReady)
        #expect(far.bearer.write(of: [1]) == nil)
        play([(subscribe, pdu("13"))])
        #expect(far.takeEvents() == [.ready] && far.bearer.isClientReady)
        #expect(far.bearer.write(of: [1, 2]) == pdu("52 2A 00 01 02"))
        far.bearer.openClient()
        #expect(!far.sent().contains(subscribe), "it is written once")
    }

    @Test("one request is under way at a time")
    func oneAtATime() {
        far.bearer.openClient()
        #expect(far.bearer.nextPDU() == exchangeMTU)
        #expect(far.bearer.nextPDU() == nil)
        far.bearer.receive(pdu("03 05 02")[...])
        #expect(far.bearer.nextPDU() == findService)
        #expect(far.bearer.nextPDU() == nil)
    }

    @Test("a peer that knows no MTU exchange is asked on with what there is")
    func noMTUExchange() {
        far.bearer.openClient()
        play([(exchangeMTU, pdu("01 02 00 00 06"))])
        #expect(far.sent() == [findService] && far.bearer.mtu == 23 && far.takeEvents().isEmpty)
    }

    @Test(
        "an answer to the MTU is clamped; a senseless one is none",
        arguments: [
            ("03 00 00", 23), ("03 16 00", 23), ("03 17 00", 23), ("03 64 00", 100), ("03 B9 00", 185),
            ("03 05 02", 517), ("03 06 02", 517), ("03 FF FF", 517), ("03", 23), ("03 05", 23), ("03 05 02 00", 23),
        ])
    func mtuAnswers(answer: String, mtu: Int) {
        far.bearer.openClient()
        play([(exchangeMTU, pdu(answer))])
        #expect(far.bearer.mtu == mtu && far.takeEvents() == (mtu == 23 ? [] : [.mtu(mtu)]))
        #expect(far.sent() == [findService])
    }

    @Test("without the service there is no link, and nothing more is asked")
    func noService() {
        far.bearer.openClient()
        play([(exchangeMTU, pdu("03 05 02")), (findService, pdu("01 06 01 00 0A"))])
        #expect(far.takeEvents() == [.mtu(517), .failed(.noService)])
        far.timers.advance(by: .seconds(60))
        #expect(far.sent().isEmpty && far.takeEvents().isEmpty)
    }

    @Test(
        "a search that fails is made once more after half a second",
        arguments: ["01 06 01 00 0E", "01 06 01 00 80", "07", "07 28 00 27 00", "07 28 00 2B"])
    func searchAgain(failure: String) {
        far.bearer.openClient()
        play([(exchangeMTU, pdu("03 17 00")), (findService, pdu(failure))])
        far.timers.advance(by: 499)
        #expect(far.sent().isEmpty && far.takeEvents().isEmpty)
        let outputs = far.outputs
        far.timers.advance(by: 1)
        #expect(far.outputs == outputs + 1)
        play([(findService, pdu("07 28 00 2B 00"))])
        #expect(far.sent() == [pdu("08 28 00 2B 00 03 28")])
    }

    @Test("a search that fails twice has failed")
    func searchFailsTwice() {
        far.bearer.openClient()
        play([(exchangeMTU, pdu("03 17 00")), (findService, pdu("01 06 01 00 0E"))])
        far.timers.advance(by: 500)
        play([(findService, pdu("01 06 01 00 11"))])
        #expect(far.takeEvents() == [.failed(.refused(request: 0x06, .insufficientResources))])
        far.timers.advance(by: .seconds(60))
        #expect(far.sent().isEmpty && far.takeEvents().isEmpty)
    }

    // MARK: Characteristic

    /// Up to the search for the characteristic, in a service of 0x28...0x40.
    private func findCharacteristic() {
        far.bearer.openClient()
        play([(exchangeMTU, pdu("03 05 02")), (findService, pdu("07 28 00 40 00 50 00 60 00"))])
        #expect(far.takeEvents() == [.mtu(517)])
    }

    @Test("other characteristics are passed over, and the next one ends ours")
    func amongOthers() {
        findCharacteristic()
        let other = AttributeUUID(rawValue: 7).bytes
        play([
            (pdu("08 28 00 40 00 03 28"), pdu("09 07 29 00 02 2A 00 00 2A")),
            (
                pdu("08 2A 00 40 00 03 28"),
                pdu("09 15 2C 00 1E 2D 00") + other + pdu("30 00 1E 31 00") + mesh + pdu("34 00 1E 35 00") + other
            ),
            (pdu("04 32 00 33 00"), pdu("05 01 32 00 01 29")),
            (pdu("04 33 00 33 00"), pdu("05 01 33 00 02 29")),
        ])
        #expect(far.sent() == [pdu("12 33 00 01 00")])
    }

    @Test("one that cannot be written to or does not notify is passed over", arguments: ["0E", "12", "2C", "00"])
    func withoutProperties(properties: String) {
        findCharacteristic()
        play([
            (pdu("08 28 00 40 00 03 28"), pdu("09 15 29 00 \(properties) 2A 00") + mesh),
            (pdu("08 2A 00 40 00 03 28"), pdu("01 08 2A 00 0A")),
        ])
        #expect(far.takeEvents() == [.failed(.noCharacteristic)] && far.sent().isEmpty)
    }

    @Test("the search ends with the service")
    func endOfService() {
        findCharacteristic()
        play([(pdu("08 28 00 40 00 03 28"), pdu("09 07 40 00 1E 40 00 00 2A"))])
        #expect(far.takeEvents() == [.failed(.noCharacteristic)] && far.sent().isEmpty)
    }

    @Test(
        "a value in front of its declaration, or with no room for a descriptor, is of no use",
        arguments: ["29", "28", "40", "41"])
    func valueOutOfPlace(handle: String) {
        findCharacteristic()
        play([(pdu("08 28 00 40 00 03 28"), pdu("09 15 29 00 1E \(handle) 00") + mesh)])
        #expect(far.takeEvents() == [.failed(.noCharacteristic)] && far.sent().isEmpty)
    }

    @Test(
        "answers that run backwards, repeat or leave the service are the end of it",
        arguments: [
            "09 07 27 00 02 2A 00 00 2A", "09 07 41 00 02 42 00 00 2A",
            "09 07 2B 00 02 2C 00 00 2A 29 00 02 2A 00 00 2A", "09 07 29 00 02 2A 00", "09", "09 00", "09 02 29 00",
        ])
    func badCharacteristics(answer: String) {
        findCharacteristic()
        play([(pdu("08 28 00 40 00 03 28"), pdu(answer))])
        #expect(far.takeEvents() == [.failed(.refused(request: 0x08, .invalidPDU))] && far.sent().isEmpty)
    }

    @Test("the same answer again does not make it search for ever")
    func repeated() {
        findCharacteristic()
        play([
            (pdu("08 28 00 40 00 03 28"), pdu("09 07 29 00 02 2A 00 00 2A")),
            (pdu("08 2A 00 40 00 03 28"), pdu("09 07 29 00 02 2A 00 00 2A")),
        ])
        #expect(far.takeEvents() == [.failed(.refused(request: 0x08, .invalidPDU))] && far.sent().isEmpty)
    }

    @Test("an endless database is given up after so many requests")
    func endless() {
        far.bearer.openClient()
        play([(exchangeMTU, pdu("03 05 02")), (findService, pdu("07 01 00 FF FF"))])
        var requests = 0
        while let request = far.bearer.nextPDU(), requests < 70_000 {
            requests += 1
            far.bearer.receive([0x09, 0x07, request[1], request[2], 0x02, 0x00, 0x00, 0x00, 0x2A])
        }
        #expect(requests < BluetoothPolicy.discoveryRequests)
        #expect(far.takeEvents() == [.mtu(517), .failed(.noCharacteristic)])
    }

    // MARK: Descriptor

    /// Up to the search for the descriptor, with 0x2B...0x40 to look at.
    private func findDescriptor() {
        findCharacteristic()
        play([(pdu("08 28 00 40 00 03 28"), pdu("09 15 29 00 1E 2A 00") + mesh)])
    }

    @Test("the next declaration ends the search", arguments: ["00 28", "01 28", "02 28", "03 28"])
    func nextDeclaration(type: String) {
        findDescriptor()
        play([(pdu("04 2B 00 40 00"), pdu("05 01 2B 00 01 29 2C 00 \(type) 2D 00 02 29"))])
        #expect(far.takeEvents() == [.failed(.noCharacteristic)] && far.sent().isEmpty)
    }

    @Test("descriptors with long UUIDs are passed over")
    func longDescriptor() {
        findDescriptor()
        play([
            (pdu("04 2B 00 40 00"), pdu("05 02 2B 00") + AttributeUUID(rawValue: 9).bytes),
            (pdu("04 2C 00 40 00"), pdu("05 01 2C 00 02 29")),
        ])
        #expect(far.sent() == [pdu("12 2C 00 01 00")])
    }

    @Test("without a descriptor there is no link", arguments: ["01 04 2B 00 0A", "05 01 40 00 01 29"])
    func noDescriptor(answer: String) {
        findDescriptor()
        play([(pdu("04 2B 00 40 00"), pdu(answer))])
        #expect(far.takeEvents() == [.failed(.noCharacteristic)] && far.sent().isEmpty)
    }

    @Test(
        "a malformed list of descriptors is the end of it",
        arguments: ["05", "05 01", "05 01 2A 00 02 29", "05 03 2B 00"])
    func badDescriptors(answer: String) {
        findDescriptor()
        play([(pdu("04 2B 00 40 00"), pdu(answer))])
        #expect(far.takeEvents() == [.failed(.refused(request: 0x04, .invalidPDU))] && far.sent().isEmpty)
    }

    @Test("a refusal is the end of it, at every step", arguments: [(0x08, 0), (0x04, 1), (0x12, 2)] as [(UInt8, Int)])
    func refused(request: UInt8, steps: Int) {
        far.bearer.openClient()
        play(Array(discovery.prefix(2 + steps)))
        _ = far.sent()
        far.bearer.receive([0x01, request, 0x2B, 0x00, 0x05])
        let expected = BearerEvent.failed(.refused(request: request, .insufficientAuthentication))
        #expect(far.takeEvents() == [.mtu(185), expected] && far.sent().isEmpty && !far.bearer.isClientReady)
    }

    // MARK: Responses that are none

    @Test("responses to something else are ignored, and the answer is still taken")
    func otherResponses() {
        far.bearer.openClient()
        #expect(far.sent() == [exchangeMTU])
        for other in ["01", "01 02", "01 06 01 00 0A", "05 01 2B 00 02 29", "07 01 00 02 00", "13", "19", "21 00"] {
            far.bearer.receive(pdu(other)[...])
        }
        #expect(far.sent().isEmpty && far.takeEvents().isEmpty)
        far.bearer.receive(pdu("03 05 02")[...])
        #expect(far.sent() == [findService] && far.takeEvents() == [.mtu(517)])
    }

    @Test("responses to nothing are ignored")
    func unasked() {
        makeReady()
        for other in ["03 05 02", "13", "01 12 2B 00 05", "07 01 00 02 00", "05 01 01 00 00 28"] {
            #expect(far.exchange(pdu(other)).isEmpty)
        }
        #expect(far.takeEvents().isEmpty && far.bearer.isClientReady)
    }

    @Test("an answer before the request was sent is none")
    func tooEarly() {
        far.bearer.openClient()
        far.bearer.receive(pdu("03 05 02")[...])
        #expect(far.takeEvents().isEmpty && far.sent() == [exchangeMTU])
    }
}
