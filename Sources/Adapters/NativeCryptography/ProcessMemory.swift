import CProcess
import Glibc

/// Keeps what is in the process's memory, secrets among it, to the process.
public enum ProcessMemory {
    /// No core dump is written from now on, and other processes of the same user cannot read the memory or attach.
    ///
    /// Best effort: where the system forbids even this, the node works as well without it.
    public static func forbidDumps() {
        var none = rlimit(rlim_cur: 0, rlim_max: 0)
        setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
        _ = process_forbid_dumps()
    }
}
