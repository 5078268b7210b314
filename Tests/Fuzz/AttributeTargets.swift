import Domain

extension Target {
    /// What a Bluetooth peer sends, above HCI.
    static let attributes: [Target] = [
        Target("attributes", []) { exchange($0) },
        Target("l2cap", []) { reassemble($0) },
    ]

    /// A list of attribute PDUs, each behind its length in one byte; the lengths 251...255 let time pass instead, or have
    /// our client open or close. The first byte says whether our client begins, and whether what we send is fetched.
    private static func exchange(_ input: ArraySlice<UInt8>) {
        var reader = ByteReader(input)
        guard let flags = reader.take(UInt8.self) else { return }
        let peer = FuzzedPeer(service: flags & 4 == 0 ? .production : .test)
        if flags & 1 != 0 { peer.bearer.openClient() }
        while let length = reader.take(UInt8.self) {
            if flags & 2 == 0 { peer.fetch() }
            switch length {
            case 255: peer.timers.advance(by: .seconds(30))
            case 254: peer.timers.advance(by: BluetoothPolicy.discoveryRetry)
            case 253: peer.bearer.openClient()
            case 252: peer.closeClient()
            // Longer than any MTU.
            case 251: peer.receive(reader.rest.prefix(600))
            default: peer.receive(reader.take(Int(length)) ?? reader.rest)
            }
            peer.tryToSend()
        }
        peer.end()
    }

    /// A list of ACL pieces, each behind one byte with its length and, in bit 7, whether it starts a frame.
    private static func reassemble(_ input: ArraySlice<UInt8>) {
        var reader = ByteReader(input)
        var channels = L2CAPChannels(isCentral: input.count.isMultiple(of: 2))
        let peer = FuzzedPeer(service: .production)
        var pieces = 0
        while let header = reader.take(UInt8.self), let piece = reader.take(Int(header & 0x7F)) {
            pieces += 1
            switch channels.receive(piece, isStart: header & 0x80 != 0) {
            case .attributePDU(let pdu):
                require(pdu.count <= BluetoothPolicy.frameLimit, "a frame is longer than the limit")
                peer.receive(pdu)
                peer.fetch()
            case .parameters(let parameters):
                require(parameters.areValid && channels.hasOutput, "parameters are accepted that are not valid")
            case nil:
                break
            }
            if header & 1 != 0 {
                while let frame = channels.nextFrame() { require(frame.count <= 4 + 23, "an answer is too long") }
            }
        }
        require(channels.dropped <= pieces, "more is dropped than came in")
        peer.end()
    }
}

/// A bearer, and the claims on what it says.
private final class FuzzedPeer: GATTBearerDelegate {
    let timers = FuzzedTimers()
    let bearer: GATTBearer
    private var isReady = false

    init(service: BluetoothService) {
        bearer = GATTBearer(service: service, timers: timers)
        bearer.delegate = self
    }

    func receive(_ pdu: ArraySlice<UInt8>) { bearer.receive(pdu) }

    func closeClient() {
        bearer.closeClient()
        isReady = false
    }

    /// Takes what there is to send.
    func fetch() {
        var count = 0
        // A response may be of the MTU before a change that came in after its request.
        while let pdu = bearer.nextPDU() {
            count += 1
            require(!pdu.isEmpty && pdu.count <= BluetoothPolicy.mtu, "a PDU of \(pdu.count) bytes")
            require(count <= BluetoothPolicy.answersPerChannel + 1, "there is no end of PDUs")
        }
    }

    /// No value may be longer than the MTU lets it.
    func tryToSend() {
        require((23...517).contains(bearer.mtu), "an MTU of \(bearer.mtu)")
        for count in [bearer.valueLimit, bearer.valueLimit + 1] {
            let value = [UInt8](repeating: 1, count: count)
            for pdu in [bearer.notification(of: value), bearer.write(of: value)].compactMap(\.self) {
                require(count <= 512 && pdu.count <= bearer.mtu, "a value is too long")
            }
        }
    }

    /// Nothing is left behind, and no discovery goes on for ever by itself.
    func end() {
        for _ in 0..<4 {
            fetch()
            timers.advance(by: .seconds(31))
        }
        bearer.close()
        timers.advance(by: 0)
        require(timers.count == 0 && bearer.nextPDU() == nil, "a closed bearer goes on")
    }

    func bearerHasOutput() {}
    func mtuChanged(to mtu: Int) { require(mtu == bearer.mtu, "another MTU is reported") }
    func subscriptionChanged(to isOn: Bool) { require(isOn == bearer.isSubscribed, "another subscription is reported") }
    func written(_ value: ArraySlice<UInt8>) { checkInbound(value) }
    func notified(_ value: ArraySlice<UInt8>) { checkInbound(value) }
    func clientReady() {
        require(!isReady, "it is ready twice")
        isReady = bearer.isClientReady
    }
    func clientReset() { isReady = false }
    func clientFailed(_ failure: GATTFailure) { isReady = false }

    private func checkInbound(_ value: ArraySlice<UInt8>) {
        require((1...BluetoothPolicy.inboundValue).contains(value.count), "a value of \(value.count) bytes is reported")
    }
}
