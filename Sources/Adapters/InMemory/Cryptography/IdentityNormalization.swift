import Domain

/// Leaves text as it is; right for text that is in NFC already, such as ASCII.
public struct IdentityNormalization: TextNormalization {
    /// Makes one.
    public init() {}
    /// The text, unchanged.
    public func nfc(_ text: String) -> String { text }
}
