import Testing

@testable import BluetoothHCI

@Suite("Status codes")
struct HCIStatusTests {
    @Test(
        "they read as in the Core Specification",
        arguments: [
            (0x00, "0x00 Success"), (0x08, "0x08 Connection Timeout"), (0x13, "0x13 Remote User Terminated Connection"),
            (0x3c, "0x3C Advertising Timeout"), (0x47, "0x47 Too Early"), (0x2b, "0x2B Unknown Error"),
            (0xff, "0xFF Unknown Error"),
        ] as [(UInt8, String)])
    func text(code: UInt8, text: String) { #expect(HCIStatus(rawValue: code).description == text) }
}
