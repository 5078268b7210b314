import Domain
import Testing

private let peer = PeerID(rawValue: 0x0102_0304_0506_0708)
private let production: [UInt8] = [
    0x5C, 0x4B, 0x3A, 0x2C, 0x1D, 0x8E, 0x3F, 0x9B, 0x5A, 0x4C, 0x9E, 0x4A, 0x2D, 0x5E, 0x7B, 0xF4,
]
private let test: [UInt8] = [0x5A] + production.dropFirst()
private let foreign: [UInt8] = [UInt8](0..<16)

private func read(_ data: [UInt8], for service: ServiceUUID = .production) -> Advertisement {
    Advertisement(data, for: service)
}

/// An AD structure, with its true length unless another one is given.
private func structure(_ type: UInt8, _ content: [UInt8], length: Int? = nil) -> [UInt8] {
    [UInt8(length ?? content.count + 1), type] + content
}

@Suite("What we advertise (spec: ble-gatt §1, §3)")
struct OwnAdvertisementTests {
    @Test("the service UUIDs in the order of the air")
    func uuids() {
        #expect(ServiceUUID.production.bytes == production)
        #expect(ServiceUUID.test.bytes == test)
    }

    @Test("21 bytes: flags and the complete list, nothing else")
    func data() {
        #expect(Advertisement.data(for: .production) == [0x02, 0x01, 0x06, 0x11, 0x07] + production)
        #expect(Advertisement.data(for: .test) == [0x02, 0x01, 0x06, 0x11, 0x07] + test)
    }

    @Test("26 bytes in answer to a scan: service data with the peer ID")
    func scanResponse() {
        let response = Advertisement.scanResponse(for: .production, peer: peer)
        #expect(response == [0x19, 0x21] + production + [1, 2, 3, 4, 5, 6, 7, 8])
        #expect(response.count == 26)
    }

    @Test("we recognise ourselves, but not on the other mesh")
    func readBack() {
        for (own, other) in [(ServiceUUID.production, ServiceUUID.test), (.test, .production)] {
            let data = Advertisement.data(for: own)
            #expect(read(data, for: own).offersService)
            #expect(!read(data, for: other).offersService)
            let response = Advertisement.scanResponse(for: own, peer: peer)
            #expect(read(response, for: own).peer == peer)
            #expect(read(response, for: other).peer == nil)
        }
    }
}

@Suite("What others advertise (spec: ble-gatt §3, §4, §17)")
struct AdvertisementReadingTests {
    @Test("the service may be in either list of 128-bit UUIDs, at any place", arguments: [0x06, 0x07] as [UInt8])
    func lists(type: UInt8) {
        #expect(read(structure(type, production)).offersService)
        #expect(read(structure(type, foreign + production)).offersService)
        #expect(read(structure(type, production + foreign)).offersService)
        #expect(read(structure(0x09, Array("phone".utf8)) + structure(type, production)).offersService)
        #expect(!read(structure(type, foreign)).offersService)
        #expect(!read(structure(type, test)).offersService)
    }

