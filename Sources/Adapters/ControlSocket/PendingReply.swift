import Domain
import Synchronization

/// Passes the first answer to a request on, and gives one itself when the handler forgot to.
final class PendingReply: Sendable {
    private let isGiven = Mutex(false)
    private let pass: @Sendable (ControlReply) -> Void

    init(_ pass: @escaping @Sendable (ControlReply) -> Void) { self.pass = pass }

    /// Passes an answer on, unless one was.
    func give(_ reply: ControlReply) {
        let isFirst = isGiven.withLock { given in
            defer { given = true }
            return !given
        }
        if isFirst { pass(reply) }
    }

    deinit {
        guard !isGiven.withLock({ $0 }) else { return }
        pass(.failure(ControlError(code: ControlError.internalError, message: "the node gave no answer")))
    }
}

/// Collects the answers to a batch, which go out together and in the order of the calls.
///
/// `@unchecked Sendable`: used on the server's queue only.
final class BatchReply: @unchecked Sendable {
    private var answers: [JSONValue?]
    private var missing: Int
    private let finished: ([JSONValue]) -> Void

    /// Waits for an answer to each call but the notifications.
    init(_ calls: [RPCCall], finished: @escaping ([JSONValue]) -> Void) {
        answers = Array(repeating: nil, count: calls.count)
        missing = calls.count { call in if case .notification = call { false } else { true } }
        self.finished = finished
    }

    func fill(_ index: Int, _ answer: JSONValue) {
        answers[index] = answer
        missing -= 1
        if missing == 0 { finished(answers.compactMap { $0 }) }
    }
}
