/// What this node carries on between partitions: packets for everyone, kept as they came and handed to whoever asks.
///
/// Where the specification leaves the choice, what a sender said outlives its presence: one that merely falls silent loses
/// its announce only (``senderFellSilent(_:)``), one that says goodbye everything but its prekey bundle
/// (``senderLeft(_:)``).
///
/// Every change of the archive, the public messages that survive a restart, is told, so that it can be written down.
///
/// Putting in and taking out cost the same however much is held, a search among the packets' times aside.
///
/// Source: spec, store-and-forward §5.3.
public struct GossipStore: Sendable {
    /// A change of the archive.
    public enum ArchiveChange: Hashable, Sendable {
        /// A public message was put in, or came again with other bytes.
        case put(GossipPacket)
        /// A public message is gone.
        case removed(SyncID)
    }

    /// Why a packet was not kept.
    public enum Refusal: Hashable, Sendable {
        /// Older than its type is kept.
        case stale
        /// More than two minutes ahead of our clock.
        case ahead
        /// An announce that does not tell any more that its author is there; an earlier one of that author has gone too.
        case silent
        /// A bundle that is no newer than the one held.
        case superseded
        /// No place for another owner's bundle, or larger than all of its type together may be.
        case full
        /// A board packet: the board has a store of its own.
        case notKeptHere
    }

    /// What became of a packet.
    public enum Insertion: Hashable, Sendable {
        /// It is in the store; others may have given way.
        case stored([ArchiveChange])
        /// It is not, and the archive is as it was.
        case refused(Refusal)
    }

    struct Entry {
        var packet: GossipPacket
        /// Rises with every entry: tells whether a place still has the entry that somebody has noted.
        let stamp: UInt32
        let kind: GossipKind
        /// Neighbours in order of insertion, among those of its kind.
        var older: Int?
        var newer: Int?
        /// Neighbours in the list of its sender.
        var previousOfSender: Int?
        var nextOfSender: Int?
    }

    /// The entries of one kind.
    struct Row {
        var oldest: Int?
        var newest: Int?
        var count = 0
        var bytes = 0
        var times = TimeOrder()
    }

    private let limits: GossipLimits
    private(set) var entries: [Entry?] = []
    private var vacant: [Int] = []
    private var places: [GossipPacket.Key: Int] = [:]
    /// The first entry in the list of each sender.
    private var senders: [PeerID: Int] = [:]
    private var rows = [Row](repeating: Row(), count: GossipKind.allCases.count)
    private var nextStamp: UInt32 = 0
    private var checkedAt: Uptime?

    /// Starts empty.
    public init(limits: GossipLimits = SyncPolicy.limits) { self.limits = limits }

    /// Puts a packet in.
    ///
    /// The caller guarantees that an announce was verified (a forged one must not take a good one's place, which the
    /// reference lets it), and so were the signatures of messages, files and bundles. Fragments and group messages carry
    /// none that could be checked here.
    public mutating func insert(_ packet: GossipPacket, at now: WallTime) -> Insertion {
        guard let kind = GossipKind(packet.type) else { return .refused(.notKeptHere) }
        guard packet.timestamp <= now.adding(SyncPolicy.maximumLead) else { return .refused(.ahead) }
        guard !packet.timestamp.isStale(at: now, maximumAge: kind.window) else { return .refused(.stale) }
        guard packet.frame.count <= limits[kind].bytes else { return .refused(.full) }
        switch kind {
        case .announce:
            if packet.timestamp.isStale(at: now, maximumAge: SyncPolicy.announceTimeout) {
                senderFellSilent(packet.sender)
                return .refused(.silent)
            }
            // The newest announce is the newest entry, whatever was there: in a full store the most silent author goes.
            if let place = places[packet.key] { remove(place) }
        case .prekeyBundle:
            if let held = places[packet.key].flatMap({ entries[$0] }) {
                guard packet.timestamp > held.packet.timestamp else { return .refused(.superseded) }
            } else if rows[kind.rawValue].count >= limits[kind].packets {
                return .refused(.full)
            }
        case .message, .fragment, .fileTransfer, .groupMessage: break
        }
        return .stored(keep(packet, as: kind))
    }

    /// Forgets the announce of a sender that has not been heard for a while. The rest stays until its own time is up.
    public mutating func senderFellSilent(_ sender: PeerID) {
        if let place = places[.announce(sender)] { remove(place) }
    }

    /// Forgets all that a sender has sent but its prekey bundle: it has left and said so under its signature, or changed
    /// its identifier.
    @discardableResult
    public mutating func senderLeft(_ sender: PeerID) -> [ArchiveChange] {
        removeAll(of: sender) { _ in true }
    }

    /// Forgets the public messages of a sender: it has been blocked (§5.11).
    @discardableResult
    public mutating func removeMessages(of sender: PeerID) -> [ArchiveChange] {
        removeAll(of: sender) { $0 == .message }
    }

    /// Forgets all public messages: the timeline has been cleared (§5.11).
    @discardableResult
    public mutating func removeMessages() -> [ArchiveChange] {
        var changes: [ArchiveChange] = []
        while let place = row(.message).oldest { changes += remove(place) }
        return changes
    }

    /// Forgets what is too old to serve, and, a minute or more after the last time, the announces of the silent.
    ///
    /// Due every ``SyncPolicy/tick``.
    public mutating func tick(at now: WallTime, uptime: Uptime) -> [ArchiveChange] {
        var changes: [ArchiveChange] = []
        for kind in GossipKind.allCases { changes += expire(kind, after: kind.window, at: now) }
        if checkedAt.map({ uptime - $0 >= SyncPolicy.staleCheckInterval }) ?? true {
            checkedAt = uptime
            changes += expire(.announce, after: SyncPolicy.announceTimeout, at: now)
        }
        return changes
    }

