import BluetoothHCI
import Domain

/// All adapters that there are, are configured, or are in use by the running node, each with what blocks it.
struct AdapterListing: Sendable {
    /// One adapter.
    struct Entry: Sendable {
        /// Why a node that starts here takes it, or that it does not.
        enum Use: String, Sendable {
            /// It is configured.
            case configured
            /// It is the kernel's first, and nothing is configured.
            case automatic
            /// Other ones are taken, or none.
            case none
        }

        /// How it is written.
        let address: String
        /// Whether it is behind a socket, where only a connection would tell whether it is to be had.
        let isRemote: Bool
        /// What the kernel knows of it.
        let kernel: KernelAdapter?
        /// Whether a node takes it.
        let use: Use
        /// What the running node says of it.
        let running: JSONValue?
        /// What is in the way of it, as far as it can be seen from outside.
        let obstacle: BluetoothError?
    }

    /// The adapters: the kernel's by number, then the others.
    let entries: [Entry]
    private let surroundings: BluetoothSurroundings

    /// Puts the list together.
    ///
    /// - Parameters:
    ///   - chosen: What is configured; `nil` when nothing is.
    ///   - status: What the running node answers to `status`, if one runs.
    init(chosen: [AdapterAddress]?, _ surroundings: BluetoothSurroundings, status: JSONValue?) {
        self.surroundings = surroundings
        let running = status?["adapters"]?.array ?? []
        let kernel = surroundings.adapters.map { (AdapterAddress.userChannel(index: $0.index), $0 as KernelAdapter?) }
        let known = Set(kernel.map(\.0))
        let others = (chosen ?? []).filter { !known.contains($0) }.map { ($0, nil as KernelAdapter?) }
        var entries = (kernel + others).map { address, adapter in
            Entry(
                address: address.description, isRemote: Self.isRemote(address), kernel: adapter,
                use: chosen.map { $0.contains(address) ? .configured : .none }
                    ?? (address == kernel.first?.0 ? .automatic : .none),
                running: running.first { $0["address"]?.string == address.description },
                obstacle: surroundings.obstacles[address])
        }
        // The node may have been started with other settings than this command.
        for adapter in running {
            guard let address = adapter["address"]?.string, !entries.contains(where: { $0.address == address }) else {
                continue
            }
            entries.append(
                Entry(address: address, isRemote: false, kernel: nil, use: .none, running: adapter, obstacle: nil))
        }
        self.entries = entries
    }

    private static func isRemote(_ address: AdapterAddress) -> Bool {
        switch address {
        case .tcp, .unix: true
        case .userChannel, .serial: false
        }
    }
}

extension AdapterListing.Entry {
    /// The running node's word where it has the adapter, else what can be seen from outside.
    var state: String {
        if let state = running?["state"]?.string { return state }
        switch obstacle {
        case nil: return isRemote ? "notTried" : "free"
        case .missing?: return "missing"
        default: return "blocked"
        }
    }

    fileprivate func json(_ surroundings: BluetoothSurroundings) -> JSONValue {
        let reason = obstacle.map { JSONValue.string($0.description) }
        let remedy = obstacle.flatMap { surroundings.remedy(for: $0) }.map { JSONValue.string($0) }
        let own = JSONValue.object([
            "address": .string(address), "state": .string(state), "use": .string(use.rawValue),
            "kernel": kernel.map(\.json), "isInUse": .bool(running != nil), "reason": running == nil ? reason : nil,
            "remedy": running == nil ? remedy : nil,
        ])
        let more = (running?.members ?? []).filter { own[$0.name] == nil }
        return .object((own.members ?? []) + more)
    }

