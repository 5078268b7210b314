import Domain
import Testing

/// A store by reference, so that expectations can call what changes it.
private final class Shelf {
    private(set) var store: GossipStore

    init(_ limits: GossipLimits = SyncPolicy.limits) { store = GossipStore(limits: limits) }

    func insert(_ packet: GossipPacket, at offset: Int64 = 0) -> GossipStore.Insertion {
        store.insert(packet, at: SyncPackets.now(offset))
    }
    func put(_ type: MessageType, _ number: Int, from sender: UInt64 = 0xA, age: Int64 = 0) throws {
        let packet = try SyncPackets.made(type, number, from: sender, age: age)
        #expect(insert(packet) == .stored(type == .message ? [.put(packet)] : []))
    }
    func tick(at offset: Int64) -> [GossipStore.ArchiveChange] {
        store.tick(at: SyncPackets.now(offset), uptime: Uptime(milliseconds: offset))
    }
    func left(_ sender: UInt64) -> [GossipStore.ArchiveChange] { store.senderLeft(PeerID(rawValue: sender)) }
    func silent(_ sender: UInt64) { store.senderFellSilent(PeerID(rawValue: sender)) }
    func blocked(_ sender: UInt64) -> [GossipStore.ArchiveChange] {
        store.removeMessages(of: PeerID(rawValue: sender))
    }
    func cleared() -> [GossipStore.ArchiveChange] { store.removeMessages() }
    func count(_ type: MessageType) -> Int { store.count(of: type) }
    func numbers(_ type: MessageType) -> [UInt8] {
        store.packets(of: type).compactMap { PacketView($0.frame)?.payloadSection.last }
    }
}

@Suite("Gossip store")
struct GossipStoreTests {
    private static let bounded: [MessageType] = [.message, .fragment, .fileTransfer, .groupMessage]

    private static func limits(packets: Int, bytes: Int = 1 << 20) -> GossipLimits {
        let limit = GossipLimit(packets: packets, bytes: bytes)
        return GossipLimits(
            announces: limit, messages: limit, fragments: limit, files: limit, groupMessages: limit,
            prekeyBundles: limit)
    }

    @Test("gossip carries what is for everyone, and announces")
    func carried() throws {
        let someone = PeerID(rawValue: 5)
        for type in Self.bounded {
            #expect(try SyncPackets.kept(SyncPackets.packet(type, recipient: someone)) == nil)
            #expect(try SyncPackets.kept(SyncPackets.packet(type, recipient: .broadcast)) != nil)
        }
        #expect(try SyncPackets.kept(SyncPackets.packet(.announce, recipient: someone)) != nil)
        for type in [
            MessageType.leave, .courierEnvelope, .noiseEncrypted, .requestSync, .ping, .voiceFrame, .announceV2,
        ] {
            #expect(try SyncPackets.kept(SyncPackets.packet(type)) == nil)
        }
        #expect(try SyncPackets.kept(SyncPackets.packet(.prekeyBundle)) == nil, "no bundle decodes from that")
    }

    @Test("padding is not kept, the rest is as it came")
    func unpadded() throws {
        let packet = SyncPackets.packet()
        let padded = try #require(packet.encoded(padding: true, using: PacketTools.compression))
        let plain = try packet.plainFrame()
        #expect(padded.count > plain.count)
        let kept = GossipPacket(frame: padded, using: PacketTools.cryptography, PacketTools.compression)
        #expect(kept?.frame == plain)
    }

    @Test("each type keeps so much, and what came first gives way", arguments: bounded)
    func capacity(type: MessageType) throws {
        let shelf = Shelf(Self.limits(packets: 3))
        for number in 0..<3 { try shelf.put(type, number) }
        // Coming again does not make a packet younger.
        _ = shelf.insert(try SyncPackets.made(type, 0))
        let packet = try SyncPackets.made(type, 3, age: 500)
        let first = try SyncPackets.made(type, 0)
        #expect(shelf.insert(packet) == .stored(type == .message ? [.put(packet), .removed(first.id)] : []))
        #expect(shelf.numbers(type) == [1, 2, 3])
        #expect(shelf.count(type) == 3)
    }