    @Test("nothing else qualifies", arguments: [0x02, 0x03, 0x04, 0x05, 0x09, 0x15, 0x21, 0xFF] as [UInt8])
    func otherTypes(type: UInt8) { #expect(!read(structure(type, production)).offersService) }

    @Test("a UUID at an odd place in a list is none")
    func misaligned() {
        #expect(!read(structure(0x07, [0] + production)).offersService)
        #expect(read(structure(0x07, production + [0])).offersService)
    }

    @Test(
        "service data names the peer with exactly eight bytes; other lengths name nobody",
        arguments: [(0, false), (7, false), (8, true), (9, false), (12, false)])
    func serviceData(count: Int, isPeer: Bool) {
        let data = structure(0x21, production + (1...12).prefix(count))
        #expect(read(data).peer == (isPeer ? peer : nil))
        #expect(!read(data).offersService)
    }

    @Test("service data of another service names nobody")
    func foreignServiceData() { #expect(read(structure(0x21, foreign + [1, 2, 3, 4, 5, 6, 7, 8])).peer == nil) }

    @Test("a length of zero ends the data")
    func zeroLength() {
        #expect(read(structure(0x07, production) + [0, 0, 0]).offersService)
        #expect(!read([0] + structure(0x07, production)).offersService)
    }

    @Test("data that is cut counts up to the cut, wherever it is")
    func cut() {
        let whole = Advertisement.data(for: .production) + structure(0x09, Array("phone".utf8))
        for count in 0..<whole.count { #expect(read(Array(whole.prefix(count))).offersService == (count >= 21)) }
        #expect(read(structure(0x07, production, length: 33)).offersService)
        #expect(read(structure(0x07, production, length: 255)).offersService)
        let response = Advertisement.scanResponse(for: .production, peer: peer)
        for count in 0..<response.count { #expect(read(Array(response.prefix(count))).peer == nil) }
        // Eight bytes are there, but more were announced.
        #expect(read(structure(0x21, production + [1, 2, 3, 4, 5, 6, 7, 8], length: 26)).peer == nil)
    }

    @Test("any bytes are read to the end, and mean nothing")
    func noise() {
        var state: UInt64 = 7
        for count in 0..<300 {
            let data = (0..<count).map { _ -> UInt8 in
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                return UInt8(truncatingIfNeeded: state >> 33)
            }
            #expect(read(data) == read([]))
        }
    }
}

@Suite("An advertisement and its answer to a scan (spec: ble-gatt §4, §17)")
struct SightingMemoryTests {
    private static let empty = read([2, 1, 6])
    private static let listed = read(Advertisement.data(for: .production))
    private static let named = read(Advertisement.scanResponse(for: .production, peer: peer))

    /// A memory by reference, so that expectations can call what changes it.
    private final class Remembering {
        private(set) var memory = SightingMemory<Int>()

        func packet(
            _ device: Int, _ advertisement: Advertisement, connectable: Bool = true, at time: Int64 = 0
        ) -> SightingMemory<Int>.Neighbour? {
            memory.note(
                advertisement, of: device, isConnectable: connectable, isScanResponse: false,
                at: Uptime(milliseconds: time))
        }

        func answer(
            _ device: Int, _ advertisement: Advertisement, at time: Int64 = 0
        ) -> SightingMemory<Int>.Neighbour? {
            memory.note(
                advertisement, of: device, isConnectable: false, isScanResponse: true, at: Uptime(milliseconds: time))
        }
    }
    private let radio = Remembering()

    @Test("the service in the advertisement is enough")
    func packetAlone() {
        #expect(radio.packet(1, Self.listed)?.isConnectable == true)
        #expect(radio.packet(2, Self.listed, connectable: false)?.isConnectable == false)
        #expect(radio.packet(3, Self.empty) == nil)
    }

    @Test("the service only in the answer counts, with the advertisement's word on connections")
    func answerOnly() {
        #expect(radio.packet(1, Self.empty) == nil)
        #expect(radio.answer(1, Self.listed)?.isConnectable == true)
        #expect(radio.packet(1, Self.empty, at: 100)?.isConnectable == true)
        #expect(radio.packet(2, Self.empty, connectable: false) == nil)
        #expect(radio.answer(2, Self.listed)?.isConnectable == false)
        #expect(radio.packet(2, Self.empty, at: 100)?.isConnectable == true)
    }

    @Test("an answer without its advertisement tells nothing of connections")
    func answerFirst() {
        #expect(radio.answer(1, Self.listed)?.isConnectable == false)
        #expect(radio.packet(1, Self.empty)?.isConnectable == true)
    }

    @Test("Android's peer ID comes in the answer, and is known from then on")
    func peerInAnswer() {
        #expect(radio.packet(1, Self.listed)?.peer == nil)
        let joined = radio.answer(1, Self.named)
        #expect(joined?.peer == peer)
        #expect(joined?.isConnectable == true)
        #expect(radio.packet(1, Self.listed, at: 1000)?.peer == peer)
    }

    @Test("devices are kept apart")
    func apart() {
        #expect(radio.packet(1, Self.empty) == nil)
        #expect(radio.answer(2, Self.listed)?.isConnectable == false)
        #expect(radio.packet(1, Self.empty) == nil)
    }

    @Test("what is older than 10 s does not count, nor what a later advertisement no longer says")
    func age() {
        #expect(radio.packet(1, Self.empty) == nil)
        #expect(radio.answer(1, Self.listed, at: 10_000)?.isConnectable == true)
        #expect(radio.answer(1, Self.listed, at: 10_001)?.isConnectable == false)
        #expect(radio.packet(1, Self.empty, at: 20_001) != nil)
        #expect(radio.packet(1, Self.empty, at: 20_002) == nil)
        #expect(radio.packet(2, Self.listed, at: 30_000) != nil)
        #expect(radio.packet(2, Self.empty, at: 30_001) == nil)
    }

    @Test("256 devices are remembered, the latest; a crowd does not come between a packet and its answer")
    func bound() {
        for device in 0..<256 { #expect(radio.packet(device, Self.empty) == nil) }
        // Seen again, so not the oldest any more.
        #expect(radio.packet(0, Self.empty) == nil)
        #expect(radio.packet(256, Self.empty) == nil)
        #expect(radio.memory.count == 256)
        #expect(radio.answer(0, Self.listed)?.isConnectable == true)
        #expect(radio.answer(1, Self.listed)?.isConnectable == false)
        for device in 1000..<20_000 {
            #expect(radio.packet(device, Self.empty) == nil)
            #expect(radio.answer(device, Self.listed)?.isConnectable == true)
        }
        #expect(radio.memory.count == 256)
    }
}
