import Domain
import Testing

@testable import BluetoothHCI

private let device = DeviceAddress(kind: .random, bits: 0xc011_2233_4455)
private let other = DeviceAddress(kind: .public, bits: 0x001a_7d00_0001)
private let handle = ConnectionHandle(rawValue: 0x42)

/// Every kind of event that we know, written by another implementation of HCI or by hand.
private let samples: [(String, HCIEvent)] = [
    ("05 04 00 4200 13", .disconnectionComplete(.success, handle, reason: .remoteUserTerminated)),
    ("08 04 00 4200 01", .encryptionChange(.success, handle, isOn: true)),
    (
        "0e 0a 02 0910 00 0100007d1a00",
        .commandComplete(.readAddress, credits: 2, returned: [0, 1, 0, 0, 0x7d, 0x1a, 0])
    ),
    ("0f 04 0c 01 0d20", .commandStatus(.createConnection, credits: 1, .commandDisallowed)),
    ("10 01 42", .hardwareError(code: 0x42)),
    (
        "13 09 02 4200 0100 4300 2c01",
        .completedPackets([
            .init(handle: handle, count: 1), .init(handle: ConnectionHandle(rawValue: 0x43), count: 300),
        ])
    ),
    ("1a 01 01", .bufferOverflow(linkType: 1)),
    (
        "3e 13 01 00 4200 01 01 5544332211c0 2400 0000 f401 00",
        .lowEnergy(
            .connectionComplete(.init(status: .success, handle: handle, role: 1, peer: device, timeout: 500)))
    ),
    (
        "3e 1f 0a 00 4200 00 00 0100007d1a00 000000000000 000000000000 2400 0000 5802 00",
        .lowEnergy(
            .connectionComplete(.init(status: .success, handle: handle, role: 0, peer: other, timeout: 600)))
    ),
    (
        "3e 19 02 02 00 01 5544332211c0 03 020106 ce 04 00 0100007d1a00 00 7f",
        .lowEnergy(
            .advertisingReport([
                report(device, isConnectable: true, data: [2, 1, 6], signal: -50),
                report(other, isScanResponse: true, signal: nil),
            ]))
    ),
    ("3e 0a 03 00 4200 1800 0100 9001", .lowEnergy(.connectionUpdateComplete(.success, handle, timeout: 400))),
    ("3e 0d 05 4200 3132333435363738 3412", .lowEnergy(.keyRequest(handle))),
    ("3e 0b 06 4200 1800 2800 0000 f401", .lowEnergy(.parameterRequest(handle, .ours))),
    (
        "3e 0b 07 4200 fb00 4808 1b00 4801",
        .lowEnergy(.dataLengthChange(handle, sent: .longest, received: DataLength(octets: 27, time: 328)))
    ),
    ("3e 06 0c 00 4200 02 01", .lowEnergy(.physicalLayerUpdate(.success, handle, sent: 2, received: 1))),
    (
        "3e 4f 0d 03 1300 01 5544332211c0 01 00 ff 7f c4 0000 00 000000000000 03 020106"
            + "1b00 01 5544332211c0 01 00 ff 7f c3 0000 00 000000000000 02 0203"
            + "1000 00 0100007d1a00 01 00 ff 7f 7f 0000 00 000000000000 00",
        .lowEnergy(
            .advertisingReport([
                report(device, isConnectable: true, data: [2, 1, 6], signal: -60),
                report(device, isScanResponse: true, data: [2, 3], signal: -61), report(other, signal: nil),
            ]))
    ),
    ("3e 01 11", .lowEnergy(.scanTimeout)),
    ("3e 06 12 00 00 4200 00", .lowEnergy(.advertisingSetTerminated(.success, handle))),
    ("3e 04 14 4200 01", .lowEnergy(.channelSelection(handle, algorithm: 1))),
]

private func report(
    _ device: DeviceAddress, isConnectable: Bool = false, isScanResponse: Bool = false, data: [UInt8] = [],
    signal: Int8?
) -> AdvertisingReport {
    AdvertisingReport(
        device: device, isConnectable: isConnectable, isScanResponse: isScanResponse, data: data, signal: signal)
}

private func bytes(_ hex: String) -> [UInt8] { Hex.decode(hex.filter { $0 != " " }) ?? [] }

@Suite("HCI events")
struct EventTests {
    @Test("every kind is read", arguments: samples.indices)
    func reads(index: Int) {
        let (hex, event) = samples[index]
        #expect(HCIEvent(bytes(hex)[...]) == event)
    }

