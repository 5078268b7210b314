import Domain

/// The fixed channels of one LE connection.
///
/// Pieces go in; attribute PDUs come out for the layer above, and what the signalling and security channels have to say
/// comes out as whole frames. Nothing is opened here and nothing can be: other channels are passed over.
///
/// Source: Core Specification, Vol 3, Part A, 2.1, 3.1.
struct L2CAPChannels: Sendable {
    /// What a piece brought.
    enum Received: Hashable, Sendable {
        /// An attribute PDU, for ``GATTBearer/receive(_:)``. It may be empty.
        case attributePDU(ArraySlice<UInt8>)
        /// The peripheral asked for connection parameters, they are valid, and it is told that we accept them. The
        /// controller has to be told, too.
        case parameters(ConnectionParameters)
    }

    private let signalling: Signalling
    private var assembler = L2CAPAssembler()
    private var answers: [[UInt8]] = []
    private var unanswered = 0

    /// - Parameter isCentral: Whether we opened the connection.
    init(isCentral: Bool) { signalling = Signalling(isCentral: isCentral) }

    /// What was thrown away: pieces and frames out of order, and requests that would have been one too many to answer.
    var dropped: Int { assembler.dropped + unanswered }

    /// Whether there is something to fetch by ``nextFrame()``.
    var hasOutput: Bool { !answers.isEmpty }

    /// Takes one piece as the controller hands it over.
    mutating func receive(_ fragment: ArraySlice<UInt8>, isStart: Bool) -> Received? {
        guard let frame = assembler.receive(fragment, isStart: isStart) else { return nil }
        switch frame.channel {
        case .attributes:
            return .attributePDU(frame.payload)
        case .signalling:
            let reaction = signalling.receive(frame.payload)
            guard let answer = reaction.answer, enqueue(answer, on: .signalling) else { return nil }
            return reaction.update.map { .parameters($0) }
        case .security:
            if let answer = PairingRefusal.answer(to: frame.payload) { enqueue(answer, on: .security) }
            return nil
        default:
            return nil
        }
    }

    /// The next frame of the signalling and security channels, header included; `nil` when there is none.
    mutating func nextFrame() -> [UInt8]? { answers.isEmpty ? nil : answers.removeFirst() }

    /// The frame that carries an attribute PDU, header included.
    static func frame(ofAttributePDU pdu: some Sequence<UInt8>) -> [UInt8] {
        L2CAPFrame(channel: .attributes, payload: Array(pdu)[...]).encoded
    }

    /// The same for a PDU that was made behind ``L2CAPFrame/headerLength`` free bytes; it is not copied.
    static func frame(ofAttributePDUBehindHeader bytes: consuming [UInt8]) -> [UInt8] {
        L2CAPFrame.fillHeader(of: &bytes, channel: .attributes)
        return bytes
    }

    /// A far end that asks without reading our answers gets no more of them: what cannot be answered is not acted on.
    @discardableResult
    private mutating func enqueue(_ answer: [UInt8], on channel: L2CAPChannel) -> Bool {
        guard answers.count < BluetoothPolicy.answersPerChannel else {
            unanswered += 1
            return false
        }
        answers.append(L2CAPFrame(channel: channel, payload: answer[...]).encoded)
        return true
    }
}
