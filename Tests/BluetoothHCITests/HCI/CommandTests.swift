import Domain
import Testing

@testable import BluetoothHCI

private let device = DeviceAddress(kind: .random, bits: 0xc011_2233_4455)
private let handle = ConnectionHandle(rawValue: 0x42)
private let advertising = Controller.Advertising(data: [2, 1, 6], scanResponse: [9, 9])
private let scanning = Controller.Scanning(interval: 100, window: 50, filtersDuplicates: true)

/// Every command; the bytes were read back, field by field, by another implementation of HCI.
private let samples: [(HCICommand, String)] = [
    (.reset, "01 030c 00"), (.readVersion, "01 0110 00"), (.readCommands, "01 0210 00"),
    (.readFeatures, "01 0310 00"), (.readBufferSize, "01 0510 00"), (.readAddress, "01 0910 00"),
    (.readLowEnergyBufferSize, "01 0220 00"), (.readLowEnergyFeatures, "01 0320 00"), (.readStates, "01 1c20 00"),
    (.setEventMask(0x2000_0000_0200_8090), "01 010c 08 9080000200000020"),
    (.setLowEnergyEventMask(0x17), "01 0120 08 1700000000000000"),
    (.writeHostSupport, "01 6d0c 02 0100"), (.setRandomAddress(device), "01 0520 06 5544332211c0"),
    (.writeDefaultDataLength(.longest), "01 2420 04 fb00 4808"),
    (.disconnect(handle, reason: .remoteUserTerminated), "01 0604 03 4200 13"), (.readRSSI(handle), "01 0514 02 4200"),
    (.setDataLength(handle, .longest), "01 2220 06 4200 fb00 4808"),
    (.connectionUpdate(handle, .ours), "01 1320 0e 4200 1800 2800 0000 f401 0000 0000"),
    (.parameterRequestReply(handle, .ours), "01 2020 0e 4200 1800 2800 0000 f401 0000 0000"),
    (.parameterRequestNegativeReply(handle, reason: .unacceptableParameters), "01 2120 03 4200 3b"),
    (.keyRequestNegativeReply(handle), "01 1b20 02 4200"),
    (
        .createConnection(to: device, .ours),
        "01 0d20 19 6000 6000 00 01 5544332211c0 01 1800 2800 0000 f401 0000 0000"
    ),
    (
        .extendedCreateConnection(to: device, .ours),
        "01 4320 1a 00 01 01 5544332211c0 01 6000 6000 1800 2800 0000 f401 0000 0000"
    ),
    (.createConnectionCancel, "01 0e20 00"),
    (.setAdvertisingParameters(advertising), "01 0620 0f a000 4001 00 01 00 000000000000 07 00"),
    (.setAdvertisingData(advertising.data), "01 0820 20 03 020106" + String(repeating: "00", count: 28)),
    (.setScanResponseData(advertising.scanResponse), "01 0920 20 02 0909" + String(repeating: "00", count: 29)),
    (.setAdvertisingEnable(true), "01 0a20 01 01"), (.setAdvertisingEnable(false), "01 0a20 01 00"),
    (
        .setExtendedAdvertisingParameters(advertising),
        "01 3620 19 00 1300 a00000 400100 07 01 00 000000000000 00 7f 01 00 01 00 00"
    ),
    (.setAdvertisingSetAddress(device), "01 3520 07 00 5544332211c0"),
    (.setExtendedAdvertisingData(advertising.data), "01 3720 07 00 03 01 03 020106"),
    (.setExtendedScanResponseData(advertising.scanResponse), "01 3820 06 00 03 01 02 0909"),
    (.setExtendedAdvertisingEnable(true), "01 3920 06 01 01 00 0000 00"),
    (.setScanParameters(scanning), "01 0b20 07 01 a000 5000 01 00"),
    (.setScanEnable(true, filtersDuplicates: true), "01 0c20 02 01 01"),
    (.setExtendedScanParameters(scanning), "01 4120 08 01 00 01 01 a000 5000"),
    (.setExtendedScanEnable(true, filtersDuplicates: false), "01 4220 06 01 00 0000 0000"),
]

@Suite("HCI commands")
struct CommandTests {
    @Test("every command is written", arguments: samples.indices)
    func written(index: Int) {
        let (command, hex) = samples[index]
        #expect(Hex.encode(command.packet) == hex.filter { $0 != " " })
        #expect(!command.opCode.description.hasPrefix("0x"))
    }

    @Test(
        "intervals are brought into the range of the air, and the window into the interval",
        arguments: [(-5, 0x20, 4), (0, 0x20, 4), (20, 0x20, 0x20), (100, 0xa0, 0xa0), (1_000_000, 0x4000, 0x4000)]
            as [(Int64, UInt32, UInt16)])
    func ranges(time: Int64, advertising: UInt32, scan: UInt16) {
        #expect(Units.advertising(Milliseconds(time)) == advertising)
        #expect(Units.scan(Milliseconds(time)) == scan)
        let command = HCICommand.setScanParameters(Controller.Scanning(interval: 100, window: Milliseconds(time)))
        let window = UInt16(command.parameters[3]) | UInt16(command.parameters[4]) << 8
        #expect(window == min(scan, 0xa0))
    }

    @Test(
        "connection parameters are valid in their ranges, and with a timeout of more than two meetings",
        arguments: [
            (6, 6, 0, 10, true), (3200, 3200, 0, 801, true), (3200, 3200, 0, 800, false), (24, 40, 499, 3200, false),
            (24, 40, 0, 500, true), (40, 24, 0, 500, false), (5, 40, 0, 500, false), (24, 3201, 0, 500, false),
            (24, 40, 500, 500, false), (24, 40, 0, 9, false), (24, 40, 0, 3201, false),
            (.max, .max, .max, .max, false), (0, 0, 0, 0, false),
        ] as [(UInt16, UInt16, UInt16, UInt16, Bool)])
    func parameters(minimum: UInt16, maximum: UInt16, latency: UInt16, timeout: UInt16, areValid: Bool) {
        let parameters = ConnectionParameters(
            minimumInterval: minimum, maximumInterval: maximum, latency: latency, timeout: timeout)
        #expect(parameters.areValid == areValid)
    }
}