    fileprivate func lines(_ surroundings: BluetoothSurroundings, at time: UInt64?) -> [String] {
        var lines: [String] = []
        var remedy = running?["remedy"]?.string
        if let running {
            lines.append(AdapterText.line(of: running, at: time))
        } else {
            lines.append(
                "\(address): \(state == "notTried" ? "not tried" : state)" + (obstacle.map { ": \($0)" } ?? ""))
            remedy = obstacle.flatMap { surroundings.remedy(for: $0) }
        }
        lines.append("  " + facts.joined(separator: ", "))
        if let controller = running?["controller"]?["description"]?.string { lines.append("  " + controller) }
        if let remedy { lines.append("  → " + remedy) }
        return lines.map(DisplayText.line)
    }

    private var facts: [String] {
        var facts: [String] = []
        if let kernel {
            facts += [kernel.bus, kernel.address].compactMap(\.self)
            if kernel.isHardBlocked { facts.append("off by its switch") }
            if kernel.isSoftBlocked { facts.append("off by rfkill") }
            if kernel.isUp == true, running == nil { facts.append("powered on") }
        }
        if running != nil { facts.append("in use by the running node") }
        switch use {
        case .configured: facts.append("configured")
        case .automatic: facts.append("taken when nothing is configured")
        case .none: if running == nil { facts.append("not used") }
        }
        return facts
    }
}

extension KernelAdapter {
    /// What the kernel knows, as `adapters --json` lists it.
    fileprivate var json: JSONValue {
        .object([
            "bus": bus.map { .string($0) }, "address": address.map { .string($0) }, "isUp": isUp.map { .bool($0) },
            "isSoftBlocked": .bool(isSoftBlocked), "isHardBlocked": .bool(isHardBlocked),
        ])
    }
}

extension AdapterListing {
    /// The form of `adapters --json`.
    var json: JSONValue {
        .object([
            "adapters": .array(entries.map { $0.json(surroundings) }),
            "kernelHasBluetooth": .bool(surroundings.lack == nil), "lack": surroundings.lack.map { .string($0) },
            "bluetoothd": surroundings.daemon.map { .number($0) },
            "radioSwitches": .array(
                surroundings.switches.map { entry in
                    .object([
                        "name": .string(entry.name), "isSoftBlocked": .bool(entry.isSoftBlocked),
                        "isHardBlocked": .bool(entry.isHardBlocked),
                    ])
                }),
            "missingCapabilities": .array(surroundings.missingCapabilities.map { .string($0.description) }),
            "grant": surroundings.missingCapabilities.isEmpty ? nil : .string(surroundings.grantCommand),
        ])
    }

    /// The form for a person.
    ///
    /// - Parameter time: When the running node answered, in milliseconds UTC.
    func text(at time: UInt64?) -> String {
        var lines = entries.flatMap { $0.lines(surroundings, at: time) }
        if let lack = surroundings.lack {
            lines.append("\(lack): only controllers behind h4:... can be used")
        } else if surroundings.adapters.isEmpty {
            lines.append("the kernel has no Bluetooth adapter")
        }
        guard surroundings.lack == nil else { return lines.joined(separator: "\n") + "\n" }
        for entry in surroundings.switches where entry.adapter == nil && entry.isBlocked {
            lines.append("Bluetooth is off by the switch \(DisplayText.line(entry.name))")
            lines.append("  → " + (entry.isHardBlocked ? "turn the switch" : "`rfkill unblock bluetooth`"))
        }
        // A node that has one got its capabilities elsewhere, from its unit.
        let hasOne = entries.contains { $0.kernel != nil && $0.running?["state"] == "ready" }
        if !surroundings.missingCapabilities.isEmpty, !hasOne {
            let names = surroundings.missingCapabilities.map(\.description).joined(separator: " and ")
            lines += [
                "this program lacks \(names), and cannot take an adapter of the kernel", "  → " + surroundings.grant,
            ]
        }
        if let daemon = surroundings.daemon, surroundings.doesDaemonPowerUp {
            lines.append("bluetoothd runs (process \(daemon)) and powers up every adapter, which takes it from satchel")
            lines.append("  → " + BluetoothSurroundings.daemonRemedy)
        }
        return lines.joined(separator: "\n") + "\n"
    }
}
