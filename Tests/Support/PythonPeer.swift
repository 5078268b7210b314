import Domain
import Foundation
import Testing

/// The two Python implementations, in a process of their own that answers one request at a time.
public final class PythonPeer {
    /// What a refused request says.
    public struct Refusal: Error, CustomStringConvertible {
        /// Its words.
        public let description: String
    }

    private let process = Process()
    private let requests = Pipe()
    private let answers = Pipe()
    private var received: [UInt8] = []

    /// Starts the process.
    public init() throws {
        let script = InteropPython.folder + "/peer.py"
        process.executableURL = URL(fileURLWithPath: try #require(InteropPython.path))
        process.arguments = ["-I", script]
        process.standardInput = requests
        process.standardOutput = answers
        try process.run()
    }

    deinit {
        try? requests.fileHandleForWriting.close()
        // The end of its input alone may not reach it: programs that were started meanwhile may hold the pipe.
        process.terminate()
        process.waitUntilExit()
    }

    /// Asks for an operation; throws ``Refusal`` when the implementation refuses.
    public func ask(_ operation: String, _ members: KeyValuePairs<String, JSONValue?> = [:]) throws -> JSONValue {
        guard case .object(let list) = JSONValue.object(members) else { preconditionFailure("an object is an object") }
        let request = JSONValue.object([.init("op", .string(operation))] + list)
        try requests.fileHandleForWriting.write(contentsOf: Data(request.encoded + [0x0A]))
        let answer = try JSONValue(parsing: try line())
        if let reason = answer["refused"]?.string { throw Refusal(description: reason) }
        return answer.member("ok")
    }

    /// Asks for bytes.
    public func bytes(_ operation: String, _ members: KeyValuePairs<String, JSONValue?> = [:]) throws -> [UInt8] {
        let answer = try ask(operation, members)
        return try #require(answer.hex)
    }

    private func line() throws -> [UInt8] {
        while true {
            if let end = received.firstIndex(of: 0x0A) {
                let line = Array(received[..<end])
                received.removeSubrange(...end)
                return line
            }
            let more = answers.fileHandleForReading.availableData
            guard !more.isEmpty else { throw Refusal(description: "the Python process ended") }
            received += more
        }
    }
}
