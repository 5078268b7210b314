import Domain

/// What a radio knows and decides about devices that it is not connected to. All rules are Domain's; this holds them
/// together.
struct Seeking {
    /// Whom to connect to.
    var scheduler = ConnectionScheduler<DeviceAddress>(maximumAttempts: BluetoothPolicy.attempts)
    /// When to listen.
    var plan = ScanPlan()
    /// When frames came in.
    var traffic = TrafficTracker()
    /// Whom we are to be connecting to.
    var attempt: DeviceAddress?
    /// Runs the queue again.
    var queueTimer: RadioTimer?
    /// What we advertise.
    let advertising: Controller.Advertising
    /// How we listen: all the time and actively, since the service may be named in the answer to a scan alone; every
    /// report counts, since a device that is not tried at once is tried when it is seen again.
    let scanning = Controller.Scanning(interval: BluetoothPolicy.scanInterval, window: BluetoothPolicy.scanInterval)
    private let service: ServiceUUID
    private var sightings = SightingMemory<DeviceAddress>()
    private let savesPower: Bool
    private var ticks = 0

    /// Begins without having seen anybody.
    init(service: BluetoothService, savesPower: Bool) {
        self.service = service.advertised
        self.savesPower = savesPower
        advertising = Controller.Advertising(data: Advertisement.data(for: service.advertised))
    }

    /// The adapter is at work.
    mutating func begin(at now: Uptime) {
        plan = ScanPlan()
        plan.set(.continuous, at: now)
    }

    /// The adapter is gone, and what was under way. How many links it carries stays known.
    mutating func end() {
        scheduler = ConnectionScheduler(budget: scheduler.budget, maximumAttempts: BluetoothPolicy.attempts)
        sightings = SightingMemory()
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
        let neighbour = sightings.note(
            Advertisement(report.data, for: service), of: report.device, isConnectable: report.isConnectable,
            isScanResponse: report.isScanResponse, at: now)
        let signal = report.signal ?? BluetoothPolicy.assumedSignal
        return neighbour.map { Sighting(device: report.device, signal: signal, isConnectable: $0.isConnectable) }
    }

    /// We connected to a device.
    mutating func connected(to device: DeviceAddress, at now: Uptime) {
        if attempt == device { attempt = nil }
        scheduler.succeeded(device, at: now)
    }

    /// A device connected to us. If we were connecting to it, it was faster, and one connection is enough.
    mutating func accepted(_ device: DeviceAddress, at now: Uptime) {
        if attempt == device {
            attempt = nil
            scheduler.withdrawn(device)
        }
        scheduler.accepted(device)
    }

    /// An attempt failed.
    mutating func failed(_ device: DeviceAddress, _ status: HCIStatus, links: Int, at now: Uptime) {
        if attempt == device { attempt = nil }
        switch status {
        // No fault of the device's: our controller is full,
        case .memoryExceeded, .connectionLimitExceeded, .limitedResources:
            scheduler.withdrawn(device)
            scheduler.limitReached(links: links, at: now)
        // or busy with something else.
        case .commandDisallowed: scheduler.withdrawn(device)
        default: scheduler.failed(device, at: now)
        }
    }

    /// A connection ended.
    mutating func ended(
        _ device: DeviceAddress, isCentral: Bool, isError: Bool, wasOfUse: Bool, at now: Uptime
    ) {
        if isCentral {
            scheduler.disconnected(device, isError: isError, wasOfUse: wasOfUse, at: now)
        } else {
            scheduler.released(device)
        }
        plan.linkEnded(at: now)
    }
}
