import Domain

/// How full one of the node's tables is: none may grow beyond its bound, whatever neighbours send.
public struct TableSize: Hashable, Sendable {
    /// camelCase.
    public let name: String
    /// Entries, or bytes where the name says so.
    public let count: Int
    /// The most that there ever are.
    public let bound: Int
}

extension Node {
    /// The tables that grow with what neighbours send, and their bounds (docs/adr/0010).
    public var tableSizes: [TableSize] {
        [
            TableSize(name: "links", count: links.count, bound: MeshPolicy.maximumLinks),
            TableSize(name: "peers", count: registry.count, bound: MeshPolicy.maximumPeers),
            TableSize(name: "identities", count: handleAnnounce.identityCount, bound: KnownIdentities<C>.capacity),
            TableSize(
                name: "ingressRecords", count: ingress.count, bound: DedupPolicy.maximumIngressRecords),
            TableSize(name: "seenPackets", count: seen.count, bound: DedupPolicy.processedCapacity),
            TableSize(name: "assemblies", count: assemblies.count, bound: FragmentPolicy.maximumAssemblies),
            TableSize(name: "assemblyBytes", count: assemblies.totalCost, bound: FragmentPolicy.maximumTotal),
            TableSize(name: "outcomes", count: outcomes.count, bound: ChatPolicy.heldOutcomes),
            TableSize(name: "outbox", count: outbox.outbox.count, bound: OutboxPolicy.entriesInAll),
            TableSize(name: "filesBeingStored", count: files.storingCount, bound: TransferFiles<C>.maximumStoring),
            TableSize(name: "scheduledRelays", count: relays.count, bound: RelayPolicy.maximumScheduled),
            TableSize(
                name: "scheduledRelayBytes", count: relays.byteCount, bound: RelayPolicy.maximumScheduledBytes),
            TableSize(name: "spooledPackets", count: transmitter.spooledCount, bound: RelayPolicy.spoolInAll),
            TableSize(
                name: "queuedBytes", count: transmitter.queues.byteCount,
                bound: RelayPolicy.queueBytesInAll + MeshPolicy.maximumLinks * RelayPolicy.reservedQueueBytes),
            TableSize(
                name: "topologyClaims", count: routes.topology.count, bound: MeshPolicy.maximumPeers),
            TableSize(name: "pings", count: pings.pendingCount, bound: MeshPing<C>.maximumPending),
        ] + sessionTables + memoryTables
    }

    private var sessionTables: [TableSize] {
        [
            // What is set up between two ticks comes on top of what a tick leaves.
            TableSize(
                name: "sessions", count: sessions.slots.count,
                bound: SessionPolicy.maximumSessions + 2 * SessionPolicy.handshakesInAll),
            TableSize(name: "earlyCiphertexts", count: noise.earlyCount, bound: SessionPolicy.earlyInAll),
        ]
    }

    /// What is remembered so that it is not done twice.
    private var memoryTables: [TableSize] {
        let announces = handleAnnounce.rememberedCounts
        let chat = publicChat.rememberedCounts
        return [
            TableSize(name: "answeredPeers", count: announces.answered, bound: RecentPeers.capacity),
            TableSize(name: "alarmedPeers", count: announces.alarmed, bound: RecentPeers.capacity),
            TableSize(name: "disconnectedPeers", count: disconnects.count, bound: RecentPeers.capacity),
            TableSize(name: "publicRateBuckets", count: chat.buckets, bound: 2 * PublicRateLimiter.maximumBuckets),
            TableSize(name: "publicMessages", count: chat.ids, bound: ChatPolicy.rememberedMessages),
            TableSize(name: "publicTexts", count: chat.texts, bound: RecentTexts.capacity),
            TableSize(
                name: "privateMessages", count: privateChat.rememberedCount, bound: ChatPolicy.rememberedInAll),
        ]
    }
}
