import Domain
import Foundation
import NativeCryptography
import Support
import Testing
import ZlibCompression

/// The two Python implementations, in a process of their own that answers one request at a time.
final class Peer {
    /// What a refused request says.
    struct Refusal: Error, CustomStringConvertible {
        let description: String
    }

    private let process = Process()
    private let requests = Pipe()
    private let answers = Pipe()
    private var received: [UInt8] = []

    /// Starts the process.
    init() throws {
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("peer.py")
        process.executableURL = URL(fileURLWithPath: try #require(InteropPython.path))
        process.arguments = ["-I", script.path]
        process.standardInput = requests
        process.standardOutput = answers
        try process.run()
    }

    deinit {
        try? requests.fileHandleForWriting.close()
        process.waitUntilExit()
    }

    /// Asks for an operation; throws ``Refusal`` when the implementation refuses.
    func ask(_ operation: String, _ members: KeyValuePairs<String, JSONValue?> = [:]) throws -> JSONValue {
        guard case .object(let list) = JSONValue.object(members) else { preconditionFailure("an object is an object") }
        let request = JSONValue.object([.init("op", .string(operation))] + list)
        try requests.fileHandleForWriting.write(contentsOf: Data(request.encoded + [0x0A]))
        let answer = try JSONValue(parsing: try line())
        if let reason = answer["refused"]?.string { throw Refusal(description: reason) }
        return answer.member("ok")
    }

    /// Asks for bytes.
    func bytes(_ operation: String, _ members: KeyValuePairs<String, JSONValue?> = [:]) throws -> [UInt8] {
        let answer = try ask(operation, members)
        return try #require(answer.hex)
    }

    private func line() throws -> [UInt8] {
        while true {
            if let end = received.firstIndex(of: 0x0A) {
                let line = Array(received[..<end])
                received.removeSubrange(...end)
                return line
            }
            let more = answers.fileHandleForReading.availableData
            guard !more.isEmpty else { throw Refusal(description: "the Python process ended") }
            received += more
        }
    }
}

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
