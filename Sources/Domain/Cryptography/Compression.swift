/// Raw DEFLATE (RFC 1951), as the packet layer uses it (spec: packet §2.5).
public protocol Compression: Sendable {
    /// Compresses in one shot with the parameters of the specification (windowBits -15, memLevel 8, default strategy).
    ///
    /// - Parameters:
    ///   - level: 5 as we send, 6 as Android sends.
    ///   - limit: The most bytes that the result may have.
    /// - Returns: The complete stream; `nil` when it would exceed `limit`.
    func deflate(_ bytes: Span<UInt8>, level: Int, limit: Int) -> [UInt8]?

    /// Expands one complete raw stream to exactly `size` bytes.
    ///
    /// - Returns: `nil` for a damaged or unfinished stream, another size, a zlib wrapper, or bytes left over.
    func inflate(_ bytes: Span<UInt8>, size: Int) -> [UInt8]?
}

/// Unicode normalisation form C; tables that a library keeps better than we would.
public protocol TextNormalization: Sendable {
    /// The text in NFC.
    func nfc(_ text: String) -> String
}
