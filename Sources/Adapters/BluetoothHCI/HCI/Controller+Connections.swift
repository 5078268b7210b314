import Domain

extension Controller {
    // MARK: Connecting

    /// Tries to connect until cancelled; connected or connectEnded tells how it ended. One attempt at a time: for another
    /// device connectEnded says Command Disallowed, for the same one nothing happens.
    func connect(to device: DeviceAddress) {
        guard phase == .ready else { return }
        if let attempt {
            if attempt.device != device { report { $0.connectEnded(device, .commandDisallowed) } }
            return
        }
        attempt = Attempt(device: device, number: nextNumber(), phase: advertisingYields ? .pausing : .asking)
        showAttempt()
        if advertisingYields { holdAdvertising() } else { askToConnect() }
    }

    /// Begins the attempt; nothing is in its way any more.
    func askToConnect() {
        guard let attempt else { return }
        guard !attempt.isCancelled else { return endAttempt(.unknownConnection) }
        self.attempt?.phase = .asking
        let (device, number) = (attempt.device, attempt.number)
        let command =
            capabilities.usesExtendedCommands
            ? HCICommand.extendedCreateConnection(to: device, .ours) : .createConnection(to: device, .ours)
        commands.enqueue(command, .mandatory, while: { [weak self] in self?.attempt?.number == number }) {
            [weak self] in self?.attemptAnswered(number, $0)
        }
    }

    private func attemptAnswered(_ number: UInt64, _ answer: CommandQueue.Answer) {
        switch answer {
        case .none: break
        case .refused(let status):
            if status == .commandDisallowed { findObstacle() }
            if attempt?.number == number { endAttempt(status) }
        case .success:
            // Nobody would end the attempt if ours is over: an earlier one took its place.
            guard attempt?.number == number else { return commands.enqueue(.createConnectionCancel, .mandatory) }
            attempt?.phase = .trying
            showAttempt()
            if attempt?.isCancelled == true { sendCancel() }
        }
    }

    /// An attempt was disallowed. The controller may still be at one that we stopped waiting for, and is told to stop that;
    /// if there is none, advertising is in the way. [ours]: there are controllers that say they do both, and do not.
    private func findObstacle() {
        let (isOn, isHeld) = (activity.isAdvertising, isAdvertisingHeld)
        commands.enqueue(.createConnectionCancel, .mandatory) { [weak self] answer in
            guard case .refused = answer, isOn || isHeld else { return }
            self?.advertisingYields = isOn
        }
    }

    /// Ends the attempt. connected follows if the connection came up all the same, connectEnded if not: with Unknown
    /// Connection Identifier when all went well.
    func cancelConnect() {
        guard phase == .ready, let attempt, !attempt.isCancelled else { return }
        self.attempt?.isCancelled = true
        if attempt.phase == .trying { sendCancel() }
    }

    private func sendCancel() {
        guard let number = attempt?.number else { return }
        attempt?.phase = .cancelling
        showAttempt()
        commands.enqueue(.createConnectionCancel, .mandatory) { [weak self] _ in
            guard let self, attempt?.number == number else { return }
            // Refused or not, the controller owes the end of the attempt. Some never give it.
            attempt?.guardTimer = after(BluetoothPolicy.cancelTimeout) {
                if $0.attempt?.number == number { $0.endAttempt(.unknownConnection) }
            }
        }
    }

    private func endAttempt(_ status: HCIStatus) {
        guard let device = forgetAttempt() else { return }
        report { $0.connectEnded(device, status) }
    }

    private func forgetAttempt() -> DeviceAddress? {
        guard let attempt else { return nil }
        timers.cancel(attempt.guardTimer)
        self.attempt = nil
        releaseAdvertising()
        showAttempt()
        if isConfirmationDue { confirmAdvertising() }
        return attempt.device
    }

    private func showAttempt() {
        activity.connecting = attempt?.device
        updateBusy()
    }

    // MARK: Coming up

