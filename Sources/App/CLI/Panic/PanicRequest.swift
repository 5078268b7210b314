import Domain
import Synchronization

/// The wish to wipe, from whoever has it first: a command, the chat, a signal. Whoever runs the node waits for it.
final class PanicRequest: Sendable {
    /// Whether the node begins anew afterwards; one that belongs to a chat ends with it.
    let restarts: Bool
    private let state = Mutex((isMade: false, heard: (@Sendable () -> Void)?.none))

    init(restarts: Bool) { self.restarts = restarts }

    /// Whether somebody wants it.
    var isMade: Bool { state.withLock(\.isMade) }

    /// Asks for it; from any thread, further calls do nothing.
    func make() {
        let heard = state.withLock { state in
            defer { state.isMade = true }
            return state.isMade ? nil : state.heard
        }
        heard?()
    }

    /// Says what to do when somebody asks, also if that was before.
    func whenMade(_ heard: @escaping @Sendable () -> Void) {
        let isMade = state.withLock { state in
            state.heard = heard
            return state.isMade
        }
        if isMade { heard() }
    }
}
