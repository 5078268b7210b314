import Domain
import Testing

/// The store against a list that is searched from end to end.
@Suite("Gossip store against a model")
struct GossipStoreModelTests {
    private static let limits = GossipLimits(
        announces: GossipLimit(packets: 5, bytes: 1 << 20), messages: GossipLimit(packets: 40, bytes: 1400),
        fragments: GossipLimit(packets: 300, bytes: 1 << 20), files: GossipLimit(packets: 10, bytes: 1 << 20),
        groupMessages: GossipLimit(packets: 1, bytes: 1 << 20), prekeyBundles: GossipLimit(packets: 3, bytes: 1 << 20))

    /// Packets in order of insertion.
    private struct Model {
        var packets: [GossipPacket] = []

        mutating func insert(_ packet: GossipPacket) {
            if let index = packets.firstIndex(where: { $0.key == packet.key }) {
                if packet.type != .announce {
                    packets[index] = packet
                    return
                }
                packets.remove(at: index)
            }
            packets.append(packet)
            let limit = limit(of: packet.type)
            while let first = packets.firstIndex(where: { $0.type == packet.type }),
                packets.count(where: { $0.type == packet.type }) > limit.packets || bytes(of: packet.type) > limit.bytes
            {
                packets.remove(at: first)
            }
        }

        func bytes(of type: MessageType) -> Int {
            packets.reduce(0) { $0 + ($1.type == type ? $1.frame.count : 0) }
        }

        private func limit(of type: MessageType) -> GossipLimit {
            switch type {
            case .announce: limits.announces
            case .message: limits.messages
            case .fragment: limits.fragments
            case .fileTransfer: limits.files
            case .groupMessage: limits.groupMessages
            default: limits.prekeyBundles
            }
        }
    }

    private static let types: [MessageType] = [.announce, .message, .fragment, .fileTransfer, .groupMessage]

    @Test("they agree after every one of thousands of random steps, and so does the archive", arguments: [1, 2, 3])
    func agreement(seed: UInt64) throws {
        var generator = PacketTestGenerator(seed: seed)
        var store = GossipStore(limits: Self.limits)
        var model = Model()
        var archive: [SyncID: GossipPacket] = [:]
        for step in 0..<1500 {
            var changes: [GossipStore.ArchiveChange] = []
            let sender = generator.next() % 9
            switch generator.next() % 40 {
            case 0:
                changes = store.senderLeft(PeerID(rawValue: sender))
                model.packets.removeAll { $0.sender.rawValue == sender }
            case 1:
                store.senderFellSilent(PeerID(rawValue: sender))
                model.packets.removeAll { $0.sender.rawValue == sender && $0.type == .announce }
            case 2:
                changes = store.removeMessages(of: PeerID(rawValue: sender))
                model.packets.removeAll { $0.sender.rawValue == sender && $0.type == .message }
            case 3:
                // Time has not passed; the oldest fragments go when their age is over.
                let offset = Int64(generator.next() % 40)
                changes = store.tick(at: SyncPackets.now(offset), uptime: Uptime(milliseconds: 0))
                model.packets.removeAll {
                    ($0.type == .fragment || $0.type == .fileTransfer)
                        && $0.timestamp < SyncPackets.now(offset - 900_000)
                }
            default:
                let type = Self.types[Int(generator.next() % 5)]
                let age = type == .fragment || type == .fileTransfer ? 899_900 : 0
                let packet = try SyncPackets.made(
                    type, Int(generator.next() % 60), from: sender, age: Int64(age) + Int64(generator.next() % 100))
                guard case .stored(let told) = store.insert(packet, at: SyncPackets.now) else {
                    Issue.record("step \(step): refused")
                    return
                }
                changes = told
                model.insert(packet)
            }
            for change in changes {
                switch change {
                case .put(let packet): archive[packet.id] = packet
                case .removed(let id): #expect(archive.removeValue(forKey: id) != nil)
                }
            }
            try compare(store, model, archive, step)
        }
    }

    private func compare(
        _ store: GossipStore, _ model: Model, _ archive: [SyncID: GossipPacket], _ step: Int
    ) throws {
        for type in Self.types {
            let expected = model.packets.filter { $0.type == type }
            try #require(store.packets(of: type) == expected, "step \(step): \(type)")
            #expect(store.count(of: type) == expected.count)
        }
        #expect(store.bytes == model.packets.reduce(0) { $0 + $1.frame.count })
        #expect(Set(archive.keys) == Set(model.packets.filter { $0.type == .message }.map(\.id)))
        guard step % 50 == 0 else { return }
        // The order of the times, seen through a request that covers as many of the newest as it can.
        for type in Self.types {
            let (request, covered) = store.request(for: SyncTypeFlags([type]), at: SyncPackets.now)
            let times = model.packets.filter { $0.type == type }.map(\.timestamp).sorted(by: >)
            #expect(covered == min(times.count, 355))
            #expect(request.since == (covered < times.count ? times[covered - 1] : nil))
            let held = GCSSet(request.filter)
            let newest = model.packets.filter { packet in
                packet.type == type && (covered == times.count || packet.timestamp > times[covered - 1])
            }
            #expect(newest.allSatisfy { held.contains($0.hash) })
        }
    }
}
