import Glibc

/// Reads what the kernel tells in files, below a root that tests put elsewhere.
struct SystemTree: Sendable {
    /// The directory that stands for `/`, without a slash at its end.
    private let root: String
    /// Such a file is a line, or a list of which no entry may be cut: this is far beyond all of them, in bytes.
    private static let longestFile = 4_194_304

    init(root: String) {
        self.root = root.hasSuffix("/") ? String(root.dropLast()) : root
    }

    /// Whether this is the system itself.
    var isReal: Bool { root.isEmpty }

    /// A path below the root.
    func path(_ path: String) -> String { root + path }

    /// The names in a directory; none when it cannot be read.
    func names(in directory: String) -> [String] {
        guard let stream = opendir(path(directory)) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }

    /// The text of a file; `nil` when it cannot be read.
    func text(of file: String) -> String? {
        let descriptor = open(path(file), O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4096)
        while bytes.count < Self.longestFile {
            let count = read(descriptor, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { return nil }
            if count == 0 { break }
            bytes += chunk.prefix(count)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The first line of a file.
    func line(of file: String) -> String? {
        text(of: file)?.split(separator: "\n", maxSplits: 1, omittingEmptySubsequences: false).first.map { String($0) }
    }
}
