import Application
import Domain
import Synchronization

// A placeholder of branch app: types that the other branches bring. Nothing of it is to survive the merge.

/// What people are told of a controller.
public struct ControllerDescription: Hashable, Sendable {
    public let version: String
    public let manufacturer: UInt16
    public let address: String?
    public let bufferLength: Int
    public let bufferCount: Int
    public let features: [String]
    public let usesExtendedCommands: Bool
    public let doesAllAtOnce: Bool?
}

extension Node {
    public func adapterWentDown() {}
}

/// Several radios as one link layer.
public final class BluetoothHCI: LinkLayer, Sendable {
    private let statuses: Mutex<[AdapterStatus]>
    private let handlers: BluetoothHandlers

    public init(
        _ configuration: BluetoothConfiguration, randomness: @escaping @Sendable () -> UInt64,
        nextLinkID: @escaping @Sendable () -> LinkID, handlers: BluetoothHandlers
    ) throws(BluetoothError) {
        statuses = Mutex(configuration.adapters.map { AdapterStatus(address: $0, state: .opening) })
        self.handlers = handlers
    }

    public var adapters: [AdapterStatus] { statuses.withLock { $0 } }
    public func start() {}
    public func stop() {}
    public func send(_ frame: [UInt8], on link: LinkID) -> SendOutcome { .refused }
    public func close(_ link: LinkID) {}
}
