import Domain

/// Finding neighbours: what the scheduler decides becomes a wish, and the wish becomes commands.
extension Radio {
    /// Takes the next device from the queue, if it is time.
    func runQueue() {
        guard controller != nil, !isStopping else { return }
        switch seeking.scheduler.next(at: timers.now) {
        case .idle: break
        case .retry(let delay): runQueue(after: delay)
        case .connect(let device): attempt(device)
        }
    }

    func runQueue(after delay: Milliseconds) {
        timers.cancel(seeking.queueTimer)
        seeking.queueTimer = timers.after(delay) { [weak self] in self?.runQueue() }
    }

    func attempt(_ device: DeviceAddress) {
        guard settings.desk.claim(device, by: settings.number) else { return seeking.scheduler.withdrawn(device) }
        seeking.attempt = device
        timers.after(RadioPolicy.connectTimeout) { [weak self] in self?.giveUpOverdue() }
        arm()
    }

    /// Cancels attempts that take too long.
    private func giveUpOverdue() {
        let now = timers.now
        for device in seeking.scheduler.overdue(at: now) {
            seeking.scheduler.timedOut(device, at: now)
            if seeking.attempt == device { seeking.attempt = nil }
        }
        arm()
    }

    /// The node sends a train of so many fragments: the air is for them.
    func pauseScanning(forTrainOf count: Int) {
        seeking.plan.trainStarts(of: count, at: timers.now)
        arm()
    }

    /// Works off the difference between what the radio should do and what it does, one step at a time; called again by
    /// whatever may have changed either.
    func arm() {
        if seeking.attempt == nil { settings.desk.endClaim(of: settings.number) }
        guard let controller, !controller.activity.isBusy else { return }
        let now = timers.now
        let activity = controller.activity
        if activity.isScanning, !isStopping, seeking.plan.needsRestart(at: now) {
            // It is begun again when it has stopped; should it not, the next silence is as long.
            seeking.plan.started(at: now)
            return controller.scan(nil)
        }
        let wish =
            isStopping
            ? RadioActivity()
            : RadioActivity(
                isAdvertising: true, isScanning: seeking.plan.isListening(at: now), connecting: seeking.attempt)
        let (step, retryAt) = arming.next(
            wish: wish,
            activity: RadioActivity(
                isAdvertising: activity.isAdvertising || activity.isAdvertisingPaused,
                isScanning: activity.isScanning, connecting: activity.connecting), at: now)
        let moments = [retryAt, seeking.plan.nextChange(after: now)].compactMap(\.self)
        timers.cancel(armTimer)
        armTimer = moments.min().map { moment in timers.after(moment - now) { [weak self] in self?.arm() } }
        if let step { take(step, controller, at: now) }
    }

    private func take(_ step: ArmingStep<DeviceAddress>, _ controller: Controller, at now: Uptime) {
        arming.took(step, at: now)
        switch step {
        case .startAdvertising: controller.advertise(seeking.advertising)
        case .stopAdvertising: controller.advertise(nil)
        case .startScanning:
            seeking.plan.started(at: now)
            controller.scan(seeking.scanning)
        case .stopScanning: controller.scan(nil)
        case .connect(let device): controller.connect(to: device)
        case .cancelConnect: controller.cancelConnect()
        }
    }
}
