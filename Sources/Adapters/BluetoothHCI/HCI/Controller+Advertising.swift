import Domain

extension Controller {
    /// Something that can be switched on, off and over, by several commands one after the other; the last wish counts.
    struct Change<Wish> {
        /// What is wished next; inside, `nil` to stop.
        var next: Wish??
        var isUnderWay = false
    }

    /// Begins to advertise, anew if it does already; `nil` stops it.
    ///
    /// ``ControllerDelegate/activityChanged()`` tells when it is done, ``ControllerDelegate/refused(_:_:)`` when it is not
    /// to be had.
    func advertise(_ advertising: Advertising?) {
        guard phase == .ready else { return }
        if let advertising, max(advertising.data.count, advertising.scanResponse.count) > Advertising.limit {
            return report { $0.refused(.advertising, .invalidParameters) }
        }
        advertisingWish = advertising
        guard !isAdvertisingHeld else { return showHold() }
        advertisingChange.next = .some(advertising)
        changeAdvertising()
    }

    /// Switches advertising off for the time of an attempt, for a controller that does not do both at once: without it, two
    /// such nodes could never meet. [ours]: an attempt is short, and a phone looks for us more than once.
    ///
    /// When it is done, or refused, the attempt goes on.
    func holdAdvertising() {
        isAdvertisingHeld = true
        showHold()
        advertisingChange.next = .some(nil)
        changeAdvertising()
    }

    /// Begins again with what was wished last.
    func releaseAdvertising() {
        guard isAdvertisingHeld else { return }
        isAdvertisingHeld = false
        showHold()
        advertisingChange.next = .some(advertisingWish)
        changeAdvertising()
    }

    private func showHold() { activity.isAdvertisingPaused = isAdvertisingHeld && advertisingWish != nil }

    /// Begins to scan, anew if it does already (which makes the controller report every device again); `nil` stops it.
    func scan(_ scanning: Scanning?) {
        guard phase == .ready else { return }
        scanningChange.next = .some(scanning)
        changeScanning()
    }

    /// Advertising ended by itself, since it led to a connection.
    func advertisingEnded() {
        activity.isAdvertising = false
        wasAcceptedMeanwhile = true
    }

    /// Switches advertising off and on, if it is on for all we know; afterwards ``activity`` is right.
    ///
    /// [ours]: controllers end advertising and do not tell, or tell in a manner that gets lost, and a node that does not
    /// advertise is alone. Switching it on alone would not do: what is refused since it is on, and what is refused since
    /// it cannot be on now, have the same status. While there is an attempt to connect it waits, since some controllers
    /// take up advertising only without one.
    func confirmAdvertising() {
        isConfirmationDue = false
        guard phase == .ready, activity.isAdvertising, !advertisingChange.isUnderWay else { return }
        guard attempt == nil else { return isConfirmationDue = true }
        advertisingChange.isUnderWay = true
        updateBusy()
        stop(advertisingEnable(false)) { controller, status in
            // It cannot be switched off, so it is on.
            guard status.isStopped, controller.advertisingChange.next == nil else {
                return controller.finishAdvertising(.success)
            }
            controller.wasAcceptedMeanwhile = false
            controller.run([controller.advertisingEnable(true)]) { controller, status in
                controller.activity.isAdvertising = status.isSuccess && !controller.wasAcceptedMeanwhile
                controller.finishAdvertising(status)
            }
        }
    }

    // MARK: Steps

    private func changeAdvertising() {
        guard !advertisingChange.isUnderWay, let wish = advertisingChange.next else { return }
        advertisingChange = Change(next: nil, isUnderWay: true)
        updateBusy()
        // Also when it should be off already: an accepted connection may have ended it or not, and parameters are refused
        // while it is on.
        stop(advertisingEnable(false)) { controller, status in
            if status.isStopped { controller.activity.isAdvertising = false }
            guard let advertising = wish else {
                return controller.finishAdvertising(status.isStopped ? .success : status)
            }
            controller.wasAcceptedMeanwhile = false
            controller.run(controller.steps(of: advertising)[...]) { controller, status in
                if status.isSuccess { controller.activity.isAdvertising = !controller.wasAcceptedMeanwhile }
                controller.finishAdvertising(status)
            }
        }
    }

