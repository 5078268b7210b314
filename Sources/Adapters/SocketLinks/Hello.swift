/// What both sides of a TCP link say first, 20 bytes: `satchel` in ASCII, version u8, frame limit u32, node u64.
///
/// Integers are big-endian. The node is a number drawn per run; only we meet our own, and then we have dialled ourselves.
struct Hello: Hashable {
    /// Why the other side is not one to talk to.
    enum Fault: Error, Hashable, CustomStringConvertible {
        case notSatchel
        case otherVersion(UInt8)
        case noFrames
        case ourselves

        var description: String {
            switch self {
            case .notSatchel: "the other side does not speak the link protocol of Satchel"
            case .otherVersion(let version):
                "the other side speaks version \(version) of the link protocol, we speak \(Hello.version)"
            case .noFrames: "the other side takes no frames"
            case .ourselves: "the address leads back to this node"
            }
        }
    }

    static let magic = Array("satchel".utf8)
    static let version: UInt8 = 1
    static let size = 20

    /// The longest frame that its sender reads, in bytes; at least 1.
    let frameLimit: UInt32
    /// Its sender.
    let node: UInt64

    var bytes: [UInt8] {
        var bytes = Self.magic
        bytes.append(Self.version)
        for shift in stride(from: 24, through: 0, by: -8) {
            bytes.append(UInt8(truncatingIfNeeded: frameLimit >> shift))
        }
        for shift in stride(from: 56, through: 0, by: -8) { bytes.append(UInt8(truncatingIfNeeded: node >> shift)) }
        return bytes
    }

    init(frameLimit: UInt32, node: UInt64) {
        self.frameLimit = frameLimit
        self.node = node
    }

    /// Judges what has arrived so far: a wrong start is refused at its first wrong byte, without waiting for the rest.
    ///
    /// - Returns: `nil` while bytes are missing.
    init?(partial bytes: [UInt8], ourselves: UInt64) throws(Fault) {
        guard zip(bytes, Self.magic).allSatisfy({ $0 == $1 }) else { throw .notSatchel }
        if bytes.count > Self.magic.count {
            let version = bytes[Self.magic.count]
            guard version == Self.version else { throw .otherVersion(version) }
        }
        guard bytes.count >= Self.size else { return nil }
        frameLimit = bytes[8..<12].reduce(0) { $0 << 8 | UInt32($1) }
        node = bytes[12..<20].reduce(0) { $0 << 8 | UInt64($1) }
        guard frameLimit > 0 else { throw .noFrames }
        guard node != ourselves else { throw .ourselves }
    }
}
