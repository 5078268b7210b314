/// The whole of our security manager: pairing is not supported, and the link stays as it is.
///
/// Source: Core Specification, Vol 3, Part H, 3.5.5; spec: ble-gatt §9.3.
enum PairingRefusal {
    private static let pairingRequest: UInt8 = 0x01
    private static let pairingFailed: UInt8 = 0x05
    private static let securityRequest: UInt8 = 0x0B
    /// "Pairing Not Supported".
    private static let reason: UInt8 = 0x05

    /// What to answer on the security channel; `nil` for whatever does not begin a pairing, Pairing Failed among it: two
    /// ends that refuse each other must come to rest.
    static func answer(to payload: ArraySlice<UInt8>) -> [UInt8]? {
        switch payload.first {
        case pairingRequest, securityRequest: [pairingFailed, reason]
        default: nil
        }
    }
}
