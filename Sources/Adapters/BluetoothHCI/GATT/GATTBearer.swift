import Domain

/// Both ends of the attribute protocol on one connection: our server, and our client if it is opened. Confined to the
/// radio's queue.
///
/// Attribute PDUs go in by ``receive(_:)`` and come out by ``nextPDU()``; notifications and writes without response are
/// made by ``notification(of:)`` and ``write(of:)`` and sent by whoever keeps the queue of the link. What `nextPDU` has
/// goes before them, so that answers keep to the time limits of phones.
///
/// The delegate is called from within `receive` and from timers only, and may call anything of the bearer meanwhile,
/// ``close()`` too.
///
/// Source: Core Specification, Vol 3, Part F; spec: ble-gatt §2, §6–§9.
final class GATTBearer {
    private enum Event {
        case output
        case mtu(Int)
        case subscription(Bool)
        case written(ArraySlice<UInt8>)
        case notified(ArraySlice<UInt8>)
        case ready
        case reset
        case failed(GATTFailure)
    }

    private enum State {
        case open
        /// A request of ours was not answered in time: nothing may be sent any more.
        case dead
        case closed
    }

    weak var delegate: (any GATTBearerDelegate)?
    /// The ATT MTU of both directions, in bytes, 23...517: what was agreed last.
    private(set) var mtu = BluetoothPolicy.defaultMTU
    /// Requests and indications that were thrown away, since their answers would have been too many.
    private(set) var dropped = 0

    private let timers: any RadioTimers
    private var server: AttributeServer
    private var client: AttributeClient
    private var state = State.open
    private var answers: [[UInt8]] = []
    private var events: [Event] = []
    private var isReporting = false
    private var transaction: RadioTimer?
    private var retry: RadioTimer?

    /// - Parameter service: The mesh that is served, and looked for.
    init(service: BluetoothService, timers: any RadioTimers) {
        self.timers = timers
        server = AttributeServer(service: service)
        client = AttributeClient(service: service)
    }

    /// Whether the far end wants our notifications.
    var isSubscribed: Bool { state == .open && server.isSubscribed }

    /// Whether we are subscribed to the far end.
    var isClientReady: Bool { state == .open && client.isReady }

    /// Whether our MTU request waits for its answer: notifications are held until then.
    var isExchangingMTU: Bool { client.isExchangingMTU }

    /// The longest value that may be sent, in bytes: min(MTU − 3, 512) (spec: ble-gatt §7).
    var valueLimit: Int { min(mtu - AttributeValuePDU.headerLength, BluetoothPolicy.maximumValue) }

    // MARK: Sending

    /// The next PDU to send: answers first, then a request of ours; `nil` when there is none. A request of ours counts as
    /// sent when it is fetched.
    func nextPDU() -> [UInt8]? {
        guard state == .open else { return nil }
        guard answers.isEmpty else { return answers.removeFirst() }
        guard let request = client.nextRequest() else { return nil }
        transaction = timers.after(BluetoothPolicy.transactionTimeout) { [weak self] in self?.timeOut() }
        return request.encoded
    }

    /// The PDU that notifies the far end of a value.
    ///
    /// `nil` when it is not subscribed, or the value is longer than ``valueLimit``; also while ``isExchangingMTU``, when
    /// neither side knows what the other can take (Core Specification, Vol 3, Part F, 3.4.2.2, rule 5).
    ///
    /// - Parameter room: Zeros in front, for headers that go before it.
    func notification(of value: [UInt8], behind room: Int = 0) -> [UInt8]? {
        guard isSubscribed, !isExchangingMTU, value.count <= valueLimit else { return nil }
        return AttributeValuePDU.encode(.handleValueNotification, AttributeDatabase.meshValue, value, behind: room)
    }

    /// The PDU that writes a value without response; `nil` when the client is not ready, or the value is longer than
    /// ``valueLimit``.
    ///
    /// - Parameter room: Zeros in front, for headers that go before it.
    func write(of value: [UInt8], behind room: Int = 0) -> [UInt8]? {
        guard isClientReady, let handle = client.valueHandle, value.count <= valueLimit else { return nil }
        return AttributeValuePDU.encode(.writeCommand, handle, value, behind: room)
    }

    // MARK: The client

    /// Sets our client side up: MTU, service, characteristic, descriptor, subscription. Reports `clientReady` or
    /// `clientFailed`; does nothing when it is under way or done.
    func openClient() {
        guard state == .open else { return }
        client.open()
        reportOutput()
    }

    /// Ends our client side: unsubscribes, and reports nothing of it any more, save that a request was not answered in
    /// time, which is the end of the bearer.
    func closeClient() {
        guard state == .open else { return }
        timers.cancel(retry)
        client.close()
        events.removeAll { event in
            switch event {
            case .notified, .ready, .reset: true
            case .failed(let failure): !failure.isFatal
            default: false
            }
        }
        reportOutput()
    }

    /// Ends it all; nothing is reported or sent any more. The far end's unfinished writes and its subscription are
    /// forgotten.
    func close() {
        state = .closed
        timers.cancel(transaction)
        timers.cancel(retry)
        answers = []
        events = []
    }

