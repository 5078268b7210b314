import Domain
import Foundation
import Glibc
import Synchronization

/// A Unix socket that takes one JSON request a line and answers each with one JSON value a line.
final class RequestSocket: Sendable {
    /// What was answered in place of what was asked for.
    struct Refusal: Error, CustomStringConvertible {
        let description: String
    }

    private struct State {
        let descriptor: Int32
        var received: [UInt8] = []
    }

    private let state: Mutex<State>

    /// Connects.
    init(path: String) throws {
        guard let descriptor = UnixSocket.connect(to: path) else {
            throw Refusal(description: "\(path): there is nobody to ask")
        }
        // The hang guard: an answer that does not come ends the test, not the run.
        var patience = timeval(tv_sec: Int(SatchelNode.patience), tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        state = Mutex(State(descriptor: descriptor))
    }

    deinit { state.withLock { _ = close($0.descriptor) } }

    /// Asks; throws ``Refusal`` when the other side refuses, went away or does not answer.
    @discardableResult
    func ask(_ operation: String, _ members: KeyValuePairs<String, JSONValue?> = [:]) throws -> JSONValue {
        guard case .object(let list) = JSONValue.object(members) else { preconditionFailure("an object is an object") }
        let request = JSONValue.object([.init("op", .string(operation))] + list).encoded + [0x0A]
        let answer = try state.withLock { state in
            guard send(state.descriptor, request, request.count, Int32(MSG_NOSIGNAL)) == request.count else {
                throw Refusal(description: "\(operation): the other side is gone")
            }
            return try JSONValue(parsing: Self.line(&state, operation))
        }
        if let text = answer.string, text.hasPrefix("error") || text.hasPrefix("unknown") {
            throw Refusal(description: "\(operation): \(text)")
        }
        return answer
    }

    private static func line(_ state: inout State, _ operation: String) throws -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: 64 * 1024)
        while true {
            if let end = state.received.firstIndex(of: 0x0A) {
                let line = Array(state.received[..<end])
                state.received.removeSubrange(...end)
                return line
            }
            let count = read(state.descriptor, &buffer, buffer.count)
            guard count > 0 else { throw Refusal(description: "\(operation): no answer") }
            state.received += buffer[..<count]
        }
    }
}
