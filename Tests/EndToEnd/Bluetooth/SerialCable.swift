import Foundation
import Glibc
import Support
import Testing

/// A serial port with a virtual controller at the far end: a pseudo-terminal and a thread that carries the bytes.
final class SerialCable: Sendable {
    private let path: String
    /// Ends the thread when it is closed.
    private let stop: Int32

    /// Lays the cable to the socket of a controller.
    init(to socket: String) throws {
        let master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        var (lock, number): (Int32, Int32) = (0, 0)
        // TIOCSPTLCK and TIOCGPTN, whose macros are not imported.
        try #require(master >= 0 && ioctl(master, 0x4004_5431, &lock) == 0 && ioctl(master, 0x8004_5430, &number) == 0)
        path = "/dev/pts/\(number)"
        // Ours, so that the cable does not end when a program closes the port.
        let slave = open(path, O_RDWR | O_NOCTTY | O_CLOEXEC)
        try #require(slave >= 0)
        // No echo to the controller before a program has set the port up.
        var state = termios()
        try #require(tcgetattr(slave, &state) == 0)
        cfmakeraw(&state)
        try #require(tcsetattr(slave, TCSANOW, &state) == 0)
        let controller = try #require(UnixSocket.connect(to: socket))
        var pipes: [Int32] = [-1, -1]
        try #require(pipe(&pipes) == 0)
        for end in pipes { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        stop = pipes[1]
        let watched = pipes[0]
        Thread.detachNewThread { Self.carry(master, controller, until: watched, closing: [slave]) }
    }

    deinit { close(stop) }

    /// The port as `--adapter` names it.
    var address: String { "h4:\(path),1000000" }

    private static func carry(_ one: Int32, _ other: Int32, until stop: Int32, closing: [Int32]) {
        var buffer = [UInt8](repeating: 0, count: 4096)
        carrying: while true {
            var entries = [one, other, stop].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            guard poll(&entries, 3, -1) > 0, entries[2].revents == 0 else { break }
            for (entry, target) in [(entries[0], other), (entries[1], one)] where entry.revents != 0 {
                let count = read(entry.fd, &buffer, buffer.count)
                guard count > 0, write(target, buffer, count) == count else { break carrying }
            }
        }
        for descriptor in [one, other, stop] + closing { close(descriptor) }
    }
}
