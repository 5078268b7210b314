/// Names one stream of fragments: identifiers are unique only for their sender.
public struct FragmentStream: Hashable, Comparable, Sendable {
    /// The claimed sender of the fragments.
    public let sender: PeerID
    /// The fragments' name.
    public let id: FragmentID

    /// Makes a name.
    public init(sender: PeerID, id: FragmentID) {
        self.sender = sender
        self.id = id
    }

    /// Orders by sender, then by name.
    public static func < (left: FragmentStream, right: FragmentStream) -> Bool {
        (left.sender, left.id) < (right.sender, right.id)
    }
}

/// Puts fragments together again, transit traffic included, within bounds that no sender can stretch.
///
/// Total and original type are fixed by the first fragment that arrives; an assembly that contradicts itself is dropped.
/// What comes out is never itself a fragment, so nothing unfolds twice.
///
/// When there is no room, the link that takes the most gives way, as the claimed senders are free to invent: an
/// assembly counts for the link that its first fragment came on.
///
/// Source: spec, packet §4.4 (receiving).
public struct FragmentAssemblies: Sendable {
    /// What became of one fragment.
    public enum Outcome: Hashable, Sendable {
        /// Nothing was kept.
        case ignored(Reason)
        /// The piece was kept; `started` when it opened the assembly.
        case stored(started: Bool)
        /// The last missing piece: the whole frame, still to be decoded.
        case complete(Completion)
        /// The assembly is gone, this piece with it.
        case dropped(Reason)
    }

    /// Why a fragment or an assembly was not kept.
    public enum Reason: Hashable, Sendable {
        /// The sender is us: our own fragments come back from sync stores.
        case own
        /// A fragment of a fragment.
        case nested
        /// Total or original type differ from the first fragment's.
        case contradictory
        /// The assembly would exceed its byte limit.
        case tooLarge
        /// All assemblies together would exceed theirs, and this one is the link's own excess.
        case noRoom
        /// The frame is of another type than its fragments said.
        case foreignType
    }

    /// A frame put together.
    public struct Completion: Hashable, Sendable {
        /// The bytes of the original frame; may still not decode.
        public let frame: [UInt8]
        /// What the fragments said it is; what the frame says too, if it parses.
        public let originalType: MessageType
        /// Whether this fragment had also opened the assembly.
        public let started: Bool
        /// Whether every piece came as an accepted answer to a sync request of ours; then the frame counts as one too
        /// (spec: store-and-forward §5.9).
        public let isSolicited: Bool
        /// The number of the link that every piece came on with TTL 0, so from the neighbour at its other end and nobody
        /// behind it; `nil` when some piece may have been passed on. What is meant for neighbours alone must not reach us
        /// in any other way (spec: store-and-forward §5.5).
        public let directLink: UInt64?

        /// The packet inside, with TTL 0: its fragments were relayed already, so it never is.
        ///
        /// - Returns: `nil` for a frame that does not decode. The clock check is the caller's (spec: packet §2.11).
        public func packet(using compression: some Compression) -> Packet? {
            guard var packet = Packet.decode(frame, using: compression) else { return nil }
            packet.ttl = 0
            return packet
        }
    }

    private struct Assembly {
        let total: UInt16
        let originalType: MessageType
        let isBroadcast: Bool
        /// The link that the first fragment came on.
        let link: UInt64
        let started: Uptime
        /// Rises with every assembly: which one is older, whatever the clock's grain.
        let serial: UInt64
        var isSolicited: Bool
        var isDirect: Bool
        var chunks: [UInt16: [UInt8]] = [:]
        var byteCount = 0
        var lastProgress: Uptime
        var askedAt: Uptime?

        var limit: Int {
            originalType == .fileTransfer || originalType == .noiseEncrypted
                ? FragmentPolicy.maximumFileAssembly : FragmentPolicy.maximumAssembly
        }
        var cost: Int { byteCount + chunks.count * FragmentPolicy.chunkCost + FragmentPolicy.assemblyCost }

        /// Why a piece does not belong here. A duplicate counts twice against the limit, as it does for the phones.
        func refusal(of fragment: FragmentHeader) -> Reason? {
            guard fragment.total == total, fragment.originalType == originalType else { return .contradictory }
            return byteCount + fragment.chunk.count <= limit ? nil : .tooLarge
        }

