import Domain

/// Which connection of a controller, 0...0x0EFF.
struct ConnectionHandle: Hashable, Comparable, Sendable {
    let rawValue: UInt16
    static func < (left: ConnectionHandle, right: ConnectionHandle) -> Bool { left.rawValue < right.rawValue }

    /// The largest handle (Core Specification, Vol 4, Part E, 5.4.2).
    static let maximum: UInt16 = 0x0eff
}

/// A connection that came up.
struct HCIConnection: Hashable, Sendable {
    /// Its handle.
    let handle: ConnectionHandle
    /// Whether we opened it.
    let isCentral: Bool
    /// Who is at the far end.
    let peer: DeviceAddress
    /// After how long without a word the controller gives it up.
    let supervisionTimeout: Milliseconds
}

/// A device that advertises.
struct AdvertisingReport: Hashable, Sendable {
    /// Who.
    let device: DeviceAddress
    /// Whether it takes connections.
    let isConnectable: Bool
    /// Whether this is the answer to a scan, which does not say whether connections are taken.
    let isScanResponse: Bool
    /// The AD structures, unparsed.
    let data: [UInt8]
    /// How strong it is, in dBm; `nil` when the controller does not know (127).
    let signal: Int8?
}

/// What a controller reports. Every call comes on the radio's queue, never from within a call into the controller.
protocol ControllerDelegate: AnyObject {
    /// The controller was reset and its capabilities are known.
    func controllerReady(_ capabilities: ControllerCapabilities)
    /// The controller is of no use as it is: it does not answer, reports a hardware error, or lacks what is needed. It
    /// must be opened anew; nothing else is reported after this.
    func controllerFailed(_ reason: String)
    /// Advertising, scanning or connecting began or ended, whoever caused it; see ``Controller/activity``.
    func activityChanged()
    /// The controller refused what was asked for, or did not finish it; ``Controller/activity`` tells how it stands now.
    func refused(_ refusal: Controller.Refusal, _ status: HCIStatus)
    /// A device advertises.
    func saw(_ report: AdvertisingReport)
    /// A connection came up, in either role.
    func connected(_ connection: HCIConnection)
    /// The attempt to connect ended without a connection, cancelled or failed.
    func connectEnded(_ device: DeviceAddress, _ status: HCIStatus)
    /// A connection is gone; its credits are back.
    func disconnected(_ handle: ConnectionHandle, _ reason: HCIStatus)
    /// A piece of an L2CAP frame came in.
    func received(_ fragment: ArraySlice<UInt8>, isStart: Bool, on handle: ConnectionHandle)
    /// The next L2CAP frame for a connection, header included; `nil` when there is none now. Asked when the controller has
    /// room, after ``Controller/wantsToSend(on:)``.
    func nextFrame(for handle: ConnectionHandle) -> [UInt8]?
}
