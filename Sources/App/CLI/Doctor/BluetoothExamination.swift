import BluetoothHCI
import Domain

/// Looks at the Bluetooth adapters that a node of this home takes. What somebody named must work; what nobody named may
/// be missing.
struct BluetoothExamination {
    private static let subject = "bluetooth"

    private let chosen: [AdapterAddress]?
    private let surroundings: BluetoothSurroundings
    private let status: JSONValue?

    /// Examines adapters.
    ///
    /// - Parameters:
    ///   - chosen: What is configured; `nil` when nothing is.
    ///   - status: What the running node answers to `status`, if one runs.
    init(chosen: [AdapterAddress]?, _ surroundings: BluetoothSurroundings, status: JSONValue?) {
        self.chosen = chosen
        self.surroundings = surroundings
        self.status = status
    }

    /// The findings.
    func findings() -> [Finding] {
        let automatic = surroundings.adapters.first.map { [AdapterAddress.userChannel(index: $0.index)] } ?? []
        let used = chosen ?? automatic
        guard !used.isEmpty else {
            if chosen != nil { return [.fine(Self.subject, "off; the node meets others through sockets only")] }
            let reason = surroundings.lack ?? "there is no adapter"
            return [.fine(Self.subject, "\(reason); the node meets others through sockets only")]
        }
        return used.map(finding) + [daemon(used)].compactMap(\.self)
    }

    private func finding(on address: AdapterAddress) -> Finding {
        let subject = "adapter"
        if let status {
            let adapters = status["adapters"]?.array ?? []
            guard let running = adapters.first(where: { $0["address"]?.string == address.description }) else {
                return .warning(subject, "\(address): the running node was started without it", "start the node again")
            }
            return finding(on: running, at: status["time"]?.unsigned)
        }
        guard let obstacle = surroundings.obstacles[address] else {
            if case .userChannel = address { return .fine(subject, "\(address) is free") }
            return .fine(subject, "\(address): nothing is in the way; whether it answers is seen at the start")
        }
        let remedy = surroundings.remedy(for: obstacle)
        // "there is no hci0" names it; "this kernel has no Bluetooth" does not.
        var text = obstacle.description
        if case .unsupported = obstacle { text = "\(address): \(text)" }
        return isNamed(address)
            ? .broken(subject, obstacle.exitCode, text, remedy) : .warning(subject, text, remedy)
    }

    private func finding(on running: JSONValue, at time: UInt64?) -> Finding {
        let text = AdapterText.line(of: running, at: time)
        let remedy = running["remedy"]?.string
        let code: ExitCode
        switch running["state"]?.string {
        case "ready": return .fine("adapter", text)
        case "missing": code = .notFound
        case "blocked": code = .refused
        case "failed": code = .inputOutput
        default: return .warning("adapter", text, remedy)
        }
        return chosen == nil ? .warning("adapter", text, remedy) : .broken("adapter", code, text, remedy)
    }

    private func isNamed(_ address: AdapterAddress) -> Bool { chosen?.contains(address) == true }

    /// A daemon that powers up whatever appears takes the adapter as soon as the node lets go of it.
    private func daemon(_ used: [AdapterAddress]) -> Finding? {
        guard let daemon = surroundings.daemon, surroundings.doesDaemonPowerUp else { return nil }
        let isKernels = used.contains { if case .userChannel = $0 { true } else { false } }
        guard isKernels else { return nil }
        return .warning(
            "bluetoothd", "process \(daemon) powers up every adapter, at the latest when satchel lets go of it",
            BluetoothSurroundings.daemonRemedy)
    }
}