    @Test("the specification's capacities")
    func capacities() {
        let limits = SyncPolicy.limits
        #expect(limits.messages.packets == 1000 && limits.fragments.packets == 600)
        #expect(limits.files.packets == 200 && limits.groupMessages.packets == 200)
        #expect(limits.prekeyBundles.packets == 200)
    }

    @Test("bytes are bounded too, and what alone exceeds them is refused")
    func bytes() throws {
        let shelf = Shelf(Self.limits(packets: 100, bytes: 1000))
        var generator = PacketTestGenerator(seed: 1)
        let fits = try SyncPackets.made(.fileTransfer, payload: generator.bytes(970))
        #expect(fits.frame.count == 992)
        let large = try SyncPackets.made(.fileTransfer, payload: generator.bytes(979))
        for number in 0..<10 { try shelf.put(.fileTransfer, number) }
        #expect(shelf.insert(large) == .refused(.full))
        #expect(shelf.count(.fileTransfer) == 10)
        #expect(shelf.insert(fits) == .stored([]))
        #expect(shelf.count(.fileTransfer) == 1 && shelf.store.bytes == 992)
    }

    @Test("what is more than two minutes ahead of our clock is refused, as it would stay for as long")
    func ahead() throws {
        let shelf = Shelf()
        for type in Self.bounded + [.announce] {
            #expect(shelf.insert(try SyncPackets.made(type, 1, age: -120_000)) != .refused(.ahead))
            #expect(shelf.insert(try SyncPackets.made(type, 2, age: -120_001)) == .refused(.ahead))
            #expect(shelf.count(type) == 1)
        }
        let farFuture = try SyncPackets.kept(
            Packet(
                type: .message, ttl: 7, timestamp: WallTime(milliseconds: .max), sender: PeerID(rawValue: 1),
                payload: [1]))
        #expect(shelf.insert(try #require(farFuture)) == .refused(.ahead))
        #expect(shelf.insert(try SyncPackets.bundle(owner: 1, from: 1, age: -120_001)) == .refused(.ahead))
    }

    @Test(
        "each type has its age, inclusive",
        arguments: [
            (.message, 21_600_000), (.groupMessage, 21_600_000), (.fragment, 900_000), (.fileTransfer, 900_000),
        ] as [(MessageType, Int64)])
    func age(type: MessageType, age: Int64) throws {
        let shelf = Shelf()
        #expect(shelf.insert(try SyncPackets.made(type, 1, age: age)) != .refused(.stale))
        #expect(shelf.insert(try SyncPackets.made(type, 2, age: age + 1)) == .refused(.stale))
        let changes = shelf.tick(at: 0)
        #expect(changes.isEmpty && shelf.count(type) == 1)
        let later = shelf.tick(at: 1)
        #expect(later.count == (type == .message ? 1 : 0) && shelf.count(type) == 0)
        #expect(shelf.store.bytes == 0)
    }

    @Test("packets expire by their own time, not by when they came")
    func expiry() throws {
        let shelf = Shelf()
        for (number, age) in [3, 1, 2, 5, 4].enumerated() { try shelf.put(.fragment, number, age: Int64(age)) }
        #expect(shelf.tick(at: 900_000 - 3).isEmpty)
        #expect(shelf.numbers(.fragment) == [0, 1, 2])
        #expect(shelf.tick(at: 900_000).isEmpty)
        #expect(shelf.numbers(.fragment) == [])
    }

    @Test("a board packet has another store")
    func board() throws {
        #expect(Shelf().insert(try SyncPackets.made(.boardPost)) == .refused(.notKeptHere))
    }

