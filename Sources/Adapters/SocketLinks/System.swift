import Glibc

/// What the system says about an `errno`.
func errorText(_ code: Int32) -> String {
    var text = [CChar](repeating: 0, count: 256)
    guard strerror_r(code, &text, text.count) == 0 else { return "error \(code)" }
    return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
}

/// Milliseconds that only ever rise, for timeouts within this process.
func monotonicMilliseconds() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
}

/// Owns one file descriptor: closed once, at the latest when nobody holds it any more.
final class Descriptor {
    /// The number; -1 once closed, so that a late use cannot hit whoever got the number next.
    private(set) var number: Int32

    init(_ number: Int32) { self.number = number }

    func close() {
        guard number >= 0 else { return }
        // EINTR included: on Linux the number is free again whatever close answers.
        _ = Glibc.close(number)
        number = -1
    }

    deinit { close() }
}

/// Which file a name stands for at the moment: a name can be given to another, this pair cannot while it is open.
struct FileIdentity: Hashable {
    let device: dev_t
    let inode: ino_t

    init(_ status: stat) {
        device = status.st_dev
        inode = status.st_ino
    }
}

/// Makes an accepted socket non-blocking and closed on exec. `accept4` would do both at once, but the Glibc module does
/// not show it; what a child forked in between inherits is one more end of a link that we close all the same.
func adopt(_ number: Int32) -> Descriptor {
    _ = fcntl(number, F_SETFD, FD_CLOEXEC)
    _ = fcntl(number, F_SETFL, O_NONBLOCK)
    return Descriptor(number)
}

/// Sets an integer socket option. None of ours is worth failing for: without it a link is slower or dies later.
func setOption(_ descriptor: Descriptor, _ level: Int32, _ option: Int32, _ value: Int32) {
    var value = value
    setsockopt(descriptor.number, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
}

/// The error that a non-blocking connect ended with; 0 means success.
func pendingError(_ descriptor: Descriptor) -> Int32 {
    var code: Int32 = 0
    var length = socklen_t(MemoryLayout<Int32>.size)
    return getsockopt(descriptor.number, SOL_SOCKET, SO_ERROR, &code, &length) == 0 ? code : errno
}

/// Whether the call should just be made again when the descriptor is ready.
func wouldBlock(_ code: Int32) -> Bool { code == EAGAIN || code == EWOULDBLOCK || code == EINTR }

/// Whether the system has run out of what a connection needs: it may have some again later.
func isExhaustion(_ code: Int32) -> Bool { [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(code) }
