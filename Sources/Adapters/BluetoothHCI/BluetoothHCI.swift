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

/// Why an adapter cannot be used.
public enum BluetoothError: Error, Hashable, Sendable, CustomStringConvertible {
    case badAddress(String, reason: String)
    case missing(AdapterAddress)
    case busy(AdapterAddress)
    case blockedByRadioSwitch(AdapterAddress)
    case notPermitted(AdapterAddress)
    case unsupported(reason: String)

    public var description: String {
        switch self {
        case .badAddress(let text, let reason): "\(text) \(reason)"
        case .missing(let address): "\(address) missing"
        case .busy(let address): "\(address) busy"
        case .blockedByRadioSwitch(let address): "\(address) blocked"
        case .notPermitted(let address): "\(address) not permitted"
        case .unsupported(let reason): reason
        }
    }
    public var remedy: String? { nil }
}

extension AdapterAddress: CustomStringConvertible {
    public init(parsing text: String) throws(BluetoothError) {
        if text.hasPrefix("hci"), let index = UInt16(text.dropFirst(3)) {
            self = .userChannel(index: index)
        } else if text.hasPrefix("h4:unix:") {
            self = .unix(path: String(text.dropFirst(8)))
        } else if text.hasPrefix("h4:/"), let comma = text.firstIndex(of: ","), let baud = UInt32(text[comma...].dropFirst()) {
            self = .serial(path: String(text[..<comma].dropFirst(3)), baud: baud)
        } else {
            throw .badAddress(text, reason: "is no adapter")
        }
    }
    public var description: String {
        switch self {
        case .userChannel(let index): "hci\(index)"
        case .serial(let path, let baud): "h4:\(path),\(baud)"
        case .tcp(let host, let port): "h4:tcp:\(host):\(port)"
        case .unix(let path): "h4:unix:\(path)"
        }
    }
}

/// An adapter of the kernel.
public struct KernelAdapter: Hashable, Sendable {
    public let index: UInt16
    public let name: String
    public let address: String?
    public let isUp: Bool?
    public let bus: String?
    public let isSoftBlocked: Bool
    public let isHardBlocked: Bool
}

/// What the machine has.
public struct AdapterDirectory: Sendable {
    public init(root: String = "/") {}
    public var adapters: [KernelAdapter] { [] }
    public func obstacle(for address: AdapterAddress) -> BluetoothError? { .missing(address) }
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
