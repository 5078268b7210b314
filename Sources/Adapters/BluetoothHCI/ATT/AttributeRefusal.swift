/// Why a request got no answer but an error.
struct AttributeRefusal: Error, Hashable, Sendable {
    /// The reason.
    let error: ATTError
    /// The handle that caused it; 0 when the request as a whole is to blame.
    let handle: UInt16

    init(_ error: ATTError, at handle: UInt16 = 0) {
        self.error = error
        self.handle = handle
    }

    /// The error response to a request with this opcode.
    ///
    /// Source: Core Specification, Vol 3, Part F, 3.4.1.1.
    func response(to request: UInt8) -> [UInt8] {
        var bytes = [AttributeOpcode.errorResponse.rawValue, request]
        bytes.append(littleEndian: handle)
        bytes.append(error.rawValue)
        return bytes
    }
}
