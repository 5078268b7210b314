import Domain

/// One Bluetooth controller, driven over HCI. Confined to the radio's queue.
final class Controller {
    /// To whom everything is reported, never from within a call.
    weak var delegate: (any ControllerDelegate)?
    /// What the controller does, kept right by its events.
    private(set) var activity = Activity()
    /// What went wrong so far.
    private(set) var counters = Counters()

    init(timers: any RadioTimers, send: @escaping ([UInt8]) -> Void) {}

    /// Resets, discovers, sets masks and the random own address; then controllerReady or controllerFailed.
    func start(address: DeviceAddress) {}
    /// Takes one whole packet, with its H4 indicator.
    func receive(_ packet: [UInt8]) {}
    /// Begins to advertise, anew if it does already; `nil` stops it.
    func advertise(_ advertising: Advertising?) {}
    /// Begins to scan, anew if it does already; `nil` stops it.
    func scan(_ scanning: Scanning?) {}
    /// Tries to connect until cancelled.
    func connect(to device: DeviceAddress) {}
    /// Ends the attempt; connectEnded or connected will tell how it ended.
    func cancelConnect() {}
    /// Ends a connection; disconnected follows.
    func disconnect(_ handle: ConnectionHandle, reason: HCIStatus) {}
    /// Asks how strong the far end is.
    func readSignal(of handle: ConnectionHandle, then: @escaping (Int8?) -> Void) {}
    /// Asks for other parameters.
    func updateParameters(of handle: ConnectionHandle, _ parameters: ConnectionParameters) {}
    /// Puts a connection into the round of those that have something to send.
    func wantsToSend(on handle: ConnectionHandle) {}
}
