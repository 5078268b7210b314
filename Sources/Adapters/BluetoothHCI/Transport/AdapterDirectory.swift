import CBluetooth
import Glibc

/// What this system tells about its Bluetooth adapters without any of them being opened.
///
/// Sources: `/sys/class/bluetooth`, `/sys/class/rfkill`, `/proc`, and the kernel's Bluetooth socket. None needs a
/// privilege.
public struct AdapterDirectory: Sendable {
    private let tree: SystemTree

    /// Looks below `root`; with anything but `/` the kernel itself is not asked.
    public init(root: String = "/") { tree = SystemTree(root: root) }

    /// The kernel's adapters, by number. Those behind `h4:` addresses are not among them.
    public func adapters() -> [KernelAdapter] {
        // `hci0:12` is a connection of hci0.
        let indices = tree.names(in: Self.adapterDirectory).compactMap { Self.index(of: $0) }.sorted()
        guard !indices.isEmpty else { return [] }
        let switches = radioSwitches()
        let socket = tree.isReal ? try? UserChannel.socket() : nil
        defer { if let socket { close(socket) } }
        return indices.map { index in
            let info = socket.flatMap { Self.ask($0, index) }
            let own = switches.filter { $0.adapter == index }
            return KernelAdapter(
                index: index, address: info.map { Self.address($0) } ?? address(of: index),
                isUp: info.map { $0.flags & 1 << UInt32(HCI_UP) != 0 }, bus: info.flatMap { Self.bus($0.type) },
                isSoftBlocked: own.contains { $0.isSoftBlocked }, isHardBlocked: own.contains { $0.isHardBlocked })
        }
    }

    /// The radio switches for Bluetooth, of single adapters and of the whole machine.
    public func radioSwitches() -> [RadioSwitch] {
        tree.names(in: "/sys/class/rfkill").sorted().compactMap { entry in
            let directory = "/sys/class/rfkill/" + entry
            guard tree.line(of: directory + "/type") == "bluetooth" else { return nil }
            let name = tree.line(of: directory + "/name") ?? entry
            return RadioSwitch(
                name: name, adapter: Self.index(of: name), isSoftBlocked: tree.line(of: directory + "/soft") == "1",
                isHardBlocked: tree.line(of: directory + "/hard") == "1")
        }
    }

    /// The process that runs as `bluetoothd`; it powers adapters up, and one that is up is not to be had.
    public func bluetoothDaemon() -> Int32? {
        tree.names(in: "/proc").compactMap { Int32($0) }.sorted().first {
            tree.line(of: "/proc/\($0)/comm") == "bluetoothd"
        }
    }

    /// What this process lacks to open one of the kernel's adapters.
    public func missingCapabilities() -> [BluetoothCapability] {
        let lines = tree.text(of: "/proc/self/status")?.split(separator: "\n") ?? []
        let field = lines.first { $0.hasPrefix("CapEff:") }?.split { $0 == "\t" || $0 == " " }.last
        let effective = field.flatMap { UInt64($0, radix: 16) } ?? 0
        return BluetoothCapability.allCases.filter { effective & 1 << UInt64($0.rawValue) == 0 }
    }

    /// What is in the way of opening an adapter, found without opening it; `nil` when nothing is to be seen. Whether a
    /// controller answers behind a socket is only known after a connection.
    public func obstacle(for address: AdapterAddress) -> BluetoothError? {
        switch address {
        case .automatic: obstacleForAutomatic()
        case .userChannel(let index): obstacle(index)
        case .serial(let path, _): obstacle(address, file: path, kind: S_IFCHR) ?? held(address)
        case .unix(let path): obstacle(address, file: path, kind: S_IFSOCK)
        case .tcp: nil
        }
    }

    /// The number of the adapter that ``AdapterAddress/automatic`` means now: the lowest.
    func firstAdapter() throws(BluetoothError) -> UInt16 {
        if tree.isReal { close(try UserChannel.socket()) }
        if let index = tree.names(in: Self.adapterDirectory).compactMap({ Self.index(of: $0) }).min() { return index }
        // A switch of the machine may cut the adapter's power, and then it is not even listed.
        if let isCut = radioSwitches().first(where: { $0.adapter == nil && $0.isBlocked }) {
            throw .blockedByRadioSwitch(.automatic, isHard: isCut.isHardBlocked)
        }
        throw .missing(.automatic)
    }

