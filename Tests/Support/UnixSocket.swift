import Foundation
import Glibc

/// Plain Unix stream sockets, for the tests' own conversations.
public enum UnixSocket {
    /// Connects; programs that are started later do not inherit the descriptor.
    ///
    /// - Returns: A descriptor that the caller closes; `nil` when nobody listens.
    public static func connect(to path: String) -> Int32? {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { return nil }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let fits = withUnsafeMutableBytes(of: &address.sun_path) { name in
            guard path.utf8.count < name.count else { return false }
            name.copyBytes(from: path.utf8)
            return true
        }
        let code = withUnsafePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard fits, code == 0 else {
            close(descriptor)
            return nil
        }
        return descriptor
    }
}
