extension FixedWidthInteger where Self: UnsignedInteger {
    /// `0x0C`, as the Core Specification writes numbers: two digits a byte.
    var hexadecimal: String {
        let digits = String(self, radix: 16, uppercase: true)
        let missing = Swift.max(0, Self.bitWidth / 4 - digits.count)
        return "0x\(String(repeating: "0", count: missing))\(digits)"
    }
}
