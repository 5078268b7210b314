import Domain
import Support
import Testing

/// The order that the radio contract wants of a link's set-up, checked in a trace (spec: ble-gatt §6, §8).
struct SetUpOrder {
    let connection: PacketTrace.Connection
    private var pdus: [PacketTrace.AttributePDU] { connection.pdus }
    private var sent: [PacketTrace.AttributePDU] { pdus.filter(\.isSent) }
    private var received: [PacketTrace.AttributePDU] { pdus.filter { !$0.isSent } }

    /// The only connection of a trace.
    init(_ trace: PacketTrace, sourceLocation: SourceLocation = #_sourceLocation) throws {
        try #require(trace.connections.count == 1, sourceLocation: sourceLocation)
        connection = trace.connections[0]
    }

    /// The types of the packets that went out, or came in.
    func packetTypes(areSent: Bool) -> Set<UInt8> {
        let values = (areSent ? sent : received)
            .filter { $0.opcode == ATT.writeCommand || $0.opcode == ATT.notification }
        return Set(values.compactMap { $0.value.dropFirst().first })
    }

    /// Checks what holds in both roles, and then what holds in the node's.
    ///
    /// - Returns: Milliseconds from the moment that the subscription stood until our announce.
    func check() throws -> Double {
        checkTransactions(by: true)
        checkTransactions(by: false)
        let opcodes = Set(sent.map(\.opcode))
        #expect(opcodes.isDisjoint(with: [ATT.prepareWrite, ATT.executeWrite, ATT.indication]))
        // The MTU is the smaller of the two that were named.
        let named = pdus.filter { $0.opcode == ATT.mtuRequest || $0.opcode == ATT.mtuResponse }
        let mtu = named.map { Int($0.bytes[1]) | Int($0.bytes[2]) << 8 }.min() ?? 23
        #expect(named.count == 2 && mtu == 517)
        let values = sent.filter { $0.opcode == ATT.writeCommand || $0.opcode == ATT.notification }
        #expect(values.allSatisfy { $0.value.count <= min(mtu - 3, 512) })
        return try connection.isCentral ? checkClient() : checkServer()
    }

    /// One request at a time, each with its answer: the next opcode, or an error that names it.
    private func checkTransactions(by isOurs: Bool) {
        var pending: UInt8?
        for pdu in pdus {
            if pdu.isSent == isOurs, ATT.isRequest(pdu.opcode) {
                #expect(pending == nil, "request \(pdu.opcode) while \(pending ?? 0) was under way")
                pending = pdu.opcode
            } else if pdu.isSent != isOurs, !pdu.opcode.isMultiple(of: 2), pdu.opcode < ATT.notification {
                let answered = pdu.opcode == ATT.errorResponse ? pdu.bytes[1] : pdu.opcode - 1
                #expect(pending == answered, "answer \(pdu.opcode) to \(pending ?? 0)")
                pending = nil
            }
        }
        #expect(pending == nil)
    }

    /// We connected: MTU, service by UUID, characteristic, descriptor, CCCD once; then our announce, and whatever else is
    /// of use, such as the indications of Service Changed.
    private func checkClient() throws -> Double {
        let requests = sent.filter { ATT.isRequest($0.opcode) }
        let steps: [UInt8] = [
            ATT.mtuRequest, ATT.findByTypeValue, ATT.readByType, ATT.findInformation, ATT.writeRequest,
        ]
        #expect(requests.prefix(steps.count).map(\.opcode) == steps)
        #expect(requests.first { $0.opcode == ATT.findByTypeValue }?.bytes.ends(with: Self.serviceUUID) == true)
        let subscription = try #require(requests.first { $0.opcode == ATT.writeRequest })
        #expect(Array(subscription.value) == [1, 0])
        // Android would notify twice who subscribed twice.
        #expect(sent.count { $0.opcode == ATT.writeRequest && $0.handle == subscription.handle } == 1)
        let subscribed = try #require(received.first { $0.opcode == ATT.writeResponse })
        return try checkAnnounce(ATT.writeCommand, after: subscribed)
    }

    /// The far end connected: it asks for the MTU first and subscribes last; we say nothing before our announce.
    private func checkServer() throws -> Double {
        let requests = received.filter { ATT.isRequest($0.opcode) }
        #expect(requests.first?.opcode == ATT.mtuRequest)
        let discovery = requests.dropFirst().dropLast().map(\.opcode)
        #expect(
            Set(discovery).isSubset(of: [
                ATT.findByTypeValue, ATT.readByGroupType, ATT.readByType, ATT.findInformation,
            ]))
        #expect(requests.last?.opcode == ATT.writeRequest && requests.last.map { Array($0.value) } == [1, 0])
        #expect(!sent.contains { $0.opcode == ATT.writeCommand })
        let subscribed = try #require(sent.first { $0.opcode == ATT.writeResponse })
        return try checkAnnounce(ATT.notification, after: subscribed)
    }

    /// The first value that we sent is our announce, and it comes after the subscription.
    private func checkAnnounce(_ opcode: UInt8, after subscribed: PacketTrace.AttributePDU) throws -> Double {
        let first = try #require(sent.first { $0.opcode == opcode })
        #expect(first.value.dropFirst().first == MessageType.announce.rawValue)
        let delay = first.delay(after: subscribed)
        #expect(delay >= 0)
        return delay
    }

    private static let serviceUUID: [UInt8] = [
        0x5C, 0x4B, 0x3A, 0x2C, 0x1D, 0x8E, 0x3F, 0x9B, 0x5A, 0x4C, 0x9E, 0x4A, 0x2D, 0x5E, 0x7B, 0xF4,
    ]
}

extension [UInt8] {
    /// Whether the last bytes are these.
    func ends(with bytes: [UInt8]) -> Bool { suffix(bytes.count) == bytes[...] }
}
