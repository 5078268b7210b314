/// Numbers of the packet layer: what the wire fixes, and what bounds hostile input.
///
/// Source: spec, packet §2.5, §2.7, §2.10, §4.4, §7.
public enum PacketPolicy {
    // MARK: Layout (bytes)

    /// Version byte of a frame with a 16-bit payload length and no route.
    public static let version1: UInt8 = 1
    /// Version byte of a frame with a 32-bit payload length and possibly a route.
    public static let version2: UInt8 = 2
    /// Fixed header of version 1, up to the sender.
    public static let headerLength1 = 14
    /// Fixed header of version 2, up to the sender.
    public static let headerLength2 = 16
    /// A frame of version 1 cannot be shorter: header and sender.
    public static let shortestFrame1 = 22
    /// A frame of version 2 cannot be shorter: header and sender.
    public static let shortestFrame2 = 24
    /// Width of the original size in front of a compressed payload of version 1.
    public static let sizeFieldLength1 = 2
    /// Width of the original size in front of a compressed payload of version 2.
    public static let sizeFieldLength2 = 4
    /// Hops that the count byte of a route can name.
    public static let maximumHops = 255
    /// Payload section that the 16-bit length of version 1 can name.
    public static let maximumSection1 = 65_535

    // MARK: Hops

    /// TTL that a packet starts with.
    public static let originTTL: UInt8 = 7

    // MARK: Limits of hostile input

    /// Longest payload section and longest payload after inflation, in bytes: the largest file with its TLV envelope
    /// and framing. Bounds every allocation.
    public static let maximumPayload = 1_179_760
    /// Most bytes that one compressed byte may claim to stand for, inclusive: stops decompression bombs unread.
    public static let maximumRatio = 50_000.0

    // MARK: Compression

    /// Payloads below this many bytes are never compressed: deflate's overhead eats the gain.
    public static let compressionThreshold = 100
    /// Share of distinct byte values from which a payload looks compressed or encrypted already.
    public static let diversityCutOff = 0.9
    /// zlib level that we send with, the one that Apple's encoder documents.
    public static let compressionLevel = 5
    /// zlib level that Android sends with.
    public static let androidCompressionLevel = 6

    // MARK: Padding (bytes)

    /// Sizes that padded frames come in.
    public static let paddingBlocks = [256, 512, 1024, 2048]
    /// Room that a block must leave for its padding.
    public static let paddingReserve = 16
    /// Longest padding: its length must fit the byte that it is made of.
    public static let maximumPadding = 255

    // MARK: Signatures

    /// Largest payload, in bytes, for which a signature that fails on the bytes as received is tried on other
    /// encodings of them.
    ///
    /// Those exist because relays recompress; texts and carrier events do not exceed the section of version 1, and files
    /// that do would cost a deflate of a megabyte for every forged signature.
    public static let maximumRecompressedPayload = 65_535

    // MARK: Clock

    /// How far a packet's timestamp may lie from our clock, inclusive, in milliseconds: bounds replay.
    public static let maximumSkew: UInt64 = 120_000
    /// How long after a sync request its answers are accepted, inclusive.
    public static let syncResponseWindow: Milliseconds = .seconds(30)

    // MARK: Streams

    /// Longest frame and longest buffer that a stream is cut from, in bytes (8 MiB): bounds memory.
    public static let maximumStreamBuffer = 8_388_608
    /// How long an incomplete frame may stall a stream before its bytes are given up: a lost piece never comes.
    public static let streamStall: Milliseconds = 250
}

