import Glibc

/// A controller that was opened; whoever has it closes it, or gives it to a ``DescriptorTransport`` that does.
struct OpenedAdapter: Sendable {
    /// How packets lie in what is read and written.
    enum Kind: Sendable {
        /// One read or write of a socket is one packet: the kernel's user channel.
        case packets
        /// A socket that carries a stream, which begins with a packet.
        case stream
        /// A serial port, whose stream may begin within a packet.
        case serial
    }

    /// Open, not blocking, closed on exec.
    let descriptor: Int32
    /// What it is.
    let kind: Kind
    /// Another descriptor that only says whose the adapter is; see ``AdapterClaim``.
    var claim: Int32?
    /// Which adapter it is, where the address left that open.
    var choice: AdapterAddress?

    /// Whether packets must be cut out of a stream.
    var isStream: Bool { kind != .packets }

    /// Closes it. To be called once: afterwards the numbers may be somebody else's.
    func close() {
        // A port stays exclusive for as long as anybody has it open, which may be longer than we.
        if kind == .serial { _ = ioctl(descriptor, UInt(TIOCNXCL)) }
        _ = Glibc.close(descriptor)
        if let claim { _ = Glibc.close(claim) }
    }
}
