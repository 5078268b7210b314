import Domain
import NativeCryptography
import Support
import ZlibCompression

/// The primitives of our side.
let cryptography = NativeCryptography()
/// The compression of our side.
let compression = ZlibCompression()

/// A private key or seed of 32 equal bytes.
func secret(_ byte: UInt8) -> NativeCryptography.Secret {
    let bytes = [UInt8](repeating: byte, count: 32)
    return cryptography.importSecret(bytes.span)
}

/// Bytes without a pattern that could be compressed, the same ones each time.
func noise(_ count: Int) -> [UInt8] {
    var state: UInt64 = 0x9E37_79B9_7F4A_7C15
    return (0..<count).map { _ in
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return UInt8(truncatingIfNeeded: state >> 32)
    }
}

/// English-like bytes that compress.
func prose(_ count: Int) -> [UInt8] {
    Array(String(repeating: "mail for people who are not here right now, ", count: count / 44 + 1).utf8.prefix(count))
}

extension JSONValue {
    /// Bytes as text, or `null`.
    static func hex(_ bytes: (some Collection<UInt8>)?) -> JSONValue { .optional(bytes.map { Hex.encode($0) }) }
}

extension Packet {
    /// The packet as the Python side writes it.
    var json: JSONValue {
        .object([
            "version": .number(version), "type": .number(type.rawValue), "ttl": .number(ttl),
            "timestamp": .number(timestamp.milliseconds), "sender": .string(sender.hex),
            "recipient": .optional(recipient?.hex), "route": .array(route.map { .string($0.hex) }),
            "payload": .hex(payload), "signature": .hex(signature?.bytes), "rsr": .bool(isSyncResponse),
        ])
    }
}
