/// The address of a Bluetooth device as the air shows it.
///
/// Source: Core Specification, Vol 6, Part B, 1.3.
struct DeviceAddress: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// What an address is made of; the values are those of HCI.
    enum Kind: UInt8, Sendable {
        case `public` = 0
        case random = 1
    }

    /// Whether the address is public or random.
    let kind: Kind
    /// The 48 bits of the address, most significant byte as people write it first.
    let bits: UInt64

    init(kind: Kind, bits: UInt64) {
        self.kind = kind
        self.bits = bits & 0xffff_ffff_ffff
    }

    /// A static random address: the two topmost bits are set, the rest must be neither all ones nor all zeros.
    static func staticRandom(from random: UInt64) -> DeviceAddress {
        let rest = random & 0x3fff_ffff_ffff
        let usable = rest == 0 || rest == 0x3fff_ffff_ffff ? 1 : rest
        return DeviceAddress(kind: .random, bits: 0xc000_0000_0000 | usable)
    }

    /// The six bytes as HCI carries them, least significant first.
    var bytes: [UInt8] { (0..<6).map { UInt8(truncatingIfNeeded: bits >> (8 * $0)) } }

    /// `C0:11:22:33:44:55`, with `/P` behind a public one, since the same bits may be both.
    var description: String { kind == .public ? text + "/P" : text }

    /// `C0:11:22:33:44:55`.
    var text: String {
        (0..<6).reversed().map { place in
            let byte = String(UInt8(truncatingIfNeeded: bits >> (8 * UInt64(place))), radix: 16, uppercase: true)
            return byte.count == 1 ? "0" + byte : byte
        }.joined(separator: ":")
    }

    static func < (left: DeviceAddress, right: DeviceAddress) -> Bool {
        (left.bits, left.kind.rawValue) < (right.bits, right.kind.rawValue)
    }
}
