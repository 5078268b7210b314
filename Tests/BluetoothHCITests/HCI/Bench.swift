import Domain

@testable import BluetoothHCI

/// A `Controller` between a scripted far end, a recorder above it, and time turned by hand.
final class Bench {
    /// What was reported.
    enum Report: Hashable {
        case ready
        case failed(String)
        case activity(Controller.Activity)
        case refused(Controller.Refusal, HCIStatus)
        case saw(AdvertisingReport)
        case connected(HCIConnection)
        case connectEnded(DeviceAddress, HCIStatus)
        case disconnected(ConnectionHandle, HCIStatus)
        case received([UInt8], isStart: Bool, ConnectionHandle)
        case signal(Int8?)
    }

    let timers = HandTimers()
    let far = ScriptedController()
    let controller: Controller
    private(set) var reports: [Report] = []
    private(set) var capabilities: ControllerCapabilities?
    /// Frames to be sent, for each connection.
    var frames: [ConnectionHandle: ArraySlice<[UInt8]>] = [:]
    /// Called on every report, to call into the controller from there.
    var onReport: ((Report) -> Void)?
    /// Whether a call into the controller is under way: then nothing may be reported.
    private var isCalling = false
    private(set) var reportsFromWithin = 0

    static let own = DeviceAddress(kind: .random, bits: 0xc0ff_ee00_0001)

    init(_ prepare: (ScriptedController) -> Void = { _ in }) {
        prepare(far)
        controller = Controller(timers: timers, send: far.take)
        controller.delegate = self
    }

    /// A bench whose controller is ready.
    static func ready(_ prepare: (ScriptedController) -> Void = { _ in }) -> Bench {
        let bench = Bench(prepare)
        bench.start()
        bench.forget()
        return bench
    }

    func start() { call { $0.start(address: Self.own) } }

    /// Calls into the controller, then lets everything happen that is due.
    func call(_ body: (Controller) -> Void) {
        isCalling = true
        body(controller)
        isCalling = false
        settle()
    }

    /// Lets the far end say something.
    func hear(_ packets: [UInt8]...) {
        packets.forEach(far.say)
        settle()
    }

    /// Hands over what the far end has said, and fires what is due, until all is quiet.
    func settle() {
        repeat {
            while let packet = far.said.popFirst() { controller.receive(packet) }
        } while timers.step(to: timers.now) || !far.said.isEmpty
    }

    /// Lets time go by.
    func wait(_ time: Milliseconds) {
        let end = timers.now + time
        settle()
        while timers.step(to: end) { settle() }
    }

    func forget() {
        reports = []
        far.forget()
    }

    /// The reports but those of activity.
    var events: [Report] { reports.filter { if case .activity = $0 { false } else { true } } }

    /// Why the controller failed, if it did.
    var failure: String? { reports.lazy.compactMap { if case .failed(let reason) = $0 { reason } else { nil } }.first }

    /// Lets a connection come up.
    @discardableResult
    func connect(_ number: UInt16, isCentral: Bool = false, timeout: UInt16 = 500) -> ConnectionHandle {
        let peer = DeviceAddress(kind: .random, bits: 0xd000_0000_0000 | UInt64(number))
        hear(Packets.connected(number, peer, isCentral: isCentral, timeout: timeout))
        return ConnectionHandle(rawValue: number)
    }

    /// Gives a connection frames to send.
    func give(_ handle: ConnectionHandle, _ frames: [[UInt8]]) {
        self.frames[handle, default: []] += frames
        call { $0.wantsToSend(on: handle) }
    }

    /// The handles of the data packets that went out.
    var sentOn: [UInt16] { far.data.map { (UInt16($0[1]) | UInt16($0[2]) << 8) & 0x0fff } }

    private func record(_ report: Report) {
        if isCalling { reportsFromWithin += 1 }
        reports.append(report)
        onReport?(report)
    }
}

extension Bench: ControllerDelegate {
    func controllerReady(_ capabilities: ControllerCapabilities) {
        self.capabilities = capabilities
        record(.ready)
    }
    func controllerFailed(_ reason: String) { record(.failed(reason)) }
    func activityChanged() { record(.activity(controller.activity)) }
    func refused(_ refusal: Controller.Refusal, _ status: HCIStatus) { record(.refused(refusal, status)) }
    func saw(_ report: AdvertisingReport) { record(.saw(report)) }
    func connected(_ connection: HCIConnection) { record(.connected(connection)) }
    func connectEnded(_ device: DeviceAddress, _ status: HCIStatus) { record(.connectEnded(device, status)) }
    func disconnected(_ handle: ConnectionHandle, _ reason: HCIStatus) { record(.disconnected(handle, reason)) }
    func received(_ fragment: ArraySlice<UInt8>, isStart: Bool, on handle: ConnectionHandle) {
        record(.received(Array(fragment), isStart: isStart, handle))
    }
    func nextFrame(for handle: ConnectionHandle) -> [UInt8]? {
        if isCalling { reportsFromWithin += 1 }
        return frames[handle]?.popFirst()
    }
    func readSignal(of handle: ConnectionHandle) {
        call { $0.readSignal(of: handle) { [weak self] in self?.record(.signal($0)) } }
    }
}
