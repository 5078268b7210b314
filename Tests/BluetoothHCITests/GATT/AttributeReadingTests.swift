import Testing

@testable import BluetoothHCI

/// Answers of our server to what is read and discovered, byte for byte.
@Suite("Attribute server: reading")
struct AttributeReadingTests {
    private let peer = BearerHarness()
    private let service = BluetoothService.production.uuid.bytes

    /// An error response.
    private func error(_ request: UInt8, _ handle: UInt16, _ error: ATTError) -> [UInt8] {
        [0x01, request, UInt8(handle & 0xFF), UInt8(handle >> 8), error.rawValue]
    }

    private func agree(on mtu: UInt16) {
        peer.exchange([0x02, UInt8(mtu & 0xFF), UInt8(mtu >> 8)])
    }

    // MARK: Groups

    @Test("all primary services, those with short UUIDs first")
    func readByGroupType() {
        #expect(peer.answer("10 01 00 FF FF 00 28") == pdu("11 06 01 00 05 00 00 18 06 00 09 00 01 18"))
        #expect(peer.answer("10 0A 00 FF FF 00 28") == pdu("11 14 0A 00 0D 00") + service)
        #expect(peer.answer("10 0E 00 FF FF 00 28") == error(0x10, 0x0E, .attributeNotFound))
    }

    @Test("the type of a group may be given in its long form")
    func longGroupType() {
        let primary = pdu("FB 34 9B 5F 80 00 00 80 00 10 00 00 00 28 00 00")
        #expect(peer.answer(pdu("10 01 00 01 00") + primary) == pdu("11 06 01 00 05 00 00 18"))
    }

    @Test("there are no secondary services, and nothing else is a group")
    func otherGroups() {
        #expect(peer.answer("10 01 00 FF FF 01 28") == error(0x10, 1, .attributeNotFound))
        #expect(peer.answer("10 02 00 FF FF 03 28") == error(0x10, 2, .unsupportedGroupType))
        #expect(peer.answer(pdu("10 01 00 FF FF") + service) == error(0x10, 1, .unsupportedGroupType))
    }

    @Test("the service of the mesh by its UUID, with its last handle")
    func findByTypeValue() {
        #expect(peer.answer(pdu("06 01 00 FF FF 00 28") + service) == pdu("07 0A 00 0D 00"))
        #expect(peer.answer("06 01 00 FF FF 00 28 01 18") == pdu("07 06 00 09 00"))
        #expect(peer.answer(pdu("06 01 00 09 00 00 28") + service) == error(0x06, 1, .attributeNotFound))
        #expect(peer.answer(pdu("06 0B 00 FF FF 00 28") + service) == error(0x06, 0x0B, .attributeNotFound))
    }

    @Test("the service of the other mesh is not there", arguments: BluetoothService.allCases)
    func otherMesh(own: BluetoothService) {
        let peer = BearerHarness(service: own)
        for other in BluetoothService.allCases {
            let answer = peer.answer(pdu("06 01 00 FF FF 00 28") + other.uuid.bytes)
            #expect(answer == (own == other ? pdu("07 0A 00 0D 00") : error(0x06, 1, .attributeNotFound)))
        }
    }

    @Test("values are compared whole, and what is no group ends where it begins")
    func findOtherValues() {
        #expect(peer.answer("06 01 00 FF FF 01 2A 00 00") == pdu("07 05 00 05 00"))
        #expect(peer.answer("06 01 00 FF FF 01 2A 00") == error(0x06, 1, .attributeNotFound))
        #expect(peer.answer("06 01 00 FF FF 00 2A") == pdu("07 03 00 03 00"))
        #expect(peer.answer("06 01 00 FF FF 05 2A") == error(0x06, 1, .attributeNotFound))
        #expect(peer.answer("06 01 00 FF FF 02 29 00 00") == pdu("07 09 00 09 00 0D 00 0D 00"))
    }

    // MARK: Types