    @Test("each change of the archive is told")
    func archive() throws {
        let shelf = Shelf()
        let packet = SyncPackets.packet(.message, 1)
        let kept = try #require(try SyncPackets.kept(packet))
        #expect(shelf.insert(kept) == .stored([.put(kept)]))
        // The same packet by another way, and as an answer: nothing that would be served otherwise.
        var relayed = packet
        relayed.ttl = 3
        relayed.isSyncResponse = true
        #expect(shelf.insert(try #require(try SyncPackets.kept(relayed))) == .stored([]))
        // With a signature it is other bytes.
        relayed.signature = Signature([UInt8](repeating: 7, count: 64))
        let signed = try #require(try SyncPackets.kept(relayed))
        #expect(shelf.insert(signed) == .stored([.put(signed)]))
        #expect(shelf.count(.message) == 1)
        #expect(shelf.left(0xA) == [.removed(kept.id)])
    }

    @Test("an archive puts the messages back in their order, and what has become too old is told by being refused")
    func restored() throws {
        let shelf = Shelf()
        for number in 0..<5 { try shelf.put(.message, number, age: Int64(number) * 5_000_000) }
        let frames = shelf.store.packets(of: .message).map(\.frame)
        let after = Shelf()
        var refused = 0
        for frame in frames {
            let packet = try #require(
                GossipPacket(frame: frame, using: PacketTools.cryptography, PacketTools.compression))
            if after.insert(packet, at: 2_000_000) == .refused(.stale) { refused += 1 }
        }
        #expect(refused == 1)
        #expect(after.store.packets(of: .message) == Array(shelf.store.packets(of: .message).dropLast()))
        for damaged in [[], [1, 2, 3], Array(frames[0].dropLast())] as [[UInt8]] {
            #expect(GossipPacket(frame: damaged, using: PacketTools.cryptography, PacketTools.compression) == nil)
        }
    }

    @Test("blocking a sender, or clearing the timeline, removes messages and nothing else")
    func blocking() throws {
        let shelf = Shelf()
        for (number, sender) in ([1, 2, 1, 3] as [UInt64]).enumerated() {
            try shelf.put(.message, number, from: sender)
            try shelf.put(.fragment, number, from: sender)
        }
        let first = try [0, 2].map { try SyncPackets.made(.message, $0, from: 1).id }
        #expect(Set(shelf.blocked(1)) == Set(first.map { .removed($0) }))
        #expect(shelf.blocked(1).isEmpty)
        #expect(shelf.numbers(.message) == [1, 3] && shelf.count(.fragment) == 4)
        #expect(shelf.cleared().count == 2)
        #expect(shelf.cleared().isEmpty)
        #expect(shelf.count(.message) == 0 && shelf.count(.fragment) == 4)
    }
}

@Suite("Senders in the gossip store")
struct GossipSenderTests {
    private func filled() throws -> Shelf {
        let shelf = Shelf()
        for sender in 1...2 as ClosedRange<UInt64> {
            for (number, type) in [MessageType.message, .fragment, .fileTransfer, .groupMessage].enumerated() {
                try shelf.put(type, number, from: sender)
            }
            try shelf.put(.announce, 0, from: sender)
            #expect(shelf.insert(try SyncPackets.bundle(owner: UInt8(sender), from: sender, age: 0)) == .stored([]))
        }
        return shelf
    }

    @Test("one that falls silent loses its announce; what it said stays, until that is too old")
    func silence() throws {
        let shelf = try filled()
        shelf.silent(1)
        #expect(shelf.count(.announce) == 1 && shelf.count(.message) == 2 && shelf.count(.fileTransfer) == 2)
        shelf.silent(1)
        shelf.silent(77)
        #expect(shelf.count(.announce) == 1)
        #expect(shelf.tick(at: 60_001).isEmpty)
        #expect(shelf.count(.announce) == 0 && shelf.count(.message) == 2)
        #expect(shelf.tick(at: 21_600_000).isEmpty)
        #expect(shelf.count(.message) == 2 && shelf.count(.fragment) == 0 && shelf.count(.prekeyBundle) == 2)
        #expect(shelf.tick(at: 21_600_001).count == 2)
    }

