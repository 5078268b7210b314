/// The H4 indicator in front of every packet.
///
/// Source: Core Specification, Vol 4, Part A, 2.
enum PacketIndicator {
    static let command: UInt8 = 1
    static let data: UInt8 = 2
    static let event: UInt8 = 4
}

/// A command to a controller. The functions below make each one that we use; the section of Core Specification, Vol 4, Part
/// E, stands with each.
struct HCICommand: Hashable, Sendable {
    let opCode: OpCode
    let parameters: [UInt8]

    private init(_ opCode: OpCode, _ build: (inout [UInt8]) -> Void = { _ in }) {
        var parameters: [UInt8] = []
        build(&parameters)
        self.opCode = opCode
        self.parameters = parameters
    }

    /// The whole packet, with its H4 indicator.
    var packet: [UInt8] {
        var bytes = [PacketIndicator.command]
        bytes.append(littleEndian: opCode.rawValue)
        bytes.append(UInt8(clamping: parameters.count))
        return bytes + parameters
    }
}

// MARK: Starting

extension HCICommand {
    /// 7.3.2. Everything begins anew.
    static let reset = HCICommand(.reset)
    /// 7.4.1.
    static let readVersion = HCICommand(.readVersion)
    /// 7.4.2.
    static let readCommands = HCICommand(.readCommands)
    /// 7.4.3.
    static let readFeatures = HCICommand(.readFeatures)
    /// 7.4.5. The buffers that both kinds of Bluetooth share when there are none for LE alone.
    static let readBufferSize = HCICommand(.readBufferSize)
    /// 7.4.6.
    static let readAddress = HCICommand(.readAddress)
    /// 7.8.2, version 1: the buffers for data.
    static let readLowEnergyBufferSize = HCICommand(.readLowEnergyBufferSize)
    /// 7.8.3.
    static let readLowEnergyFeatures = HCICommand(.readLowEnergyFeatures)
    /// 7.8.27.
    static let readStates = HCICommand(.readStates)

    /// 7.3.1. Which events are reported.
    static func setEventMask(_ mask: UInt64) -> HCICommand {
        HCICommand(.setEventMask) { $0.append(littleEndian: mask) }
    }

    /// 7.8.1. Which LE events are reported: event n by bit n − 1.
    static func setLowEnergyEventMask(_ mask: UInt64) -> HCICommand {
        HCICommand(.setLowEnergyEventMask) { $0.append(littleEndian: mask) }
    }

    /// 7.3.79. Tells a controller of both kinds that we know LE; the second byte is no longer used.
    static let writeHostSupport = HCICommand(.writeHostSupport) { $0 = [1, 0] }

    /// 7.8.4. The address of everything but extended advertising.
    static func setRandomAddress(_ address: DeviceAddress) -> HCICommand {
        HCICommand(.setRandomAddress) { $0 = address.bytes }
    }

    /// 7.8.35. How long packets of new connections may be.
    static func writeDefaultDataLength(_ length: DataLength) -> HCICommand {
        HCICommand(.writeDefaultDataLength) {
            $0.append(littleEndian: length.octets)
            $0.append(littleEndian: length.time)
        }
    }
}

// MARK: Connections

extension HCICommand {
    /// 7.1.6.
    static func disconnect(_ handle: ConnectionHandle, reason: HCIStatus) -> HCICommand {
        HCICommand(.disconnect) {
            $0.append(littleEndian: handle.rawValue)
            $0.append(reason.rawValue)
        }
    }

    /// 7.5.4.
    static func readRSSI(_ handle: ConnectionHandle) -> HCICommand {
        HCICommand(.readRSSI) { $0.append(littleEndian: handle.rawValue) }
    }

    /// 7.8.33.
    static func setDataLength(_ handle: ConnectionHandle, _ length: DataLength) -> HCICommand {
        HCICommand(.setDataLength) {
            $0.append(littleEndian: handle.rawValue)
            $0.append(littleEndian: length.octets)
            $0.append(littleEndian: length.time)
        }
    }

    /// 7.8.18.
    static func connectionUpdate(_ handle: ConnectionHandle, _ parameters: ConnectionParameters) -> HCICommand {
        HCICommand(.connectionUpdate) {
            $0.append(littleEndian: handle.rawValue)
            $0.append(parameters)
        }
    }

    /// 7.8.31. Agrees to what the far end asks for.
    static func parameterRequestReply(_ handle: ConnectionHandle, _ parameters: ConnectionParameters) -> HCICommand {
        HCICommand(.parameterRequestReply) {
            $0.append(littleEndian: handle.rawValue)
            $0.append(parameters)
        }
    }

    /// 7.8.32.
    static func parameterRequestNegativeReply(_ handle: ConnectionHandle, reason: HCIStatus) -> HCICommand {
        HCICommand(.parameterRequestNegativeReply) {
            $0.append(littleEndian: handle.rawValue)
            $0.append(reason.rawValue)
        }
    }

    /// 7.8.26. We have no keys.
    static func keyRequestNegativeReply(_ handle: ConnectionHandle) -> HCICommand {
        HCICommand(.keyRequestNegativeReply) { $0.append(littleEndian: handle.rawValue) }
    }

    /// 7.8.12. From our random address, listening without a pause.
    static func createConnection(to device: DeviceAddress, _ parameters: ConnectionParameters) -> HCICommand {
        HCICommand(.createConnection) {
            $0.append(littleEndian: Units.connectingScan)
            $0.append(littleEndian: Units.connectingScan)
            $0.append(0)  // to the device named here, not to those of a list
            $0.append(device.kind.rawValue)
            $0 += device.bytes
            $0.append(DeviceAddress.Kind.random.rawValue)
            $0.append(parameters)
        }
    }

