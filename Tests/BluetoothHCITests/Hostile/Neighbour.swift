import Domain
import Support
import Testing

@testable import BluetoothHCI

/// The far end of one connection of a ``SocketController``: honest, or not.
struct Neighbour: Sendable {
    let controller: SocketController
    /// The connection's handle at the controller.
    let handle: UInt16
    let device: DeviceAddress

    /// - Parameter device: Its address; by default one that goes with the handle.
    init(_ controller: SocketController, _ handle: UInt16, device: DeviceAddress? = nil) {
        self.controller = controller
        self.handle = handle
        self.device = device ?? Self.device(Int(handle))
    }

    /// One of many devices.
    static func device(_ number: Int) -> DeviceAddress {
        DeviceAddress(kind: .random, bits: 0xd000_0000_0000 | UInt64(number))
    }

    // MARK: The connection

    /// It connects to the radio, or the radio's own attempt reaches it.
    func connect(byRadio: Bool = false) {
        controller.say(Packets.connected(handle, device, isCentral: byRadio))
    }

    /// It is gone.
    func leave(_ reason: UInt8 = 0x13) { controller.say(Packets.disconnected(handle, reason)) }

    // MARK: What it says

    /// An L2CAP frame in one data packet.
    func packet(_ channel: UInt16, _ payload: [UInt8]) -> [UInt8] {
        Packets.data(handle, Packets.bytes(UInt16(payload.count)) + Packets.bytes(channel) + payload)
    }

    /// Says attribute PDUs.
    func say(_ pdus: [UInt8]...) { controller.say(pdus.map { packet(4, $0) }) }

    /// Says an attribute PDU, and waits for what the radio answers.
    func ask(_ pdu: [UInt8]) throws -> [UInt8] {
        let before = answers.count
        say(pdu)
        return try #require(
            controller.wait { state in state.answers(on: handle).dropFirst(before).first }, "an answer to \(pdu)")
    }

    /// Waits until the radio has worked off whatever it was told before.
    func catchUp() throws { #expect(try ask([0x0A, 0x05, 0x00]) == [0x0B, 0x00, 0x00]) }

    /// Writes without response into the mesh characteristic.
    static func write(_ value: [UInt8]) -> [UInt8] { [0x52, 0x0C, 0x00] + value }

    /// Subscribes as a phone does.
    func subscribe(mtu: UInt16 = 517) throws {
        #expect(try ask([0x02] + Packets.bytes(mtu)) == [0x03, 0x05, 0x02])
        #expect(try ask([0x12, 0x0D, 0x00, 0x01, 0x00]) == [0x13])
    }

    /// Answers the radio's client as the server of a phone does, its attributes laid out like ours.
    ///
    /// - Parameter isAnswered: Tells the requests that are.
    func serve(_ isAnswered: @escaping @Sendable ([UInt8]) -> Bool = { _ in true }) {
        let server = Watched(AttributeServer(service: .production))
        controller.change { state in
            state.reaction[handle] = { frame in
                guard frame.channel == 4, isAnswered(frame.payload) else { return [] }
                let answer = server.change { $0.receive(frame.payload[...], mtu: BluetoothPolicy.mtu).answer }
                return answer.map { [packet(4, $0)] } ?? []
            }
        }
    }

    // MARK: What it hears

    /// What the radio answered and asked: attribute PDUs that are no notifications.
    var answers: [[UInt8]] { controller.look { $0.answers(on: handle) } }

    /// The values that it was notified of.
    var notified: [[UInt8]] { controller.look { $0.notified(on: handle) } }

    /// Waits for as many.
    func notified(_ count: Int) throws -> [[UInt8]] {
        try #require(
            controller.wait { state in
                let values = state.notified(on: handle)
                return values.count >= count ? values : nil
            }, "\(count) notifications")
    }
}

extension SocketController.State {
    /// Payloads of the radio's frames on a channel of a connection.
    func payloads(on handle: UInt16, channel: UInt16) -> [[UInt8]] {
        frames.compactMap { $0.handle == handle && $0.channel == channel ? $0.payload : nil }
    }

    /// Attribute PDUs that are no notifications.
    func answers(on handle: UInt16) -> [[UInt8]] { payloads(on: handle, channel: 4).filter { $0.first != 0x1B } }

    /// Values of notifications.
    func notified(on handle: UInt16) -> [[UInt8]] {
        payloads(on: handle, channel: 4).compactMap { $0.starts(with: [0x1B, 0x0C, 0x00]) ? Array($0[3...]) : nil }
    }
}
