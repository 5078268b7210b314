import Glibc

/// SIGINT, SIGTERM and SIGHUP as values that one thread waits for.
///
/// They are blocked in every thread that is made later, so this comes first in the life of the process. A broken pipe is
/// left to whoever writes into it.
struct Signals {
    private var caught = sigset_t()

    /// Begins to hold the signals back for ``next()``.
    init() {
        signal(SIGPIPE, SIG_IGN)
        sigemptyset(&caught)
        for number in [SIGINT, SIGTERM, SIGHUP] { sigaddset(&caught, number) }
        pthread_sigmask(SIG_BLOCK, &caught, nil)
    }

    /// Waits for the next one.
    func next() -> Int32 {
        var caught = caught
        var number: Int32 = 0
        while sigwait(&caught, &number) != 0 {}
        return number
    }

    /// Lets the signals do what they usually do: from now on another SIGINT or SIGTERM ends the process at once.
    func release() {
        var caught = caught
        pthread_sigmask(SIG_UNBLOCK, &caught, nil)
    }
}
