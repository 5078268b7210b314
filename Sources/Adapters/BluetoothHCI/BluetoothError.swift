/// Why an adapter cannot be used: what is wrong, with which adapter; ``remedy`` says what to do about it.
public enum BluetoothError: Error, Hashable, Sendable {
    /// A text that names no adapter.
    case badAddress(String, reason: String)
    /// This system has no Bluetooth of the kind that is asked for.
    case unsupported(reason: String)
    /// There is no such adapter, port or socket.
    case missing(AdapterAddress)
    /// Somebody else has it: a process, where that is known; otherwise another program, or the kernel because it is up.
    case busy(AdapterAddress, process: Int32?)
    /// A radio switch is off: the physical one (hard) or the one in software.
    case blockedByRadioSwitch(AdapterAddress, isHard: Bool)
    /// This process may not open it.
    case notPermitted(AdapterAddress)
    /// The path is something else than a serial port.
    case notASerialPort(AdapterAddress)
    /// The serial port cannot run at this speed.
    case badSpeed(AdapterAddress)
    /// Nobody answers at the other end of a socket; why.
    case unreachable(AdapterAddress, reason: String)
    /// Any other failure, by `errno`.
    case system(action: String, subject: String, code: Int32)
}

extension BluetoothError: CustomStringConvertible {
    /// What is wrong, for a person, in one line.
    public var description: String {
        switch self {
        case .badAddress(let text, let reason): "bad adapter \"\(text)\": \(reason); write \(AdapterAddress.spellings)"
        case .unsupported(let reason): reason
        case .missing(.automatic): "there is no Bluetooth adapter"
        case .missing(let adapter): "there is no \(adapter)"
        case .busy(let adapter, let process?): "\(adapter) is in use by process \(process)"
        case .busy(.userChannel(let index), nil): "hci\(index) is up, or in use by another program"
        case .busy(let adapter, nil): "\(adapter) is in use by another program"
        case .blockedByRadioSwitch(let adapter, let isHard):
            "\(adapter == .automatic ? "Bluetooth" : "\(adapter)") is switched off by \(isHard ? "the radio switch of this machine" : "rfkill")"
        case .notPermitted(let adapter): "no permission to open \(adapter)"
        case .notASerialPort(let adapter): "\(adapter) is not a serial port"
        case .badSpeed(let adapter): "the port cannot run at the speed of \(adapter)"
        case .unreachable(let adapter, let reason): "cannot connect to \(adapter): \(reason)"
        case .system(let action, let subject, let code): "cannot \(action) \(subject): \(errorText(code))"
        }
    }
}

extension BluetoothError {
    /// How an adapter stands because of it.
    public var state: AdapterStatus.State {
        switch self {
        case .missing, .unreachable: .missing
        case .unsupported: .unsupported
        case .busy, .blockedByRadioSwitch, .notPermitted: .blocked
        case .badAddress, .notASerialPort, .badSpeed, .system: .failed
        }
    }

    /// What to do about it, where that is known: commands are in backquotes.
    public var remedy: String? {
        switch self {
        case .badAddress, .system: nil
        case .unsupported:
            "load the module with `sudo modprobe bluetooth`, or use an adapter that needs no kernel (h4:…)"
        case .missing(.automatic): "plug one in, or name a controller that needs no kernel (h4:…)"
        case .missing(.userChannel): "plug the adapter in; `ls /sys/class/bluetooth` shows those that the kernel has"
        case .missing(.serial): "plug the controller in; `ls /dev/ttyACM* /dev/ttyUSB*` shows the usual ports"
        case .missing, .unreachable: "start the controller at the other end"
        case .busy(_, .some): "stop that process, or give this node another adapter"
        case .busy(.userChannel(let index), nil):
            "power it down with `bluetoothctl power off` (bluetoothd may go on running) or `sudo hciconfig hci\(index) down`"
        case .busy(_, nil): "stop the other program, or give this node another adapter"
        case .blockedByRadioSwitch(_, isHard: false): "`rfkill unblock bluetooth`"
        case .blockedByRadioSwitch(_, isHard: true): "turn the switch, or press the key, that enables the radio"
        case .notPermitted(.userChannel), .notPermitted(.automatic):
            "grant the capability once with "
                + "`sudo setcap cap_net_admin+eip \"$(readlink -f \"$(command -v satchel)\")\"`; "
                + "a systemd unit has `AmbientCapabilities=CAP_NET_ADMIN` instead"
        case .notPermitted(.serial):
            "join the group that owns the port, usually with `sudo usermod -aG dialout \"$USER\"`, and log in again"
        case .notPermitted: "the node's user needs permission to write to the socket"
        case .notASerialPort: "name a port such as /dev/ttyACM0"
        case .badSpeed: "give the speed that the controller's firmware has, for example \(BluetoothPolicy.defaultSpeed)"
        }
    }
}
