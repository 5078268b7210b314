import Domain

/// The bytes that a text of hexadecimal digits and blanks stands for.
func pdu(_ text: String) -> [UInt8] { Hex.decode(text.filter { !$0.isWhitespace }) ?? [] }
