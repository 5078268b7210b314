import Dispatch
import Glibc
import Support
import Testing

@testable import BluetoothHCI

@Suite("Transport over a descriptor")
struct DescriptorTransportTests {
    private static let event: [UInt8] = [4, 0x0E, 4, 1, 3, 0x0C, 0]
    private static let acl: [UInt8] = [2, 0x40, 0x20, 3, 0, 1, 2, 3]
    private static let kinds: [OpenedAdapter.Kind] = [.packets, .stream]

    private func isLoss(_ event: TransportProbe.Event?) -> Bool {
        if case .lost = event { true } else { false }
    }

    @Test("packets arrive whole, in order", arguments: kinds)
    func receives(kind: OpenedAdapter.Kind) throws {
        let (adapter, far) = try pair(kind)
        let radio = TransportProbe(adapter)
        for _ in 0..<50 {
            try far.write(Self.event)
            try far.write(Self.acl)
        }
        let expected = Array(
            repeatElement([TransportProbe.Event.received(Self.event), .received(Self.acl)], count: 50).joined())
        #expect(try radio.events(100) == expected)
    }

    @Test("a stream may cut packets anywhere")
    func cutStream() throws {
        let (adapter, far) = try pair(.stream)
        let radio = TransportProbe(adapter)
        for (place, byte) in (Self.event + Self.acl).enumerated() {
            try far.write([byte])
            if place == Self.event.count { _ = try radio.events(1) }
        }
        #expect(try radio.events(2) == [.received(Self.event), .received(Self.acl)])
    }

    @Test("packets leave whole, in order", arguments: kinds)
    func sends(kind: OpenedAdapter.Kind) throws {
        let (adapter, far) = try pair(kind)
        let radio = TransportProbe(adapter)
        radio.run { transport in
            transport.send(Self.acl)
            transport.send([])
            transport.send(Self.event)
        }
        if kind == .packets {
            #expect(try far.read() == Self.acl)
            #expect(try far.read() == Self.event)
        } else {
            #expect(try far.readAll(Self.acl.count + Self.event.count) == Self.acl + Self.event)
        }
    }

