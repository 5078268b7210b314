import Application
import Domain
import Glibc
import Synchronization

/// Writes log lines to standard error: time, level, text. Never message text or keys; whoever logs sees to that.
final class LogWriter: Sendable {
    /// What is written, and how.
    struct Style: Sendable {
        /// The lowest level that is written.
        var level: LogLevel
        /// One JSON object a line.
        var isJSON: Bool
    }

    private let style: Mutex<Style>
    private let write: @Sendable (String) -> Void

    /// Makes a writer; lines go to `write`, without their line end.
    init(style: Style, write: @escaping @Sendable (String) -> Void) {
        self.style = Mutex(style)
        self.write = write
    }

    /// Changes what is written from now on.
    func set(_ style: Style) { self.style.withLock { $0 = style } }

    /// Writes a line, if its level is wanted. From any thread.
    func log(_ level: LogLevel, _ text: String) {
        let style = style.withLock { $0 }
        guard level >= style.level else { return }
        write(Self.line(level, text, at: SystemClock.wall, asJSON: style.isJSON))
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
