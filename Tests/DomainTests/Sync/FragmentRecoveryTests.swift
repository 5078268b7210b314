import Domain
import Testing

@Suite("Recovery of stalled fragments")
struct FragmentRecoveryTests {
    @Test("a stream that stalls is asked for by name, and a neighbour's store completes it")
    func recovery() throws {
        var generator = PacketTestGenerator(seed: 5)
        let whole = SyncPackets.packet(.message, payload: generator.bytes(1500))
        let plan = try #require(
            FragmentPlan(
                of: whole, frame: whole.plainFrame(), id: FragmentID(rawValue: 0xFEED), directedTo: nil, chunkSize: 300)
        )
        var (neighbour, ours) = (GossipStore(), GossipStore())
        var assemblies = FragmentAssemblies(localPeer: PeerID(rawValue: 1))
        func take(_ packet: Packet, at time: Int64) throws -> FragmentAssemblies.Completion? {
            let header = try #require(FragmentHeader(packet.payload[...]))
            let outcome = assemblies.insert(
                header, from: packet.sender, on: 4, ttl: packet.ttl, isBroadcast: packet.isBroadcast,
                isSolicited: packet.isSyncResponse, at: Uptime(milliseconds: time))
            guard case .complete(let completion) = outcome else { return nil }
            return completion
        }
        for index in 0..<plan.count {
            let fragment = try #require(plan.fragment(at: index))
            let kept = try #require(try SyncPackets.kept(fragment))
            _ = neighbour.insert(kept, at: SyncPackets.now)
            // The neighbour has other streams too, which nobody asks for.
            _ = neighbour.insert(
                try SyncPackets.made(.fragment, Int(index), payload: generator.bytes(40)), at: SyncPackets.now)
            guard index % 2 == 0 else { continue }
            _ = ours.insert(kept, at: SyncPackets.now)
            #expect(try take(fragment, at: 0) == nil)
        }
        #expect(assemblies.takeStalled(at: Uptime(milliseconds: 4999)).isEmpty)
        let streams = assemblies.takeStalled(at: Uptime(milliseconds: 5000)).map(\.id)
        #expect(streams == [FragmentID(rawValue: 0xFEED)])

        let (request, _) = ours.request(
            for: SyncTypeFlags([.fragment]), streams: streams, round: SyncRound(number: 0, neighbour: nil),
            at: SyncPackets.now)
        let served = try SyncPackets.served(
            SyncAnswer(to: request, from: neighbour, at: SyncPackets.now), from: neighbour)
        #expect(served.count == Int(plan.count) / 2)
        var completion: FragmentAssemblies.Completion?
        for fragment in served { completion = try take(fragment, at: 5100) ?? completion }
        #expect(try completion?.frame == whole.plainFrame())
        // Half of the pieces came live: the whole must pass by its own time. None came as a neighbour's own.
        #expect(completion?.isSolicited == false && completion?.directLink == nil)
    }
}