    func connectionComplete(_ complete: LowEnergyEvent.ConnectionComplete) {
        guard complete.status.isSuccess else { return connectionFailed(complete) }
        guard complete.handle.rawValue <= ConnectionHandle.maximum, complete.role < 2, let peer = complete.peer else {
            tally.malformedPackets += 1
            // It may be the one that we tried for, and is of no use as it is; if not, advertising led to it.
            if complete.role != 0 {
                advertisingEnded()
            } else if ends(attempt, complete.peer) {
                endAttempt(.unspecified)
            }
            return drop(complete.handle)
        }
        let isCentral = complete.role == 0
        var ended: DeviceAddress?
        if isCentral {
            // There is one attempt at a time, so this is its end, even if the controller calls the device another name.
            if ends(attempt, peer) { ended = forgetAttempt() }
            if let device = ended, device != peer { report { $0.connectEnded(device, .unspecified) } }
            // Some controllers (BlueZ's emulator is one) silently end it then.
            confirmAdvertising()
        } else {
            advertisingEnded()
        }
        // Its end was lost.
        if connections[complete.handle] != nil { remove(complete.handle, .unspecified) }
        guard connections.count < BluetoothPolicy.connections else {
            if ended == peer { report { $0.connectEnded(peer, .connectionLimitExceeded) } }
            return drop(complete.handle)
        }
        let connection = HCIConnection(
            handle: complete.handle, isCentral: isCentral, peer: peer,
            supervisionTimeout: Self.supervisionTimeout(complete.timeout))
        open(connection)
    }

    private func connectionFailed(_ complete: LowEnergyEvent.ConnectionComplete) {
        // One that a neighbour tried to open: whatever became of it, advertising ended with it, and no attempt of ours.
        if complete.role == 1 { return advertisingEnded() }
        if ends(attempt, complete.peer) { endAttempt(complete.status) }
    }

    /// Whether a Connection Complete event tells of an attempt, not of an earlier one that we stopped waiting for: the
    /// controller has not yet begun one that it was only just asked for.
    private func ends(_ attempt: Attempt?, _ peer: DeviceAddress?) -> Bool {
        attempt.map { $0.phase == .trying || $0.phase == .cancelling || $0.device == peer } ?? false
    }

    private func open(_ connection: HCIConnection) {
        let (handle, number) = (connection.handle, nextNumber())
        connections[handle] = Connection(
            handle: handle, number: number, supervisionTimeout: connection.supervisionTimeout)
        data.open(handle, patience: Self.patience(connection.supervisionTimeout), at: timers.now)
        report { $0.connected(connection) }
        guard capabilities.setsDataLength else { return }
        commands.enqueue(.setDataLength(handle, .longest), .optional, while: isStill(handle, number))
    }

    /// Ends a connection that we do not want, without having spoken of it.
    private func drop(_ handle: ConnectionHandle) {
        guard connections[handle] == nil, handle.rawValue <= ConnectionHandle.maximum else { return }
        commands.enqueue(
            .disconnect(handle, reason: .remoteLowResources), .dispensable,
            while: { [weak self] in self?.connections[handle] == nil })
    }

    /// Data came for a connection that we do not know. It may be one whose beginning was lost, or whose end the controller
    /// refused: we have no use for it, but it keeps one of the few places of the controller, and the far end believes in
    /// it. So it is ended, after a while and now and then.
    func heardStranger(_ handle: ConnectionHandle) {
        let now = timers.now
        if strangers.count >= BluetoothPolicy.connections {
            strangers = strangers.filter { now - $0.value < BluetoothPolicy.strangerInterval }
        }
        let isRecent = strangers[handle].map { now - $0 < BluetoothPolicy.strangerInterval } ?? false
        guard !isRecent, strangers.count < BluetoothPolicy.connections || strangers[handle] != nil else { return }
        strangers[handle] = now
        _ = after(BluetoothPolicy.strangerPatience) { $0.drop(handle) }
    }

    /// Asks whether a handle still stands for the same connection.
    private func isStill(_ handle: ConnectionHandle, _ number: UInt64) -> () -> Bool {
        { [weak self] in self?.connections[handle]?.number == number }
    }

    // MARK: Ending

