/// A span of time in milliseconds.
public struct Milliseconds: Hashable, Comparable, Sendable, ExpressibleByIntegerLiteral {
    /// The number of milliseconds.
    public let count: Int64

    /// Takes a number of milliseconds.
    public init(_ count: Int64) { self.count = count }
    /// A literal counts milliseconds.
    public init(integerLiteral count: Int64) { self.count = count }
    /// Whole seconds.
    public static func seconds(_ count: Int64) -> Milliseconds { Milliseconds(count * 1000) }
    /// Orders by length.
    public static func < (left: Milliseconds, right: Milliseconds) -> Bool { left.count < right.count }
    /// Adds two spans.
    public static func + (left: Milliseconds, right: Milliseconds) -> Milliseconds {
        Milliseconds(left.count + right.count)
    }
    /// Multiplies a span.
    public static func * (left: Milliseconds, right: Int64) -> Milliseconds { Milliseconds(left.count * right) }
}

/// A point on the machine's monotonic clock, which also runs during suspend (CLOCK_BOOTTIME).
///
/// For every window, timeout, cadence and rate; never on the wire. A type of its own, so that it cannot be mixed with
/// ``WallTime``: when NTP moves the wall clock, no window may jump.
public struct Uptime: Hashable, Comparable, Sendable {
    /// Milliseconds since the clock's start.
    public let milliseconds: Int64

    /// Takes milliseconds since the clock's start.
    public init(milliseconds: Int64) { self.milliseconds = milliseconds }
    /// Orders by time.
    public static func < (left: Uptime, right: Uptime) -> Bool { left.milliseconds < right.milliseconds }
    /// A later point.
    public static func + (left: Uptime, right: Milliseconds) -> Uptime {
        Uptime(milliseconds: left.milliseconds + right.count)
    }
    /// The span from `right` to `left`.
    public static func - (left: Uptime, right: Uptime) -> Milliseconds {
        Milliseconds(left.milliseconds - right.milliseconds)
    }
}

/// A wall-clock time as the wire carries it: milliseconds since 1970, unsigned. Any value may arrive.
public struct WallTime: Hashable, Comparable, Sendable {
    /// Milliseconds since 1970-01-01T00:00:00Z.
    public let milliseconds: UInt64

    /// Takes milliseconds since 1970.
    public init(milliseconds: UInt64) { self.milliseconds = milliseconds }
    /// Orders by time.
    public static func < (left: WallTime, right: WallTime) -> Bool { left.milliseconds < right.milliseconds }

    /// How far two times are apart, without overflow, in milliseconds.
    public func distance(to other: WallTime) -> UInt64 {
        milliseconds > other.milliseconds
            ? milliseconds - other.milliseconds : other.milliseconds - milliseconds
    }

    /// Whether this time lies more than `maximumAge` before `now`; never, near the clock's origin (spec: mesh §6).
    public func isStale(at now: WallTime, maximumAge: Milliseconds) -> Bool {
        let age = UInt64(clamping: maximumAge.count)
        return now.milliseconds >= age && milliseconds < now.milliseconds - age
    }

    /// An earlier time, kept at zero when there is none: nothing is older than that.
    public func subtracting(_ span: Milliseconds) -> WallTime {
        let (difference, overflow) = milliseconds.subtractingReportingOverflow(UInt64(clamping: span.count))
        return WallTime(milliseconds: overflow ? 0 : difference)
    }

    /// A later time, kept at the largest one when it would overflow.
    public func adding(_ span: Milliseconds) -> WallTime {
        let (sum, overflow) = milliseconds.addingReportingOverflow(UInt64(clamping: span.count))
        return WallTime(milliseconds: overflow ? .max : sum)
    }
}
