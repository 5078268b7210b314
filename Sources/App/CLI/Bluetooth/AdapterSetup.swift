import BluetoothHCI

/// Turns the configuration into radios.
enum AdapterSetup {
    /// The radios to use; `nil` for none.
    ///
    /// - Parameter first: The kernel's first adapter, for the case that nobody chose.
    static func configuration(
        _ configuration: Configuration, first: @autoclosure () -> UInt16?
    ) throws(Failure) -> BluetoothConfiguration? {
        let chosen = try chosen(configuration)
        let adapters = chosen ?? first().map { [.userChannel(index: $0)] } ?? []
        guard !adapters.isEmpty else { return nil }
        var result = BluetoothConfiguration(adapters: adapters)
        result.service = configuration.adapterService
        result.packetLog = configuration.hciLog.map { Places.absolute($0, in: Environment.workingDirectory) }
        result.savesPower = configuration.savesPower
        return result
    }

    /// The adapters that somebody named; empty for `off`, `nil` when it is left to us.
    static func chosen(_ configuration: Configuration) throws(Failure) -> [AdapterAddress]? {
        let texts = configuration.adapters
        guard !texts.isEmpty else { return nil }
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
        return addresses
    }
}
