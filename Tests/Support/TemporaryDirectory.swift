import Foundation

/// A directory of one test's own, removed with everything in it when the value goes.
public final class TemporaryDirectory: Sendable {
    /// Absolute, mode 0700.
    public let path: String

    /// Makes the directory.
    public init() throws {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("satchel-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: url, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        path = url.path
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// A path inside.
    public func file(_ name: String) -> String { path + "/" + name }

    /// The bytes of a file inside.
    public func read(_ name: String) throws -> [UInt8] { Array(try Data(contentsOf: URL(fileURLWithPath: file(name)))) }

    /// Writes a file inside.
    public func write(_ bytes: [UInt8], to name: String) throws {
        try Data(bytes).write(to: URL(fileURLWithPath: file(name)))
    }

    /// What is inside, sorted.
    public func names() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: path).sorted() }

    /// The permission bits of a file inside.
    public func mode(_ name: String) throws -> Int {
        try FileManager.default.attributesOfItem(atPath: file(name))[.posixPermissions] as? Int ?? -1
    }

    /// Sets the permission bits of a file inside.
    public func setMode(_ mode: Int, of name: String) throws {
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file(name))
    }
}
