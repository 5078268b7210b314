import Domain

extension BluetoothPolicy {
    /// The speed of a serial port that none is given for, in bits a second. Zephyr's `hci_uart`, the usual firmware of
    /// a controller on a serial port, runs at 1,000,000. The traditional 115,200 would not do: it carries 11 KB/s, less
    /// than one fragment of 512 bytes every 25 ms (spec: ble-gatt §8). Ports over USB ignore the number. [ours]
    static let defaultSpeed: UInt32 = 1_000_000
    /// The speeds that an address may name, in bits a second: below, no controller is of use; above, no port exists.
    static let speeds: ClosedRange<UInt32> = 9_600...12_000_000
    /// How far from the speed that was asked for a port may run, in thousandths: with a byte of ten bits a receiver
    /// still finds the middle of the last one at about a twentieth, shared by both ends.
    static let speedTolerance: UInt32 = 25
    /// How long the addresses of a controller over TCP may take to answer a connection, all together.
    static let connectTimeout: Milliseconds = .seconds(5)
    /// TCP keepalive: silence before the first probe, in seconds. A second line of defence: the radio itself asks a
    /// controller that is silent for ``silence``.
    static let keepaliveIdle: Int32 = 30
    /// TCP keepalive: between probes, in seconds.
    static let keepaliveInterval: Int32 = 10
    /// TCP keepalive: unanswered probes before the connection is dead.
    static let keepaliveProbes: Int32 = 3
    /// What the kernel may keep for us to read from a user channel, in bytes. It drops silently what does not fit, and
    /// with it credits: a second of a busy radio is some 200 KB.
    static let receiveBuffer: Int32 = 1_048_576
    /// Packets read from a user channel before the radio's other work gets its turn.
    static let packetsPerWake = 16
    /// Bytes read from a stream before the radio's other work gets its turn: about as much.
    static let bytesPerWake = 8192
    /// The longest ACL or ISO data that is taken from a stream, in bytes. Controllers hand up what came in one radio
    /// packet, 251 bytes at most, and virtual ones a whole L2CAP frame of ours; the limit is there to notice lost
    /// framing early, instead of swallowing 64 KB of whatever follows. [ours]
    static let longestData = 4096
    /// What may wait for a transport that does not take it, in bytes. Credits bound the packets in flight to some 50
    /// KB, so this is only reached by a controller that grants credits and reads nothing.
    static let sendBacklog = 1_048_576
    /// What of the packet log may wait for a slow disk, in bytes, before packets are left out (and counted) in the log.
    static let logBacklog = 4_194_304
    /// How long a packet may wait to be written to the packet log, in milliseconds: who watches sees it soon.
    static let logDelay: Milliseconds = .seconds(1)
}
