import Domain
import Glibc

/// SIGINT, SIGTERM, SIGHUP and SIGUSR2 as values that one thread waits for.
///
/// They are blocked in every thread that is made later, so this comes first in the life of the process. A broken pipe is
/// left to whoever writes into it.
struct Signals {
    private var caught = sigset_t()

    /// Begins to hold the signals back for ``next()``.
    init() {
        signal(SIGPIPE, SIG_IGN)
        sigemptyset(&caught)
        for number in [SIGINT, SIGTERM, SIGHUP, SIGUSR2] { sigaddset(&caught, number) }
        pthread_sigmask(SIG_BLOCK, &caught, nil)
    }

    /// Waits for the next one.
    func next() -> Int32 {
        var caught = caught
        var number: Int32 = 0
        while sigwait(&caught, &number) != 0 {}
        return number
    }

    /// Waits for the next one, for so long; `nil` when none came.
    func next(within span: Milliseconds) -> Int32? {
        var caught = caught
        var time = timespec(tv_sec: Int(span.count / 1000), tv_nsec: Int(span.count % 1000) * 1_000_000)
        let number = sigtimedwait(&caught, nil, &time)
        return number > 0 ? number : nil
    }

    /// Lets the signals do what they usually do: from now on another SIGINT or SIGTERM ends the process at once.
    func release() {
        var caught = caught
        pthread_sigmask(SIG_UNBLOCK, &caught, nil)
    }
}
