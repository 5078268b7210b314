import Application
import Domain

/// The folders themselves: where a file goes, and which ones must go for it.
struct MediaShelf {
    private let root: Folder
    private let incoming: [FileCategory: Folder]
    private let policy: MediaPolicy
    private let random: @Sendable () -> UInt64
    private let now: @Sendable () -> WallTime
    /// Bytes in the incoming folders, or more where somebody removed files: counted again before any is evicted.
    private var total: Int64 = 0
    private var sweptDay: UInt64 = 0

    private static let categories: [FileCategory] = [.image, .audio, .file]
    /// Files that a live recording still writes to.
    private static let livePrefix = "voice_live_"

    /// Removes every received file under a root, and the folders that are empty then; the root may be somebody's own folder
    /// with other things in it.
    static func erase(root path: String) throws(MediaError) {
        for incoming in try incomingFolders(of: path) {
            for entry in try incoming.entries() { try incoming.remove(entry.name) }
        }
        for category in categories {
            for folder in ["\(path)/\(category.rawValue)/incoming", "\(path)/\(category.rawValue)"] {
                Folder.prune(folder)
            }
        }
    }

    /// Whether no received file is left under a root.
    static func isErased(root path: String) -> Bool {
        (try? incomingFolders(of: path).allSatisfy { try $0.entries().isEmpty }) ?? false
    }

    /// The folders that hold received files, as far as they are there.
    private static func incomingFolders(of path: String) throws(MediaError) -> [Folder] {
        var folders: [Folder] = []
        for category in categories {
            let incoming = "\(path)/\(category.rawValue)/incoming"
            if Folder.exists(incoming) { folders.append(try Folder(root: incoming)) }
        }
        return folders
    }

    init(
        root path: String, policy: MediaPolicy, random: @escaping @Sendable () -> UInt64,
        now: @escaping @Sendable () -> WallTime
    ) throws(MediaError) {
        root = try Folder(root: path)
        var folders: [FileCategory: Folder] = [:]
        for category in Self.categories {
            let parent = try Folder(category.rawValue, in: root, creating: true)
            folders[category] = try Folder("incoming", in: parent, creating: true)
        }
        incoming = folders
        self.policy = policy
        self.random = random
        self.now = now
        for folder in folders.values {
            for entry in try folder.entries() where entry.name.hasPrefix(LeafName.unfinishedPrefix) {
                try folder.remove(entry.name)
            }
        }
        try sweep()
        total = try files().reduce(0) { $0 + $1.entry.size }
    }

    /// Writes a file and answers its path.
    mutating func put(
        _ content: [UInt8], name: String, category: FileCategory, ticket: FileTicket
    ) throws(MediaError) -> String {
        guard let folder = incoming[category] else { throw MediaError(root.path, reason: "no such category") }
        if sweptDay != today { try sweep() }
        try makeRoom(for: Int64(content.count), in: folder)
        let unfinished = LeafName.unfinishedPrefix + String(ticket.rawValue)
        try folder.write(content, to: unfinished)
        do {
            let final = try place(unfinished, as: LeafName(name, random: random()), in: folder)
            try folder.flush()
            total += Int64(content.count)
            return folder.path + "/" + final
        } catch {
            try folder.remove(unfinished)
            throw error
        }
    }

    private func place(_ unfinished: String, as name: LeafName, in folder: Folder) throws(MediaError) -> String {
        for number in 0...99 {
            let candidate = name.candidate(number)
            if try folder.rename(unfinished, toNew: candidate) { return candidate }
        }
        let candidate = name.candidate(random: random())
        guard try folder.rename(unfinished, toNew: candidate) else {
            throw MediaError(folder.path + "/" + candidate, reason: "every name is taken")
        }
        return candidate
    }

    /// Removes the oldest files until `size` more bytes fit.
    private mutating func makeRoom(for size: Int64, in folder: Folder) throws(MediaError) {
        guard size <= policy.quota else {
            throw MediaError(folder.path, reason: "\(size) bytes exceed the quota of \(policy.quota)")
        }
        guard total > policy.quota - size else { return }
        let files = try files()
        total = files.reduce(0) { $0 + $1.entry.size }
        let oldest = files.filter { !$0.entry.name.hasPrefix(Self.livePrefix) }
            .sorted { $0.entry < $1.entry }
        for file in oldest where total > policy.quota - size {
            try file.folder.remove(file.entry.name)
            total -= file.entry.size
        }
        guard total <= policy.quota - size else {
            throw MediaError(folder.path, reason: "live recordings fill the quota of \(policy.quota) bytes")
        }
    }

    private func files() throws(MediaError) -> [(folder: Folder, entry: Folder.Entry)] {
        var files: [(folder: Folder, entry: Folder.Entry)] = []
        for category in Self.categories {
            guard let folder = incoming[category] else { continue }
            for entry in try folder.entries() { files.append((folder, entry)) }
        }
        return files
    }

    private var today: UInt64 { now().milliseconds / 86_400_000 }

    /// Removes files of all media folders whose days are over; at start, and with the first file of each day.
    private mutating func sweep() throws(MediaError) {
        let oldest = Int64(clamping: now().milliseconds / 1000) - policy.retentionDays * 86_400
        for category in Self.categories {
            guard let incoming = incoming[category] else { continue }
            var folders = [incoming]
            // Nothing made it yet where nothing was sent yet.
            if let outgoing = outgoing(category) { folders.append(outgoing) }
            for folder in folders {
                for entry in try folder.entries()
                where entry.modifiedSeconds < oldest && !entry.name.hasPrefix(Self.livePrefix) {
                    try folder.remove(entry.name)
                }
            }
        }
        sweptDay = today
    }

    private func outgoing(_ category: FileCategory) -> Folder? {
        guard let parent = try? Folder(category.rawValue, in: root, creating: false) else { return nil }
        return try? Folder("outgoing", in: parent, creating: false)
    }
}
