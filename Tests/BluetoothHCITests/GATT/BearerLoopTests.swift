import Domain
import Testing

@testable import BluetoothHCI

/// Two of our bearers on one connection.
@Suite("GATT bearers against each other")
struct BearerLoopTests {
    /// A connection whose far side can receive only so much.
    private final class Wire {
        let near: BearerHarness
        let far: BearerHarness
        private let mtu: UInt16
        private(set) var longest = 0
        private(set) var count = 0

        init(mtu: UInt16) {
            let timers = SteppedTimers()
            near = BearerHarness(timers: timers)
            far = BearerHarness(timers: timers)
            self.mtu = mtu
        }

        /// Carries PDUs until both sides have nothing to say.
        func settle() {
            var wasBusy = true
            while wasBusy, count < 10_000 {
                wasBusy = false
                for (from, to) in [(near, far), (far, near)] {
                    for pdu in from.sent() {
                        carry(pdu, to: to)
                        wasBusy = true
                    }
                }
            }
        }

        func carry(_ pdu: [UInt8], to harness: BearerHarness) {
            count += 1
            longest = max(longest, pdu.count)
            harness.bearer.receive(capped(pdu)[...])
        }

        /// Whoever asks or answers says what the wire's MTU is, not ours.
        private func capped(_ pdu: [UInt8]) -> [UInt8] {
            guard pdu.count == 3, pdu[0] == 0x02 || pdu[0] == 0x03 else { return pdu }
            return [pdu[0], UInt8(mtu & 0xFF), UInt8(mtu >> 8)]
        }
    }

    private static let mtus: [UInt16] = [23, 100, 185, 247, 517, 600]

    @Test("both clients come to be ready, whatever the MTU", arguments: mtus)
    func bothReady(mtu: UInt16) {
        let wire = Wire(mtu: mtu)
        wire.near.bearer.openClient()
        wire.far.bearer.openClient()
        wire.settle()
        for side in [wire.near, wire.far] {
            let events = Set(side.takeEvents())
            #expect(events.isSuperset(of: [.ready, .subscription(true)]))
            #expect(side.bearer.isClientReady && side.bearer.isSubscribed)
            #expect(side.bearer.mtu == min(Int(mtu), 517) && side.timers.count > 0)
        }
        #expect(wire.longest <= min(Int(mtu), 517))
        wire.near.timers.advance(by: .seconds(600))
        #expect(wire.near.takeEvents().isEmpty && wire.far.takeEvents().isEmpty, "no clock runs on")
    }

    @Test("no outgoing value is longer than min(MTU − 3, 512), and the longest arrives whole", arguments: mtus)
    func values(mtu: UInt16) throws {
        let wire = Wire(mtu: mtu)
        wire.near.bearer.openClient()
        wire.settle()
        _ = (wire.near.takeEvents(), wire.far.takeEvents())
        let limit = min(Int(mtu) - 3, 512)
        #expect(wire.near.bearer.valueLimit == limit && wire.far.bearer.valueLimit == limit)
        for count in 0...600 {
            let value = (0..<count).map { UInt8(truncatingIfNeeded: $0 &+ count) }
            let write = wire.near.bearer.write(of: value)
            let notification = wire.far.bearer.notification(of: value)
            #expect((write != nil) == (count <= limit) && (notification != nil) == (count <= limit))
            if let write { wire.carry(write, to: wire.far) }
            if let notification { wire.carry(notification, to: wire.near) }
            let isCarried = (1...limit).contains(count)
            #expect(wire.far.takeEvents() == (isCarried ? [.written(value)] : []))
            #expect(wire.near.takeEvents() == (isCarried ? [.notified(value)] : []))
        }
        #expect(wire.longest == limit + 3)
    }

    @Test("one link serves both directions without a second client")
    func oneClient() {
        let wire = Wire(mtu: 517)
        wire.near.bearer.openClient()
        wire.settle()
        #expect(wire.near.bearer.isClientReady && wire.far.bearer.isSubscribed)
        #expect(!wire.near.bearer.isSubscribed && !wire.far.bearer.isClientReady)
    }

    @Test("a client that closes ends the subscription, and may open again")
    func closeAndReopen() {
        let wire = Wire(mtu: 517)
        wire.near.bearer.openClient()
        wire.settle()
        wire.near.bearer.closeClient()
        wire.settle()
        #expect(wire.far.takeEvents() == [.mtu(517), .subscription(true), .subscription(false)])
        wire.near.bearer.openClient()
        wire.settle()
        #expect(wire.near.bearer.isClientReady && wire.far.takeEvents() == [.subscription(true)])
    }

    @Test("the two meshes do not find each other")
    func otherMesh() {
        let test = BearerHarness(service: .test)
        let production = BearerHarness(service: .production)
        test.bearer.openClient()
        for _ in 0..<10 {
            for pdu in test.sent() { production.bearer.receive(pdu[...]) }
            for pdu in production.sent() { test.bearer.receive(pdu[...]) }
        }
        #expect(test.takeEvents() == [.mtu(517), .failed(.noService)])
        #expect(production.takeEvents() == [.mtu(517)])
    }

    @Test("through L2CAP in pieces of 27 bytes, as through the air")
    func throughL2CAP() {
        let wire = Wire(mtu: 517)
        wire.near.bearer.openClient()
        wire.settle()
        _ = wire.far.takeEvents()
        let value = (0..<512).map { UInt8(truncatingIfNeeded: $0) }
        guard let write = wire.near.bearer.write(of: value) else {
            Issue.record("there is a link")
            return
        }
        let frame = L2CAPChannels.frame(ofAttributePDU: write)
        var channels = L2CAPChannels(isCentral: false)
        for start in stride(from: 0, to: frame.count, by: 27) {
            let piece = frame[start..<min(start + 27, frame.count)]
            if case .attributePDU(let pdu) = channels.receive(piece, isStart: start == 0) {
                wire.far.bearer.receive(pdu)
            }
        }
        #expect(wire.far.takeEvents() == [.written(value)])
    }
}
