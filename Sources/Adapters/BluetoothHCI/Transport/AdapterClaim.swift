import Glibc

/// Says to the whole system which process has an adapter, so that a second node can name the first.
///
/// A lock (`flock`) on the adapter's own file: the port of a serial controller, the directory in sysfs of one of the
/// kernel's. It needs no file that somebody must clean up, ends with the process however that ends, and `/proc/locks`
/// tells everybody who holds it. What keeps two processes apart is for a serial port this lock, and for the kernel's
/// adapters the kernel; there the lock is only a sign.
///
/// A controller behind a socket has no such file. It is the one who must turn a second host away, and the virtual ones
/// that the tests use do.
enum AdapterClaim {
    /// Locks what an open descriptor stands for; false when another has it.
    static func lock(_ descriptor: Int32) -> Bool {
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            guard errno == EINTR else { return errno != EWOULDBLOCK }
        }
        return true
    }

    /// Opens a directory and locks it; `nil` when that does not work, for whatever reason.
    static func take(directory: String) -> Int32? {
        let descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return descriptor }
        close(descriptor)
        return nil
    }

    /// The process that holds the lock of a file, as `/proc/locks` lists it; `nil` when nobody does, or when it is not
    /// to be seen from here (in a container).
    static func holder(of path: String, in locks: String) -> Int32? {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        let file = "\(device(status.st_dev)):\(status.st_ino)"
        for line in locks.split(separator: "\n") {
            // `1: FLOCK  ADVISORY  WRITE 8013 00:16:4999 0 EOF`; who waits for a lock has an arrow behind the number.
            let fields = line.split(separator: " ")
            guard fields.count >= 6, fields[1] == "FLOCK", fields[5] == file else { continue }
            return Int32(fields[4]).flatMap { $0 > 0 ? $0 : nil }
        }
        return nil
    }

    /// Major and minor number, two hexadecimal digits at least, from the layout that glibc gives a `dev_t`.
    private static func device(_ device: dev_t) -> String {
        let number = UInt64(device)
        let major = number >> 8 & 0xFFF | number >> 32 & 0xFFFF_F000
        let minor = number & 0xFF | number >> 12 & 0xFFFF_FF00
        return [major, minor].map { part in
            let text = String(part, radix: 16)
            return text.utf8.count < 2 ? "0" + text : text
        }.joined(separator: ":")
    }
}
