import Domain

/// Answers what the far end says on the LE signalling channel. We ask for nothing there ourselves.
///
/// Source: Core Specification, Vol 3, Part A, 4.
struct Signalling: Sendable {
    /// What comes of a command.
    struct Reaction: Hashable, Sendable {
        /// The frame's payload to answer with.
        var answer: [UInt8]?
        /// Parameters that the answer accepts: the controller has to be told.
        var update: ConnectionParameters?
    }

    /// Command codes (4, table 4.2).
    private enum Code {
        static let commandReject: UInt8 = 0x01
        static let disconnectionRequest: UInt8 = 0x06
        static let parameterUpdateRequest: UInt8 = 0x12
        static let parameterUpdateResponse: UInt8 = 0x13
        static let creditConnectionRequest: UInt8 = 0x14
        static let creditConnectionResponse: UInt8 = 0x15
        static let flowControlCredit: UInt8 = 0x16
        static let enhancedConnectionRequest: UInt8 = 0x17
        static let enhancedConnectionResponse: UInt8 = 0x18
        static let reconfigureRequest: UInt8 = 0x19
        static let reconfigureResponse: UInt8 = 0x1A

        /// What answers something or wants no answer: of no meaning to us, since we asked nothing, and never answered, so
        /// that two ends cannot keep each other busy. 0x03...0x11 are the responses of BR/EDR.
        static let unanswered: Set<UInt8> = [
            commandReject, 0x03, 0x05, 0x07, 0x09, 0x0B, 0x0D, 0x0F, 0x11, parameterUpdateResponse,
            creditConnectionResponse, flowControlCredit, enhancedConnectionResponse, reconfigureResponse,
        ]
    }

    /// Why a command is rejected (4.1).
    private enum Rejection {
        case notUnderstood
        case mtuExceeded
        case invalidChannels(ArraySlice<UInt8>)

        var data: [UInt8] {
            var bytes: [UInt8] = []
            switch self {
            case .notUnderstood:
                bytes.append(littleEndian: UInt16(0))
            case .mtuExceeded:
                bytes.append(littleEndian: UInt16(1))
                bytes.append(littleEndian: UInt16(Signalling.mtu))
            case .invalidChannels(let channels):
                bytes.append(littleEndian: UInt16(2))
                bytes.append(contentsOf: channels)
            }
            return bytes
        }
    }

    /// The longest signalling payload on LE, in bytes (4).
    static let mtu = 23
    /// "All connections refused – SPSM not supported" (4.22, 4.26).
    private static let protocolNotSupported: UInt16 = 0x0002
    /// "Reconfiguration failed – one or more Destination CIDs invalid" (4.28).
    private static let channelsInvalid: UInt16 = 0x0003
    /// The channels that one enhanced request may ask for (4.25).
    private static let channelsPerRequest = 1...5

    /// Whether we opened the connection: only a central is asked for connection parameters.
    let isCentral: Bool

    /// Takes the payload of one frame: exactly one command, on LE.
    ///
    /// A frame that is too long or holds something else than one command is rejected as a whole by the identifier of its
    /// first command, if that wants an answer. The identifier 0 is not allowed and has no answer.
    func receive(_ payload: ArraySlice<UInt8>) -> Reaction {
        var reader = ByteReader(payload)
        guard let code = reader.take(UInt8.self), let identifier = reader.take(UInt8.self), identifier != 0,
            !Code.unanswered.contains(code)
        else { return Reaction() }
        guard payload.count <= Self.mtu else { return rejection(.mtuExceeded, identifier) }
        guard let length = reader.takeLittleEndian(UInt16.self), length == reader.count else {
            return rejection(.notUnderstood, identifier)
        }
        return react(to: code, identifier, reader.rest)
    }

    private func react(to code: UInt8, _ identifier: UInt8, _ data: ArraySlice<UInt8>) -> Reaction {
        switch code {
        case Code.parameterUpdateRequest:
            guard isCentral, let parameters = ConnectionParameters(request: data) else { break }
            let answer = command(Code.parameterUpdateResponse, identifier, words: [parameters.areValid ? 0 : 1])
            return Reaction(answer: answer, update: parameters.areValid ? parameters : nil)
        case Code.creditConnectionRequest:
            guard data.count == 10 else { break }
            let words = [0, 0, 0, 0, Self.protocolNotSupported]
            return Reaction(answer: command(Code.creditConnectionResponse, identifier, words: words))
        case Code.enhancedConnectionRequest:
            // Protocol, MTU, MPS and credits, then the channels.
            let channels = data.dropFirst(8).count / 2
            guard data.count == 8 + 2 * channels, Self.channelsPerRequest.contains(channels) else { break }
            let words = [0, 0, 0, Self.protocolNotSupported] + Array(repeating: 0, count: channels)
            return Reaction(answer: command(Code.enhancedConnectionResponse, identifier, words: words))
        case Code.reconfigureRequest:
            // MTU and MPS, then the channels.
            guard data.count >= 6, data.count.isMultiple(of: 2) else { break }
            return Reaction(answer: command(Code.reconfigureResponse, identifier, words: [Self.channelsInvalid]))
        case Code.disconnectionRequest:
            // There are no channels to disconnect; both ends' identifiers are sent back as they came.
            guard data.count == 4 else { break }
            return rejection(.invalidChannels(data), identifier)
        default:
            break
        }
        return rejection(.notUnderstood, identifier)
    }

    private func rejection(_ reason: Rejection, _ identifier: UInt8) -> Reaction {
        Reaction(answer: command(Code.commandReject, identifier, reason.data))
    }

    private func command(_ code: UInt8, _ identifier: UInt8, words: [UInt16]) -> [UInt8] {
        var data: [UInt8] = []
        for word in words { data.append(littleEndian: word) }
        return command(code, identifier, data)
    }

    private func command(_ code: UInt8, _ identifier: UInt8, _ data: [UInt8]) -> [UInt8] {
        var bytes = [code, identifier]
        bytes.append(littleEndian: UInt16(clamping: data.count))
        return bytes + data
    }
}
