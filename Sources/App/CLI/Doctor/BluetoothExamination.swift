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
        let others = otherFindings(beside: used)
        guard !used.isEmpty || !others.isEmpty else {
            if chosen != nil { return [.fine(Self.subject, "off; the node meets others through sockets only")] }
            let reason = surroundings.lack ?? "there is no adapter"
            return [.fine(Self.subject, "\(reason); the node meets others through sockets only")]
        }
        return used.map(finding) + others + [daemon(used)].compactMap(\.self)
    }

    /// On adapters that the running node was started with, and that the settings of now do not name.
    private func otherFindings(beside used: [AdapterAddress]) -> [Finding] {
        let known = used.map(\.description)
        return (status?["adapters"]?.array ?? []).filter { adapter in
            adapter["address"]?.string.map { !known.contains($0) } ?? false
        }.map { finding(on: $0, isNamed: false) }
    }

    private func finding(on address: AdapterAddress) -> Finding {
        let subject = "adapter"
        if let status {
            let adapters = status["adapters"]?.array ?? []
            guard let running = adapters.first(where: { $0["address"]?.string == address.description }) else {
                return .warning(subject, "\(address): the running node was started without it", "start the node again")
            }
            return finding(on: running, isNamed: chosen != nil)
        }
        guard let obstacle = surroundings.obstacles[address] else {
            if case .userChannel = address { return .fine(subject, "\(address) is free") }
            return .fine(subject, "\(address): nothing is in the way; whether it answers is seen at the start")
        }
        let remedy = surroundings.remedy(for: obstacle)
        // "there is no hci0" names it; "this kernel has no Bluetooth" does not.
        var text = obstacle.description
        if case .unsupported = obstacle { text = "\(address): \(text)" }
        return chosen != nil
            ? .broken(subject, obstacle.exitCode, text, remedy) : .warning(subject, text, remedy)
    }

    private func finding(on running: JSONValue, isNamed: Bool) -> Finding {
        let text = AdapterText.line(of: running, at: status?["time"]?.unsigned)
        let remedy = running["remedy"]?.string
        let code: ExitCode
        switch running["state"]?.string {
        case "ready": return .fine("adapter", text)
        case "missing": code = .notFound
        case "blocked": code = .refused
        case "failed": code = .inputOutput
        default: return .warning("adapter", text, remedy)
        }
        return isNamed ? .broken("adapter", code, text, remedy) : .warning("adapter", text, remedy)
    }

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
