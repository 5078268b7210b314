import Domain

/// What the controller reports.
extension Radio: ControllerDelegate {
    func controllerReady(_ capabilities: ControllerCapabilities) { ready(capabilities) }

    func controllerFailed(_ reason: String) { failed(reason) }

    func activityChanged() {
        if let activity = controller?.activity {
            if activity.isAdvertising { arming.succeeded(.startAdvertising) }
            if activity.isScanning { arming.succeeded(.startScanning) }
            if let device = activity.connecting, !activity.isBusy { arming.succeeded(.connect(device)) }
        }
        statusChanged()
        arm()
        finishStopIfQuiet()
    }

    func refused(_ refusal: Controller.Refusal, _ status: HCIStatus) {
        // What it goes on with, it refused to stop.
        let step: ArmingStep<DeviceAddress>
        let activity = controller?.activity
        switch refusal {
        case .advertising: step = activity?.isAdvertising == true ? .stopAdvertising : .startAdvertising
        case .scanning: step = activity?.isScanning == true ? .stopScanning : .startScanning
        }
        log(.debug, "\(settings.address): \(refusal) was refused: \(status)")
        arming.refused(step, at: timers.now)
        arm()
    }

    func saw(_ report: AdvertisingReport) {
        let now = timers.now
        guard let sighting = seeking.sighting(of: report, at: now) else { return }
        // Our other radios are no company, and whom they have we have.
        guard !settings.desk.isOurs(sighting.device) else { return }
        switch seeking.scheduler.sighted(sighting, at: now) {
        case .ignore, .cancel: break
        case .enqueued(let delay): if let delay { runQueue(after: delay) }
        case .connect: attempt(sighting.device)
        }
    }

    func connected(_ connection: HCIConnection) {
        if connections.contains(where: { $0.peer == connection.peer }) {
            // One connection per pair of addresses is what a controller allows; one that sees it otherwise gets its way
            // only once.
            countFault("secondConnections")
            controller?.disconnect(connection.handle, reason: .remoteUserTerminated)
            return
        }
        let new = RadioConnection(connection, radio: self, service: settings.configuration.service)
        connections.append(new)
        settings.desk.hold(connection.peer, by: settings.number)
        if connection.isCentral {
            seeking.connected(to: connection.peer, at: timers.now)
        } else {
            seeking.accepted(connection.peer, at: timers.now)
        }
        if isStopping { disconnect(new) } else { new.start() }
        statusChanged()
        arm()
    }

    func connectEnded(_ device: DeviceAddress, _ status: HCIStatus) {
        // It may be that it cannot now what it can soon: the next attempt waits, longer each time.
        if status == .commandDisallowed { arming.refused(.connect(device), at: timers.now) }
        // One that was cancelled was counted then: it took too long, or the neighbour connected first.
        if seeking.attempt == device { seeking.failed(device, status, links: connections.count, at: timers.now) }
        runQueue()
        arm()
    }

    func disconnected(_ handle: ConnectionHandle, _ reason: HCIStatus) {
        guard let place = connections.firstIndex(where: { $0.handle == handle }) else { return }
        let connection = connections.remove(at: place)
        settings.desk.release(connection.peer, of: settings.number)
        connection.end(reason.description)
        keepFaults(connection.faults)
        // Only what we closed ourselves ended well: a far end that hangs up counts like one that falls silent (spec:
        // ble-gatt §10).
        seeking.ended(
            connection.peer, isCentral: connection.isCentral, isError: reason != .localHostTerminated,
            wasOfUse: connection.wasInUse, at: timers.now)
        statusChanged()
        runQueue()
        arm()
        finishStopIfQuiet()
    }

    func received(_ fragment: ArraySlice<UInt8>, isStart: Bool, on handle: ConnectionHandle) {
        connection(handle)?.receive(fragment, isStart: isStart)
    }

    func nextFrame(for handle: ConnectionHandle) -> [UInt8]? { connection(handle)?.nextFrame() }

    private func connection(_ handle: ConnectionHandle) -> RadioConnection? {
        connections.first { $0.handle == handle }
    }
}
