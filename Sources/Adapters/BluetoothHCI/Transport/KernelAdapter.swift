/// One of the kernel's adapters.
public struct KernelAdapter: Hashable, Sendable {
    /// Its number: 0 for `hci0`.
    public let index: UInt16
    /// Its address as the kernel knows it, `00:1A:7D:DA:71:13`; `nil` where it is not told. It may be all zeros until
    /// the adapter was up once.
    public let address: String?
    /// Whether it is powered up, and so not to be had; `nil` where that is not told.
    public let isUp: Bool?
    /// What it is connected by, `USB` for example; `nil` where that is not told.
    public let bus: String?
    /// Whether its radio is switched off in software (rfkill).
    public let isSoftBlocked: Bool
    /// Whether its radio is switched off by a switch or key.
    public let isHardBlocked: Bool

    /// `hci0`.
    public var name: String { "hci\(index)" }
}

/// A radio switch for Bluetooth.
public struct RadioSwitch: Hashable, Sendable {
    /// As the kernel calls it.
    public let name: String
    /// The adapter that it belongs to; `nil` for one of the whole machine.
    public let adapter: UInt16?
    /// Whether it is off in software (rfkill).
    public let isSoftBlocked: Bool
    /// Whether the physical switch is off.
    public let isHardBlocked: Bool

    /// Whether the radio is off, in either way.
    public var isBlocked: Bool { isSoftBlocked || isHardBlocked }
}

/// What a process may do beyond the permissions of its user; those that a user channel needs.
///
/// The kernel asks for this one alone: raw sockets of its Bluetooth are open to everybody, and CAP_NET_RAW is not asked
/// for (measured on Debian's kernel, `make test-kernel`).
public enum BluetoothCapability: Int, CaseIterable, Hashable, Sendable, CustomStringConvertible {
    // The value is the kernel's bit number.
    /// Take an adapter.
    case networkAdministration = 12

    /// As the system calls it.
    public var description: String {
        switch self {
        case .networkAdministration: "CAP_NET_ADMIN"
        }
    }
}
