import BluetoothHCI
import Glibc

/// What this machine says about Bluetooth without any adapter being opened; taken once, so that all of an answer is of one
/// moment.
struct BluetoothSurroundings: Sendable {
    /// The kernel's adapters, by number.
    var adapters: [KernelAdapter] = []
    /// The radio switches for Bluetooth.
    var switches: [RadioSwitch] = []
    /// Why the kernel has no Bluetooth at all; `nil` when it has.
    var lack: String?
    /// The process of bluetoothd, while it runs.
    var daemon: Int32?
    /// Whether bluetoothd powers up every adapter that appears.
    var doesDaemonPowerUp = true
    /// What this program lacks to take one of the kernel's adapters.
    var missingCapabilities: [BluetoothCapability] = []
    /// What is in the way of each adapter that was asked for, and of each of the kernel's.
    var obstacles: [AdapterAddress: BluetoothError] = [:]
    /// This program, as `setcap` wants it: no link.
    var program = "satchel"

    /// Nothing at all.
    init() {}

    /// Looks around.
    ///
    /// - Parameters:
    ///   - directory: What the system tells.
    ///   - addresses: Adapters to ask for beside the kernel's.
    ///   - daemonConfiguration: The configuration file of bluetoothd.
    init(
        _ directory: AdapterDirectory, asking addresses: [AdapterAddress],
        daemonConfiguration: String = "/etc/bluetooth/main.conf"
    ) {
        adapters = directory.adapters()
        switches = directory.radioSwitches()
        daemon = directory.bluetoothDaemon()
        missingCapabilities = directory.missingCapabilities()
        for address in adapters.map({ .userChannel(index: $0.index) }) + addresses {
            obstacles[address] = directory.obstacle(for: address)
        }
        // Whichever adapter is asked for, a kernel without Bluetooth answers the same.
        let first = AdapterAddress.userChannel(index: adapters.first?.index ?? 0)
        if case .unsupported(let reason)? = directory.obstacle(for: first) { lack = reason }
        if let text = try? SystemFile.readText(daemonConfiguration, limit: 1 << 20) {
            doesDaemonPowerUp = Self.powersUp(text)
        }
        program = Self.programPath ?? program
    }

    /// What the configuration of bluetoothd says of `AutoEnable`; on unless it is switched off, since BlueZ 5.65.
    static func powersUp(_ text: String) -> Bool {
        var value = "true"
        for line in text.split(separator: "\n") {
            let parts = line.split(separator: "=", maxSplits: 1).map { $0.filter { $0 != " " && $0 != "\t" } }
            if parts.count == 2, parts[0] == "AutoEnable" { value = String(parts[1]) }
        }
        return value != "false"
    }

    private static var programPath: String? {
        guard let path = realpath("/proc/self/exe", nil) else { return nil }
        defer { free(path) }
        return String(cString: path)
    }

    /// What to do about an obstacle; with the path of this very program where it is about its capabilities.
    func remedy(for error: BluetoothError) -> String? {
        switch error {
        case .notPermitted(.userChannel), .notPermitted(.automatic): grant
        case .notPermitted(.serial(let path, _)):
            "`sudo usermod -aG dialout \"$USER\"` and log in again; for a service `SupplementaryGroups=dialout`, or a rule of "
                + "udev for this port alone: `SUBSYSTEM==\"tty\", KERNEL==\"\(Self.leaf(of: path))\", GROUP=\"satchel\"`"
        default: error.remedy
        }
    }

    private static func leaf(of path: String) -> String {
        path.split(separator: "/").last.map(String.init) ?? path
    }

    /// The command that grants the capability.
    var grantCommand: String { "sudo setcap cap_net_admin+eip \(ShellWord.quoted(program))" }

    /// How to grant the capability.
    var grant: String {
        "`\(grantCommand)`, again after each update of the program; in a systemd unit "
            + "`AmbientCapabilities=CAP_NET_ADMIN` instead"
    }

    /// How to keep bluetoothd from powering up what it is not to have.
    static let daemonRemedy =
        "set `AutoEnable=false` in the section [Policy] of /etc/bluetooth/main.conf, then `sudo systemctl restart bluetooth`; "
        + "without any use for it: `sudo systemctl disable --now bluetooth`"
}

extension BluetoothError {
    /// What a command exits with because of it.
    var exitCode: ExitCode {
        switch self {
        case .badAddress, .notASerialPort, .badSpeed, .unsupported: .configuration
        case .missing: .notFound
        case .busy: .cannotWrite
        case .blockedByRadioSwitch, .notPermitted: .refused
        case .unreachable, .system: .inputOutput
        }
    }
}