    @Test("one that leaves loses everything but its bundle, which is for the time it is away")
    func leave() throws {
        let shelf = try filled()
        let message = try SyncPackets.made(.message, 0, from: 1)
        #expect(shelf.left(1) == [.removed(message.id)])
        for type in [MessageType.announce, .message, .fragment, .fileTransfer, .groupMessage] {
            #expect(shelf.count(type) == 1)
            #expect(shelf.store.packets(of: type).allSatisfy { $0.sender == PeerID(rawValue: 2) })
        }
        #expect(shelf.count(.prekeyBundle) == 2)
        #expect(shelf.left(1).isEmpty && shelf.left(99).isEmpty)
    }

    @Test("an announce over a minute old is not kept, and tells that its author is silent")
    func staleAnnounce() throws {
        let shelf = try filled()
        #expect(shelf.insert(try SyncPackets.made(.announce, 1, from: 1, age: 60_000)) == .stored([]))
        #expect(shelf.insert(try SyncPackets.made(.announce, 1, from: 1, age: 60_001)) == .refused(.silent))
        #expect(shelf.count(.announce) == 1 && shelf.count(.message) == 2)
        #expect(shelf.insert(try SyncPackets.made(.announce, 1, from: 2, age: 900_001)) == .refused(.stale))
        #expect(shelf.count(.announce) == 1, "one that no receiver would take says nothing about its author")
    }

    @Test("one announce for each author, the latest to come; of too many authors the most silent one goes")
    func announces() throws {
        let limit = GossipLimit(packets: 2, bytes: 1 << 20)
        var limits = SyncPolicy.limits
        limits.announces = limit
        let shelf = Shelf(limits)
        try shelf.put(.announce, 1, from: 1)
        try shelf.put(.announce, 2, from: 2)
        try shelf.put(.announce, 3, from: 1)
        #expect(shelf.numbers(.announce) == [2, 3])
        try shelf.put(.announce, 4, from: 3)
        #expect(shelf.numbers(.announce) == [3, 4])
    }

    @Test("five packets under invented names with one owner's bundle are one entry, and only a later one replaces it")
    func oneOwner() throws {
        let shelf = Shelf()
        for (index, age) in [50, 40, 40, 60, 30].enumerated() {
            let isNewer = [0, 1, 4].contains(index)
            #expect(
                shelf.insert(try SyncPackets.bundle(owner: 1, from: UInt64(index), age: Int64(age)))
                    == (isNewer ? .stored([]) : .refused(.superseded)))
        }
        #expect(shelf.count(.prekeyBundle) == 1)
        #expect(shelf.store.packets(of: .prekeyBundle).first?.sender == PeerID(rawValue: 4))
        // The name that it came under leaves; the owner's bundle stays.
        #expect(shelf.left(4).isEmpty)
        #expect(shelf.count(.prekeyBundle) == 1)
    }

    @Test("no place for the bundle of a further owner; those here may still be renewed")
    func owners() throws {
        var limits = SyncPolicy.limits
        limits.prekeyBundles.packets = 3
        let shelf = Shelf(limits)
        for owner in 1...3 as ClosedRange<UInt8> {
            #expect(shelf.insert(try SyncPackets.bundle(owner: owner, from: 1, age: 100)) == .stored([]))
        }
        #expect(shelf.insert(try SyncPackets.bundle(owner: 4, from: 1, age: 0)) == .refused(.full))
        #expect(shelf.insert(try SyncPackets.bundle(owner: 2, from: 1, age: 99)) == .stored([]))
        #expect(shelf.count(.prekeyBundle) == 3)
    }
}
