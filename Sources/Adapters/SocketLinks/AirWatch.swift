import Glibc

/// The kernel's notices about one air directory (inotify). What changed is not told: the directory is read again.
final class AirWatch: Watcher {
    let descriptor: Descriptor
    private let changed: () -> Void

    /// Watches; `nil` when the kernel cannot (a user has 128 instances unless told otherwise).
    init?(_ directory: AirDirectory, changed: @escaping () -> Void) {
        let number = inotify_init1(Int32(truncatingIfNeeded: IN_CLOEXEC) | Int32(truncatingIfNeeded: IN_NONBLOCK))
        guard number >= 0 else { return nil }
        descriptor = Descriptor(number)
        self.changed = changed
        // No IN_CREATE: a node's socket appears by being renamed, and what was just created is not for others yet.
        let events = IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_DELETE_SELF | IN_MOVE_SELF
        let mask = UInt32(truncatingIfNeeded: events) | UInt32(truncatingIfNeeded: IN_ONLYDIR)
        guard inotify_add_watch(number, directory.path, mask) >= 0 else { return nil }
    }

    var interest: Int32 { POLLIN }

    func ready(_ events: Int32) {
        var notices = [UInt8](repeating: 0, count: 4096)
        while read(descriptor.number, &notices, notices.count) > 0 {}
        changed()
    }
}
