/// The payload of a sync request (0x21): what the sender already has, as a Golomb-coded set, and what it wants.
///
/// Source: spec, store-and-forward §5.5; packet §4.14.
public struct RequestSync: Hashable, Sendable {
    /// The Golomb-Rice parameter, 1...32.
    public let p: UInt8
    /// The modulus of the hashed identifiers, not zero.
    public let m: UInt32
    /// The filter's bits, at most 1,024 bytes; may be empty.
    public let data: [UInt8]
    /// The types wanted; `nil` when the sender did not tell, an empty set when it told only types that we do not know.
    public let types: SyncTypeFlags?
    /// Where a partial filter begins: older packets are not asked for.
    public let since: WallTime?
    /// The fragment streams wanted, in a targeted request.
    public let fragmentFilter: FragmentFilter?

    /// The longest filter, in bytes.
    public static let maximumDataLength = 1024
    /// The parameters that a filter may have.
    public static let parameters: ClosedRange<UInt8> = 1...32

    /// Makes a request; `nil` when a value is out of its limits.
    public init?(
        p: UInt8, m: UInt32, data: [UInt8], types: SyncTypeFlags? = nil, since: WallTime? = nil,
        fragmentFilter: FragmentFilter? = nil
    ) {
        guard Self.parameters.contains(p), m > 0, data.count <= Self.maximumDataLength,
            fragmentFilter?.text.utf8.count ?? 0 <= FragmentFilter.maximumLength
        else { return nil }
        self.p = p
        self.m = m
        self.data = data
        self.types = types
        self.since = since
        self.fragmentFilter = fragmentFilter
    }

    /// Asks for what a filter does not cover; every filter is within the limits.
    init(
        _ filter: GCSFilter, types: SyncTypeFlags, since: WallTime? = nil, streams: some Sequence<FragmentID>
    ) {
        p = filter.parameter
        m = filter.modulus
        data = filter.data
        self.types = types
        self.since = since
        fragmentFilter = FragmentFilter(streams: streams)
    }

    /// What the sender has.
    public var filter: GCSFilter { GCSFilter(parameter: p, modulus: m, data: data) ?? .empty }

    private enum Tag {
        static let p: UInt8 = 0x01
        static let m: UInt8 = 0x02
        static let data: UInt8 = 0x03
        static let types: UInt8 = 0x04
        static let since: UInt8 = 0x05
        static let fragmentFilter: UInt8 = 0x06
    }

    /// The payload. An empty set of types is not written.
    public var encoded: [UInt8]? {
        var writer = TLVWriter(.long, capacity: 40 + data.count)
        writer.append(Tag.p, CollectionOfOne(p))
        writer.append(Tag.m, bigEndian: m)
        writer.append(Tag.data, data)
        if let bits = types?.encoded { writer.append(Tag.types, bits) }
        if let since { writer.append(Tag.since, bigEndian: since.milliseconds) }
        if let fragmentFilter { writer.append(Tag.fragmentFilter, fragmentFilter.text.utf8) }
        return writer.bytes
    }

    /// Reads a payload: any order, unknown fields and fields of a wrong length passed over, of repeated good ones the last
    /// counts, one or two bytes left over ignored.
    ///
    /// - Returns: `nil` for a filter above 1,024 bytes, a length past the end, and without parameter, modulus and filter in
    ///   their ranges.
    public init?(_ payload: ArraySlice<UInt8>) {
        var (p, m, data) = (UInt8?.none, UInt32?.none, ArraySlice<UInt8>?.none)
        var (types, since, filter) = (SyncTypeFlags?.none, WallTime?.none, FragmentFilter?.none)
        var fields = TLVReader(payload, .long, leftover: .ignored)
        while let field = fields.next() {
            let value = field.value
            switch field.tag {
            case Tag.p: p = UInt8(exactBigEndianBytes: value) ?? p
            case Tag.m: m = UInt32(exactBigEndianBytes: value) ?? m
            case Tag.data:
                guard value.count <= Self.maximumDataLength else { return nil }
                data = value
            case Tag.types: types = SyncTypeFlags(value) ?? types
            case Tag.since:
                since = UInt64(exactBigEndianBytes: value).map { WallTime(milliseconds: $0) } ?? since
            case Tag.fragmentFilter where value.count <= FragmentFilter.maximumLength:
                filter = value.text.map { FragmentFilter(text: $0) } ?? filter
            default: break
            }
        }
        guard fields.isIntact, let p, let m, let data else { return nil }
        self.init(p: p, m: m, data: Array(data), types: types, since: since, fragmentFilter: filter)
    }
}
