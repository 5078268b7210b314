import Domain
import NativeCryptography
import Support
import Testing

/// The primitives that the payload suites share.
let payloadCryptography = NativeCryptography()

/// A secret of theirs.
typealias PayloadSecret = NativeCryptography.Secret

/// A vector that a suite cannot make sense of.
struct VectorFault: Error, CustomStringConvertible {
    let description: String
}

extension VectorCase {
    /// Checks bytes against a member of the output; both must be absent when the operation has to refuse.
    func expect(
        _ actual: [UInt8]?, is member: String, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let expected = output.isNull ? nil : output.member(member).string
        #expect(actual.map { Hex.encode($0) } == expected, "\(label)", sourceLocation: sourceLocation)
    }

    /// Checks every member of the output against a value's description; both must be absent when the operation has to
    /// refuse.
    func expect(_ actual: JSONValue?, sourceLocation: SourceLocation = #_sourceLocation) {
        guard let members = output.members else {
            #expect(actual == nil, "\(label) must refuse", sourceLocation: sourceLocation)
            return
        }
        for member in members {
            #expect(actual?[member.name] == member.value, "\(label): \(member.name)", sourceLocation: sourceLocation)
        }
    }

    /// Records that no test knows the operation.
    func nobodyRunsThis(sourceLocation: SourceLocation = #_sourceLocation) {
        Issue.record("no test runs the operation \"\(op)\" of \(label)", sourceLocation: sourceLocation)
    }
}

extension JSONValue {
    /// Bytes as text, or `null`.
    static func hex(_ bytes: (some Collection<UInt8>)?) -> JSONValue { .optional(bytes.map { Hex.encode($0) }) }
    /// A number, or `null`.
    static func number(_ value: (some BinaryInteger)?) -> JSONValue { value.map { .number($0) } ?? .null }

    /// A 32-byte value; `nil` when the vector holds another length.
    var bytes32: Bytes32? { hex.flatMap { Bytes32($0) } }

    /// The bytes of a member.
    func bytes(_ name: String) throws -> [UInt8] { try found(member(name).hex, name) }
    /// The text of a member.
    func text(_ name: String) throws -> String { try found(member(name).string, name) }
    /// The elements of a member.
    func list(_ name: String) throws -> [JSONValue] { try found(member(name).array, name) }
    /// The number of a member.
    func number<Number: FixedWidthInteger>(_ name: String) throws -> Number {
        try found(member(name).unsigned.flatMap { Number(exactly: $0) }, name)
    }
    /// The time of a member, in milliseconds.
    func time(_ name: String) throws -> WallTime { WallTime(milliseconds: try number(name)) }
    /// A member that must have 32 bytes.
    func bytes32(_ name: String) throws -> Bytes32 { try found(member(name).bytes32, name) }
    /// A member that must have as many bytes as the number is wide.
    func identifier<Number: FixedWidthInteger & UnsignedInteger>(_ name: String) throws -> Number {
        try found(Number(exactBigEndianBytes: try bytes(name)), name)
    }
    /// A member's private key or seed.
    func secret(_ name: String) throws -> PayloadSecret {
        let bytes = try bytes(name)
        return payloadCryptography.importSecret(bytes.span)
    }

    private func found<Value>(_ value: Value?, _ name: String) throws -> Value {
        guard let value else { throw VectorFault(description: "the member \"\(name)\" is not what the suite expects") }
        return value
    }
}

/// Numbers as the vectors write them.
enum PacketBytes {
    /// The big-endian bytes of a number.
    static func of(_ value: some FixedWidthInteger) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(bigEndian: value)
        return bytes
    }
}
