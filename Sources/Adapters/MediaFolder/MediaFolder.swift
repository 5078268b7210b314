import Application
import Dispatch
import Domain
import Synchronization

/// What the media folder tells the node; called from the folder's own queue, and must return soon.
public struct MediaReports: Sendable {
    /// The file is on the disk, flushed, at this path.
    public var stored: @Sendable (FileTicket, String) -> Void
    /// The file was not kept; why.
    public var failed: @Sendable (FileTicket, String) -> Void

    /// Takes the two calls.
    public init(
        stored: @escaping @Sendable (FileTicket, String) -> Void,
        failed: @escaping @Sendable (FileTicket, String) -> Void
    ) {
        self.stored = stored
        self.failed = failed
    }
}

/// Keeps received files under `ROOT/images|voicenotes|files/incoming`, for their owner alone.
///
/// A file appears under its name whole and flushed, or not at all, and never takes the place of another one. What peers
/// send is bounded in bytes and in days.
///
/// Source: spec, app §10.5.
public final class MediaFolder: FileStore, Sendable {
    private struct Job {
        let ticket: FileTicket
        let name: String
        let category: FileCategory
        /// `nil` when the queue had no room for it.
        let content: [UInt8]?
    }

    private struct State {
        var jobs: [Job] = []
        var queuedBytes = 0
        var lastTicket: UInt64 = 0
        var isDraining = false
        var isClosed = false
        var reports: MediaReports?
    }

    private let policy: MediaPolicy
    private let queue = DispatchQueue(label: "satchel.media")
    private let state = Mutex(State())
    private let shelf: Mutex<MediaShelf>

    /// Opens the folder, makes what is missing of it, and removes what is too old or was left unfinished.
    ///
    /// - Parameters:
    ///   - root: An absolute path whose parent exists.
    ///   - random: Draws 64 random bits, for names of last resort.
    ///   - now: The wall clock, for retention.
    public init(
        root: String, policy: MediaPolicy = MediaPolicy(), random: @escaping @Sendable () -> UInt64,
        now: @escaping @Sendable () -> WallTime
    ) throws(MediaError) {
        self.policy = policy
        shelf = Mutex(try MediaShelf(root: root, policy: policy, random: random, now: now))
    }

    /// Removes every received file under a root that no ``MediaFolder`` uses any more, and nothing else there.
    public static func erase(root: String) throws(MediaError) { try MediaShelf.erase(root: root) }

    /// Whether no received file is left under a root.
    public static func isErased(root: String) -> Bool { MediaShelf.isErased(root: root) }

    /// Begins to write, what was queued before included.
    public func start(reporting reports: MediaReports) {
        state.withLock { $0.reports = reports }
        drainIfDue()
    }

    /// Queues a file and returns at once.
    public func store(_ content: [UInt8], name: String, category: FileCategory) -> FileTicket {
        let ticket = state.withLock { state in
            state.lastTicket += 1
            let ticket = FileTicket(rawValue: state.lastTicket)
            let fits = !state.isClosed && content.count <= policy.queueLimit - state.queuedBytes
            if fits { state.queuedBytes += content.count }
            state.jobs.append(Job(ticket: ticket, name: name, category: category, content: fits ? content : nil))
            return ticket
        }
        drainIfDue()
        return ticket
    }

    /// Writes what is queued and reports it. Later files fail. Never from a report.
    public func close() {
        state.withLock { $0.isClosed = true }
        queue.sync { drain() }
    }

    private func drainIfDue() {
        let isDue = state.withLock { state in
            guard state.reports != nil, !state.isDraining, !state.jobs.isEmpty else { return false }
            state.isDraining = true
            return true
        }
        if isDue { queue.async { self.drain() } }
    }

    private func drain() {
        while let (jobs, reports) = take() {
            for job in jobs {
                finish(job, reports)
                state.withLock { $0.queuedBytes -= job.content?.count ?? 0 }
            }
        }
    }

    private func take() -> ([Job], MediaReports?)? {
        state.withLock { state in
            guard !state.jobs.isEmpty else {
                state.isDraining = false
                return nil
            }
            defer { state.jobs = [] }
            return (state.jobs, state.reports)
        }
    }

    private func finish(_ job: Job, _ reports: MediaReports?) {
        guard let content = job.content else {
            reports?.failed(job.ticket, "the disk does not keep up with the files that arrive")
            return
        }
        do throws(MediaError) {
            let path = try shelf.withLock { shelf throws(MediaError) in
                try shelf.put(content, name: job.name, category: job.category, ticket: job.ticket)
            }
            reports?.stored(job.ticket, path)
        } catch {
            reports?.failed(job.ticket, error.description)
        }
    }
}
