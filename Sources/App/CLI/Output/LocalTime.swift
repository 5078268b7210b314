import Domain
import Glibc

/// Times as people read them, in the machine's time zone.
enum LocalTime {
    /// `14:03:59`.
    static func clock(_ time: WallTime) -> String {
        guard let parts = parts(of: time) else { return "??:??:??" }
        return "\(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec))"
    }

    /// `2026-08-10 14:03:59`.
    static func full(_ time: WallTime) -> String {
        guard let parts = parts(of: time) else { return "\(time.milliseconds) ms" }
        return "\(parts.tm_year + 1900)-\(two(parts.tm_mon + 1))-\(two(parts.tm_mday)) \(clock(time))"
    }

    /// `3d 4h`, `2h 5m`, `14s`: the two largest units.
    static func span(_ span: Milliseconds) -> String {
        let seconds = max(0, span.count / 1000)
        let (days, hours, minutes) = (seconds / 86_400, seconds / 3600 % 24, seconds / 60 % 60)
        if days > 0 { return "\(days)d \(hours)h" }
        if hours > 0 { return "\(hours)h \(minutes)m" }
        if minutes > 0 { return "\(minutes)m \(seconds % 60)s" }
        return "\(seconds)s"
    }

    private static func parts(of time: WallTime) -> tm? {
        // A time from the wire may lie beyond any calendar.
        guard let seconds = time_t(exactly: time.milliseconds / 1000) else { return nil }
        var input = seconds
        var parts = tm()
        return localtime_r(&input, &parts) == nil ? nil : parts
    }

    private static func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
