import Domain

/// What a peer's server answered to a request.
enum AttributeAnswer: Hashable, Sendable {
    /// The parameters of the response.
    case response(ArraySlice<UInt8>)
    /// The error.
    case error(ATTError)

    /// Reads a PDU; `nil` when it does not answer that request.
    ///
    /// An error may be longer than it has to be, for the sake of later versions; any other length is judged by what the
    /// response holds.
    init?(_ pdu: ArraySlice<UInt8>, to request: AttributeRequest) {
        var reader = ByteReader(pdu)
        guard let code = reader.take(UInt8.self) else { return nil }
        if code == request.response?.rawValue {
            self = .response(reader.rest)
            return
        }
        // The handle in between tells nothing that the request does not.
        guard code == AttributeOpcode.errorResponse.rawValue, reader.take(UInt8.self) == request.opcode.rawValue,
            reader.takeLittleEndian(UInt16.self) != nil, let error = reader.take(UInt8.self)
        else { return nil }
        self = .error(ATTError(rawValue: error))
    }
}
