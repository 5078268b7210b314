import Domain

/// A bearer, a far end that says what the input has, and what must hold whatever it says.
struct BearerScript {
    private final class Delegate: GATTBearerDelegate {
        var mtus: [Int] = []
        func bearerHasOutput() {}
        func mtuChanged(to mtu: Int) {
            require((BluetoothPolicy.defaultMTU...BluetoothPolicy.mtu).contains(mtu), "an MTU out of bounds")
            mtus.append(mtu)
        }
        func subscriptionChanged(to isOn: Bool) {}
        func written(_ value: ArraySlice<UInt8>) {
            require((1...BluetoothPolicy.inboundValue).contains(value.count), "a value out of bounds was written")
        }
        func notified(_ value: ArraySlice<UInt8>) {
            require((1...BluetoothPolicy.inboundValue).contains(value.count), "a value out of bounds was notified")
        }
        func clientReady() {}
        func clientReset() {}
        func clientFailed(_ failure: GATTFailure) {}
    }

    /// MTU, discovery and subscription of a phone; then our client, answered as a phone does.
    static let samples: [[UInt8]] = [
        [0, 3, 2, 5, 2, 0, 7, 0x10, 1, 0, 0xff, 0xff, 0, 0x28, 0, 7, 8, 10, 0, 13, 0, 3, 0x28, 0, 5, 4, 12, 0, 13, 0]
            + [0, 5, 0x12, 13, 0, 1, 0, 6, 100, 0, 6, 0x52, 12, 0, 1, 2, 3],
        [3, 0, 5, 2, 2, 5, 2, 5, 4, 0x28, 0, 0x2b, 0]
            + [5, 21, 21, 0x29, 0, 0x1e, 0x2a, 0, 0x5d, 0x4c, 0x3b, 0x2a, 0x1f, 0x0e, 0x9d, 0x8c, 0x5b, 0x4a]
            + [0xf6, 0xe5, 0xd4, 0xc3, 0xb2, 0xa1, 5, 5, 1, 0x2b, 0, 2, 0x29, 5, 0, 7, 200, 0]
            + [0, 6, 0x1b, 0x2a, 0, 1, 2, 3, 0, 7, 0x1d, 8, 0, 1, 0, 0xff, 0xff, 4, 9],
    ]

    private var reader: ByteReader
    private let timers = ScriptTimers()
    private let bearer: GATTBearer
    private let delegate = Delegate()
    /// The last request of the bearer's client.
    private var request: [UInt8]?
    private var requests = 0
    private var steps = 0

    init(_ input: ArraySlice<UInt8>) {
        reader = ByteReader(input)
        bearer = GATTBearer(service: .production, timers: timers)
        bearer.delegate = delegate
    }

    /// Step by step: a byte for what is done, and what that takes.
    mutating func run() {
        while let step = reader.take(UInt8.self) {
            steps += 1
            perform(step & 15)
            if step & 16 == 0 { fetch() }
            require(timers.count <= 8, "timers pile up")
        }
        fetch()
        // A far end that says nothing any more: it all comes to rest.
        timers.advance(by: BluetoothPolicy.transactionTimeout * 4)
        fetch()
        timers.advance(by: BluetoothPolicy.transactionTimeout * 4)
        require(requests <= 2 * steps + 8, "the client asks without end")
        bearer.close()
        require(bearer.nextPDU() == nil && !bearer.isSubscribed && !bearer.isClientReady, "a closed bearer goes on")
    }

    private mutating func perform(_ step: UInt8) {
        switch step {
        case 3: bearer.openClient()
        case 4: timers.advance(by: Milliseconds(Int64(reader.take(UInt8.self) ?? 0) * 200))
        case 5: answer()
        case 6, 7: makeValue(isWrite: step == 7)
        case 8: bearer.closeClient()
        default: hear(takeBytes())
        }
    }

    private mutating func takeBytes() -> ArraySlice<UInt8> {
        let length = Int(reader.take(UInt8.self) ?? 0)
        return reader.take(min(length, reader.count)) ?? []
    }

    private mutating func hear(_ pdu: ArraySlice<UInt8>) {
        let longest = max(bearer.mtu, BluetoothPolicy.defaultMTU)
        bearer.receive(pdu)
        _ = longest
    }

    /// Answers the last request by its own opcode.
    private mutating func answer() {
        let parameters = takeBytes()
        guard let code = request?.first else { return }
        request = nil
        hear([code + 1] + parameters)
    }

    private mutating func makeValue(isWrite: Bool) {
        let length = Int(reader.take(UInt8.self) ?? 0) * 3
        let value = [UInt8](repeating: 7, count: length)
        let limit = min(bearer.mtu - 3, 512)
        guard let pdu = isWrite ? bearer.write(of: value) : bearer.notification(of: value) else { return }
        require(pdu.count == length + 3 && length <= limit, "a value beyond the limit goes out")
        require(isWrite ? bearer.isClientReady : bearer.isSubscribed, "a value goes out that nobody asked for")
    }

    /// Takes what the bearer has to say.
    private mutating func fetch() {
        var count = 0
        while let pdu = bearer.nextPDU() {
            count += 1
            // An answer goes by the MTU of its time, which may have been another one.
            let longest = ([bearer.mtu, BluetoothPolicy.defaultMTU] + delegate.mtus).max() ?? 0
            require(!pdu.isEmpty && pdu.count <= longest, "a PDU is longer than the MTU")
            guard AttributeOpcode.kind(of: pdu[0]) == .request else { continue }
            require(pdu.count <= BluetoothPolicy.defaultMTU, "a request that not everybody can take")
            request = pdu
            requests += 1
        }
        require(count <= BluetoothPolicy.answersPerChannel + 1, "too many answers wait")
    }
}

extension ArraySlice<UInt8> {
    fileprivate static func + (left: [UInt8], right: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var bytes = left
        bytes.append(contentsOf: right)
        return bytes[...]
    }
}
