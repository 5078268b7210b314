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
        advertisingChange.next = .some(advertising)
        changeAdvertising()
    }

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

    /// Switches advertising on once more after a connection of our own came up. [ours]: there are controllers (BlueZ's
    /// emulator is one) that silently end it then; for all others it changes nothing, or is disallowed since it is on.
    func confirmAdvertising() {
        guard activity.isAdvertising, !capabilities.usesExtendedCommands else { return }
        let isStill = { [weak self] in
            self.map { $0.activity.isAdvertising && !$0.advertisingChange.isUnderWay } ?? false
        }
        commands.enqueue(.setAdvertisingEnable(true), .mandatory, while: isStill) { [weak self] answer in
            guard case .refused(let status) = answer, status != .commandDisallowed, isStill() else { return }
            self?.activity.isAdvertising = false
        }
    }

    // MARK: Steps

    private func changeAdvertising() {
        guard !advertisingChange.isUnderWay, let wish = advertisingChange.next else { return }
        advertisingChange = Change(next: nil, isUnderWay: true)
        updateBusy()
        let extended = capabilities.usesExtendedCommands
        // Also when it should be off already: an accepted connection may have ended it or not, and parameters are refused
        // while it is on.
        stop(extended ? .setExtendedAdvertisingEnable(false) : .setAdvertisingEnable(false)) { controller, status in
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
        updateBusy()
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
