/// Packets that the system has not taken yet, in order.
struct SendBacklog {
    private var packets: [[UInt8]] = []
    /// The first packet that is still here; those before it have left.
    private var first = 0
    /// How many bytes of that packet the system has taken.
    private var offset = 0
    /// How many bytes wait.
    private(set) var bytes = 0

    /// Whether nothing waits.
    var isEmpty: Bool { first == packets.count }

    /// Puts a packet behind the others.
    ///
    /// - Parameter taken: How many of its bytes the system has already; only for a packet that comes first.
    mutating func append(_ packet: [UInt8], taken: Int = 0) {
        if isEmpty { offset = taken }
        packets.append(packet)
        bytes += packet.count - taken
    }

    /// What is to be written next: of a packet what is left of it.
    var next: ArraySlice<UInt8>? { isEmpty ? nil : packets[first].dropFirst(offset) }

    /// Takes note that the system took `count` bytes of ``next``.
    mutating func consume(_ count: Int) {
        guard !isEmpty else { return }
        offset += count
        bytes -= count
        guard offset >= packets[first].count else { return }
        packets[first] = []
        first += 1
        offset = 0
        // Moves what is left at most as often as something left: each packet is moved once on average.
        if first * 2 >= packets.count {
            packets.removeFirst(first)
            first = 0
        }
    }
}
