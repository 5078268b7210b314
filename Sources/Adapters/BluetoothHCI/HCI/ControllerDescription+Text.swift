extension ControllerDescription: CustomStringConvertible {
    /// What identifies it, for the log: `Bluetooth 5.0 controller 00:11:22:33:44:55, buffers 8 × 251 bytes`.
    public var description: String {
        "Bluetooth \(version) controller \(address ?? "without an address"), buffers \(bufferCount) × \(bufferLength) bytes"
    }

    /// All of it in a line for a person: `Bluetooth 5.0 of Cypress, 8 packets of 251 bytes, data length, 2M`.
    public var details: String {
        let maker = manufacturerName ?? "maker \(manufacturer)"
        var parts = ["Bluetooth \(version) of \(maker)", "\(bufferCount) packets of \(bufferLength) bytes"] + features
        if doesAllAtOnce == false { parts.append("does not claim to advertise and scan beside links") }
        return parts.joined(separator: ", ")
    }

    /// The name of its maker, of those that people are likely to have; `nil` for another.
    ///
    /// Source: Assigned Numbers, 7.1.
    public var manufacturerName: String? {
        switch manufacturer {
        case 0x0002: "Intel"
        case 0x000A: "Cambridge Silicon Radio"
        case 0x000D: "Texas Instruments"
        case 0x000F: "Broadcom"
        case 0x001D: "Qualcomm"
        case 0x0046: "MediaTek"
        case 0x0048: "Marvell"
        case 0x0059: "Nordic Semiconductor"
        case 0x005D: "Realtek"
        case 0x0131: "Cypress"
        case 0x05F1: "Linux Foundation"
        default: nil
        }
    }
}