/// Numbers of fragmentation and reassembly.
///
/// Source: spec, packet §4.4, §7.
public enum FragmentPolicy {
    /// The most fragments of a transfer that receivers are sure to put together: they give an assembly up 30 s after its
    /// first fragment, and a broadcast leaves one each 30 ms (packet §4.4). With a margin for what waits on full links.
    public static let reliableCount = 960
    /// Files that leave at once, ours and as many of others (mesh §19).
    public static let concurrentTransfers = 2
    /// Files that may wait behind them. [ours]: memory; a person who sends more is told to wait.
    public static let waitingTransfers = 16
    /// Bytes before the chunk: ID, index, total, original type.
    public static let headerLength = 13
    /// Chunk that makes a directed fragment of version 1 exactly ``frameBudget`` bytes long.
    public static let defaultChunk = 469
    /// Smallest chunk that is ever cut, in bytes.
    public static let minimumChunk = 64
    /// Longest fragment frame, in bytes, that later hops can be expected to forward.
    public static let frameBudget = 512
    /// Frame bytes around a chunk without recipient: header 14, sender 8, fragment header 13.
    public static let broadcastOverhead = 35
    /// Frame bytes around a chunk with recipient.
    public static let directedOverhead = 43
    /// What the routed formula of the phones reserves beyond the fields, in bytes.
    public static let routedReserve = 16
    /// Most fragments of one packet that receivers accept.
    public static let maximumCount = 10_000
    /// Most fragments that Android puts together again.
    public static let maximumCountForAndroid = 256
    /// Pause between broadcast fragments: a faster train overruns the radio queues of phones.
    public static let broadcastSpacing: Milliseconds = 30
    /// Pause between directed fragments.
    public static let directedSpacing: Milliseconds = 25

    /// Assemblies in flight at once: bounds memory.
    public static let maximumAssemblies = 128
    /// Assemblies from which one sender makes room at its own cost, so that a flood under one name does not evict
    /// those of others that came on the same link.
    public static let fairShareOfAssemblies = 32
    /// Bytes of one assembly whose original type is a raw file or a Noise message: a whole framed file.
    public static let maximumFileAssembly = 1_179_760
    /// Bytes of any other assembly.
    public static let maximumAssembly = 1_048_576
    /// Bytes of all assemblies together (32 MiB), bookkeeping included: some two dozen of the largest files at once, and
    /// little enough for a Raspberry Pi Zero 2 W with 512 MiB. Without it 128 assemblies could hold 151 MB.
    public static let maximumTotal = 32 * 1024 * 1024
    /// Bytes from which one sender makes room at its own cost (8 MiB).
    public static let fairShareOfTotal = 8 * 1024 * 1024
    /// Bookkeeping that every stored chunk is charged with, in bytes, so that empty chunks are not free.
    public static let chunkCost = 64
    /// Bookkeeping that every assembly is charged with, in bytes.
    public static let assemblyCost = 512
    /// Life of an assembly from its first fragment on.
    public static let lifetime: Milliseconds = .seconds(30)
    /// Pause between sweeps that remove what is too old.
    public static let sweepInterval: Milliseconds = .seconds(15)
    /// Silence after which a stream counts as stalled.
    public static let stall: Milliseconds = .seconds(5)
    /// Pause between targeted sync requests for one stream.
    public static let stallRetry: Milliseconds = .seconds(10)
    /// Streams asked for in one pass.
    public static let maximumStalled = 60
}

/// Numbers of duplicate suppression.
///
/// Source: spec, packet §5.2, §7; mesh §4, §5.
public enum DedupPolicy {
    /// How long a frame heard on a link bars its copies, inclusive.
    public static let ingressWindow: Milliseconds = .seconds(3)
    /// Ingress records kept at once. The reference has no bound; this one is far beyond what radios deliver in the 18 s
    /// that a record lives, and stops a fast link from filling memory: 6 MiB at most.
    public static let maximumIngressRecords = 32_768
    /// How long a processed packet is remembered, inclusive.
    public static let processedLifetime: Milliseconds = .seconds(300)
    /// Processed packets remembered at once. [ours]: the reference has 1000, which a flood of 2000 frames a second rolls
    /// over in half a second, so that honest copies older than the ingress window are relayed once more; Android has
    /// 10,000. Nobody sees it on the wire. 1.2 MiB; just below a power of two, which the storage is a multiple of.
    public static let processedCapacity = 16_000
    /// How many of them are left after trimming: three quarters, so that not every packet trims.
    public static let processedAfterTrim = 12_000
}