    // MARK: Looking

    /// The number of packets of a type.
    public func count(of type: MessageType) -> Int { GossipKind(type).map { row($0).count } ?? 0 }

    /// Bytes of all frames.
    public var bytes: Int { rows.reduce(0) { $0 + $1.bytes } }

    /// The packets of a type in order of insertion; of announces, in that in which they came last.
    public func packets(of type: MessageType) -> [GossipPacket] {
        var packets: [GossipPacket] = []
        guard let kind = GossipKind(type) else { return packets }
        var place = row(kind).oldest
        while let entry = place.flatMap({ entries[$0] }) {
            packets.append(entry.packet)
            place = entry.newer
        }
        return packets
    }

    func row(_ kind: GossipKind) -> Row { rows[kind.rawValue] }

    // MARK: Changing

    private mutating func keep(_ packet: GossipPacket, as kind: GossipKind) -> [ArchiveChange] {
        if let place = places[packet.key] { return replace(place, by: packet) }
        let place = vacant.popLast() ?? entries.count
        let entry = Entry(packet: packet, stamp: nextStamp, kind: kind, older: rows[kind.rawValue].newest)
        nextStamp &+= 1
        if place < entries.count { entries[place] = entry } else { entries.append(entry) }
        places[packet.key] = place
        if let newest = entry.older {
            entries[newest]?.newer = place
        } else {
            rows[kind.rawValue].oldest = place
        }
        rows[kind.rawValue].newest = place
        rows[kind.rawValue].count += 1
        rows[kind.rawValue].bytes += packet.frame.count
        rows[kind.rawValue].times.insert(mark(of: entry, at: place))
        if kind.goesWithSender { joinSender(place, packet.sender) }
        return (kind == .message ? [.put(packet)] : []) + makeRoom(in: kind)
    }

    /// Puts a packet in the place of an earlier one.
    private mutating func replace(_ place: Int, by packet: GossipPacket) -> [ArchiveChange] {
        guard let old = entries[place] else { return [] }
        rows[old.kind.rawValue].bytes += packet.frame.count - old.packet.frame.count
        rows[old.kind.rawValue].times.remove(mark(of: old, at: place))
        entries[place]?.packet = packet
        if let new = entries[place] { rows[old.kind.rawValue].times.insert(mark(of: new, at: place)) }
        // The hops left and the mark of an answer differ from copy to copy, and nothing is served with them.
        let isNews = old.kind == .message && old.packet.response != packet.response
        return (isNews ? [.put(packet)] : []) + makeRoom(in: old.kind)
    }

    /// Lets go of what was put in first until a kind keeps to its limits.
    private mutating func makeRoom(in kind: GossipKind) -> [ArchiveChange] {
        var changes: [ArchiveChange] = []
        while rows[kind.rawValue].count > limits[kind].packets || rows[kind.rawValue].bytes > limits[kind].bytes,
            let oldest = rows[kind.rawValue].oldest
        {
            changes += remove(oldest)
        }
        return changes
    }

    private mutating func expire(_ kind: GossipKind, after age: Milliseconds, at now: WallTime) -> [ArchiveChange] {
        var changes: [ArchiveChange] = []
        while let oldest = rows[kind.rawValue].times.oldest, oldest.time.isStale(at: now, maximumAge: age) {
            changes += remove(Int(oldest.place))
        }
        return changes
    }

    private mutating func removeAll(of sender: PeerID, where chosen: (GossipKind) -> Bool) -> [ArchiveChange] {
        var changes: [ArchiveChange] = []
        var next = senders[sender]
        while let place = next, let entry = entries[place] {
            next = entry.nextOfSender
            if chosen(entry.kind) { changes += remove(place) }
        }
        return changes
    }

    @discardableResult
    private mutating func remove(_ place: Int) -> [ArchiveChange] {
        guard let entry = entries[place] else { return [] }
        let kind = entry.kind.rawValue
        if let older = entry.older { entries[older]?.newer = entry.newer } else { rows[kind].oldest = entry.newer }
        if let newer = entry.newer { entries[newer]?.older = entry.older } else { rows[kind].newest = entry.older }
        rows[kind].count -= 1
        rows[kind].bytes -= entry.packet.frame.count
        rows[kind].times.remove(mark(of: entry, at: place))
        if entry.kind.goesWithSender { leaveSender(entry) }
        places[entry.packet.key] = nil
        entries[place] = nil
        vacant.append(place)
        return entry.kind == .message ? [.removed(entry.packet.id)] : []
    }

    private mutating func joinSender(_ place: Int, _ sender: PeerID) {
        if let first = senders[sender] {
            entries[first]?.previousOfSender = place
            entries[place]?.nextOfSender = first
        }
        senders[sender] = place
    }

    private mutating func leaveSender(_ entry: Entry) {
        if let next = entry.nextOfSender { entries[next]?.previousOfSender = entry.previousOfSender }
        if let previous = entry.previousOfSender {
            entries[previous]?.nextOfSender = entry.nextOfSender
        } else {
            senders[entry.packet.sender] = entry.nextOfSender
        }
    }

    private func mark(of entry: Entry, at place: Int) -> TimeOrder.Mark {
        TimeOrder.Mark(
            time: entry.packet.timestamp, stamp: entry.stamp, place: UInt32(truncatingIfNeeded: place),
            hash: entry.packet.hash)
    }
}
