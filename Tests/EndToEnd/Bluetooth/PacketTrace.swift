import Foundation

/// A btsnoop file with HCI packets, read without anything of the node's own.
///
/// Numbers of the file are most significant byte first, those of HCI, L2CAP and ATT least.
struct PacketTrace {
    /// What the file is not.
    struct Unreadable: Error {}

    /// An ATT PDU of one connection.
    struct AttributePDU {
        /// Whether the node sent it.
        let isSent: Bool
        /// Microseconds, in the order of the file.
        let time: UInt64
        /// Opcode and parameters.
        let bytes: [UInt8]

        var opcode: UInt8 { bytes.first ?? 0 }
        /// The attribute that a write or a notification is about.
        var handle: Int { bytes.count < 3 ? 0 : Int(bytes[1]) | Int(bytes[2]) << 8 }
        /// What it carries behind opcode and handle.
        var value: ArraySlice<UInt8> { bytes.dropFirst(3) }
        /// Milliseconds between another one and this one.
        func delay(after other: AttributePDU) -> Double { (Double(time) - Double(other.time)) / 1000 }
    }

    /// A connection and what went over its ATT channel.
    struct Connection {
        let handle: Int
        /// Whether the node opened it.
        let isCentral: Bool
        var pdus: [AttributePDU] = []
    }

    /// A half of a connection: what is being put together.
    private struct Direction: Hashable {
        let handle: Int
        let isSent: Bool
    }

    private(set) var connections: [Connection] = []
    private var partial: [Direction: [UInt8]] = [:]

    /// Reads a file.
    init(path: String) throws { try self.init(Array(try Data(contentsOf: URL(fileURLWithPath: path)))) }

    /// Reads the bytes of a file.
    init(_ bytes: [UInt8]) throws {
        guard bytes.starts(with: Array("btsnoop\0".utf8) + [0, 0, 0, 1, 0, 0, 0x03, 0xEA]) else { throw Unreadable() }
        var rest = bytes.dropFirst(16)
        while !rest.isEmpty {
            guard rest.count >= 24 else { throw Unreadable() }
            func number(_ place: Int, _ count: Int) -> UInt64 {
                rest.dropFirst(place).prefix(count).reduce(0) { $0 << 8 | UInt64($1) }
            }
            let (original, included) = (Int(number(0, 4)), Int(number(4, 4)))
            // Nothing was cut, and nothing was left out.
            guard original == included, number(12, 4) == 0, rest.count >= 24 + included else { throw Unreadable() }
            let packet = Array(rest.dropFirst(24).prefix(included))
            try take(packet, isSent: number(8, 4) & 1 == 0, at: number(16, 8))
            rest = rest.dropFirst(24 + included)
        }
    }

    private mutating func take(_ packet: [UInt8], isSent: Bool, at time: UInt64) throws {
        switch packet.first {
        case 2: try takeData(packet, isSent: isSent, at: time)
        case 4: takeEvent(packet)
        case 1: break
        default: throw Unreadable()
        }
    }

    /// LE Connection Complete in either form: status, handle, role.
    private mutating func takeEvent(_ packet: [UInt8]) {
        guard packet.count > 8, packet[1] == 0x3E, [0x01, 0x0A, 0x29].contains(packet[3]), packet[4] == 0 else {
            return
        }
        let handle = Int(packet[5]) | Int(packet[6]) << 8
        connections.append(Connection(handle: handle, isCentral: packet[7] == 0))
        partial[Direction(handle: handle, isSent: true)] = nil
        partial[Direction(handle: handle, isSent: false)] = nil
    }

    private mutating func takeData(_ packet: [UInt8], isSent: Bool, at time: UInt64) throws {
        guard packet.count >= 5, packet.count == 5 + Int(packet[3]) + Int(packet[4]) << 8 else { throw Unreadable() }
        let handle = Int(packet[1]) | Int(packet[2] & 0x0F) << 8
        let direction = Direction(handle: handle, isSent: isSent)
        // The boundary flag: 1 continues.
        let isContinuation = packet[2] >> 4 & 3 == 1
        var frame = (isContinuation ? partial[direction] ?? [] : []) + packet.dropFirst(5)
        let whole = frame.count >= 4 ? 4 + Int(frame[0]) + Int(frame[1]) << 8 : .max
        if frame.count >= whole {
            guard let place = connections.lastIndex(where: { $0.handle == handle }) else { throw Unreadable() }
            if frame[2] == 4, frame[3] == 0 {
                connections[place].pdus.append(
                    AttributePDU(isSent: isSent, time: time, bytes: Array(frame[4..<whole])))
            }
            frame = []
        }
        partial[direction] = frame.isEmpty ? nil : frame
    }
}

/// Opcodes of ATT (Core Specification, Vol 3, Part F, 3.4.8).
enum ATT {
    static let errorResponse: UInt8 = 0x01
    static let mtuRequest: UInt8 = 0x02
    static let mtuResponse: UInt8 = 0x03
    static let findInformation: UInt8 = 0x04
    static let findByTypeValue: UInt8 = 0x06
    static let readByType: UInt8 = 0x08
    static let readByGroupType: UInt8 = 0x10
    static let writeRequest: UInt8 = 0x12
    static let writeResponse: UInt8 = 0x13
    static let prepareWrite: UInt8 = 0x16
    static let executeWrite: UInt8 = 0x18
    static let notification: UInt8 = 0x1B
    static let indication: UInt8 = 0x1D
    static let writeCommand: UInt8 = 0x52

    /// Whether an opcode asks for an answer: an even one, but for the confirmation.
    static func isRequest(_ opcode: UInt8) -> Bool { opcode < 0x1B && opcode.isMultiple(of: 2) }
}
