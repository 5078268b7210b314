import Application
import Dispatch
import Domain
import Glibc

/// One adapter at work: opened, kept open, and opened again for as long as the node runs; with everything that it carries.
///
/// What the radio should be doing is written down as a wish, what it does is asked of the controller, and the difference
/// is worked off step by step (``RadioArming``): so that whatever ended by itself is begun again. Confined to its queue.
final class Radio {
    /// How far the adapter is.
    enum Phase {
        /// Waits for the moment to try it again.
        case waiting
        /// Being opened, elsewhere.
        case opening
        /// Open; the controller is being reset.
        case starting(Open)
        /// At work.
        case ready(Open)
        /// Open; its controller failed and waits for the moment to be reset.
        case resting(any Transport)
        /// Never again.
        case stopped
    }

    /// An open adapter.
    struct Open {
        let transport: any Transport
        let controller: Controller
    }

    let settings: RadioSettings
    let timers: any RadioTimers
    private let queue: DispatchQueue
    private let openAdapter: () -> Void
    /// Ours for as long as the node runs: a phone that comes back finds the device that it knows (spec: ble-gatt §11).
    let ownAddress: DeviceAddress
    private(set) var phase = Phase.waiting
    private var recovery = AdapterRecovery()
    /// In order of age.
    var connections: [RadioConnection] = []
    /// Whom to connect to, and when to listen.
    var seeking: Seeking
    /// What the controller declined lately.
    var arming = RadioArming<DeviceAddress>()
    /// Runs ``arm()`` when a declined step may be tried again, or the scanner's turn changes.
    var armTimer: RadioTimer?
    private var maintenanceTimer: RadioTimer?
    private var status: AdapterStatus
    private var isPublishing = false
    /// What went wrong here, and in controllers and connections that are gone.
    private var pastFaults: [String: UInt64] = [:]
    /// What was reported since the adapter was last at work.
    private var reportedReasons: Set<String> = []
    private var hasReportedLoss = false
    /// When the last try to get the adapter to work began.
    private var triedAt = Uptime(milliseconds: 0)
    /// Whether the adapter said anything since it was opened.
    private var hasHeard = false
    /// Who waits for the radio to stop.
    private var afterStop: [() -> Void] = []

    /// Makes a radio that does nothing before ``start()``.
    ///
    /// - Parameter open: Opens the adapter elsewhere and hands the result to ``opened(_:)``.
    init(_ settings: RadioSettings, queue: DispatchQueue, open: @escaping () -> Void) {
        self.settings = settings
        self.queue = queue
        openAdapter = open
        timers = settings.timers(queue)
        ownAddress = DeviceAddress.staticRandom(from: settings.random())
        seeking = Seeking(service: settings.configuration.service, savesPower: settings.configuration.savesPower)
        status = AdapterStatus(address: settings.address, state: .opening)
    }

    /// The controller, while it is at work.
    var controller: Controller? {
        if case .ready(let open) = phase { open.controller } else { nil }
    }

    // MARK: Life

    /// Begins to open the adapter.
    func start() { tryAgain() }

    private func tryAgain() {
        triedAt = timers.now
        switch phase {
        case .waiting:
            phase = .opening
            openAdapter()
        case .resting(let transport): begin(on: transport)
        default: break
        }
    }

    /// The adapter was opened, or not.
    func opened(_ result: Result<OpenedAdapter, BluetoothError>) {
        guard case .opening = phase else {
            if case .success(let opened) = result { opened.close() }
            return
        }
        switch result {
        case .failure(let error): couldNotOpen(error)
        case .success(let opened): begin(opened)
        }
    }

    private func couldNotOpen(_ error: BluetoothError) {
        phase = .waiting
        let isMissing = if case .missing = error { true } else { false }
        report(isMissing ? .missing : .blocked, error.description, error.remedy)
        wait(until: recovery.failed(at: timers.now, after: timers.now - triedAt))
    }

    private func begin(_ opened: OpenedAdapter) {
        let log = settings.packetLog
        let transport = DescriptorTransport(
            opened, queue: queue,
            received: { [weak self] packet in
                log?.record(packet, sent: false, at: Self.microseconds)
                self?.received(packet)
            }, lost: { [weak self] in self?.hungUp($0) })
        hasHeard = false
        begin(on: transport)
    }