    /// Ends a connection; disconnected follows, at the latest some time after its supervision timeout.
    ///
    /// - Parameter reason: What the far end is told. Those that are not allowed become Remote User Terminated Connection.
    func disconnect(_ handle: ConnectionHandle, reason: HCIStatus) {
        guard phase == .ready, let connection = connections[handle], !connection.isLeaving else { return }
        let number = connection.number
        connections[handle]?.isLeaving = true
        data.close(handle)
        connections[handle]?.departure = after(connection.supervisionTimeout + BluetoothPolicy.disconnectMargin) {
            if $0.connections[handle]?.number == number { $0.remove(handle, .connectionTimeout) }
        }
        let reason = reason.isDisconnectReason ? reason : .remoteUserTerminated
        commands.enqueue(.disconnect(handle, reason: reason), .mandatory, while: isStill(handle, number)) {
            [weak self] answer in
            guard let self, connections[handle]?.number == number else { return }
            // What the controller does not know is gone, and nothing else will tell.
            if case .refused(.unknownConnection) = answer { remove(handle, .unknownConnection) }
        }
    }

    func disconnectionComplete(_ status: HCIStatus, _ handle: ConnectionHandle, reason: HCIStatus) {
        guard connections[handle] != nil else {
            tally.unknownHandles += 1
            return
        }
        if status.isSuccess { remove(handle, reason) }
    }

    private func remove(_ handle: ConnectionHandle, _ reason: HCIStatus) {
        guard let connection = connections.removeValue(forKey: handle) else { return }
        timers.cancel(connection.departure)
        data.remove(handle)
        report { $0.disconnected(handle, reason) }
    }

    // MARK: Parameters

    /// Asks how strong the far end is; `then` is told as a report is made, with `nil` when the controller does not know, and
    /// never when it fails first.
    func readSignal(of handle: ConnectionHandle, then: @escaping (Int8?) -> Void) {
        guard phase == .ready else { return }
        guard let number = connections[handle]?.number else { return report { _ in then(nil) } }
        commands.enqueue(.readRSSI(handle), .optional, while: isStill(handle, number)) { [weak self] answer in
            var signal: Int8?
            if case .success(var reader) = answer, reader.takeHandle() == handle {
                signal = reader.take(UInt8.self).map { Int8(bitPattern: $0) }
            }
            self?.report { _ in then(signal == 127 ? nil : signal) }
        }
    }

    /// Asks for other parameters; those that no controller may be asked for, for nothing.
    func updateParameters(of handle: ConnectionHandle, _ parameters: ConnectionParameters) {
        guard phase == .ready, let number = connections[handle]?.number, parameters.areValid else { return }
        commands.enqueue(.connectionUpdate(handle, parameters), .optional, while: isStill(handle, number))
    }

    func updated(_ handle: ConnectionHandle, timeout: UInt16) {
        let timeout = Self.supervisionTimeout(timeout)
        connections[handle]?.supervisionTimeout = timeout
        data.setPatience(Self.patience(timeout), of: handle)
    }

    /// Accepts what the far end asks for, if it makes sense (spec: ble-gatt §12).
    func answer(_ handle: ConnectionHandle, _ parameters: ConnectionParameters) {
        let reply =
            parameters.areValid
            ? HCICommand.parameterRequestReply(handle, parameters)
            : .parameterRequestNegativeReply(handle, reason: .unacceptableParameters)
        commands.enqueue(reply, .optional)
    }

    func refuseKey(_ handle: ConnectionHandle) {
        commands.enqueue(.keyRequestNegativeReply(handle), .optional)
    }

    /// What a controller says in units of 10 ms, no longer than there is: our own patience goes by it.
    private static func supervisionTimeout(_ units: UInt16) -> Milliseconds {
        Milliseconds(Int64(min(units, ConnectionParameters.longestTimeout)) * 10)
    }

    /// How long data of a connection may stay with the controller.
    private static func patience(_ supervisionTimeout: Milliseconds) -> Milliseconds {
        max(supervisionTimeout + BluetoothPolicy.creditMargin, BluetoothPolicy.shortestCreditTimeout)
    }
}

extension HCIStatus {
    /// Whether a connection may be ended for this reason.
    ///
    /// Source: Core Specification, Vol 4, Part E, 7.1.6.
    fileprivate var isDisconnectReason: Bool {
        [0x05, 0x13, 0x14, 0x15, 0x1a, 0x29, 0x3b].contains(rawValue)
    }
}
