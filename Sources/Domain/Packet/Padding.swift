/// Padding that hides the length of private traffic and closes every signed byte string.
///
/// Source: spec, packet §2.7.
public enum Padding {
    /// How many bytes are appended to a frame of `length` bytes; each of them has this number as its value.
    ///
    /// 0 in the gaps, where the next block is further away than one byte can tell. They are part of what is signed.
    public static func length(forFrameOf length: Int) -> Int {
        for block in PacketPolicy.paddingBlocks where length <= block - PacketPolicy.paddingReserve {
            let padding = block - length
            return padding <= PacketPolicy.maximumPadding ? padding : 0
        }
        return 0
    }

    /// Appends what ``length(forFrameOf:)`` asks for.
    public static func pad(_ frame: inout [UInt8]) {
        let count = length(forFrameOf: frame.count)
        guard count > 0 else { return }
        frame.append(contentsOf: repeatElement(UInt8(truncatingIfNeeded: count), count: count))
    }

    /// Drops the padding that the last byte claims, if the bytes bear it out.
    ///
    /// Only for data that was padded by construction: an unpadded frame that happens to end in 01 would lose a byte.
    public static func unpad(_ frame: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        guard let value = frame.last, value > 0, Int(value) <= frame.count else { return frame }
        let padding = frame.suffix(Int(value))
        return padding.allSatisfy { $0 == value } ? frame.dropLast(Int(value)) : frame
    }

    /// Whether the bytes behind a frame's last section are padding: as many of them as each one says.
    public static func isWellFormed(_ trailing: ArraySlice<UInt8>) -> Bool {
        guard (1...PacketPolicy.maximumPadding).contains(trailing.count) else { return false }
        let value = UInt8(truncatingIfNeeded: trailing.count)
        return trailing.allSatisfy { $0 == value }
    }
}
