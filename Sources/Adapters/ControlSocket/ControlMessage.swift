import Domain

/// What a client asks of the node.
public struct ControlRequest: Hashable, Sendable {
    /// The verb.
    public let method: String
    /// An object or an array; `nil` when the client sent none.
    public let params: JSONValue?

    /// Makes a request.
    public init(method: String, params: JSONValue? = nil) {
        self.method = method
        self.params = params
    }
}

/// What the node answers: a result, or why there is none.
public typealias ControlReply = Result<JSONValue, ControlError>

/// Why a request was not fulfilled.
///
/// Refusals of the node carry the exit code that the command line ends with (64 usage, 66 no such peer, 67 ambiguous …);
/// faults of the protocol carry the codes of JSON-RPC 2.0.
public struct ControlError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The code.
    public let code: Int
    /// One sentence for a person.
    public let message: String
    /// More for a program, such as the candidates for an ambiguous name.
    public let data: JSONValue?

    /// Makes an error.
    public init(code: Int, message: String, data: JSONValue? = nil) {
        self.code = code
        self.message = message
        self.data = data
    }

    /// The message and its code.
    public var description: String { "\(message) (\(code))" }

    /// The line is not JSON.
    public static let parseError = -32700
    /// The line is JSON and no request.
    public static let invalidRequest = -32600
    /// The node knows no such method; for the handler to answer.
    public static let unknownMethod = -32601
    /// The parameters make no sense to the method.
    public static let invalidParams = -32602
    /// The node failed.
    public static let internalError = -32603
    /// The client has too many requests in flight, or the socket too many clients: try again later (EX_TEMPFAIL).
    public static let busy = 75

    /// An error as JSON-RPC writes it.
    var json: JSONValue { .object(["code": .number(code), "message": .string(message), "data": data]) }

    /// Reads the error member of a response; what is missing is made up, since the refusal itself must not get lost.
    init(json: JSONValue) {
        self.init(
            code: json["code"]?.integer.flatMap { Int(exactly: $0) } ?? Self.internalError,
            message: json["message"]?.string ?? "the node gave no reason", data: json["data"])
    }
}

/// Why the control socket could not be opened.
public enum ControlSocketError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The path does not fit a Unix socket address; its length in bytes and the most that fits.
    case pathTooLong(path: String, bytes: Int, limit: Int)
    /// The runtime directory belongs to another user, or others may write to it; says which.
    case unsafeDirectory(path: String, reason: String)
    /// A node serves this path; its process ID where known.
    case alreadyRunning(path: String, process: Int32?)
    /// The system refused; the call, the path and errno.
    case system(call: String, path: String, code: Int32)

    /// What is wrong, for a person.
    public var description: String {
        switch self {
        case .pathTooLong(let path, let bytes, let limit):
            "the control socket's path is \(bytes) bytes long, at most \(limit) fit: \(path)"
        case .unsafeDirectory(let path, let reason): "the runtime directory \(path) \(reason)"
        case .alreadyRunning(let path, let process):
            "a node is already running on \(path)" + (process.map { " (process \($0))" } ?? "")
        case .system(let call, let path, let code): "\(call) \(path): \(SystemCall.message(of: code))"
        }
    }
}
