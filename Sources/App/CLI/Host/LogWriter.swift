import Application
import Dispatch
import Domain
import Glibc
import Synchronization

/// Writes log lines to standard error: time, level, text. Never message text or keys; whoever logs sees to that.
///
/// Lines wait in a bounded queue of their own: the node and its links must not stand still because nobody reads what
/// they say.
final class LogWriter: Sendable {
    /// What is written, and how.
    struct Style: Sendable {
        /// The lowest level that is written.
        var level: LogLevel
        /// One JSON object a line.
        var isJSON: Bool
    }

    private struct State {
        var style: Style
        /// Lines that wait, oldest first.
        var lines: [String] = []
        /// How many found no room since the last one that did.
        var dropped = 0
        var isDraining = false
    }

    /// Lines that may wait: a burst at debug level, and no more than some 100 kB.
    static let limit = 1000
    /// How long the end of the process waits for a reader that stands still, in milliseconds.
    private static let patience = 1000

    private let state: Mutex<State>
    private let queue = DispatchQueue(label: "satchel.log")
    private let write: @Sendable (String) -> Void

    /// Makes a writer; lines go to `write`, without their line end, one at a time and in order.
    init(style: Style, write: @escaping @Sendable (String) -> Void) {
        state = Mutex(State(style: style))
        self.write = write
    }

    /// Changes what is written from now on.
    func set(_ style: Style) { state.withLock { $0.style = style } }

    /// Has a line written, if its level is wanted. From any thread, returns at once.
    func log(_ level: LogLevel, _ text: String) {
        let style = state.withLock { $0.style }
        guard level >= style.level else { return }
        let line = Self.line(level, text, at: SystemClock.wall, asJSON: style.isJSON)
        let isDue = state.withLock { state in
            guard state.lines.count < Self.limit else {
                state.dropped += 1
                return false
            }
            state.lines.append(line)
            defer { state.isDraining = true }
            return !state.isDraining
        }
        if isDue { queue.async { self.drain() } }
    }

    /// Waits until everything is written; not for ever, when nobody reads it.
    func flush() {
        let isWritten = DispatchSemaphore(value: 0)
        queue.async { isWritten.signal() }
        _ = isWritten.wait(timeout: .now() + .milliseconds(Self.patience))
    }

    private func drain() {
        while true {
            let (lines, dropped) = state.withLock { state in
                defer { (state.lines, state.dropped) = ([], 0) }
                state.isDraining = !state.lines.isEmpty
                return (state.lines, state.dropped)
            }
            guard !lines.isEmpty else { return }
            for line in lines { write(line) }
            if dropped > 0 {
                let asJSON = state.withLock { $0.style.isJSON }
                write(
                    Self.line(
                        .warning, "\(dropped) log lines were dropped, for nobody read them", at: SystemClock.wall,
                        asJSON: asJSON))
            }
        }
    }

    /// The form of a line. Names of peers may stand in it, so it is cleaned like what a terminal sees.
    static func line(_ level: LogLevel, _ text: String, at time: WallTime, asJSON: Bool) -> String {
        let text = DisplayText.line(text)
        guard asJSON else { return "\(LocalTime.full(time)) \(level.rawValue) \(text)" }
        return JSONValue.object([
            "time": .number(time.milliseconds), "level": .string(level.rawValue), "text": .string(text),
        ]).text
    }
}