    @Test("the characteristics of each service")
    func readByType() {
        let mesh = pdu("1E 0C 00") + AttributeUUID.mesh.bytes
        #expect(peer.answer("08 01 00 05 00 03 28") == pdu("09 07 02 00 02 03 00 00 2A 04 00 02 05 00 01 2A"))
        #expect(peer.answer("08 06 00 09 00 03 28") == pdu("09 07 07 00 20 08 00 05 2A"))
        #expect(peer.answer("08 0A 00 0D 00 03 28") == pdu("09 15 0B 00") + mesh)
        #expect(peer.answer("08 0C 00 0D 00 03 28") == error(0x08, 0x0C, .attributeNotFound))
    }

    @Test("what has another length waits for the next request, however much room there is", arguments: [23, 517])
    func readByTypeOfTwoLengths(mtu: UInt16) {
        agree(on: mtu)
        let short = pdu("02 00 02 03 00 00 2A 04 00 02 05 00 01 2A 07 00 20 08 00 05 2A")
        let answer = peer.answer("08 01 00 FF FF 03 28")
        #expect(answer == pdu("09 07") + (mtu == 23 ? short.prefix(21) : short[...]))
    }

    @Test("included services, and types that we do not have, are not found")
    func readByOtherType() {
        #expect(peer.answer("08 01 00 FF FF 02 28") == error(0x08, 1, .attributeNotFound))
        #expect(peer.answer("08 01 00 FF FF 2A 2B") == error(0x08, 1, .attributeNotFound))
        #expect(peer.answer("08 01 00 FF FF 3A 2B") == error(0x08, 1, .attributeNotFound))
    }

    @Test("values by type: the empty name, and the characteristic of the mesh by its long type")
    func readValuesByType() {
        #expect(peer.answer("08 01 00 FF FF 00 2A") == pdu("09 02 03 00"))
        #expect(peer.answer("08 01 00 FF FF 01 2A") == pdu("09 04 05 00 00 00"))
        #expect(peer.answer(pdu("08 01 00 FF FF") + AttributeUUID.mesh.bytes) == pdu("09 02 0C 00"))
        #expect(peer.answer("08 01 00 FF FF 02 29") == pdu("09 04 09 00 00 00 0D 00 00 00"))
    }

    @Test("what may not be read is refused with its own handle")
    func readByTypeNotPermitted() {
        #expect(peer.answer("08 01 00 FF FF 05 2A") == error(0x08, 8, .readNotPermitted))
    }

    @Test("types of all attributes, short and long ones apart")
    func findInformation() {
        let access = pdu("05 01 01 00 00 28 02 00 03 28 03 00 00 2A 04 00 03 28 05 00 01 2A")
        #expect(peer.answer("04 01 00 05 00") == access)
        #expect(peer.answer("04 0B 00 FF FF") == pdu("05 01 0B 00 03 28"))
        #expect(peer.answer("04 0C 00 FF FF") == pdu("05 02 0C 00") + AttributeUUID.mesh.bytes)
        #expect(peer.answer("04 0D 00 FF FF") == pdu("05 01 0D 00 02 29"))
        #expect(peer.answer("04 0E 00 FF FF") == error(0x04, 0x0E, .attributeNotFound))
        agree(on: 517)
        #expect(peer.answer("04 01 00 FF FF")?.count == 2 + 11 * 4)
    }

    @Test(
        "impossible handles are invalid, and it is the first one's fault",
        arguments: [
            "04 00 00 FF FF", "04 02 00 01 00", "06 00 00 FF FF 00 28", "06 03 00 02 00 00 28", "08 00 00 FF FF 03 28",
            "08 02 00 01 00 03 28", "10 00 00 FF FF 00 28", "10 09 00 08 00 00 28",
        ])
    func handlesOutOfOrder(request: String) {
        let bytes = pdu(request)
        #expect(peer.answer(bytes) == [0x01, bytes[0], bytes[1], bytes[2], 0x01])
    }

    // MARK: Values

    @Test("reading the mesh characteristic succeeds with nothing")
    func readMesh() {
        #expect(peer.answer("0A 0C 00") == pdu("0B"))
        #expect(peer.answer("0C 0C 00 00 00") == pdu("0D"))
        #expect(peer.answer("0C 0C 00 01 00") == error(0x0C, 0x0C, .invalidOffset))
    }

    @Test("the name is empty, the appearance unknown")
    func readNameAndAppearance() {
        #expect(peer.answer("0A 03 00") == pdu("0B"))
        #expect(peer.answer("0A 05 00") == pdu("0B 00 00"))
    }

