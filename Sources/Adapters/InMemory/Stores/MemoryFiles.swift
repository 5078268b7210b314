import Application
import Domain

/// A file store in memory that can be slow, fail, and forget what was not written when its node crashes.
public final class MemoryFiles: FileStore {
    /// Told where a file was written: the node's `fileStored(_:path:)`.
    public var stored: (FileTicket, String) -> Void = { _, _ in }
    /// Told of a file that could not be written: the node's `fileFailed(_:reason:)`.
    public var failed: (FileTicket, String) -> Void = { _, _ in }
    /// The written files' contents by path: `/files/<category>/<name>`.
    public private(set) var contents: [String: [UInt8]] = [:]

    private struct Write {
        let content: [UInt8]
        let name: String
        let category: FileCategory
    }

    private let queue: CommitQueue<Write>
    private var paths: [UInt64: String] = [:]

    /// Makes an empty store.
    ///
    /// - Parameters:
    ///   - delay: How long a write takes, in milliseconds; with 0 it is told in an event of the same moment.
    ///   - randomness: Draws delays and failures.
    public init(
        _ time: VirtualTime, delay: ClosedRange<Int64> = 0...0,
        randomness: SeededRandomness = SeededRandomness(seed: 0)
    ) {
        queue = CommitQueue(time, dice: randomness.fork("files"), delay: delay)
        queue.keep = { [unowned self] number, write in keep(write, number) }
        queue.settled = { [unowned self] number, _, _ in
            let ticket = FileTicket(rawValue: number)
            if let path = paths.removeValue(forKey: number) {
                stored(ticket, path)
            } else {
                failed(ticket, "simulated disk failure")
            }
        }
    }

    /// How long a write takes, in milliseconds.
    public var delay: ClosedRange<Int64> {
        get { queue.delay }
        set { queue.delay = newValue }
    }
    /// How many of the next files will fail.
    public var failuresToCome: Int {
        get { queue.failuresToCome }
        set { queue.failuresToCome = newValue }
    }
    /// The probability that a file fails.
    public var failureProbability: Double {
        get { queue.failureProbability }
        set { queue.failureProbability = newValue }
    }
    /// While set, nothing new is written.
    public var isHeld: Bool {
        get { queue.isHeld }
        set { queue.isHeld = newValue }
    }

    /// Queues a file.
    public func store(_ content: [UInt8], name: String, category: FileCategory) -> FileTicket {
        FileTicket(rawValue: queue.append(Write(content: content, name: name, category: category)))
    }

    /// The node crashed: what is not written is lost, its outcome is told to nobody, and tickets start again.
    public func crash() {
        queue.crash()
        paths = [:]
        stored = { _, _ in }
        failed = { _, _ in }
    }

    private func keep(_ write: Write, _ number: UInt64) {
        let path = freePath(write.name, write.category)
        contents[path] = write.content
        paths[number] = path
    }

    /// The name, with ` (1)` and so on before its extension rather than overwrite (spec: app §10.5).
    private func freePath(_ name: String, _ category: FileCategory) -> String {
        let folder = "/files/\(category.rawValue)/"
        guard contents[folder + name] != nil else { return folder + name }
        let dot = name.lastIndex(of: ".").flatMap { $0 == name.startIndex ? nil : $0 } ?? name.endIndex
        var number = 1
        while true {
            let path = "\(folder)\(name[..<dot]) (\(number))\(name[dot...])"
            if contents[path] == nil { return path }
            number += 1
        }
    }
}