    private func obstacleForAutomatic() -> BluetoothError? {
        do throws(BluetoothError) { return obstacle(try firstAdapter()) } catch { return error }
    }

    private func obstacle(_ index: UInt16) -> BluetoothError? {
        if tree.isReal {
            do throws(BluetoothError) { close(try UserChannel.socket()) } catch { return error }
        }
        guard let adapter = adapters().first(where: { $0.index == index }) else {
            return UserChannel.failure(ENODEV, index, self)
        }
        if adapter.isSoftBlocked || adapter.isHardBlocked { return UserChannel.failure(ERFKILL, index, self) }
        // The kernel asks for this one alone.
        if missingCapabilities().contains(.networkAdministration) { return UserChannel.failure(EPERM, index, self) }
        return adapter.isUp == true ? UserChannel.failure(EBUSY, index, self) : held(.userChannel(index: index))
    }

    private func obstacle(_ address: AdapterAddress, file: String, kind: mode_t) -> BluetoothError? {
        var status = stat()
        guard stat(file, &status) == 0 else {
            return errno == EACCES ? .notPermitted(address) : .missing(address)
        }
        guard status.st_mode & S_IFMT == kind else {
            return kind == S_IFCHR ? .notASerialPort(address) : .unreachable(address, reason: "it is not a socket")
        }
        return access(file, R_OK | W_OK) == 0 ? nil : .notPermitted(address)
    }

    private func held(_ address: AdapterAddress) -> BluetoothError? {
        holder(of: address).map { .busy(address, process: $0) }
    }

    /// Another node's process that has an adapter; `nil` when none has, or when that is not to be seen: the process may be
    /// in another container, and a controller behind a socket does not tell.
    public func otherNode(with address: AdapterAddress) -> Int32? {
        guard let process = holder(of: address), process != getpid() else { return nil }
        // Others may lock a serial port too: minicom for one.
        return tree.line(of: "/proc/\(process)/comm") == "satchel" ? process : nil
    }

    /// The process that has claimed an adapter; see ``AdapterClaim``.
    func holder(of address: AdapterAddress) -> Int32? {
        let file: String
        switch address {
        case .userChannel(let index): file = path(ofAdapter: index)
        case .serial(let path, _): file = path
        case .automatic, .tcp, .unix: return nil
        }
        return tree.text(of: "/proc/locks").flatMap { AdapterClaim.holder(of: file, in: $0) }
    }

    /// The directory in sysfs of one of the kernel's adapters.
    func path(ofAdapter index: UInt16) -> String { tree.path("\(Self.adapterDirectory)/hci\(index)") }

    private static let adapterDirectory = "/sys/class/bluetooth"

    /// The number in `hci0`.
    private static func index(of name: String) -> UInt16? {
        guard name.hasPrefix("hci"), case .userChannel(let index)? = try? AdapterAddress(parsing: name) else {
            return nil
        }
        return index
    }

    private static func ask(_ socket: Int32, _ index: UInt16) -> hci_dev_info? {
        var info = hci_dev_info()
        return bluetooth_device_info(socket, index, &info) == 0 ? info : nil
    }

    private func address(of index: UInt16) -> String? {
        tree.line(of: "\(Self.adapterDirectory)/hci\(index)/address")?.uppercased()
    }

    /// The six bytes, which the kernel has least significant first.
    private static func address(_ info: hci_dev_info) -> String {
        withUnsafeBytes(of: info.bdaddr) { bytes in
            bytes.reversed().map { byte in
                let text = String(byte, radix: 16, uppercase: true)
                return text.utf8.count < 2 ? "0" + text : text
            }.joined(separator: ":")
        }
    }

    /// The lower four bits of the type that the kernel tells.
    private static func bus(_ type: UInt8) -> String? {
        switch Int32(type & 0x0F) {
        case HCI_VIRTUAL: "virtual"
        case HCI_USB: "USB"
        case HCI_PCCARD: "PC Card"
        case HCI_UART: "UART"
        case HCI_RS232: "RS-232"
        case HCI_PCI: "PCI"
        case HCI_SDIO: "SDIO"
        case HCI_SPI: "SPI"
        case HCI_I2C: "I2C"
        case HCI_SMD: "SMD"
        case HCI_VIRTIO: "virtio"
        default: nil
        }
    }
}
