import Domain

/// Reads the members of one object, and says which one is wrong.
struct JSONFields {
    private let json: JSONValue

    init(_ json: JSONValue) { self.json = json }

    private func read<Value>(
        _ name: String, _ expected: String, _ convert: (JSONValue) -> Value?
    ) throws(EventFormatError) -> Value {
        guard let member = json[name], let value = convert(member) else {
            throw EventFormatError(member: name, expected: expected)
        }
        return value
    }

    /// Absent and `null` both mean that there is none; anything else must convert.
    private func readOptional<Value>(
        _ name: String, _ expected: String, _ convert: (JSONValue) -> Value?
    ) throws(EventFormatError) -> Value? {
        guard let member = json[name], !member.isNull else { return nil }
        return try read(name, expected, convert)
    }

    func text(_ name: String) throws(EventFormatError) -> String { try read(name, "text") { $0.string } }

    func optionalText(_ name: String) throws(EventFormatError) -> String? {
        try readOptional(name, "text") { $0.string }
    }

    func flag(_ name: String) throws(EventFormatError) -> Bool { try read(name, "true or false") { $0.bool } }

    func unsigned(_ name: String) throws(EventFormatError) -> UInt64 {
        try read(name, "an unsigned whole number") { $0.unsigned }
    }

    func count(_ name: String) throws(EventFormatError) -> Int {
        try read(name, "a count") { $0.unsigned.flatMap { Int(exactly: $0) } }
    }

    func time(_ name: String) throws(EventFormatError) -> WallTime {
        WallTime(milliseconds: try read(name, "a time in milliseconds since 1970") { $0.unsigned })
    }

    func peer(_ name: String) throws(EventFormatError) -> PeerID {
        try read(name, "a peer ID of 16 hexadecimal digits", Self.peer)
    }

    func optionalPeer(_ name: String) throws(EventFormatError) -> PeerID? {
        try readOptional(name, "a peer ID of 16 hexadecimal digits", Self.peer)
    }

    func digest(_ name: String) throws(EventFormatError) -> Bytes32 {
        try read(name, "64 hexadecimal digits", Self.bytes32)
    }

    func optionalDigest(_ name: String) throws(EventFormatError) -> Bytes32? {
        try readOptional(name, "64 hexadecimal digits", Self.bytes32)
    }

    func digests(_ name: String) throws(EventFormatError) -> [Bytes32] {
        try read(name, "a list of 64 hexadecimal digits each") { value in
            guard let elements = value.array else { return nil }
            let digests = elements.compactMap(Self.bytes32)
            return digests.count == elements.count ? digests : nil
        }
    }

    private static func peer(_ value: JSONValue) -> PeerID? { value.string.flatMap { PeerID(hex: $0) } }

    private static func bytes32(_ value: JSONValue) -> Bytes32? {
        value.string.flatMap { Hex.decode($0) }.flatMap { Bytes32($0) }
    }
}
