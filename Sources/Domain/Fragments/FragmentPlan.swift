/// How one encoded packet is cut for links that cannot carry it whole.
///
/// The plan holds the encoded original once; each fragment is made when its turn comes.
///
/// Source: spec, packet §4.4; mesh §19.
public struct FragmentPlan: Sendable {
    /// Bytes of the original in each fragment but the last.
    public let chunkSize: Int
    /// The number of fragments, at least one.
    public let count: Int
    /// Fragment i leaves this long times i after the first.
    public let spacing: Milliseconds
    /// The fragments' name.
    public let id: FragmentID

    private let frame: [UInt8]
    private let originalType: MessageType
    /// The fragment packets' header, without payload.
    private let header: Packet

    /// Plans the fragments of a packet.
    ///
    /// - Parameters:
    ///   - packet: The original, signed if it is to be.
    ///   - frame: Its encoded form, padded if its type is padded on the air.
    ///   - id: Drawn for this transmission.
    ///   - directedTo: The peer, when the send is to one peer.
    ///   - chunkSize: See ``FragmentPlan/chunkSize(for:explicit:defaultChunk:frameBudget:)``.
    ///   - maximumCount: The most fragments allowed; 256 for what Android must put together.
    /// - Returns: `nil` when more fragments are needed than allowed, or the frame is empty.
    public init?(
        of packet: Packet, frame: [UInt8], id: FragmentID, directedTo peer: PeerID?, chunkSize: Int,
        maximumCount: Int = FragmentPolicy.maximumCount
    ) {
        guard chunkSize > 0, !frame.isEmpty else { return nil }
        let count = (frame.count - 1) / chunkSize + 1
        guard count <= min(maximumCount, FragmentPolicy.maximumCount) else { return nil }
        self.chunkSize = chunkSize
        self.count = count
        self.id = id
        self.frame = frame
        originalType = packet.type
        let isRouted = packet.isRouted
        header = Packet(
            version: isRouted ? PacketPolicy.version2 : PacketPolicy.version1, type: .fragment, ttl: packet.ttl,
            timestamp: packet.timestamp, sender: packet.sender, recipient: peer ?? packet.recipient,
            route: isRouted ? packet.route : [], payload: [], isSyncResponse: packet.isSyncResponse)
        spacing = header.recipient == nil ? FragmentPolicy.broadcastSpacing : FragmentPolicy.directedSpacing
    }

    /// The fragment at a place 0..<``count``; `nil` for any other.
    public func fragment(at index: Int) -> Packet? {
        guard (0..<count).contains(index), let index16 = UInt16(exactly: index), let count16 = UInt16(exactly: count)
        else { return nil }
        let start = index * chunkSize
        let chunk = frame[start..<min(start + chunkSize, frame.count)]
        return FragmentHeader(id: id, index: index16, total: count16, originalType: originalType, chunk: chunk)
            .map { piece in
                var fragment = header
                fragment.payload = piece.encoded
                return fragment
            }
    }

    /// The chunk size by the rules of the phones.
    ///
    /// - Parameters:
    ///   - explicit: A chunk that the link's limit demands; wins over everything, but not below 64.
    ///   - defaultChunk: For packets without a route.
    ///   - frameBudget: The longest frame of a routed fragment.
    public static func chunkSize(
        for packet: Packet, explicit: Int?, defaultChunk: Int = FragmentPolicy.defaultChunk,
        frameBudget: Int = FragmentPolicy.frameBudget
    ) -> Int {
        if let explicit { return max(FragmentPolicy.minimumChunk, explicit) }
        guard packet.isRouted else { return defaultChunk }
        let overhead =
            PacketPolicy.headerLength2 + 2 * PeerID.count + routeLength(hops: packet.route.count)
            + FragmentPolicy.headerLength + FragmentPolicy.routedReserve
        return max(FragmentPolicy.minimumChunk, frameBudget - overhead)
    }

    /// The largest chunk whose fragment fits a link, at least 64 bytes.
    ///
    /// The phones reserve 42 bytes where a directed fragment needs 43; these are the true ones.
    ///
    /// - Parameters:
    ///   - limit: The link's frame limit in bytes.
    ///   - isDirected: Whether the fragments carry a recipient.
    ///   - hops: The length of the original's route.
    public static func chunkSize(forLinkLimit limit: Int, isDirected: Bool, hops: Int = 0) -> Int {
        var overhead = isDirected ? FragmentPolicy.directedOverhead : FragmentPolicy.broadcastOverhead
        if hops > 0 {
            overhead += routeLength(hops: hops) + PacketPolicy.headerLength2 - PacketPolicy.headerLength1
        }
        return max(FragmentPolicy.minimumChunk, limit - overhead)
    }

    /// The chunk size that we cut with: what the phones would take, or less where a link of the first hop is narrower.
    ///
    /// - Parameter linkLimit: The smallest frame limit of the links that the fragments leave on; `nil` when none is known.
    public static func chunkSize(for packet: Packet, directedTo peer: PeerID?, linkLimit: Int?) -> Int {
        let usual = chunkSize(for: packet, explicit: nil)
        guard let linkLimit else { return usual }
        let fitting = chunkSize(
            forLinkLimit: linkLimit, isDirected: peer != nil || packet.recipient != nil,
            hops: packet.isRouted ? packet.route.count : 0)
        return min(usual, fitting)
    }

    private static func routeLength(hops: Int) -> Int { 1 + hops * PeerID.count }
}

extension Packet {
    /// Whether a route goes on the wire; version 1 has none.
    public var isRouted: Bool { version == PacketPolicy.version2 && !route.isEmpty }
}
