import Testing

@testable import BluetoothHCI

@Suite("ATT error")
struct ATTErrorTests {
    @Test(
        "has the name of the Core Specification",
        arguments: [
            (0x01, "0x01 Invalid Handle"), (0x0A, "0x0A Attribute Not Found"), (0x10, "0x10 Unsupported Group Type"),
            (0x13, "0x13 Value Not Allowed"),
        ] as [(UInt8, String)])
    func names(code: UInt8, name: String) { #expect(ATTError(rawValue: code).description == name) }

    @Test("one without a name is written as its code", arguments: [(0x00, "0x00"), (0x80, "0x80"), (0xFF, "0xFF")])
    func nameless(code: UInt8, text: String) { #expect(ATTError(rawValue: code).description == text) }

    @Test("the codes from 1 to 0x13 all have names")
    func complete() {
        for code in UInt8(0x01)...0x13 { #expect(ATTError(rawValue: code).description.count > 5) }
    }
}

@Suite("Attribute opcode")
struct AttributeOpcodeTests {
    @Test("requests have even numbers, responses follow them")
    func responses() {
        for request in AttributeOpcode.allCases where AttributeOpcode.kind(of: request.rawValue) == .request {
            let response = AttributeOpcode.kind(of: request.rawValue + 1)
            #expect(request.rawValue.isMultiple(of: 2) && response == .response)
        }
    }

    @Test("what is unknown is a command by its flag, else a request")
    func unknown() {
        for code in UInt8.min...UInt8.max where AttributeOpcode(rawValue: code) == nil {
            #expect(AttributeOpcode.kind(of: code) == (code & 0x40 == 0 ? .request : .command))
        }
        #expect(AttributeOpcode.kind(of: 0xD2) == .command)
    }
}
