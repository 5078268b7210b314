import Domain

@testable import BluetoothHCI

/// Time that the test moves on.
final class SteppedTimers: RadioTimers {
    private(set) var now = Uptime(milliseconds: 1_000_000)
    private var actions: [RadioTimer: (due: Uptime, action: () -> Void)] = [:]
    private var next: UInt64 = 0

    /// How many have yet to fire.
    var count: Int { actions.count }

    @discardableResult
    func after(_ delay: Milliseconds, _ action: @escaping () -> Void) -> RadioTimer {
        next += 1
        let timer = RadioTimer(number: next)
        actions[timer] = (now + delay, action)
        return timer
    }

    func cancel(_ timer: RadioTimer?) {
        if let timer { actions[timer] = nil }
    }

    /// Moves the time on, and fires what becomes due, in its order.
    func advance(by span: Milliseconds) {
        let end = now + span
        while let due = actions.min(by: { ($0.value.due, $0.key.number) < ($1.value.due, $1.key.number) }),
            due.value.due <= end
        {
            actions[due.key] = nil
            now = max(now, due.value.due)
            due.value.action()
        }
        now = end
    }
}

/// What a bearer reported.
enum BearerEvent: Hashable {
    case mtu(Int)
    case subscription(Bool)
    case written([UInt8])
    case notified([UInt8])
    case ready
    case reset
    case failed(GATTFailure)
}

/// A bearer, what it reports, and what the far end does.
final class BearerHarness: GATTBearerDelegate {
    let timers: SteppedTimers
    let bearer: GATTBearer
    private(set) var events: [BearerEvent] = []
    private(set) var outputs = 0
    /// Called with each event as it is reported.
    var whenReported: ((BearerEvent?) -> Void)?

    init(service: BluetoothService = .production, timers: SteppedTimers = SteppedTimers()) {
        self.timers = timers
        bearer = GATTBearer(service: service, timers: timers)
        bearer.delegate = self
    }

    /// Sends a PDU and takes all that is answered at once.
    @discardableResult
    func exchange(_ request: [UInt8]) -> [[UInt8]] {
        // Behind another byte, so that whatever counts from zero instead of from its slice's start is caught.
        bearer.receive(([0xEE] + request).dropFirst())
        return sent()
    }

    /// Sends a PDU that has exactly one answer.
    func answer(_ request: [UInt8]) -> [UInt8]? {
        let answers = exchange(request)
        return answers.count == 1 ? answers[0] : nil
    }

    /// The same, with the PDU as text.
    func answer(_ request: String) -> [UInt8]? { answer(pdu(request)) }

    /// All that the bearer has to send now.
    func sent() -> [[UInt8]] {
        var pdus: [[UInt8]] = []
        while let pdu = bearer.nextPDU() { pdus.append(pdu) }
        return pdus
    }

    /// The events since the last call.
    func takeEvents() -> [BearerEvent] {
        defer { events = [] }
        return events
    }

    private func record(_ event: BearerEvent) {
        events.append(event)
        whenReported?(event)
    }

    func bearerHasOutput() {
        outputs += 1
        whenReported?(nil)
    }
    func mtuChanged(to mtu: Int) { record(.mtu(mtu)) }
    func subscriptionChanged(to isOn: Bool) { record(.subscription(isOn)) }
    func written(_ value: ArraySlice<UInt8>) { record(.written(Array(value))) }
    func notified(_ value: ArraySlice<UInt8>) { record(.notified(Array(value))) }
    func clientReady() { record(.ready) }
    func clientReset() { record(.reset) }
    func clientFailed(_ failure: GATTFailure) { record(.failed(failure)) }
}

extension BearerHarness {
    /// What a peer answers to our set-up: its service at 0x28...0x2B.
    static let setUp: [[UInt8]] = [
        pdu("03 05 02"), pdu("07 28 00 2B 00"), pdu("09 15 29 00 1E 2A 00") + AttributeUUID.mesh.bytes,
        pdu("05 01 2B 00 02 29"), pdu("13"),
    ]
    /// And after that: Service Changed at 0x0A, its configuration at 0x0B.
    static let serviceChangedSetUp: [[UInt8]] = [
        pdu("07 08 00 0B 00"), pdu("05 01 08 00 01 28 09 00 03 28 0A 00 05 2A 0B 00 02 29"), pdu("13"),
    ]

    /// Gives an answer to each request, and returns the requests.
    @discardableResult
    func play(_ answers: [[UInt8]]) -> [[UInt8]] {
        var requests: [[UInt8]] = []
        for answer in answers {
            requests += sent()
            bearer.receive(answer[...])
        }
        return requests
    }
}
