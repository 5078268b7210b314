import CBluetooth
import Glibc

/// The HCI user channel of the kernel: one of its adapters, for us alone, without any of its own Bluetooth stack.
///
/// Opening it powers the adapter up, and it must be down before; bluetoothd may go on running beside it. Reading gives
/// one packet at a time, writing takes one.
enum UserChannel {
    /// Opens `hci<index>`.
    static func open(_ index: UInt16) throws(BluetoothError) -> OpenedAdapter {
        let descriptor = try socket()
        // Before the bind, from which on packets come. The first is for those who may exceed the system's limit.
        if !setOption(descriptor, SOL_SOCKET, SO_RCVBUFFORCE, BluetoothPolicy.receiveBuffer) {
            setOption(descriptor, SOL_SOCKET, SO_RCVBUF, BluetoothPolicy.receiveBuffer)
        }
        var address = sockaddr_hci(
            hci_family: sa_family_t(AF_BLUETOOTH), hci_dev: index, hci_channel: UInt16(HCI_CHANNEL_USER))
        let size = socklen_t(MemoryLayout<sockaddr_hci>.size)
        let bound = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, size) }
        }
        guard bound == 0 else {
            let code = errno
            close(descriptor)
            throw failure(code, index, AdapterDirectory())
        }
        return OpenedAdapter(
            descriptor: descriptor, kind: .packets,
            claim: AdapterClaim.take(directory: AdapterDirectory().path(ofAdapter: index)))
    }

    /// A socket that is not bound to any adapter.
    static func socket() throws(BluetoothError) -> Int32 {
        let kind = Int32(SOCK_RAW.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        let descriptor = Glibc.socket(AF_BLUETOOTH, kind, Int32(BTPROTO_HCI))
        guard descriptor < 0 else { return descriptor }
        let code = errno
        guard code == EAFNOSUPPORT || code == EPROTONOSUPPORT else {
            throw .system(action: "open", subject: "a Bluetooth socket", code: code)
        }
        throw .unsupported(reason: "this kernel has no Bluetooth")
    }

    /// What the answer of the system to a bind means.
    static func failure(_ code: Int32, _ index: UInt16, _ directory: AdapterDirectory) -> BluetoothError {
        let address = AdapterAddress.userChannel(index: index)
        switch code {
        case ENODEV:
            // A switch of the machine may cut the adapter's power, and then it is not even listed.
            let isCut = directory.radioSwitches().first { $0.adapter == nil && $0.isBlocked }
            return isCut.map { .blockedByRadioSwitch(address, isHard: $0.isHardBlocked) } ?? .missing(address)
        case EBUSY: return .busy(address, process: directory.holder(of: address))
        case EPERM, EACCES: return .notPermitted(address)
        case ERFKILL:
            let isHard = directory.radioSwitches().contains { $0.adapter == index && $0.isHardBlocked }
            return .blockedByRadioSwitch(address, isHard: isHard)
        default: return .system(action: "open", subject: "\(address)", code: code)
        }
    }
}
