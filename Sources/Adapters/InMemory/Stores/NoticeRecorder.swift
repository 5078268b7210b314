import Application
import Domain

/// Keeps what a node announces in passing, for tests to look at.
public final class NoticeRecorder: EventSink {
    /// Everything emitted, oldest first.
    public private(set) var notices: [Notice] = []
    /// Sees each notice as it is emitted.
    public var observe: ((Notice) -> Void)?

    /// Makes an empty recorder.
    public init() {}

    /// The log lines of a level and above.
    public func lines(atLeast level: LogLevel = .debug) -> [String] {
        notices.compactMap { notice in
            guard case .log(let lineLevel, let line) = notice, lineLevel >= level else { return nil }
            return line
        }
    }

    /// Passes one notice on.
    public func emit(_ notice: Notice) {
        notices.append(notice)
        observe?(notice)
    }

    /// Forgets what was emitted so far.
    public func clear() { notices.removeAll(keepingCapacity: true) }
}