    @Test("an event that is shorter than it says is none, at every length", arguments: samples.indices)
    func cut(index: Int) {
        let whole = bytes(samples[index].0)
        for length in 0..<whole.count { #expect(HCIEvent(whole.prefix(length)) == nil) }
    }

    @Test("an event that is shorter than its kind must be is none, at every length", arguments: samples.indices)
    func short(index: Int) {
        let (hex, event) = samples[index]
        let whole = bytes(hex)
        for length in 2..<whole.count {
            var cut = Array(whole.prefix(length))
            cut[1] = UInt8(length - 2)
            // Of an answer, what was returned may be short: the command knows how long it should be.
            if case .commandComplete = event, length >= 5 { continue }
            #expect(HCIEvent(cut[...]) == nil)
        }
    }

    @Test("bytes behind the end do not matter, within the event and after it", arguments: samples.indices)
    func long(index: Int) {
        let (hex, event) = samples[index]
        var whole = bytes(hex) + [1, 2, 3]
        #expect(HCIEvent(whole[...]) == event)
        if case .commandComplete = event { return }
        whole[1] += 3
        #expect(HCIEvent(whole[...]) == event)
    }

    @Test("a count of reports or connections that goes past the end makes the event none", arguments: ["02", "0d"])
    func counts(code: String) {
        #expect(HCIEvent(bytes("3e 02 \(code) ff")[...]) == nil)
        #expect(HCIEvent(bytes("3e 02 \(code) 00")[...]) == .lowEnergy(.advertisingReport([])))
        #expect(HCIEvent(bytes("13 05 02 4200 0100")[...]) == nil)
    }

    @Test("data that says to be longer than the event makes it none")
    func longData() {
        #expect(HCIEvent(bytes("3e 0f 02 01 00 01 5544332211c0 ff 020106 ce")[...]) == nil)
    }

    @Test("a report of nobody, and data that comes in parts, are passed over; the others stay")
    func useless() {
        let anonymous = "3e 18 02 02 00 ff 5544332211c0 00 ce 00 01 5544332211c0 02 0201 ce"
        #expect(
            HCIEvent(bytes(anonymous)[...])
                == .lowEnergy(.advertisingReport([report(device, isConnectable: true, data: [2, 1], signal: -50)])))
        let part = "3e 1a 0d 01 2100 01 5544332211c0 01 00 ff 7f c4 0000 00 000000000000 00"
        #expect(HCIEvent(bytes(part)[...]) == .lowEnergy(.advertisingReport([])))
    }

    @Test("identity addresses are what they are made of; a kind that is none gives no peer")
    func identities() {
        let kinds: [(UInt8, DeviceAddress?)] = [
            (0, DeviceAddress(kind: .public, bits: device.bits)), (1, device),
            (2, DeviceAddress(kind: .public, bits: device.bits)), (3, device), (4, nil), (0xff, nil),
        ]
        for (kind, expected) in kinds {
            let front: [UInt8] = [0x3e, 19, 1, 0, 0x42, 0, 1, kind]
            let event = HCIEvent((front + device.bytes + [36, 0, 0, 0, 0xf4, 1, 0])[...])
            guard case .lowEnergy(.connectionComplete(let complete)) = event else {
                Issue.record("not read: \(kind)")
                continue
            }
            #expect(complete.peer == expected)
        }
    }

    @Test("which legacy reports take connections", arguments: 0...5 as ClosedRange<UInt8>)
    func types(type: UInt8) {
        let packet = Packets.legacyReport(device, type: type)
        #expect(
            HCIEvent(packet.dropFirst())
                == .lowEnergy(
                    .advertisingReport([
                        report(
                            device, isConnectable: type < 2, isScanResponse: type == 4, data: [2, 1, 6], signal: -50)
                    ])))
    }

    @Test("events that we do not know keep their code", arguments: [0x01, 0x20, 0xff] as [UInt8])
    func unknown(code: UInt8) {
        #expect(HCIEvent([code, 0]) == .unknown(code: code))
        #expect(HCIEvent([0x3e, 1, 0x29]) == .lowEnergy(.unknown(code: 0x29)))
    }
}

@Suite("HCI data")
struct DataPacketTests {
    @Test("a packet is read: handle, start or not, payload; bytes behind it do not matter")
    func reads() {
        let kinds: [(UInt8, Bool)] = [(0x00, true), (0x10, false), (0x20, true)]
        for (flags, isStart) in kinds {
            #expect(
                DataPacket([0x42, flags, 2, 0, 7, 8, 9])
                    == DataPacket(handle: handle, isStart: isStart, payload: [7, 8]))
        }
    }

    @Test(
        "cut, empty, and kinds that LE does not have are refused",
        arguments: [
            [], [0x42], [0x42, 0x20, 1], [0x42, 0x20, 2, 0, 7], [0x42, 0x20, 0, 0], [0x42, 0x30, 1, 0, 7],
            [0x42, 0x60, 1, 0, 7], [0x42, 0xa0, 1, 0, 7],
        ] as [[UInt8]])
    func refused(bytes: [UInt8]) { #expect(DataPacket(bytes[...]) == nil) }

    @Test("a start of ours is flagged 0b00, the rest 0b01")
    func written() {
        #expect(DataPacket(handle: handle, isStart: true, payload: [7, 8]).bytes == [2, 0x42, 0x00, 2, 0, 7, 8])
        #expect(DataPacket(handle: handle, isStart: false, payload: [9]).bytes == [2, 0x42, 0x10, 1, 0, 9])
    }
}
