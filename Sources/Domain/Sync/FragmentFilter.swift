/// The fragment streams that a targeted sync request asks for: their identifiers as text, separated by commas.
///
/// Source: spec, store-and-forward §5.5; packet §4.14.
public struct FragmentFilter: Hashable, Sendable {
    /// The text as on the wire.
    public let text: String

    /// The most identifiers that are written, and the most parts that are read.
    public static let maximumStreams = 60
    /// The longest text that a request carries, in bytes.
    public static let maximumLength = 1024

    /// Takes text as it is.
    public init(text: String) { self.text = text }

    /// Names streams, of more than sixty the first sixty; `nil` for none.
    public init?(streams: some Sequence<FragmentID>) {
        let names = streams.prefix(Self.maximumStreams).map(\.hex)
        guard !names.isEmpty else { return nil }
        text = names.joined(separator: ",")
    }

    /// The identifiers in the text; parts that are none are passed over.
    public var streams: Set<FragmentID> {
        Set(
            text.utf8.split(separator: UInt8(ascii: ",")).prefix(Self.maximumStreams).compactMap { part in
                Hex.decode(part).flatMap { FragmentID($0) }
            })
    }
}
