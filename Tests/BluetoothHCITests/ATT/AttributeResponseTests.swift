import Testing

@testable import BluetoothHCI

@Suite("Attribute response")
struct AttributeResponseTests {
    private let all: AttributeHandles = 1...0xFFFF

    @Test("groups")
    func groups() {
        let found = AttributeResponse.groups(pdu("0A 00 0D 00 10 00 FF FF")[...], within: all)
        #expect(found == [0x000A...0x000D, 0x0010...0xFFFF])
    }

    @Test(
        "groups that are cut, empty, run backwards, or are not where they should be",
        arguments: ["", "0A", "0A 00 0D", "0A 00 0D 00 0F", "0A 00 09 00", "0A 00 0D 00 0A 00 0D 00", "00 00 0D 00"])
    func badGroups(list: String) {
        #expect(AttributeResponse.groups(pdu(list)[...], within: all) == nil)
        #expect(AttributeResponse.groups(pdu("0A 00 0D 00")[...], within: 0x000B...0x0010) == nil)
    }

    @Test("types, short and long")
    func types() throws {
        let short = try #require(AttributeResponse.types(pdu("01 0C 00 05 2A 0D 00 02 29")[...], within: all))
        #expect(short.map(\.handle) == [0x0C, 0x0D])
        #expect(short.map(\.content) == [.serviceChanged, .clientConfiguration])
        let bytes = pdu("02 0C 00") + AttributeUUID.mesh.bytes
        let long = try #require(AttributeResponse.types(bytes[...], within: all))
        #expect(long.map(\.content) == [.mesh])
    }

    @Test(
        "types of no known form, cut, empty, backwards, beyond the range",
        arguments: [
            "", "01", "00 0C 00 05 2A", "03 0C 00 05 2A", "01 0C 00 05", "02 0C 00 05 2A", "01 0D 00 05 2A 0C 00 02 29",
            "01 0C 00 05 2A 0C 00 02 29", "01 01 00 05 2A", "01 11 00 05 2A",
        ])
    func badTypes(list: String) {
        #expect(AttributeResponse.types(pdu(list)[...], within: 0x0002...0x0010) == nil)
    }

    @Test("characteristics")
    func characteristics() throws {
        let bytes = pdu("15 0B 00 1E 0C 00") + AttributeUUID.mesh.bytes
        let found = try #require(AttributeResponse.characteristics(bytes[...], within: all))
        #expect(found.map(\.handle) == [0x0B])
        let declaration = found[0].content
        #expect(declaration.isMesh && declaration.valueHandle == 0x0C && declaration.properties == 0x1E)
    }

    @Test(
        "characteristics of impossible length, cut, empty, or backwards",
        arguments: [
            "", "07", "00", "01 0B", "02 0B 00", "06 0B 00 1E 0C 00 05", "08 0B 00 1E 0C 00 05 2A 00",
            "07 0B 00 1E 0C 00 05", "07 0B 00 1E 0C 00 05 2A 0B 00 1E 0D 00 05 2A",
        ])
    func badCharacteristics(list: String) {
        #expect(AttributeResponse.characteristics(pdu(list)[...], within: all) == nil)
    }

    @Test(
        "a mesh characteristic takes writes of either kind, and notifies",
        arguments: [(0x1E, true), (0x14, true), (0x18, true), (0x10, false), (0x0E, false), (0x2C, false), (0, false)]
            as [(UInt8, Bool)])
    func properties(bits: UInt8, isMesh: Bool) throws {
        let bytes = [bits, 0x0C, 0x00] + AttributeUUID.mesh.bytes
        #expect(try #require(CharacteristicDeclaration(bytes[...])).isMesh == isMesh)
        #expect(try #require(CharacteristicDeclaration([bits, 0x0C, 0x00, 0x05, 0x2A])).isMesh == false)
    }

    @Test("an answer is the response or the error of that request, and of no other")
    func answers() {
        let request = AttributeRequest.exchangeMTU(517)
        #expect(AttributeAnswer(pdu("03 05 02")[...], to: request) == .response([0x05, 0x02]))
        #expect(AttributeAnswer(pdu("01 02 00 00 06")[...], to: request) == .error(.requestNotSupported))
        for other in ["", "01", "01 02 00 00", "01 04 00 00 06", "05 01", "02 05 02", "1B 03 00"] {
            #expect(AttributeAnswer(pdu(other)[...], to: request) == nil)
        }
    }
}
