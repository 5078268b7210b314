import Domain

/// One Bluetooth controller, driven over HCI: what it is told, what it reports, and what each of its connections sends.
///
/// Confined to the radio's queue. It lives for one reset: after ``ControllerDelegate/controllerFailed(_:)`` it does nothing
/// any more, and another one is made for the adapter once it is opened anew. Before
/// ``ControllerDelegate/controllerReady(_:)`` all calls but ``start(address:)`` do nothing.
///
/// Bytes of the controller are not trusted: whatever comes, nothing traps, and every table is bounded.
///
/// Source: Core Specification, Vol 4, Part E.
final class Controller {
    enum Phase {
        case new
        /// Reset is under way: what comes now is of an earlier life.
        case resetting
        case starting
        case ready
        case failed
    }

    /// A connection of the controller.
    struct Connection {
        let handle: ConnectionHandle
        /// Tells it from later ones with the same handle.
        let number: UInt64
        var supervisionTimeout: Milliseconds
        /// Runs while the connection is being ended.
        var departure: RadioTimer?
        var isLeaving = false
    }

    /// What is being tried to connect to, and how far that is.
    struct Attempt {
        enum Phase {
            /// Advertising is being switched off for it.
            case pausing
            case asking
            case trying
            case cancelling
        }

        let device: DeviceAddress
        /// Tells it from later ones to the same device.
        let number: UInt64
        var phase: Phase
        var isCancelled = false
        var guardTimer: RadioTimer?
    }

    /// To whom everything is reported, never from within a call.
    weak var delegate: (any ControllerDelegate)?

    let timers: any RadioTimers
    let send: ([UInt8]) -> Void
    var phase = Phase.new
    var capabilities = ControllerCapabilities()
    var address = DeviceAddress(kind: .random, bits: 0)
    var data = DataScheduler(pieceLength: 1, total: 0)
    var connections: [ConnectionHandle: Connection] = [:]
    /// Connections that we do not know, and when one was last taken notice of.
    var strangers: [ConnectionHandle: Uptime] = [:]
    var attempt: Attempt?
    var advertisingChange = Change<Advertising>()
    var scanningChange = Change<Scanning>()
    /// A connection was accepted while advertising was being switched on: which of the two came first is not known.
    var wasAcceptedMeanwhile = false
    /// What was last asked to be advertised.
    var advertisingWish: Advertising?
    /// The controller does not connect while it advertises.
    var advertisingYields = false
    /// Advertising is off for the time of an attempt.
    var isAdvertisingHeld = false
    /// Advertising is to be confirmed as soon as there is no attempt.
    var isConfirmationDue = false
    var tally = Counters()
    var creditTimer: RadioTimer?
    /// The connection that is being asked for a frame.
    var asked: ConnectionHandle?
    private var lastNumber: UInt64 = 0
    private var lastHeard = Uptime(milliseconds: 0)
    private var reports: ArraySlice<(any ControllerDelegate) -> Void> = []
    private var willReportActivity = false
    private var isSettling = false
    private var willSettle = false
    /// Whether the call that is under way ends with settling.
    private var isReceiving = false
    private(set) lazy var commands = CommandQueue(timers: timers, send: send) { [weak self] in self?.fail($0) }

    /// What the controller does, kept right by its events. Several changes at once make one report.
    var activity = Activity() {
        didSet {
            guard activity != oldValue, !willReportActivity else { return }
            willReportActivity = true
            report { [weak self] delegate in
                self?.willReportActivity = false
                delegate.activityChanged()
            }
        }
    }

    /// - Parameters:
    ///   - timers: The time, on the radio's queue.
    ///   - send: Takes a whole packet, with its H4 indicator; must not call back.
    init(timers: any RadioTimers, send: @escaping ([UInt8]) -> Void) {
        self.timers = timers
        self.send = send
    }

    /// What went wrong so far.
    var counters: Counters {
        var counters = tally
        counters.strayAnswers = commands.strayAnswers
        counters.unansweredCommands = commands.unanswered
        return counters
    }

    /// Credits that are free, and all of them.
    var credits: (free: Int, total: Int) { (data.free, data.total) }

    func nextNumber() -> UInt64 {
        lastNumber += 1
        return lastNumber
    }

    // MARK: Receiving

