import Application
import Foundation
import Synchronization
import Testing

@testable import SocketLinks

/// What a node's links reported so far, to be waited for.
final class Witness: Sendable {
    struct Seen: Sendable {
        var ups: [LinkDescription] = []
        var downs: [(link: LinkID, reason: String)] = []
        var frames: [(bytes: [UInt8], link: LinkID)] = []
        var writables: [LinkID] = []
        var logs: [(level: LogLevel, text: String)] = []
        /// The kinds of all events in order, without the log.
        var order: [String] = []

        /// Links that are up now.
        var alive: [LinkDescription] { ups.filter { up in !downs.contains { $0.link == up.id } } }
    }

    private struct Waiter {
        let id: Int
        let isMet: @Sendable (Seen) -> Bool
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var seen = Seen()
        var waiters: [Waiter] = []
        var lastID = 0
        var cancelled: Set<Int> = []
    }

    private let state = Mutex(State())

    var seen: Seen { state.withLock { $0.seen } }

    func note(_ change: (inout Seen) -> Void) {
        let met = state.withLock { state -> [Waiter] in
            change(&state.seen)
            let met = state.waiters.filter { $0.isMet(state.seen) }
            state.waiters.removeAll { waiter in met.contains { $0.id == waiter.id } }
            return met
        }
        for waiter in met { waiter.continuation.resume() }
    }

    /// Returns what was seen once it meets the condition; throws when the test's time is up.
    @discardableResult
    func until(_ isMet: @escaping @Sendable (Seen) -> Bool) async throws -> Seen {
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                let result = state.withLock { state -> Result<Void, any Error>? in
                    if state.cancelled.contains(id) { return .failure(CancellationError()) }
                    if isMet(state.seen) { return .success(()) }
                    state.waiters.append(Waiter(id: id, isMet: isMet, continuation: continuation))
                    return nil
                }
                if let result { continuation.resume(with: result) }
            }
        } onCancel: {
            let waiter = state.withLock { state -> Waiter? in
                state.cancelled.insert(id)
                guard let place = state.waiters.firstIndex(where: { $0.id == id }) else { return nil }
                return state.waiters.remove(at: place)
            }
            waiter?.continuation.resume(throwing: CancellationError())
        }
        return seen
    }
}

/// Lets an I/O thread stand still in the midst of its work.
final class Gate: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)
    private let isOpen = Mutex(false)

    func pass() {
        guard !isOpen.withLock({ $0 }) else { return }
        semaphore.wait()
        semaphore.signal()
    }

    func open() {
        isOpen.withLock { $0 = true }
        semaphore.signal()
    }
}

/// One set of socket links and what it reported.
struct TestNode {
    let links: SocketLinks
    let witness = Witness()

    /// Makes and starts links.
    ///
    /// - Parameters:
    ///   - number: What the random source answers, always: it decides who dials in an air.
    ///   - gate: Passed before each frame is noted.
    init(_ number: UInt64, _ configuration: SocketLinksConfiguration, gate: Gate? = nil) throws {
        let witness = witness
        let handlers = SocketLinksHandlers(
            linkUp: { up in
                witness.note { seen in
                    seen.ups.append(up)
                    seen.order.append("up")
                }
            },
            linkDown: { link, reason in
                witness.note { seen in
                    seen.downs.append((link, reason))
                    seen.order.append("down")
                }
            },
            frame: { frame, link in
                gate?.pass()
                witness.note { seen in
                    seen.frames.append((frame, link))
                    seen.order.append("frame")
                }
            },
            linkWritable: { link in
                witness.note { seen in
                    seen.writables.append(link)
                    seen.order.append("writable")
                }
            },
            log: { level, text in witness.note { $0.logs.append((level, text)) } })
        let numbers = Counter()
        links = try SocketLinks(
            configuration, randomness: { number }, nextLinkID: { LinkID(rawValue: numbers.next()) }, handlers: handlers)
        try links.start()
    }

    /// The only link, once it is up.
    func link() async throws -> LinkDescription {
        let seen = try await witness.until { !$0.alive.isEmpty }
        return try #require(seen.alive.first)
    }

    /// Waits for so many links.
    func links(_ count: Int) async throws -> [LinkDescription] {
        try await witness.until { $0.alive.count >= count }.alive
    }

    func stop() { links.stop() }
}

/// Rising numbers.
final class Counter: Sendable {
    private let value = Mutex(UInt64(0))

    func next() -> UInt64 {
        value.withLock { value in
            value += 1
            return value
        }
    }
}

/// A directory with a short path, removed with everything in it when nobody holds it any more.
final class TemporaryDirectory: Sendable {
    let path: String

    init() throws {
        var template = Array("/tmp/airXXXXXX".utf8CString)
        let made = mkdtemp(&template)
        try #require(made != nil)
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// A path in it.
    subscript(_ name: String) -> String { "\(path)/\(name)" }

    /// The files in one of its directories.
    func files(_ name: String) throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: self[name]) }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}

extension SocketLinksPolicy {
    /// The defaults with pauses short enough for a test to see several of them.
    static var hasty: SocketLinksPolicy {
        var policy = SocketLinksPolicy()
        policy.firstReconnect = 10
        policy.longestReconnect = 100
        policy.firstRedial = 5
        policy.longestRedial = 50
        policy.blindRescanInterval = 50
        return policy
    }
}