        /// Keeps a piece; a duplicate replaces what was there and is no progress. Returns by how much the cost rose.
        mutating func add(_ fragment: FragmentHeader, _ arrival: Arrival, at now: Uptime) -> Int {
            let before = cost
            isSolicited = isSolicited && arrival.isSolicited
            isDirect = isDirect && arrival.isDirect && arrival.link == link
            if let replaced = chunks.updateValue(Array(fragment.chunk), forKey: fragment.index) {
                byteCount -= replaced.count
            } else {
                lastProgress = now
            }
            byteCount += fragment.chunk.count
            return cost - before
        }
    }

    /// How one fragment came.
    private struct Arrival {
        let link: UInt64
        let ttl: UInt8
        let isSolicited: Bool

        var isDirect: Bool { ttl == 0 && link != 0 }
    }

    private let localPeer: PeerID
    private var assemblies: [FragmentStream: Assembly] = [:]
    private var nextSerial: UInt64 = 0
    /// Assemblies and bytes by link.
    private var counts = FairShares<UInt64>()
    private var costs = FairShares<UInt64>()

    /// Starts empty.
    ///
    /// - Parameter localPeer: Us; own fragments are not put together.
    public init(localPeer: PeerID) { self.localPeer = localPeer }

    /// The number of assemblies in flight.
    public var count: Int { assemblies.count }

    /// Bytes held, bookkeeping included; at most ``FragmentPolicy/maximumTotal``.
    public var totalCost: Int { costs.total }

    /// Whether some of the stream's pieces are here.
    public func isOpen(_ stream: FragmentStream) -> Bool { assemblies[stream] != nil }

    /// Takes one fragment.
    ///
    /// - Parameters:
    ///   - sender: The fragment packet's claimed sender.
    ///   - link: The number of the link that it came on; 0 for none.
    ///   - ttl: The fragment packet's hops left.
    ///   - isBroadcast: Whether the fragment packet is for everyone; only such streams can be asked for again.
    ///   - isSolicited: Whether it carried the sync-response flag and was accepted as an answer to us.
    public mutating func insert(
        _ fragment: FragmentHeader, from sender: PeerID, on link: UInt64 = 0, ttl: UInt8, isBroadcast: Bool,
        isSolicited: Bool, at now: Uptime
    ) -> Outcome {
        let arrival = Arrival(link: link, ttl: ttl, isSolicited: isSolicited)
        guard sender != localPeer else { return .ignored(.own) }
        guard fragment.originalType != .fragment else { return .ignored(.nested) }
        let stream = FragmentStream(sender: sender, id: fragment.id)
        let started = assemblies[stream] == nil
        if started {
            makePlace(for: stream, on: link)
            open(
                stream,
                Assembly(
                    total: fragment.total, originalType: fragment.originalType, isBroadcast: isBroadcast, link: link,
                    started: now, serial: nextSerial, isSolicited: isSolicited, isDirect: arrival.isDirect,
                    lastProgress: now))
        }
        if let reason = store(fragment, in: stream, arrival, at: now) {
            remove(stream)
            return .dropped(reason)
        }
        guard let assembly = assemblies[stream], assembly.chunks.count == Int(assembly.total) else {
            return assemblies[stream] == nil ? .dropped(.noRoom) : .stored(started: started)
        }
        remove(stream)
        return finish(assembly, started: started)
    }

    /// Drops assemblies whose first fragment is more than 30 s old; due every 15 s. Answers how many.
    @discardableResult
    public mutating func sweep(at now: Uptime) -> Int {
        let expired = assemblies.filter { now - $0.value.started > FragmentPolicy.lifetime }.keys.sorted()
        for stream in expired { remove(stream) }
        return expired.count
    }

    /// The broadcast streams to ask neighbours for, oldest stall first, at most 60; counts them as asked for now.
    public mutating func takeStalled(at now: Uptime) -> [FragmentStream] {
        let stalled = assemblies.filter { _, assembly in
            assembly.isBroadcast && now - assembly.lastProgress >= FragmentPolicy.stall
                && assembly.askedAt.map { now - $0 >= FragmentPolicy.stallRetry } ?? true
        }
        let chosen = stalled.sorted { ($0.value.lastProgress, $0.key) < ($1.value.lastProgress, $1.key) }
            .prefix(FragmentPolicy.maximumStalled).map(\.key)
        for stream in chosen { assemblies[stream]?.askedAt = now }
        return chosen
    }

