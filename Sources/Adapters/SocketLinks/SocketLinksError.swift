/// Why the socket links could not start: what, with which value, and what to do about it.
public enum SocketLinksError: Error, Hashable, Sendable {
    /// An address that is not `HOST:PORT`.
    case badAddress(String, reason: String)
    /// The host of an address to listen on has no address. (One to connect to is tried again instead.)
    case noSuchHost(String, detail: String)
    /// Somebody listens there already.
    case addressInUse(String)
    /// The address is none of this machine's.
    case addressNotAvailable(String)
    /// The system forbids it.
    case permissionDenied(action: String, subject: String)
    /// The socket's path exceeds what the system carries in a Unix address.
    case pathTooLong(String, length: Int, limit: Int)
    /// The path of an air directory is something else.
    case notADirectory(String)
    /// Others could tamper with the air directory.
    case unsafeDirectory(String, reason: String)
    /// ``SocketLinks/start()`` was called a second time.
    case alreadyStarted
    /// Any other failure, by `errno`.
    case system(action: String, subject: String, code: Int32)
}

extension SocketLinksError: CustomStringConvertible {
    /// For a person, in one line.
    public var description: String {
        switch self {
        case .badAddress(let text, let reason):
            "bad address \"\(text)\": \(reason); write HOST:PORT, or [ADDRESS]:PORT for IPv6"
        case .noSuchHost(let host, let detail):
            "cannot listen on \(host): \(detail); give an address of this machine, 0.0.0.0 or [::]"
        case .addressInUse(let address):
            "cannot listen on \(address): the address is in use; stop the other program or choose another port"
        case .addressNotAvailable(let address):
            "cannot listen on \(address): this machine does not have that address; 0.0.0.0 or [::] means all of them"
        case .permissionDenied(let action, let subject):
            "cannot \(action) \(subject): permission denied; choose a path of your own, or a port above 1023"
        case .pathTooLong(let path, let length, let limit):
            "the socket path \(path) has \(length) bytes, the system's limit is \(limit); choose a shorter air directory"
        case .notADirectory(let path):
            "\(path) is not a directory; an air needs a directory of its own"
        case .unsafeDirectory(let path, let reason):
            "the air directory \(path) \(reason)"
        case .alreadyStarted:
            "these links were started before; make new ones"
        case .system(let action, let subject, let code):
            "cannot \(action) \(subject): \(errorText(code))"
        }
    }
}
