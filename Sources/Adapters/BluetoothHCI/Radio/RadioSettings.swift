import Application
import Dispatch
import Domain

/// What a radio is made with.
struct RadioSettings: Sendable {
    /// The adapter.
    let address: AdapterAddress
    /// Its place in the configuration.
    let number: Int
    /// What holds for all radios.
    let configuration: BluetoothConfiguration
    /// Where the node's frames wait.
    let desk: LinkDesk
    /// Every packet is logged there.
    let packetLog: PacketLog?
    /// 64 uniform bits.
    let random: @Sendable () -> UInt64
    /// A fresh number for a link.
    let nextLinkID: @Sendable () -> LinkID
    /// Makes the timers of a queue.
    let timers: @Sendable (DispatchQueue) -> any RadioTimers
    /// What is reported to the node.
    let handlers: BluetoothHandlers
    /// Takes how the adapter stands, at every change.
    let publish: @Sendable (AdapterStatus) -> Void
}

extension BluetoothService {
    /// The UUID that the mesh is known by.
    var advertised: ServiceUUID {
        switch self {
        case .production: .production
        case .test: .test
        }
    }
}
