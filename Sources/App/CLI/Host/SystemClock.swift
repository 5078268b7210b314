import Application
import Domain
import Glibc
import KernelClock

/// The machine's two clocks.
final class SystemClock: Clock, Sendable {
    /// CLOCK_REALTIME; a clock before 1970 reads as 1970.
    var wall: WallTime { Self.wall }
    /// CLOCK_BOOTTIME, which runs on while the machine sleeps.
    var uptime: Uptime { Self.uptime }

    /// What the kernel says of CLOCK_REALTIME.
    var isSynchronised: Bool? { KernelClock.isSynchronised }

    /// CLOCK_REALTIME, now.
    static var wall: WallTime { WallTime(milliseconds: UInt64(clamping: milliseconds(of: CLOCK_REALTIME))) }
    /// CLOCK_BOOTTIME, now.
    static var uptime: Uptime { Uptime(milliseconds: milliseconds(of: CLOCK_BOOTTIME)) }

    private static func milliseconds(of clock: clockid_t) -> Int64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }
}