    /// Forgets everything.
    public mutating func reset() {
        assemblies = [:]
        (counts, costs) = (FairShares(), FairShares())
    }

    /// Evicts an assembly if there is no place for one more.
    private mutating func makePlace(for stream: FragmentStream, on link: UInt64) {
        guard assemblies.count >= FragmentPolicy.maximumAssemblies,
            let yielding = counts.yielding(to: link),
            let victim = oldest(
                on: yielding, inFavourOf: stream, sparing: nil,
                isOverShare: { $0.count >= FragmentPolicy.fairShareOfAssemblies })
        else { return }
        remove(victim)
    }

    private mutating func open(_ stream: FragmentStream, _ assembly: Assembly) {
        nextSerial += 1
        assemblies[stream] = assembly
        counts.add(1, to: assembly.link)
        costs.add(assembly.cost, to: assembly.link)
    }

    /// Keeps a piece; answers why the assembly must go instead.
    private mutating func store(
        _ fragment: FragmentHeader, in stream: FragmentStream, _ arrival: Arrival, at now: Uptime
    ) -> Reason? {
        if let refusal = assemblies[stream]?.refusal(of: fragment) { return refusal }
        guard let link = assemblies[stream]?.link,
            makeRoom(for: fragment.chunk.count + FragmentPolicy.chunkCost, of: stream, on: link)
        else { return .noRoom }
        // In place: a copy held here would have the whole table of chunks copied with every piece.
        costs.add(assemblies[stream]?.add(fragment, arrival, at: now) ?? 0, to: link)
        return nil
    }

    /// Evicts until `bytes` more fit; `false` when the assembly itself is the excess.
    private mutating func makeRoom(for bytes: Int, of stream: FragmentStream, on link: UInt64) -> Bool {
        while totalCost + bytes > FragmentPolicy.maximumTotal {
            guard let yielding = costs.yielding(to: link, amount: bytes),
                let victim = oldest(
                    on: yielding, inFavourOf: stream, sparing: stream,
                    isOverShare: { $0.cost > FragmentPolicy.fairShareOfTotal })
            else { return false }
            remove(victim)
        }
        return true
    }

    /// The assembly of a link that started first; the sender's own if that holds more than its share of the link.
    private func oldest(
        on link: UInt64, inFavourOf stream: FragmentStream, sparing spared: FragmentStream?,
        isOverShare: ((count: Int, cost: Int)) -> Bool
    ) -> FragmentStream? {
        var (first, own): ((FragmentStream, UInt64)?, (FragmentStream, UInt64)?) = (nil, nil)
        var held = (count: 0, cost: 0)
        for (key, assembly) in assemblies where assembly.link == link {
            let isOwn = key.sender == stream.sender
            if isOwn { held = (held.count + 1, held.cost + assembly.cost) }
            guard key != spared else { continue }
            if first.map({ assembly.serial < $0.1 }) ?? true { first = (key, assembly.serial) }
            if isOwn, own.map({ assembly.serial < $0.1 }) ?? true { own = (key, assembly.serial) }
        }
        return isOverShare(held) ? own?.0 : first?.0
    }

    private mutating func remove(_ stream: FragmentStream) {
        guard let assembly = assemblies.removeValue(forKey: stream) else { return }
        counts.add(-1, to: assembly.link)
        costs.add(-assembly.cost, to: assembly.link)
    }

    private func finish(_ assembly: Assembly, started: Bool) -> Outcome {
        var frame: [UInt8] = []
        frame.reserveCapacity(assembly.byteCount)
        for index in 0..<assembly.total { frame.append(contentsOf: assembly.chunks[index] ?? []) }
        if let view = PacketView(frame) {
            guard view.type != .fragment else { return .dropped(.nested) }
            guard view.type == assembly.originalType else { return .dropped(.foreignType) }
        }
        return .complete(
            Completion(
                frame: frame, originalType: assembly.originalType, started: started,
                isSolicited: assembly.isSolicited, directLink: assembly.isDirect ? assembly.link : nil))
    }
}
