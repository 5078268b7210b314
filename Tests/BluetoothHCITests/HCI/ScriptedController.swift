import Domain

@testable import BluetoothHCI

/// The far end of a `Controller`: takes what is sent to it, and answers as a test wants.
final class ScriptedController {
    /// A command as it came in.
    struct Command: Hashable {
        let opCode: OpCode
        let parameters: [UInt8]
    }

    /// How a command is answered.
    enum Reply {
        /// Command Complete with a status, and what is behind it.
        case complete(UInt8, [UInt8] = [])
        /// Command Status.
        case status(UInt8)
        /// Command Complete, then other packets.
        case completes([[UInt8]])
        /// Command Status, then other packets.
        case begins([[UInt8]])
        /// Not at all.
        case silence
    }

    /// All commands so far.
    private(set) var commands: [Command] = []
    /// All data packets so far, with their H4 indicator.
    private(set) var data: [[UInt8]] = []
    /// What the far end has said and nobody heard yet.
    var said: ArraySlice<[UInt8]> = []
    /// The credits in each answer.
    var credits: UInt8 = 1
    /// Overrides the replies below.
    var replies: [OpCode: (Command) -> Reply] = [:]

    /// What it says of itself. By default: Bluetooth 5.3, LE alone, legacy and extended commands, 8 buffers of 251 bytes.
    var supportedCommands = ScriptedController.table(of: [.legacy, .extended, .rest])
    var features: UInt64 = 0x60 << 32
    var lowEnergyFeatures: UInt64 = 1 << 1 | 1 << 5 | 1 << 8 | 1 << 12
    var states: UInt64 = 0x3ff_ffff_ffff
    var bufferLength: UInt16 = 251
    var bufferCount: UInt8 = 8

    /// Takes a packet that was sent.
    func take(_ packet: [UInt8]) {
        guard packet.first == 1, packet.count >= 4, Int(packet[3]) == packet.count - 4 else {
            data.append(packet)
            return
        }
        let command = Command(
            opCode: OpCode(rawValue: UInt16(packet[1]) | UInt16(packet[2]) << 8), parameters: Array(packet[4...]))
        commands.append(command)
        let reply = replies[command.opCode]?(command) ?? standard(command)
        switch reply {
        case .complete(let status, let returned): say(Packets.complete(command.opCode, credits, [status] + returned))
        case .status(let status): say(Packets.status(command.opCode, credits, status))
        case .completes(let packets):
            say(Packets.complete(command.opCode, credits, [0]))
            packets.forEach(say)
        case .begins(let packets):
            say(Packets.status(command.opCode, credits, 0))
            packets.forEach(say)
        case .silence: break
        }
    }

    /// Says a packet, in its turn.
    func say(_ packet: [UInt8]) { said.append(packet) }

    /// The op codes of all commands so far.
    var opCodes: [OpCode] { commands.map(\.opCode) }

    /// Forgets what came in.
    func forget() { (commands, data) = ([], []) }

    private func standard(_ command: Command) -> Reply {
        switch command.opCode {
        case .readVersion: .complete(0, [12, 0, 0, 12, 0x59, 0x00, 0, 0])
        case .readCommands: .complete(0, supportedCommands)
        case .readFeatures: .complete(0, Packets.bytes(features))
        case .readAddress: .complete(0, [0x01, 0x00, 0x00, 0x7d, 0x1a, 0x00])
        case .readBufferSize: .complete(0, [0xfd, 0x03, 60, 10, 0, 8, 0])
        case .readLowEnergyBufferSize: .complete(0, Packets.bytes(bufferLength) + [bufferCount])
        case .readLowEnergyFeatures: .complete(0, Packets.bytes(lowEnergyFeatures))
        case .readStates: .complete(0, Packets.bytes(states))
        case .readRSSI: .complete(0, Array(command.parameters.prefix(2)) + [UInt8(bitPattern: -47)])
        case .createConnection, .extendedCreateConnection, .connectionUpdate: .status(0)
        case .disconnect:
            .begins([Packets.event(0x05, [0] + command.parameters.prefix(2) + [0x16])])
        default: .complete(0)
        }
    }

    enum Set { case legacy, extended, rest }

    /// The table of supported commands: 64 bytes.
    static func table(of sets: [Set]) -> [UInt8] {
        var table = [UInt8](repeating: 0, count: 64)
        if sets.contains(.rest) {
            table[15] |= 1 << 1 | 1 << 5
            table[24] |= 1 << 6
            table[27] |= 1 << 2
            table[28] |= 1 << 3
            table[33] |= 1 << 4 | 1 << 6
            table[34] |= 1 << 0
        }
        if sets.contains(.legacy) {
            table[25] |= 1 << 5 | 1 << 7
            table[26] |= 0b11111
        }
        if sets.contains(.extended) {
            table[36] |= 0b111110
            table[37] |= 0b1110_0000
        }
        return table
    }
}

/// Packets of a controller, with their H4 indicator.
enum Packets {
    static func bytes(_ value: some FixedWidthInteger) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(littleEndian: value)
        return bytes
    }

    static func event(_ code: UInt8, _ parameters: [UInt8]) -> [UInt8] {
        [4, code, UInt8(parameters.count)] + parameters
    }

    static func lowEnergy(_ code: UInt8, _ parameters: [UInt8]) -> [UInt8] { event(0x3e, [code] + parameters) }

    static func complete(_ opCode: OpCode, _ credits: UInt8, _ returned: [UInt8]) -> [UInt8] {
        event(0x0e, [credits] + bytes(opCode.rawValue) + returned)
    }

    static func status(_ opCode: OpCode, _ credits: UInt8, _ status: UInt8) -> [UInt8] {
        event(0x0f, [status, credits] + bytes(opCode.rawValue))
    }

    /// LE Connection Complete.
    static func connected(
        _ handle: UInt16, _ peer: DeviceAddress, isCentral: Bool, status: UInt8 = 0, role: UInt8? = nil,
        timeout: UInt16 = 500
    ) -> [UInt8] {
        let front = [status] + bytes(handle) + [role ?? (isCentral ? 0 : 1), peer.kind.rawValue] + peer.bytes
        return lowEnergy(0x01, front + [36, 0, 0, 0] + bytes(timeout) + [0])
    }

    static func disconnected(_ handle: UInt16, _ reason: UInt8, status: UInt8 = 0) -> [UInt8] {
        event(0x05, [status] + bytes(handle) + [reason])
    }

    static func completed(_ pairs: [(UInt16, UInt16)]) -> [UInt8] {
        event(0x13, [UInt8(pairs.count)] + pairs.flatMap { bytes($0.0) + bytes($0.1) })
    }

    static func data(_ handle: UInt16, _ payload: [UInt8], boundary: UInt16 = 2) -> [UInt8] {
        [2] + bytes(handle | boundary << 12) + bytes(UInt16(payload.count)) + payload
    }

    static func legacyReport(_ device: DeviceAddress, type: UInt8 = 0, data: [UInt8] = [2, 1, 6]) -> [UInt8] {
        lowEnergy(
            0x02,
            [1, type, device.kind.rawValue] + device.bytes + [UInt8(data.count)] + data + [UInt8(bitPattern: -50)])
    }
}