    /// Says that there is something to fetch, but not from within the call that made it.
    private func reportOutput() {
        guard client.hasRequest else { return }
        timers.after(0) { [weak self] in
            guard let self, hasOutput else { return }
            report([.output])
        }
    }

    private func timeOut() {
        guard state == .open, case .failed(let failure) = client.timeOut() else { return }
        state = .dead
        answers = []
        report([.failed(failure)])
    }

    private func searchAgain() {
        guard state == .open else { return }
        client.retry()
        report(hasOutput ? [.output] : [])
    }

    private var hasOutput: Bool { state == .open && (!answers.isEmpty || client.hasRequest) }

    // MARK: Receiving

    /// Takes an attribute PDU from the attribute channel.
    func receive(_ pdu: ArraySlice<UInt8>) {
        guard state == .open, let code = pdu.first else { return }
        var news: [Event] = []
        switch AttributeOpcode.kind(of: code) {
        case .request: hasRoom { serve(pdu, &news) }
        case .command: serve(pdu, &news)
        case .response: take(response: pdu, &news)
        case .notification: take(value: pdu, &news)
        case .indication:
            hasRoom {
                answers.append([AttributeOpcode.handleValueConfirmation.rawValue])
                take(value: pdu, &news)
            }
        // We indicate nothing: the database never changes while a node runs.
        case .confirmation: break
        }
        report(hasOutput ? news + [.output] : news)
    }

    /// Runs `action` if one more answer may wait. A far end has one request and one indication under way at a time; who
    /// sends on without fetching the answers is not served further.
    private func hasRoom(_ action: () -> Void) {
        if answers.count < BluetoothPolicy.answersPerChannel { action() } else { dropped += 1 }
    }

    private func serve(_ pdu: ArraySlice<UInt8>, _ news: inout [Event]) {
        let wasSubscribed = server.isSubscribed
        // While our own MTU request is under way, answers keep to the default (Part F, 3.4.2.2, rule 4).
        let outcome = server.receive(pdu, mtu: isExchangingMTU ? BluetoothPolicy.defaultMTU : mtu)
        if let answer = outcome.answer { answers.append(answer) }
        if let peerMTU = outcome.peerMTU { agree(on: peerMTU, &news) }
        if server.isSubscribed != wasSubscribed { news.append(.subscription(server.isSubscribed)) }
        if let value = outcome.value { news.append(.written(value)) }
    }

    private func take(response pdu: ArraySlice<UInt8>, _ news: inout [Event]) {
        let event = client.receive(pdu)
        if client.outstanding == nil {
            timers.cancel(transaction)
            transaction = nil
        }
        switch event {
        case .peerMTU(let peerMTU): agree(on: peerMTU, &news)
        case .ready: news.append(.ready)
        case .failed(let failure): news.append(.failed(failure))
        case .retryLater: retry = timers.after(BluetoothPolicy.discoveryRetry) { [weak self] in self?.searchAgain() }
        case nil: break
        }
    }

    private func take(value pdu: ArraySlice<UInt8>, _ news: inout [Event]) {
        var reader = ByteReader(pdu)
        guard let code = reader.take(UInt8.self), code != AttributeOpcode.multipleHandleValueNotification.rawValue,
            let handle = reader.takeLittleEndian(UInt16.self), reader.count <= BluetoothPolicy.inboundValue
        else { return }
        if handle == client.valueHandle {
            if !reader.isAtEnd { news.append(.notified(reader.rest)) }
        } else if code == AttributeOpcode.handleValueIndication.rawValue,
            client.serviceChanged(at: handle, reader.rest)
        {
            timers.cancel(retry)
            news.append(.reset)
        }
    }

    /// The smaller of what both can receive, and never less than every device can: a figure below that is an error, and
    /// means the default (Part F, 3.4.2.2). The exchange of either side counts for both directions, the latest one last.
    private func agree(on peerMTU: UInt16, _ news: inout [Event]) {
        let agreed = min(max(Int(peerMTU), BluetoothPolicy.defaultMTU), BluetoothPolicy.mtu)
        guard agreed != mtu else { return }
        mtu = agreed
        news.append(.mtu(agreed))
    }

    // MARK: Reporting

    /// Tells the delegate, in order, after everything in here is settled: it may call back.
    private func report(_ news: [Event]) {
        events += news
        guard !isReporting else { return }
        isReporting = true
        defer { isReporting = false }
        while !events.isEmpty { report(events.removeFirst()) }
    }

    private func report(_ event: Event) {
        switch event {
        case .output: delegate?.bearerHasOutput()
        case .mtu(let mtu): delegate?.mtuChanged(to: mtu)
        case .subscription(let isOn): delegate?.subscriptionChanged(to: isOn)
        case .written(let value): delegate?.written(value)
        case .notified(let value): delegate?.notified(value)
        case .ready: delegate?.clientReady()
        case .reset: delegate?.clientReset()
        case .failed(let failure): delegate?.clientFailed(failure)
        }
    }
}
