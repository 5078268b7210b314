import Glibc

/// The lines a person entered, in a file that only they can read.
struct LineHistory {
    /// Lines kept; the file is cut to them when it is loaded.
    static let limit = 1000

    /// The file; `nil`: nothing is kept.
    let path: String?

    /// The lines of earlier sessions, oldest first.
    func load() -> [String] {
        guard let path, let bytes = Self.contents(of: path) else { return [] }
        let lines = bytes.split(separator: 0x0A).map { String(decoding: $0, as: UTF8.self) }
        guard lines.count > Self.limit else { return lines }
        let kept = Array(lines.suffix(Self.limit))
        Self.write(kept, to: path, flags: O_TRUNC)
        return kept
    }

    /// Keeps one more line.
    func append(_ line: String) {
        guard let path else { return }
        Self.write([line], to: path, flags: O_APPEND)
    }

    private static func contents(of path: String) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        while case .bytes(let more) = InputRead.once(from: descriptor) { bytes += more }
        return bytes
    }

    /// The history is a convenience: what cannot be written is not kept, and nobody is bothered with it.
    private static func write(_ lines: [String], to path: String, flags: Int32) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | flags, 0o600)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        _ = fchmod(descriptor, 0o600)
        let bytes = Array(lines.map { $0 + "\n" }.joined().utf8)
        _ = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
    }
}
