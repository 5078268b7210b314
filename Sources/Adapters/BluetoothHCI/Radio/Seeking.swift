import Domain

/// What a radio knows and decides about devices that it is not connected to. All rules are Domain's; this holds them
/// together.
struct Seeking {
    /// Whom to connect to.
    var scheduler = ConnectionScheduler<DeviceAddress>(
        budget: LinkBudget(controllerLinks: RadioPolicy.assumedControllerLinks),
        maximumAttempts: RadioPolicy.attemptsOfController)
    /// When to listen.
    var plan = ScanPlan()
    /// When frames came in.
    var traffic = TrafficTracker()
    /// Whom we are to be connecting to.
    var attempt: DeviceAddress?
    /// Runs the queue again.
    var queueTimer: RadioTimer?
    /// What we advertise.
    let advertising: Advertising
    private let service: AdvertisedService
    private var sightings: SightingTable<DeviceAddress>
    private let savesPower: Bool
    private var ticks = 0

    /// Begins without having seen anybody.
    init(service: BluetoothService, savesPower: Bool) {
        self.service = service.advertised
        self.savesPower = savesPower
        sightings = SightingTable(service: service.advertised)
        advertising = Advertising(data: service.advertised.advertisingData, scanResponse: [])
    }

    /// The adapter is at work.
    mutating func begin(at now: Uptime) {
        plan = ScanPlan()
        plan.set(.continuous, at: now)
    }

    /// The adapter is gone; what was learned of devices stays for the next time, but not what was under way.
    mutating func end() {
        let budget = LinkBudget(controllerLinks: RadioPolicy.assumedControllerLinks)
        scheduler = ConnectionScheduler(budget: budget, maximumAttempts: RadioPolicy.attemptsOfController)
        sightings = SightingTable(service: service)
        attempt = nil
    }

    /// The five-second tick.
    mutating func maintain(degree: Int, at now: Uptime) {
        ticks += 1
        scheduler.adapt(degree: degree, at: now)
        let duty = ScanDuty.choose(
            savesPower: savesPower, isActive: true, degree: degree, sinceTraffic: traffic.last.map { now - $0 })
        plan.set(duty, at: now)
        if ticks.isMultiple(of: Int(FragmentPolicy.sweepInterval.count / MeshPolicy.maintenanceInterval.count)) {
            scheduler.cleanUp(at: now)
        }
    }

    /// What a report means; `nil` when it is none of our mesh.
    mutating func sighting(of report: AdvertisingReport, at now: Uptime) -> Sighting<DeviceAddress>? {
        plan.heard(at: now)
        guard let signal = report.signal else { return nil }
        return sightings.note(
            report.device, isConnectable: report.isScanResponse ? nil : report.isConnectable, data: report.data,
            signal: signal, at: now)
    }

    /// An attempt failed.
    mutating func failed(_ device: DeviceAddress, _ status: HCIStatus, links: Int, at now: Uptime) {
        scheduler.failed(device, at: now)
        if status == .connectionLimitExceeded { scheduler.limitReached(links: links) }
    }

    /// A connection ended.
    mutating func ended(_ device: DeviceAddress, isCentral: Bool, isError: Bool, at now: Uptime) {
        if isCentral {
            scheduler.disconnected(device, isError: isError, at: now)
        } else {
            scheduler.released(device)
        }
        plan.pause(until: now + RadioPolicy.scanRestartDelay)
    }
}
