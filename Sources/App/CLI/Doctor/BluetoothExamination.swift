import BluetoothHCI
import Domain

/// Looks at the Bluetooth adapters that a node of this home takes. What somebody named must work; what nobody named may
/// be missing.
struct BluetoothExamination {
    private static let subject = "bluetooth"

    private let chosen: [AdapterAddress]
    private let surroundings: BluetoothSurroundings
    private let status: JSONValue?

    /// Examines adapters.
    ///
    /// - Parameters:
    ///   - chosen: What is configured.
    ///   - status: What the running node answers to `status`, if one runs.
    init(chosen: [AdapterAddress], _ surroundings: BluetoothSurroundings, status: JSONValue?) {
        self.chosen = chosen
        self.surroundings = surroundings
        self.status = status
    }

    /// The findings.
    func findings() -> [Finding] {
        guard !chosen.isEmpty || !others.isEmpty else {
            return [.fine(Self.subject, "off; the node meets others through sockets only")]
        }
        let found = chosen.compactMap(finding) + others.map { finding(on: $0, isNamed: false) }
        return found + [daemon()].compactMap(\.self)
    }

    /// On adapters that the running node was started with, and that the settings of now do not name.
    private var others: [JSONValue] {
        let known = chosen.map(\.description)
        return (status?["adapters"]?.array ?? []).filter { adapter in
            adapter["address"]?.string.map { !known.contains($0) } ?? false
        }
    }

    private func finding(on address: AdapterAddress) -> Finding? {
        let subject = "adapter"
        if let status {
            let adapters = status["adapters"]?.array ?? []
            guard let running = adapters.first(where: { $0["address"]?.string == address.description }) else {
                // Whoever named none misses none where there is none to be had, or where the node has one that was named.
                if address == .automatic, !others.isEmpty { return nil }
                if let reason = lack(of: address) { return withoutRadio(reason) }
                return .warning(subject, "\(address): the running node was started without it", "start the node again")
            }
            if address == .automatic, ["missing", "unsupported"].contains(running["state"]) {
                return .fine(subject, AdapterText.line(of: running, at: nil))
            }
            return finding(on: running, isNamed: address != .automatic)
        }
        if let reason = lack(of: address) { return withoutRadio(reason) }
        guard let obstacle = surroundings.obstacles[address] else {
            if address == .automatic, let first = surroundings.adapters.first {
                return .fine(subject, "\(first.name) is free")
            }
            if case .userChannel = address { return .fine(subject, "\(address) is free") }
            return .fine(subject, "\(address): nothing is in the way; whether it answers is seen at the start")
        }
        let remedy = surroundings.remedy(for: obstacle)
        // "there is no hci0" names it; "this kernel has no Bluetooth" does not.
        var text = obstacle.description
        if case .unsupported = obstacle { text = "\(address): \(text)" }
        return address != .automatic
            ? .broken(subject, obstacle.exitCode, text, remedy) : .warning(subject, text, remedy)
    }

    /// Why there is none of the adapters that nobody named; `nil` when there is one, whatever is in its way.
    private func lack(of address: AdapterAddress) -> String? {
        guard address == .automatic, let obstacle = surroundings.obstacles[address], obstacle.state.isAbsence else {
            return nil
        }
        return obstacle.description
    }

    private func withoutRadio(_ reason: String) -> Finding {
        .fine(Self.subject, "\(reason); the node meets others through sockets only")
    }

    private func finding(on running: JSONValue, isNamed: Bool) -> Finding {
        let text = AdapterText.line(of: running, at: status?["time"]?.unsigned)
        let remedy = running["remedy"]?.string
        let code: ExitCode
        switch running["state"]?.string {
        case "ready": return .fine("adapter", text)
        // The same as without a node, where it could not be opened.
        case "missing", "unsupported", "blocked", "failed":
            let told = running["code"]?.integer.flatMap { Int32(exactly: $0) }.flatMap { ExitCode(rawValue: $0) }
            code = told ?? (running["state"] == "missing" ? .notFound : .inputOutput)
        default: return .warning("adapter", text, remedy)
        }
        return isNamed ? .broken("adapter", code, text, remedy) : .warning("adapter", text, remedy)
    }

    /// A daemon that powers up whatever appears takes the adapter as soon as the node lets go of it.
    private func daemon() -> Finding? {
        guard let daemon = surroundings.daemon, surroundings.doesDaemonPowerUp else { return nil }
        let isKernels = chosen.contains { address in
            switch address {
            case .automatic: !surroundings.adapters.isEmpty
            case .userChannel: true
            case .serial, .tcp, .unix: false
            }
        }
        guard isKernels else { return nil }
        return .warning(
            "bluetoothd", "process \(daemon) powers up every adapter, at the latest when satchel lets go of it",
            BluetoothSurroundings.daemonRemedy)
    }
}