    private func finishAdvertising(_ status: HCIStatus) {
        advertisingChange.isUnderWay = false
        if !status.isSuccess { report { $0.refused(.advertising, status) } }
        changeAdvertising()
        if !advertisingChange.isUnderWay, attempt?.phase == .pausing { askToConnect() }
        updateBusy()
    }

    private func advertisingEnable(_ isOn: Bool) -> HCICommand {
        capabilities.usesExtendedCommands ? .setExtendedAdvertisingEnable(isOn) : .setAdvertisingEnable(isOn)
    }

    private func steps(of advertising: Advertising) -> [HCICommand] {
        guard capabilities.usesExtendedCommands else {
            return [
                .setAdvertisingParameters(advertising), .setAdvertisingData(advertising.data),
                .setScanResponseData(advertising.scanResponse), .setAdvertisingEnable(true),
            ]
        }
        return [
            // The set that the address belongs to begins with its parameters.
            .setExtendedAdvertisingParameters(advertising), .setAdvertisingSetAddress(address),
            .setExtendedAdvertisingData(advertising.data), .setExtendedScanResponseData(advertising.scanResponse),
            .setExtendedAdvertisingEnable(true),
        ]
    }

    private func changeScanning() {
        guard !scanningChange.isUnderWay, let wish = scanningChange.next else { return }
        scanningChange = Change(next: nil, isUnderWay: true)
        updateBusy()
        stop(scanEnable(nil)) { controller, status in
            if status.isStopped { controller.activity.isScanning = false }
            guard let scanning = wish else {
                return controller.finishScanning(status.isStopped ? .success : status)
            }
            let parameters =
                controller.capabilities.usesExtendedCommands
                ? HCICommand.setExtendedScanParameters(scanning) : .setScanParameters(scanning)
            controller.run([parameters, controller.scanEnable(scanning)]) { controller, status in
                if status.isSuccess { controller.activity.isScanning = true }
                controller.finishScanning(status)
            }
        }
    }

    private func finishScanning(_ status: HCIStatus) {
        scanningChange.isUnderWay = false
        if !status.isSuccess { report { $0.refused(.scanning, status) } }
        changeScanning()
        updateBusy()
    }

    private func scanEnable(_ scanning: Scanning?) -> HCICommand {
        let (isOn, filters) = (scanning != nil, scanning?.filtersDuplicates ?? false)
        return capabilities.usesExtendedCommands
            ? .setExtendedScanEnable(isOn, filtersDuplicates: filters)
            : .setScanEnable(isOn, filtersDuplicates: filters)
    }

    /// Switches something off, and goes on whatever the answer is.
    private func stop(_ command: HCICommand, then: @escaping (Controller, HCIStatus) -> Void) {
        commands.enqueue(command, .mandatory) { [weak self] answer in
            guard let self else { return }
            if case .refused(let status) = answer { then(self, status) } else { then(self, .success) }
        }
    }

    /// Sends commands one after the other, up to the first that is refused.
    private func run(_ steps: ArraySlice<HCICommand>, then: @escaping (Controller, HCIStatus) -> Void) {
        guard let step = steps.first else { return then(self, .success) }
        commands.enqueue(step, .mandatory) { [weak self] answer in
            guard let self else { return }
            if case .refused(let status) = answer { return then(self, status) }
            run(steps.dropFirst(), then: then)
        }
    }

    /// Keeps ``Activity/isBusy`` right.
    func updateBusy() {
        let isConnectBusy = attempt.map { $0.phase != .trying } ?? false
        activity.isBusy = advertisingChange.isUnderWay || scanningChange.isUnderWay || isConnectBusy
    }
}

extension HCIStatus {
    /// Whether the answer to a command that switches something off means that it is off: it was not on, or the advertising
    /// set was never made.
    fileprivate var isStopped: Bool { isSuccess || self == .commandDisallowed || self == .unknownAdvertisingIdentifier }
}