    @Test("handles that there are not", arguments: [0x0000, 0x000E, 0x8000, 0xFFFF] as [UInt16])
    func readNothing(handle: UInt16) {
        let (low, high) = (UInt8(handle & 0xFF), UInt8(handle >> 8))
        #expect(peer.answer([0x0A, low, high]) == error(0x0A, handle, .invalidHandle))
        #expect(peer.answer([0x0C, low, high, 0, 0]) == error(0x0C, handle, .invalidHandle))
        #expect(peer.answer([0x0E, 3, 0, low, high]) == error(0x0E, handle, .invalidHandle))
    }

    @Test("Service Changed is only ever indicated")
    func readServiceChanged() {
        #expect(peer.answer("0A 08 00") == error(0x0A, 8, .readNotPermitted))
        #expect(peer.answer("0C 08 00 00 00") == error(0x0C, 8, .readNotPermitted))
        #expect(peer.answer("0E 03 00 08 00 FF FF") == error(0x0E, 8, .readNotPermitted))
    }

    @Test("what a plain read gives whole is not long; an offset beyond the end is wrong before that")
    func readBlob() {
        #expect(peer.answer("0C 0A 00 04 00") == error(0x0C, 0x0A, .attributeNotLong))
        #expect(peer.answer("0C 0A 00 10 00") == error(0x0C, 0x0A, .attributeNotLong))
        #expect(peer.answer("0C 0A 00 11 00") == error(0x0C, 0x0A, .invalidOffset))
        #expect(peer.answer("0C 0D 00 00 00") == error(0x0C, 0x0D, .attributeNotLong))
        #expect(peer.answer("0C 03 00 00 00") == pdu("0D"))
    }

    @Test("several values in the order of the request")
    func readMultiple() {
        #expect(peer.answer("0E 05 00 01 00") == pdu("0F 00 00 00 18"))
        #expect(peer.answer("0E 0A 00 0A 00") == pdu("0F") + service + service.prefix(6))
    }

    @Test(
        "a request of the wrong length is an invalid PDU, without a handle",
        arguments: [
            "02 05", "02 05 02 00", "04 01 00 FF", "04 01 00 FF FF 00", "06 01 00 FF FF 00", "08 01 00 FF FF 03",
            "08 01 00 FF FF 03 28 00", "0A", "0A 01", "0A 01 00 00", "0C 01 00 00", "0C 01 00 00 00 00", "0E",
            "0E 01 00", "0E 01 00 02", "0E 01 00 02 00 03", "10 01 00 FF FF 00", "12", "12 0C", "16 0C 00 00", "18",
            "18 00 00", "18 02",
        ])
    func wrongLength(request: String) {
        let bytes = pdu(request)
        #expect(peer.answer(bytes) == error(bytes[0], 0, .invalidPDU))
    }

    @Test("a request longer than any MTU is an invalid PDU")
    func tooLong() {
        let request = pdu("12 0C 00") + [UInt8](repeating: 1, count: 515)
        #expect(peer.answer(request) == error(0x12, 0, .invalidPDU))
        #expect(peer.takeEvents().isEmpty)
    }

    @Test(
        "unknown requests, and those we do without, are not supported",
        arguments: [0x00, 0x14, 0x1A, 0x20, 0x3F, 0x92] as [UInt8])
    func notSupported(code: UInt8) {
        #expect(peer.answer([code]) == error(code, 0, .requestNotSupported))
        #expect(peer.answer([code, 0x0C, 0x00, 0x01]) == error(code, 0, .requestNotSupported))
    }

    @Test("the layout does not depend on the mesh")
    func layout() {
        let databases = BluetoothService.allCases.map { AttributeDatabase(service: $0) }
        let types = databases.map { $0.attributes.map(\.type) }
        #expect(types[0] == types[1] && types[0].count == 13)
        for database in databases {
            #expect(database.attributes.map(\.handle) == Array(1...13))
            #expect(database[AttributeDatabase.meshValue]?.type == .mesh)
            #expect(database[AttributeDatabase.meshConfiguration]?.type == .clientConfiguration)
            #expect(database[AttributeDatabase.serviceChangedConfiguration]?.type == .clientConfiguration)
        }
    }
}
