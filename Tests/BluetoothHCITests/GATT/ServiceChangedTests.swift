import Testing

@testable import BluetoothHCI

/// What our client does when a peer's database changes under it.
@Suite("Service Changed")
struct ServiceChangedTests {
    private let far = BearerHarness()
    private let findService = pdu("06 01 00 FF FF 00 28") + BluetoothService.production.uuid.bytes
    private let answers = BearerHarness.setUp
    private let serviceChangedAnswers = BearerHarness.serviceChangedSetUp

    private func makeReady() {
        far.bearer.openClient()
        far.timers.advance(by: 0)
        far.play(answers + serviceChangedAnswers)
        #expect(far.takeEvents() == [.mtu(517), .ready] && far.sent().isEmpty)
    }

    @Test("we subscribe to Service Changed once the link works")
    func subscribesToServiceChanged() {
        far.bearer.openClient()
        far.play(answers)
        let requests = far.play(serviceChangedAnswers)
        #expect(requests == [pdu("06 01 00 FF FF 00 28 01 18"), pdu("04 08 00 0B 00"), pdu("12 0B 00 02 00")])
        #expect(far.sent().isEmpty && far.bearer.isClientReady)
    }

    @Test(
        "a peer without it, or that makes a mess of it, is left alone",
        arguments: [
            ["01 06 01 00 0A"], ["07"], ["07 08 00 0B 00", "01 04 08 00 0A"], ["07 08 00 0B 00", "05 01 07 00 05 2A"],
            ["07 08 00 0B 00", "05 01 08 00 05 2A 09 00 03 28 0A 00 02 29"], ["07 08 00 0B 00", "05 01 0A 00 02 29"],
            ["07 08 00 0B 00", "05 01 08 00 01 28 0B 00 05 2A"],
            ["07 08 00 0A 00", "05 01 09 00 05 2A 0A 00 02 29", "01 12 0A 00 05"],
        ])
    func withoutServiceChanged(script: [String]) {
        far.bearer.openClient()
        far.play(answers + script.map { pdu($0) })
        if script == ["07 08 00 0B 00", "05 01 0A 00 02 29"] { far.play([pdu("01 04 0B 00 0A")]) }
        #expect(far.sent().isEmpty && far.takeEvents() == [.mtu(517), .ready] && far.bearer.isClientReady)
    }

    @Test("an endless attribute service is given up as well")
    func endlessAttributeService() {
        far.bearer.openClient()
        far.play(answers + [pdu("07 01 00 FF FF")])
        var requests = 0
        while let request = far.bearer.nextPDU(), requests < 70_000 {
            requests += 1
            far.bearer.receive([0x05, 0x01, request[1], request[2], 0x01, 0x29])
        }
        #expect(requests < BluetoothPolicy.discoveryRequests && far.bearer.isClientReady)
    }

    @Test("a change is confirmed at once, and our service looked for anew")
    func serviceChanged() {
        makeReady()
        far.bearer.receive(pdu("1D 0A 00 01 00 FF FF")[...])
        #expect(far.takeEvents() == [.reset] && !far.bearer.isClientReady && far.bearer.write(of: [1]) == nil)
        #expect(far.sent() == [pdu("1E"), findService])
        far.exchange(pdu("1B 2A 00 01"))
        let requests = far.play([
            pdu("07 38 00 3B 00"), pdu("09 15 39 00 1E 3A 00") + AttributeUUID.mesh.bytes, pdu("05 01 3B 00 02 29"),
            pdu("13"),
        ])
        #expect(requests.last == pdu("12 3B 00 01 00"))
        #expect(far.takeEvents() == [.ready] && far.bearer.write(of: [1]) == pdu("52 3A 00 01"))
        #expect(far.exchange(pdu("1B 3A 00 02")).count == 1)
        #expect(far.takeEvents() == [.notified([2])])
    }

    @Test("a service that is gone is reported")
    func serviceGone() {
        makeReady()
        far.exchange(pdu("1D 0A 00 28 00 2B 00"))
        far.bearer.receive(pdu("01 06 01 00 0A")[...])
        #expect(far.takeEvents() == [.reset, .failed(.noService)])
    }

    @Test(
        "a change elsewhere, a senseless one, and what is not Service Changed, are confirmed and no more",
        arguments: [
            "1D 0A 00 01 00 27 00", "1D 0A 00 2C 00 FF FF", "1D 0A 00 FF FF 01 00", "1D 0A 00 01 00 FF", "1D 0A 00",
            "1D 0A 00 01 00 FF FF 00", "1D 0E 00 01 00 FF FF",
        ])
    func changesElsewhere(indication: String) {
        makeReady()
        #expect(far.exchange(pdu(indication)) == [pdu("1E")])
        #expect(far.takeEvents().isEmpty && far.bearer.isClientReady)
    }

    @Test("a change while we still look begins the search again, and the late answer is not taken for the new one")
    func changeWhileLooking() {
        far.bearer.openClient()
        far.play(Array(answers.prefix(2)))
        #expect(far.sent().map { $0[0] } == [0x08])
        #expect(far.exchange(pdu("1D 10 00 01 00 FF FF")) == [pdu("1E")], "one request at a time")
        #expect(far.takeEvents() == [.mtu(517), .reset])
        far.bearer.receive(answers[2][...])
        #expect(far.sent() == [findService])
    }

    @Test("a change while the next search waits takes its place")
    func changeWhileWaiting() {
        far.bearer.openClient()
        far.play([answers[0], pdu("01 06 01 00 0E")])
        #expect(far.exchange(pdu("1D 10 00 01 00 FF FF")) == [pdu("1E"), findService])
        far.timers.advance(by: .seconds(1))
        #expect(far.sent().isEmpty)
    }
}