    @Test("what the system does not take waits, and leaves in order", arguments: kinds)
    func backlog(kind: OpenedAdapter.Kind) throws {
        let (adapter, far) = try pair(kind)
        let radio = TransportProbe(adapter)
        let packets = (0..<900).map { number in
            [2, UInt8(truncatingIfNeeded: number), UInt8(truncatingIfNeeded: number >> 8)]
                + [UInt8](repeating: UInt8(truncatingIfNeeded: number * 7), count: 1000)
        }
        // Twice: after it has emptied, the backlog fills again.
        for _ in 0..<2 {
            radio.run { transport in packets.forEach(transport.send) }
            if kind == .packets {
                for packet in packets { #expect(try far.read() == packet) }
            } else {
                let stream = packets.flatMap { $0 }
                #expect(try far.readAll(stream.count) == stream)
            }
        }
        #expect(radio.settled().isEmpty)
        // Otherwise a socket that has room would wake us for ever.
        radio.run { #expect($0.watch?.wantsRoom == false) }
    }

    @Test("who takes nothing is lost, once, when a megabyte waits", arguments: kinds)
    func fullBacklog(kind: OpenedAdapter.Kind) throws {
        let (adapter, far) = try pair(kind)
        let radio = TransportProbe(adapter)
        let packet: [UInt8] = [2] + [UInt8](repeating: 0, count: 1023)
        radio.run { transport in for _ in 0..<4096 { transport.send(packet) } }
        #expect(try radio.events(1) == [.lost("the controller does not take what it is sent", isGone: false)])
        radio.run { $0.send(packet) }
        // What had left before arrives, and then the end.
        var taken = 0
        while true {
            let bytes = try far.read().count
            if bytes == 0 { break }
            taken += bytes
        }
        #expect(taken < 3 * BluetoothPolicy.sendBacklog)
        #expect(radio.settled().count == 1)
    }

    @Test("the end of the far end is a loss, after its last words", arguments: kinds)
    func end(kind: OpenedAdapter.Kind) throws {
        let (adapter, far) = try pair(kind)
        let radio = TransportProbe(adapter)
        try far.write(Self.event)
        far.close()
        #expect(try radio.events(2) == [.received(Self.event), .lost("the far end closed it", isGone: true)])
        radio.run { transport in
            transport.send(Self.event)
            transport.close()
        }
        #expect(radio.settled().count == 2)
    }

    @Test("a reset is a loss, once", arguments: kinds)
    func reset(kind: OpenedAdapter.Kind) throws {
        let (adapter, far) = try pair(kind)
        let radio = TransportProbe(adapter)
        radio.run { $0.send(Self.event) }
        // Closed with our packet unread: our next read fails.
        far.close()
        #expect(isLoss(try radio.events(1).first))
        #expect(radio.settled().count == 1)
    }

    @Test("writing to nobody is a loss and no signal, reported later and once", arguments: kinds)
    func brokenPipe(kind: OpenedAdapter.Kind) throws {
        let (adapter, far) = try pair(kind)
        let radio = TransportProbe(adapter)
        radio.run { transport in
            far.close()
            for _ in 0..<3 { transport.send(Self.event) }
            // Never from within a call into the transport.
            #expect(radio.events.look { $0.isEmpty })
        }
        #expect(isLoss(try radio.events(1).first))
        #expect(radio.settled().count == 1)
    }

    @Test("an error that another call has eaten is a loss")
    func eatenError() throws {
        let radio = TransportProbe(OpenedAdapter(descriptor: try deadSocket(), kind: .packets))
        #expect(try radio.events(1) == [.lost("the adapter is gone", isGone: true)])
        #expect(radio.settled().count == 1)
    }

    @Test("lost framing is a loss, after the packets before it")
    func framing() throws {
        let (adapter, far) = try pair(.stream)
        let radio = TransportProbe(adapter)
        try far.write(Self.event + [0x77] + Self.event)
        #expect(
            try radio.events(2) == [.received(Self.event), .lost("framing lost: a packet of type 119", isGone: false)])
        #expect(try far.read().isEmpty)
        #expect(radio.settled().count == 2)
    }

    @Test("the user channel's packets are handed on as they are")
    func oddPackets() throws {
        let (adapter, far) = try pair(.packets)
        let radio = TransportProbe(adapter)
        let long = [2] + [UInt8](repeating: 9, count: 65_539)
        for packet in [[4, 0x0E, 200, 1], [0x77], long] { try far.write(packet) }
        #expect(try radio.events(3) == [.received([4, 0x0E, 200, 1]), .received([0x77]), .received(long)])
    }

    @Test("closing ends everything, whoever does it and however often", arguments: kinds)
    func close(kind: OpenedAdapter.Kind) throws {
        let (adapter, far) = try pair(kind)
        let file = try identity(adapter.descriptor)
        let radio = TransportProbe(adapter)
        radio.run { transport in
            transport.close()
            transport.close()
            transport.send(Self.event)
        }
        // The far end sees the end only when our descriptor is closed.
        #expect(try far.read().isEmpty)
        #expect(descriptors(of: file) == 0)
        radio.run { $0.close() }
        #expect(radio.settled().isEmpty)
    }

    @Test("what was closed is free at once: nobody waits for it any more", arguments: kinds)
    func freeAtOnce(kind: OpenedAdapter.Kind) throws {
        for _ in 0..<200 {
            let (adapter, far) = try pair(kind)
            let radio = TransportProbe(adapter)
            radio.run { $0.close() }
            // A thread that still waits would keep the socket alive.
            var entry = pollfd(fd: far.number, events: Int16(POLLIN), revents: 0)
            #expect(poll(&entry, 1, 0) == 1)
        }
    }

    @Test("closing with packets waiting drops them", arguments: kinds)
    func closeFull(kind: OpenedAdapter.Kind) throws {
        let (adapter, far) = try pair(kind)
        let radio = TransportProbe(adapter)
        radio.run { transport in
            for _ in 0..<800 { transport.send([2] + [UInt8](repeating: 0, count: 1023)) }
            transport.close()
        }
        while try !far.read().isEmpty {}
        #expect(radio.settled().isEmpty)
    }

    @Test("closing from within a report stops what else was read", arguments: kinds)
    func closeInside(kind: OpenedAdapter.Kind) throws {
        let (adapter, far) = try pair(kind)
        for _ in 0..<5 { try far.write(Self.event) }
        let radio = TransportProbe(adapter) { radio, _ in radio.close() }
        #expect(try far.read().isEmpty)
        #expect(radio.settled() == [.received(Self.event)])
    }

    @Test("after closing nothing is read, even if the number is somebody else's by then", arguments: kinds)
    func numberReused(kind: OpenedAdapter.Kind) throws {
        let (adapter, far) = try pair(kind)
        let (other, farOther) = try pair(kind)
        defer { other.close() }
        try farOther.write(Self.acl)
        for _ in 0..<5 { try far.write(Self.event) }
        let reused = Watched<Int32>(-1)
        let radio = TransportProbe(adapter) { radio, _ in
            radio.close()
            reused.change { $0 = duplicate(other.descriptor, from: adapter.descriptor) }
        }
        #expect(try radio.events(1) == [.received(Self.event)])
        #expect(radio.settled().count == 1)
        let copy = FarEnd(try #require(reused.wait(within: 10) { $0 >= 0 ? $0 : nil }))
        #expect(try copy.read() == Self.acl)
    }

    @Test("closing between a failure and its report keeps it silent")
    func closeWhileFailing() throws {
        let (adapter, far) = try pair(.stream)
        let radio = TransportProbe(adapter)
        radio.run { transport in
            far.close()
            transport.send(Self.event)
            transport.close()
        }
        #expect(radio.settled().isEmpty)
    }

    @Test("a transport that is forgotten closes its descriptor", arguments: kinds)
    func forgotten(kind: OpenedAdapter.Kind) throws {
        let (adapter, far) = try pair(kind)
        let radio = TransportProbe(adapter)
        radio.forget()
        #expect(try far.read().isEmpty)
    }

    @Test("when the loss is reported, adapter and claim are closed")
    func free() throws {
        var (adapter, far) = try pair(.packets)
        let (claim, farClaim) = try pair(.packets)
        adapter.claim = claim.descriptor
        let files = [try identity(adapter.descriptor), try identity(claim.descriptor)]
        let open = Watched([-1, -1])
        let radio = TransportProbe(adapter) { _, _ in open.change { $0 = files.map { descriptors(of: $0) } } }
        far.close()
        #expect(isLoss(try radio.events(1).first))
        #expect(open.wait(within: 10) { $0.contains(-1) ? nil : $0 } == [0, 0])
        #expect(try farClaim.read().isEmpty)
    }

    @Test("others get their turn while packets keep coming", arguments: kinds)
    func turns(kind: OpenedAdapter.Kind) throws {
        let (adapter, far) = try pair(kind)
        let packet: [UInt8] = [4, 0xFF, 200] + [UInt8](repeating: 1, count: 200)
        let count = 100
        let marked = Watched(false)
        for _ in 0..<count { try far.write(packet) }
        let radio = TransportProbe(adapter) { radio, _ in
            guard
                marked.change({ isMarked in
                    defer { isMarked = true }
                    return !isMarked
                })
            else { return }
            radio.queue.async { radio.events.change { $0.append(.mark) } }
        }
        let events = try radio.events(count + 1)
        let place = try #require(events.firstIndex(of: .mark))
        #expect(place <= max(BluetoothPolicy.packetsPerWake, BluetoothPolicy.bytesPerWake / packet.count))
        #expect(events.count == count + 1)
    }
}

@Suite("Transport over a serial port")
struct SerialTransportTests {
    private static let reset: [UInt8] = [4, 0x0E, 4, 1, 3, 0x0C, 0]
    /// All bytes that a terminal would make something of.
    private static let everyByte: [UInt8] = [2, 0x40, 0x20, 0, 1] + Array(0...255)

    @Test("bytes pass as they are, from the answer to a reset on")
    func raw() throws {
        let cable = try Cable()
        let radio = TransportProbe(try AdapterOpening.open(.serial(path: cable.path, baud: 1_000_000)))
        radio.run { $0.send(Self.everyByte) }
        #expect(try cable.controller.readAll(Self.everyByte.count) == Self.everyByte)
        try cable.controller.write([1, 2, 3] + Self.reset + Self.everyByte)
        #expect(try radio.events(2) == [.received(Self.reset), .received(Self.everyByte)])
    }

    @Test("what the port does not take waits, and leaves in order")
    func backlog() throws {
        let cable = try Cable()
        let radio = TransportProbe(try AdapterOpening.open(.serial(path: cable.path, baud: 1_000_000)))
        let stream = Array(repeatElement(Self.everyByte, count: 1000).joined())
        radio.run { transport in for _ in 0..<1000 { transport.send(Self.everyByte) } }
        #expect(try cable.controller.readAll(stream.count) == stream)
    }

    @Test("an unplugged port is a loss, and can be opened again")
    func unplugged() throws {
        var cable = try Cable()
        let radio = TransportProbe(try AdapterOpening.open(.serial(path: cable.path, baud: 1_000_000)))
        cable.controller.close()
        guard case .lost = try radio.events(1).first else {
            Issue.record("no loss")
            return
        }
        cable = try Cable()
        let again = TransportProbe(try AdapterOpening.open(.serial(path: cable.path, baud: 1_000_000)))
        try cable.controller.write(Self.reset)
        #expect(try again.events(1) == [.received(Self.reset)])
        #expect(radio.settled().count == 1)
    }
}
