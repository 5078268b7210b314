import BluetoothHCI

/// Turns the configuration into radios.
enum AdapterSetup {
    /// The radios to use; `nil` for none.
    static func configuration(_ configuration: Configuration) throws(Failure) -> BluetoothConfiguration? {
        let adapters = try chosen(configuration)
        guard !adapters.isEmpty else { return nil }
        var result = BluetoothConfiguration(adapters: adapters)
        result.service = configuration.adapterService
        result.packetLog = configuration.hciLog.map { Places.absolute($0, in: Environment.workingDirectory) }
        result.savesPower = configuration.savesPower
        return result
    }

    /// Refuses adapters that another node has: two nodes do not wait for each other. Whatever else is in the way of an
    /// adapter keeps nobody from starting, for it may be out of the way in the next moment.
    static func refuseOthers(_ adapters: [AdapterAddress], _ directory: AdapterDirectory) throws(Failure) {
        for address in adapters {
            guard let process = directory.otherNode(with: address) else { continue }
            throw Failure(
                .cannotWrite, "\(address) is in use by another satchel, process \(process)",
                hints: ["stop that one, or give this node another adapter or none: --adapter off"])
        }
    }

    /// The adapters to use; empty for `off`, the automatic one when nobody named any.
    static func chosen(_ configuration: Configuration) throws(Failure) -> [AdapterAddress] {
        let texts = configuration.adapters
        guard !texts.isEmpty else { return [.automatic] }
        guard !texts.contains("off") else {
            guard texts.count == 1 else {
                throw Failure(
                    .configuration, "an adapter is named beside \"off\": there are adapters to use, or there are none")
            }
            return []
        }
        var addresses: [AdapterAddress] = []
        for text in texts {
            let address: AdapterAddress
            do { address = try AdapterAddress(parsing: text) } catch {
                throw Failure(.configuration, error.description, hints: error.remedy.map { [$0] } ?? [])
            }
            guard !addresses.contains(address) else {
                throw Failure(.configuration, "the adapter \(address) is named twice")
            }
            addresses.append(address)
        }
        // It would be the named one.
        let named = addresses.first { if case .userChannel = $0 { true } else { false } }
        if let named, addresses.contains(.automatic) {
            throw Failure(.configuration, "\(named) is named beside \"auto\": name every adapter, or leave the choice")
        }
        return addresses
    }
}
