import Domain
import Testing

@testable import BluetoothHCI

/// What server and client share: time, MTU, values, indications, the end.
@Suite("GATT bearer")
struct GATTBearerTests {
    private let far = BearerHarness()
    private let findService = pdu("06 01 00 FF FF 00 28") + BluetoothService.production.uuid.bytes

    private let answers = BearerHarness.setUp
    private let serviceChangedAnswers = BearerHarness.serviceChangedSetUp

    @discardableResult
    private func play(_ answers: [[UInt8]]) -> [[UInt8]] { far.play(answers) }

    private func makeReady() {
        far.bearer.openClient()
        far.timers.advance(by: 0)
        play(answers + serviceChangedAnswers)
        #expect(far.takeEvents() == [.mtu(517), .ready] && far.sent().isEmpty)
    }

    // MARK: Time

    @Test("a request that stays unanswered for 30 s is the end of the bearer", arguments: [0, 1, 2, 3, 4])
    func timeout(step: Int) throws {
        far.bearer.openClient()
        play(Array(answers.prefix(step)))
        far.timers.advance(by: .seconds(60))
        let request = try #require(far.bearer.nextPDU(), "time runs from when the request is fetched")
        _ = far.takeEvents()
        far.timers.advance(by: 29_999)
        #expect(far.takeEvents().isEmpty)
        far.timers.advance(by: 1)
        #expect(far.takeEvents() == [.failed(.timedOut(request: request[0]))])
        #expect(far.timers.count == 0)
    }