    /// Resets the controller and asks what it can do.
    private func begin(on transport: any Transport) {
        let log = settings.packetLog
        let controller = Controller(timers: timers) { (packet: [UInt8]) in
            log?.record(packet, sent: true, at: Self.microseconds)
            transport.send(packet)
        }
        controller.delegate = self
        phase = .starting(Open(transport: transport, controller: controller))
        status.state = .starting
        statusChanged()
        controller.start(address: ownAddress)
    }

    /// The time of day in microseconds since 1970, for the packet log.
    private static var microseconds: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000
    }

    private func received(_ packet: [UInt8]) {
        hasHeard = true
        switch phase {
        case .starting(let open), .ready(let open): open.controller.receive(packet)
        default: break
        }
    }

    /// The controller is ready for work.
    func ready(_ capabilities: ControllerCapabilities) {
        guard case .starting(let open) = phase else { return }
        phase = .ready(open)
        recovery.ready(at: timers.now)
        hasReportedLoss = false
        reportedReasons = []
        status.state = .ready
        status.reason = nil
        status.remedy = nil
        status.deviceAddress = ownAddress.description
        status.controller = capabilities.description
        settings.handlers.log(.info, "\(settings.address): \(capabilities.description), on the air as \(ownAddress)")
        arming = RadioArming()
        settings.desk.setOwnAddress(ownAddress, of: settings.number)
        seeking.begin(at: timers.now)
        maintain()
    }

    /// The far end of the transport went. A socket that is closed before it has said anything is how a controller turns a
    /// second host away.
    private func hungUp(_ reason: String) {
        switch settings.address {
        case .unix, .tcp:
            if hasHeard { return lost(reason, state: .missing) }
            let busy = BluetoothError.busy(settings.address, process: nil)
            lost("it hangs up at once; another program may have it", state: .blocked, remedy: busy.remedy)
        case .userChannel, .serial: lost(reason, state: .missing)
        }
    }

    /// The controller is of no use as it is. It is reset over the open transport: to close it would offer the adapter to
    /// whoever else wants it, a bluetoothd that powers up what it sees. One that cannot even be reset is opened anew.
    func failed(_ reason: String) {
        guard !isStopping, case .ready(let open) = phase else { return lost(reason, state: .failed) }
        phase = .resting(open.transport)
        end(open, reason)
        tellLoss(reason, state: .failed, remedy: nil)
    }

    /// The adapter is gone: everything on it ends, and it is opened again.
    func lost(_ reason: String, state: AdapterStatus.State, remedy: String? = nil) {
        guard !isStopping else { return finishStop() }
        switch phase {
        case .starting(let open), .ready(let open):
            let wasReady = controller != nil
            phase = .waiting
            end(open, reason)
            open.transport.close()
            if wasReady {
                tellLoss(reason, state: state, remedy: remedy)
            } else {
                report(state, reason, remedy)
                wait(until: recovery.failed(at: timers.now, after: timers.now - triedAt))
            }
        case .resting(let transport):
            // It was to be tried again anyway; now it has to be opened for it.
            phase = .waiting
            transport.close()
        case .waiting, .opening, .stopped: break
        }
    }

    private func tellLoss(_ reason: String, state: AdapterStatus.State, remedy: String?) {
        status.losses += 1
        settings.handlers.adapterDown()
        report(state, reason, remedy)
        wait(until: recovery.lost(at: timers.now))
    }

    private var open: Open? {
        switch phase {
        case .starting(let open), .ready(let open): open
        default: nil
        }
    }

    /// Ends everything on an adapter that is at work.
    private func end(_ open: Open, _ reason: String) {
        open.controller.delegate = nil
        timers.cancel(maintenanceTimer)
        timers.cancel(armTimer)
        timers.cancel(seeking.queueTimer)
        settings.desk.setOwnAddress(nil, of: settings.number)
        settings.desk.endClaim(of: settings.number)
        let ended = connections
        connections = []
        for connection in ended {
            settings.desk.release(connection.peer, of: settings.number)
            connection.end(reason)
            keepFaults(connection.faults)
        }
        keepFaults(open.controller.counters.byName)
        seeking.end()
    }

    private func wait(until moment: Uptime) {
        timers.after(max(0, moment - timers.now)) { [weak self] in self?.tryAgain() }
    }

    /// Says goodbye to every connection, so that the neighbours need not wait for a timeout, ends what the controller would
    /// go on with by itself, and closes.
    ///
    /// A controller that advertised on would lead phones to a node that is not there.
    func stop(_ done: @escaping () -> Void) {
        afterStop.append(done)
        guard afterStop.count == 1 else { return }
        guard let controller else { return finishStop() }
        for connection in connections { controller.disconnect(connection.handle, reason: .remotePowerOff) }
        timers.after(BluetoothPolicy.goodbyeTimeout) { [weak self] in self?.finishStop() }
        arm()
        finishStopIfQuiet()
    }

    /// Ends a stop that waits for nothing any more.
    func finishStopIfQuiet() {
        guard isStopping, connections.isEmpty, controller?.activity == Controller.Activity() else { return }
        finishStop()
    }

    private func finishStop() {
        guard isStopping else { return }
        let (last, waiting) = (phase, afterStop)
        phase = .stopped
        afterStop = []
        switch last {
        case .starting(let open), .ready(let open):
            end(open, "the node stops")
            open.transport.close()
        case .resting(let transport): transport.close()
        case .waiting, .opening, .stopped: break
        }
        status.state = .stopped
        publish()
        for done in waiting { done() }
    }

    /// Whether the node stops.
    var isStopping: Bool { !afterStop.isEmpty }

    // MARK: Upkeep

    /// The five-second tick (spec: mesh §23).
    private func maintain() {
        guard let controller else { return }
        maintenanceTimer = timers.after(MeshPolicy.maintenanceInterval) { [weak self] in self?.maintain() }
        seeking.maintain(degree: degree, at: timers.now)
        for connection in connections where connection.isInUse {
            controller.readSignal(of: connection.handle) { [weak self, weak connection] signal in
                connection?.signal = signal
                self?.statusChanged()
            }
        }
        if degree == 0 { controller.confirmAdvertising() }
        runQueue()
        arm()
        statusChanged()
    }

    /// Neighbours with a link. Only ours count: a node with friends elsewhere still looks for company on the air.
    var degree: Int { Set(connections.filter(\.isInUse).map(\.peer)).count }

    // MARK: Status

    func log(_ level: LogLevel, _ text: String) { settings.handlers.log(level, text) }

    /// A device's name in the log and in `status`.
    func name(of device: DeviceAddress) -> String { "ble:\(device)" }

    func countFault(_ name: String) { pastFaults[name, default: 0] += 1 }

    func countFrame(isSent: Bool) { if isSent { status.framesSent += 1 } else { status.framesReceived += 1 } }

    /// Keeps the count of what is about to go: what is counted never becomes less.
    func keepFaults(_ faults: [String: UInt64]) { pastFaults.merge(faults, uniquingKeysWith: +) }

    /// What went wrong so far, by name.
    var faults: [String: UInt64] {
        var all = pastFaults
        for connection in connections { all.merge(connection.faults, uniquingKeysWith: +) }
        if let open { all.merge(open.controller.counters.byName, uniquingKeysWith: +) }
        return all
    }

    private func report(_ state: AdapterStatus.State, _ reason: String, _ remedy: String?) {
        // Once is enough for what keeps it from work again and again.
        let isNews =
            reportedReasons.count < BluetoothPolicy.reportedReasons && reportedReasons.insert(reason).inserted
        status.state = state
        status.reason = reason
        status.remedy = remedy
        status.controller = nil
        status.deviceAddress = nil
        statusChanged()
        guard isNews, !hasReportedLoss || state != .missing else { return }
        hasReportedLoss = true
        log(.warning, "\(settings.address): \(reason)" + (remedy.map { "; \($0)" } ?? ""))
    }

    /// Something that ``AdapterStatus`` shows is another now. Told once for all changes of a turn.
    func statusChanged() {
        guard !isPublishing else { return }
        isPublishing = true
        timers.after(0) { [weak self] in self?.publish() }
    }

    private func publish() {
        isPublishing = false
        let activity = controller?.activity
        status.isAdvertising = activity?.isAdvertising ?? false
        status.isScanning = activity?.isScanning ?? false
        status.connections = connections.map {
            AdapterStatus.Connection(
                device: $0.peer.description, isOutgoing: $0.isCentral, mtu: $0.bearer.mtu, signal: $0.signal,
                links: $0.openLinks)
        }
        status.faults = faults
        settings.publish(status)
    }
}