    /// 7.8.66. The same in the extended manner, on LE 1M alone.
    static func extendedCreateConnection(to device: DeviceAddress, _ parameters: ConnectionParameters) -> HCICommand {
        HCICommand(.extendedCreateConnection) {
            $0.append(0)
            $0.append(DeviceAddress.Kind.random.rawValue)
            $0.append(device.kind.rawValue)
            $0 += device.bytes
            $0.append(Units.oneMegabit)
            $0.append(littleEndian: Units.connectingScan)
            $0.append(littleEndian: Units.connectingScan)
            $0.append(parameters)
        }
    }

    /// 7.8.13. Ends either of the two.
    static let createConnectionCancel = HCICommand(.createConnectionCancel)
}

// MARK: Advertising

extension HCICommand {
    /// 7.8.5. Connectable and scannable, undirected (ADV_IND), from our random address, on all three channels, open to all.
    static func setAdvertisingParameters(_ advertising: Controller.Advertising) -> HCICommand {
        HCICommand(.setAdvertisingParameters) {
            $0.append(littleEndian: UInt16(clamping: Units.advertising(advertising.interval.lowerBound)))
            $0.append(littleEndian: UInt16(clamping: Units.advertising(advertising.interval.upperBound)))
            $0 += [0, DeviceAddress.Kind.random.rawValue, 0] + [UInt8](repeating: 0, count: 6)
            $0 += [Units.allChannels, 0]
        }
    }

    /// 7.8.7. Always 31 bytes, of which the first count.
    static func setAdvertisingData(_ data: [UInt8]) -> HCICommand {
        HCICommand(.setAdvertisingData) { $0.append(padded: data) }
    }

    /// 7.8.8.
    static func setScanResponseData(_ data: [UInt8]) -> HCICommand {
        HCICommand(.setScanResponseData) { $0.append(padded: data) }
    }

    /// 7.8.9.
    static func setAdvertisingEnable(_ isOn: Bool) -> HCICommand {
        HCICommand(.setAdvertisingEnable) { $0 = [isOn ? 1 : 0] }
    }

    /// 7.8.53, version 1. The same advertising as above, in legacy PDUs.
    static func setExtendedAdvertisingParameters(_ advertising: Controller.Advertising) -> HCICommand {
        HCICommand(.setExtendedAdvertisingParameters) {
            $0.append(Units.advertisingSet)
            $0.append(littleEndian: UInt16(0x0013))  // connectable, scannable, legacy PDUs
            $0.append(threeBytes: Units.advertising(advertising.interval.lowerBound))
            $0.append(threeBytes: Units.advertising(advertising.interval.upperBound))
            $0 += [Units.allChannels, DeviceAddress.Kind.random.rawValue, 0] + [UInt8](repeating: 0, count: 6)
            // Open to all; as strong as the controller likes; both channels on LE 1M; set ID 0; no word of scan requests.
            $0 += [0, 0x7f, Units.oneMegabit, 0, Units.oneMegabit, 0, 0]
        }
    }

    /// 7.8.52. Extended advertising has an address of its own.
    static func setAdvertisingSetAddress(_ address: DeviceAddress) -> HCICommand {
        HCICommand(.setAdvertisingSetAddress) { $0 = [Units.advertisingSet] + address.bytes }
    }

    /// 7.8.54. In one piece, not to be cut.
    static func setExtendedAdvertisingData(_ data: [UInt8]) -> HCICommand {
        HCICommand(.setExtendedAdvertisingData) {
            $0 = [Units.advertisingSet, 3, 1, UInt8(clamping: data.count)] + data
        }
    }

    /// 7.8.55.
    static func setExtendedScanResponseData(_ data: [UInt8]) -> HCICommand {
        HCICommand(.setExtendedScanResponseData) {
            $0 = [Units.advertisingSet, 3, 1, UInt8(clamping: data.count)] + data
        }
    }

    /// 7.8.56. Without an end in time or number.
    static func setExtendedAdvertisingEnable(_ isOn: Bool) -> HCICommand {
        HCICommand(.setExtendedAdvertisingEnable) { $0 = [isOn ? 1 : 0, 1, Units.advertisingSet, 0, 0, 0] }
    }
}

// MARK: Scanning

extension HCICommand {
    /// 7.8.10. From our random address, everything that advertises.
    static func setScanParameters(_ scanning: Controller.Scanning) -> HCICommand {
        HCICommand(.setScanParameters) {
            $0.append(scanning.isActive ? 1 : 0)
            $0.append(scanning)
            $0 += [DeviceAddress.Kind.random.rawValue, 0]
        }
    }

    /// 7.8.11.
    static func setScanEnable(_ isOn: Bool, filtersDuplicates: Bool) -> HCICommand {
        HCICommand(.setScanEnable) { $0 = [isOn ? 1 : 0, filtersDuplicates ? 1 : 0] }
    }

    /// 7.8.64. The same in the extended manner, on LE 1M alone.
    static func setExtendedScanParameters(_ scanning: Controller.Scanning) -> HCICommand {
        HCICommand(.setExtendedScanParameters) {
            $0 = [DeviceAddress.Kind.random.rawValue, 0, Units.oneMegabit, scanning.isActive ? 1 : 0]
            $0.append(scanning)
        }
    }

    /// 7.8.65. Without an end.
    static func setExtendedScanEnable(_ isOn: Bool, filtersDuplicates: Bool) -> HCICommand {
        HCICommand(.setExtendedScanEnable) { $0 = [isOn ? 1 : 0, filtersDuplicates ? 1 : 0, 0, 0, 0, 0] }
    }
}
