import Testing
import Domain
import Foundation

/// One case of a vector file.
public struct VectorCase: Sendable, CustomTestStringConvertible {
    /// `file/name`, for the message of a failing test.
    public let label: String
    /// The operation.
    public let op: String
    /// The whole case.
    public let json: JSONValue
    /// The inputs; for files with a flat layout, the case itself.
    public var input: JSONValue { json["in"] ?? json }
    /// The expected result; `null` means a refusal.
    public var output: JSONValue { json["out"] ?? .null }
    /// The label.
    public var testDescription: String { label }
}

/// Test vectors: those in `Tests/Vectors`, and those in the folder that `SATCHEL_VECTORS` names.
public enum Vectors {
    /// The folder with our copies.
    public static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Vectors")

    /// The base names of vector files; the longest one that a file's name begins with decides its schema.
    public static let known = [
        "packet-encode", "packet-decode", "packet-signature", "announce", "fragments", "ids", "peer-id", "payloads",
        "file-packet", "voice-burst", "nostr-carrier", "noise-xx", "noise-x", "noise-transport", "verification",
        "board", "prekey-bundle", "courier-envelope", "request-sync", "vouch", "group", "noise-xx-published",
        "noise-x-published", "standard-crypto", "bip340", "dedup", "relay-table", "relay-packets", "fanout", "topology",
        "ingress-policy", "staircase", "bech32", "courier-store", "spray", "gcs", "sync-type-flags", "sync-rounds",
        // Run by nobody yet; here so that it is not taken for a set of `peer-id`.
        "peer-id-rotation",
    ]

    /// The cases of one schema whose operation is `op` (`nil`: all of them).
    ///
    /// - Parameter base: The file's name without `.json`; extra files may append to it (`packet-encode-2.json`).
    public static func cases(_ base: String, op: String? = nil) -> [VectorCase] {
        files(base).flatMap { url -> [VectorCase] in
            guard let data = FileManager.default.contents(atPath: url.path) else {
                preconditionFailure("cannot read the vector file \(url.path)")
            }
            do {
                let cases = try JSONValue(parsing: data)["cases"]?.array ?? []
                precondition(!cases.isEmpty, "no cases in \(url.path)")
                return cases.enumerated().compactMap { index, json in
                    let operation = json["op"]?.string ?? ""
                    guard op == nil || op == operation else { return nil }
                    let name = json["name"]?.string ?? json["protocol_name"]?.string ?? String(index)
                    return VectorCase(label: "\(url.lastPathComponent)/\(name)", op: operation, json: json)
                }
            } catch {
                preconditionFailure("\(url.path): \(error)")
            }
        }
    }

    private static func files(_ base: String) -> [URL] {
        var urls = [folder.appendingPathComponent("\(base).json")]
        if let extra = ProcessInfo.processInfo.environment["SATCHEL_VECTORS"] {
            let names = (try? FileManager.default.contentsOfDirectory(atPath: extra)) ?? []
            urls += names.sorted().filter { $0.hasSuffix(".json") && schema(of: $0) == base }
                .map { URL(fileURLWithPath: extra).appendingPathComponent($0) }
        }
        return urls
    }

    /// The schema that a file's name stands for; `nil` when no test runs it.
    public static func schema(of fileName: String) -> String? {
        let stem = fileName.hasSuffix(".json") ? String(fileName.dropLast(5)) : fileName
        return known.filter { stem == $0 || stem.hasPrefix($0 + "-") || stem.hasPrefix($0 + ".") }
            .max { $0.count < $1.count }
    }
}

extension JSONValue {
    /// The bytes that hexadecimal text stands for.
    public var hex: [UInt8]? { string.flatMap { Hex.decode($0) } }

    /// A required member; a missing one is a fault of the vector file.
    public func member(_ name: String) -> JSONValue {
        guard let value = self[name] else { preconditionFailure("the vector has no \"\(name)\"") }
        return value
    }
}