    @Test("after that nothing is sent or taken any more")
    func dead() {
        makeReady()
        far.exchange(pdu("12 0D 00 01 00"))
        far.bearer.receive(pdu("1D 0A 00 01 00 FF FF")[...])
        #expect(far.sent() == [pdu("1E"), findService])
        far.exchange(pdu("52 0C 00 01"))
        far.timers.advance(by: .seconds(30))
        #expect(
            far.takeEvents() == [
                .subscription(true), .reset, .written([1]), .failed(.timedOut(request: 0x06)),
            ])
        #expect(far.bearer.notification(of: [1]) == nil && far.bearer.write(of: [1]) == nil)
        #expect(far.exchange(pdu("0A 03 00")).isEmpty && far.exchange(pdu("02 05 02")).isEmpty)
        far.exchange(pdu("52 0C 00 01"))
        far.bearer.openClient()
        far.timers.advance(by: .seconds(60))
        #expect(far.sent().isEmpty && far.takeEvents().isEmpty && !far.bearer.isSubscribed)
    }

    @Test("an answer in time stops the clock")
    func inTime() {
        far.bearer.openClient()
        for answer in answers + serviceChangedAnswers {
            _ = far.sent()
            far.timers.advance(by: .seconds(29))
            far.bearer.receive(answer[...])
        }
        far.timers.advance(by: .seconds(600))
        #expect(far.takeEvents() == [.mtu(517), .ready] && far.timers.count == 0)
    }

    // MARK: MTU

    @Test(
        "the MTU that a peer asks with is answered with 517, and clamped",
        arguments: [
            (0, 23), (1, 23), (22, 23), (23, 23), (24, 24), (100, 100), (185, 185), (247, 247), (517, 517), (518, 517),
            (65535, 517),
        ] as [(UInt16, Int)])
    func asked(asked: UInt16, mtu: Int) {
        #expect(far.answer([0x02, UInt8(asked & 0xFF), UInt8(asked >> 8)]) == pdu("03 05 02"))
        #expect(far.bearer.mtu == mtu && far.takeEvents() == (mtu == 23 ? [] : [.mtu(mtu)]))
        #expect(far.bearer.valueLimit == min(mtu - 3, 512))
    }

    @Test("values are bounded by what was agreed last, whoever asked")
    func latest() {
        makeReady()
        far.exchange(pdu("12 0D 00 01 00"))
        let value = [UInt8](repeating: 7, count: 182)
        #expect(far.bearer.notification(of: value + value) != nil)
        far.exchange(pdu("02 B9 00"))
        #expect(far.bearer.notification(of: value)?.count == 185 && far.bearer.notification(of: value + [7]) == nil)
        #expect(far.bearer.write(of: value)?.count == 185 && far.bearer.write(of: value + [7]) == nil)
        far.exchange(pdu("02 05 02"))
        #expect(far.bearer.write(of: value + [7]) != nil)
        #expect(far.takeEvents() == [.subscription(true), .mtu(185), .mtu(517)])
    }

    @Test("no value is longer than 512, however much the MTU would let through")
    func longestValue() {
        makeReady()
        far.exchange(pdu("12 0D 00 01 00"))
        let value = [UInt8](repeating: 7, count: 512)
        #expect(far.bearer.notification(of: value)?.count == 515 && far.bearer.notification(of: value + [7]) == nil)
        #expect(far.bearer.write(of: value)?.count == 515 && far.bearer.write(of: value + [7]) == nil)
    }

    @Test("while our MTU request is under way answers keep to the default, and notifications wait")
    func crossing() {
        far.exchange(pdu("02 05 02"))
        far.exchange(pdu("12 0D 00 01 00"))
        far.bearer.openClient()
        #expect(far.bearer.notification(of: [1]) != nil)
        #expect(far.sent() == [pdu("02 05 02")])
        #expect(far.bearer.notification(of: [1]) == nil)
        #expect(far.answer("04 01 00 FF FF")?.count == 22)
        far.bearer.receive(pdu("03 05 02")[...])
        #expect(far.bearer.notification(of: [1]) == pdu("1B 0C 00 01"))
        #expect(far.exchange(pdu("04 01 00 FF FF")).first?.count == 46)
    }

    // MARK: Values

    @Test("a notification needs a subscription, a write a client that is ready")
    func nobodyListens() {
        #expect(far.bearer.notification(of: [1]) == nil && far.bearer.write(of: [1]) == nil)
        far.exchange(pdu("12 0D 00 01 00"))
        #expect(far.bearer.notification(of: [1]) == pdu("1B 0C 00 01") && far.bearer.write(of: [1]) == nil)
        far.exchange(pdu("12 0D 00 00 00"))
        #expect(far.bearer.notification(of: [1]) == nil)
    }

    @Test("notifications of the peer's value come up, others do not")
    func notifications() {
        makeReady()
        far.exchange(pdu("1B 2A 00 01 02"))
        for other in ["1B 2B 00 01", "1B 0C 00 01", "1B 00 00 01", "1B", "1B 2A", "1B 2A 00", "23 2A 00 01 00 01"] {
            #expect(far.exchange(pdu(other)).isEmpty)
        }
        far.exchange(pdu("1B 2A 00") + [UInt8](repeating: 1, count: 514))
        far.exchange(pdu("1B 2A 00") + [UInt8](repeating: 1, count: 515))
        #expect(far.takeEvents() == [.notified([1, 2]), .notified([UInt8](repeating: 1, count: 514))])
    }

    @Test("a frame that comes before the subscription is confirmed is passed on")
    func earlyNotification() {
        far.bearer.openClient()
        far.exchange(pdu("1B 2A 00 01"))
        play(Array(answers.prefix(4)))
        #expect(far.sent() == [pdu("12 2B 00 01 00")])
        far.exchange(pdu("1B 2A 00 02"))
        far.bearer.receive(pdu("13")[...])
        #expect(far.takeEvents() == [.mtu(517), .notified([2]), .ready])
    }

    @Test("indications are always confirmed, those of the value taken as notifications")
    func indications() {
        #expect(far.exchange(pdu("1D 2A 00 01")) == [pdu("1E")])
        #expect(far.exchange(pdu("1D")) == [pdu("1E")])
        makeReady()
        #expect(far.exchange(pdu("1D 2A 00 01")) == [pdu("1E")])
        #expect(far.exchange(pdu("1D 33 00 01")) == [pdu("1E")])
        #expect(far.takeEvents() == [.notified([1])])
    }

    // MARK: The end

    @Test("a client that closes takes its subscription back, and hears nothing more")
    func closeClient() {
        makeReady()
        let outputs = far.outputs
        far.bearer.closeClient()
        #expect(far.outputs == outputs && !far.bearer.isClientReady)
        far.timers.advance(by: 0)
        #expect(far.outputs == outputs + 1)
        #expect(far.sent() == [pdu("12 2B 00 00 00")])
        far.exchange(pdu("1B 2A 00 01"))
        #expect(far.exchange(pdu("1D 0A 00 01 00 FF FF")) == [pdu("1E")])
        #expect(far.exchange(pdu("13")).isEmpty && far.takeEvents().isEmpty)
        #expect(far.answer("0A 03 00") == pdu("0B"), "the server serves on")
    }

    @Test("closed in the midst of the set-up, it takes back what it may have written", arguments: [0, 1, 2, 3, 4])
    func closeWhileOpening(step: Int) {
        far.bearer.openClient()
        play(Array(answers.prefix(step)))
        #expect(far.sent().count == 1)
        _ = far.takeEvents()
        far.bearer.closeClient()
        far.timers.advance(by: 0)
        #expect(far.sent().isEmpty, "one request at a time")
        far.bearer.receive(answers[step][...])
        #expect(far.sent() == (step == 4 ? [pdu("12 2B 00 00 00")] : []))
        #expect(far.takeEvents() == (step == 0 ? [.mtu(517)] : []), "what the peer goes by holds for the server, too")
    }

    @Test("closed while it waits to search again, it does not")
    func closeWhileWaiting() {
        far.bearer.openClient()
        play([answers[0], pdu("01 06 01 00 0E")])
        far.bearer.closeClient()
        far.timers.advance(by: .seconds(60))
        #expect(far.sent().isEmpty && far.timers.count == 0)
    }

    @Test("opened again, it does not exchange the MTU again")
    func reopen() {
        makeReady()
        far.bearer.closeClient()
        _ = far.sent()
        far.bearer.openClient()
        #expect(far.sent().isEmpty)
        far.bearer.receive(pdu("13")[...])
        #expect(far.sent() == [findService])
        play(Array(answers.dropFirst()))
        #expect(far.takeEvents() == [.ready])
    }

    @Test("a peer that does not answer the last request is dead for the server as well, and that is told")
    func closedAndUnanswered() {
        makeReady()
        far.bearer.closeClient()
        _ = far.sent()
        far.timers.advance(by: .seconds(30))
        #expect(far.takeEvents() == [.failed(.timedOut(request: 0x12))])
    }

    @Test("a closed bearer is silent")
    func close() {
        makeReady()
        far.exchange(pdu("12 0D 00 01 00"))
        far.bearer.receive(pdu("0A 03 00")[...])
        far.bearer.receive(pdu("1D 0A 00 01 00 FF FF")[...])
        _ = far.takeEvents()
        far.bearer.close()
        far.bearer.close()
        far.bearer.openClient()
        far.bearer.closeClient()
        #expect(far.exchange(pdu("0A 03 00")).isEmpty && far.exchange(pdu("52 0C 00 01")).isEmpty)
        far.timers.advance(by: .seconds(60))
        #expect(far.sent().isEmpty && far.takeEvents().isEmpty && far.timers.count == 0)
        #expect(far.bearer.notification(of: [1]) == nil && far.bearer.write(of: [1]) == nil)
    }

    // MARK: The delegate

    @Test("the delegate may fetch what there is to send while it is told")
    func fetchWithin() {
        var fetched: [[UInt8]] = []
        far.whenReported = { [unowned far] _ in fetched += far.sent() }
        far.bearer.receive(pdu("12 0C 00 01")[...])
        far.bearer.openClient()
        far.timers.advance(by: 0)
        for answer in answers + serviceChangedAnswers { far.bearer.receive(answer[...]) }
        #expect(fetched.first == pdu("13") && fetched.count == 9 && far.bearer.isClientReady)
    }

    @Test("the delegate may close the bearer at any report, and hears nothing more", arguments: 0..<5)
    func closeWithin(report: Int) {
        var reports = 0
        far.whenReported = { [unowned far] _ in
            if reports == report { far.bearer.close() }
            reports += 1
        }
        far.bearer.openClient()
        for pdu in [pdu("02 64 00"), pdu("12 0D 00 01 00"), pdu("12 0C 00 05")] { far.bearer.receive(pdu[...]) }
        far.timers.advance(by: .seconds(60))
        #expect(reports == report + 1 && far.sent().isEmpty && far.timers.count == 0)
    }

    @Test("the delegate may close the client in the midst of a report, and is told no more of it")
    func closeClientWithin() {
        far.whenReported = { [unowned far] event in
            if event == .ready { far.bearer.closeClient() }
        }
        far.bearer.openClient()
        play(answers)
        #expect(far.sent() == [pdu("12 2B 00 00 00")])
        far.exchange(pdu("1B 2A 00 01"))
        #expect(far.takeEvents() == [.mtu(517), .ready])
    }

    // MARK: Floods

    @Test("who asks without reading the answers is not served further, and the rest works on")
    func flood() {
        for _ in 0..<1000 {
            far.bearer.receive(pdu("12 0C 00 01")[...])
            far.bearer.receive(pdu("1D 33 00 01")[...])
        }
        #expect(far.bearer.dropped == 2000 - BluetoothPolicy.answersPerChannel)
        #expect(far.takeEvents().count == BluetoothPolicy.answersPerChannel / 2, "what is not answered is not done")
        far.bearer.receive(pdu("52 0C 00 02")[...])
        #expect(far.takeEvents() == [.written([2])])
        #expect(far.sent().count == BluetoothPolicy.answersPerChannel)
        #expect(far.answer("0A 03 00") == pdu("0B"))
    }
}
