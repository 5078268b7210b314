import Testing

@testable import BluetoothHCI

@Suite("Attribute UUID")
struct AttributeUUIDTests {
    @Test("services and characteristic go over the air as the phones send them")
    func meshBytes() {
        let production: [UInt8] = [
            0x5C, 0x4B, 0x3A, 0x2C, 0x1D, 0x8E, 0x3F, 0x9B, 0x5A, 0x4C, 0x9E, 0x4A, 0x2D, 0x5E, 0x7B, 0xF4,
        ]
        let characteristic: [UInt8] = [
            0x5D, 0x4C, 0x3B, 0x2A, 0x1F, 0x0E, 0x9D, 0x8C, 0x5B, 0x4A, 0xF6, 0xE5, 0xD4, 0xC3, 0xB2, 0xA1,
        ]
        #expect(BluetoothService.production.uuid.bytes == production)
        #expect(BluetoothService.test.uuid.bytes == [0x5A] + production.dropFirst())
        #expect(AttributeUUID.mesh.bytes == characteristic)
        #expect(AttributeUUID(characteristic[...]) == .mesh)
    }

    @Test("a short UUID and its long form are the same")
    func shortAndLong() {
        let long: [UInt8] = [
            0xFB, 0x34, 0x9B, 0x5F, 0x80, 0x00, 0x00, 0x80, 0x00, 0x10, 0x00, 0x00, 0x00, 0x28, 0x00, 0x00,
        ]
        #expect(AttributeUUID(long[...]) == .primaryService)
        #expect(AttributeUUID([0x00, 0x28]) == .primaryService)
        #expect(AttributeUUID.primaryService.bytes == [0x00, 0x28])
        #expect(AttributeUUID(rawValue: AttributeUUID(0x2800).rawValue + 1).short == nil)
    }

    @Test("nothing else is a UUID", arguments: [0, 1, 3, 4, 15, 17])
    func otherLengths(count: Int) {
        #expect(AttributeUUID([UInt8](repeating: 1, count: count)[...]) == nil)
    }

    @Test("is written as people know it")
    func text() {
        #expect(AttributeUUID.serviceChanged.description == "2A05")
        #expect(AttributeUUID.mesh.description == "A1B2C3D4E5F64A5B8C9D0E1F2A3B4C5D")
    }
}
