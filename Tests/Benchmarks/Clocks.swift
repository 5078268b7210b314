import Glibc

/// What the kernel counts for us, in nanoseconds.
enum Clocks {
    /// Time that passes, the same for all processes.
    static var now: UInt64 { read(CLOCK_MONOTONIC) }
    /// Processor time of all threads of this process, in user and kernel mode.
    static var processor: UInt64 { read(CLOCK_PROCESS_CPUTIME_ID) }

    private static func read(_ clock: clockid_t) -> UInt64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}