    /// Takes one whole packet, with its H4 indicator.
    func receive(_ packet: [UInt8]) {
        guard phase != .new, phase != .failed else { return }
        lastHeard = timers.now
        isReceiving = true
        switch packet.first {
        case PacketIndicator.event:
            guard let event = HCIEvent(packet.dropFirst()) else {
                tally.malformedPackets += 1
                break
            }
            receive(event)
        case PacketIndicator.data: receiveData(packet.dropFirst())
        // SCO and ISO, which we never ask for, and what no controller may send.
        default: tally.malformedPackets += 1
        }
        isReceiving = false
        settle()
    }

    private func receive(_ event: HCIEvent) {
        switch event {
        case .commandComplete(let opCode, let credits, let returned):
            commands.completed(opCode, credits: credits, returned: returned)
        case .commandStatus(let opCode, let credits, let status): commands.began(opCode, credits: credits, status)
        case .unknown: tally.unknownEvents += 1
        default:
            if phase == .ready || phase == .starting, case .hardwareError(let code) = event {
                fail("reported hardware error \(code.hexadecimal)")
            }
            if phase == .ready { handle(event) }
        }
    }

    private func handle(_ event: HCIEvent) {
        switch event {
        case .disconnectionComplete(let status, let handle, let reason):
            disconnectionComplete(status, handle, reason: reason)
        case .completedPackets(let completions): completed(completions)
        case .bufferOverflow: tally.bufferOverflows += 1
        case .lowEnergy(let event): handle(event)
        case .encryptionChange, .commandComplete, .commandStatus, .hardwareError, .unknown: break
        }
    }

    private func handle(_ event: LowEnergyEvent) {
        switch event {
        case .connectionComplete(let complete): connectionComplete(complete)
        case .advertisingReport(let reports): for report in reports { self.report { $0.saw(report) } }
        case .connectionUpdateComplete(let status, let handle, let timeout):
            if status.isSuccess { updated(handle, timeout: timeout) }
        case .keyRequest(let handle): refuseKey(handle)
        case .parameterRequest(let handle, let parameters): answer(handle, parameters)
        case .scanTimeout: activity.isScanning = false
        // That a connection ended it was told by Connection Complete.
        case .advertisingSetTerminated(let status, _): if !status.isSuccess { advertisingEnded() }
        case .dataLengthChange, .physicalLayerUpdate, .channelSelection: break
        case .unknown: tally.unknownEvents += 1
        }
    }

    // MARK: Reporting

    /// Reports something as soon as no call is under way.
    func report(_ call: @escaping (any ControllerDelegate) -> Void) {
        guard phase != .failed else { return }
        reports.append(call)
        settleSoon()
    }

    /// Sees to it that reports are made, and data is sent, when the present call is over.
    func settleSoon() {
        guard !isSettling, !willSettle, !isReceiving else { return }
        willSettle = true
        timers.after(0) { [weak self] in
            self?.willSettle = false
            self?.settle()
        }
    }

    /// Makes the reports, and sends what there is room for.
    private func settle() {
        guard !isSettling else { return }
        isSettling = true
        defer { isSettling = false }
        repeat {
            while let report = reports.popFirst() { if let delegate { report(delegate) } }
            sendData()
        } while !reports.isEmpty
    }

    /// Runs `action` after a while, unless the controller has failed by then.
    func after(_ delay: Milliseconds, _ action: @escaping (Controller) -> Void) -> RadioTimer {
        timers.after(delay) { [weak self] in
            guard let self, phase != .failed else { return }
            action(self)
            settle()
        }
    }

    // MARK: Failing

    /// Gives the controller up: this is the last that is reported.
    func fail(_ reason: String) {
        guard phase != .failed else { return }
        commands.stop()
        reports = []
        report { $0.controllerFailed(reason) }
        phase = .failed
        timers.cancel(creditTimer)
        timers.cancel(attempt?.guardTimer)
        for connection in connections.values { timers.cancel(connection.departure) }
        connections = [:]
        data = DataScheduler(pieceLength: 1, total: 0)
        attempt = nil
    }

    /// Asks a controller that was silent for long whether it lives; the question that stays without an answer gives it up.
    func watch() {
        let silence = timers.now - lastHeard
        guard silence >= BluetoothPolicy.silence else {
            return watch(in: Milliseconds(BluetoothPolicy.silence.count - silence.count))
        }
        if commands.isIdle {
            // The buffers are the one question that was answered for sure.
            commands.enqueue(commands.isSupported(.readAddress) ? .readAddress : .readLowEnergyBufferSize, .mandatory)
        }
        watch(in: BluetoothPolicy.silence)
    }

    private func watch(in delay: Milliseconds) { _ = after(delay) { $0.watch() } }
}
