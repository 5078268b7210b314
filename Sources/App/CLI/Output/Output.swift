import Domain
import Glibc

/// Where a command speaks: the answer on standard output, everything else on standard error.
struct Output: Sendable {
    /// Writes bytes to a file descriptor; `false`, with `errno` set, when that fails.
    private let write: @Sendable ([UInt8], Int32) -> Bool

    /// The process's own streams.
    static let standard = Output { SystemFile.writeAll($0, to: $1) }

    /// Speaks through a function; for tests.
    init(write: @escaping @Sendable ([UInt8], Int32) -> Bool) { self.write = write }

    /// Part of the answer. A full disk behind standard output is not to be passed over.
    func answer(_ text: String) throws(Failure) {
        guard write(Array(text.utf8), STDOUT_FILENO) else {
            throw Failure(.inputOutput, "cannot write to standard output: \(SystemError.text())")
        }
    }

    /// The answer, or one line of it, as JSON.
    func answer(_ json: JSONValue) throws(Failure) { try answer(json.text + "\n") }

    /// Something worth saying that is not the answer.
    func note(_ text: String) { _ = write(Array((text + "\n").utf8), STDERR_FILENO) }

    /// A question to a person; the answer is typed behind it.
    func prompt(_ text: String) { _ = write(Array(text.utf8), STDERR_FILENO) }

    /// Why the command ends without having done what was asked.
    func report(_ failure: Failure, asJSON: Bool) {
        guard !asJSON else { return note(failure.json.text) }
        note("satchel: " + DisplayText.line(failure.message))
        for hint in failure.hints { note("  " + DisplayText.line(hint)) }
    }
}

/// Rows under headings, columns as wide as they must be.
enum Table {
    /// The lines; the last column is not padded.
    static func lines(_ headings: [String], _ rows: [[String]]) -> String {
        let all = [headings] + rows
        let widths = headings.indices.map { column in
            all.map { column < $0.count ? $0[column].count : 0 }.max() ?? 0
        }
        return all.map { row in
            var line = ""
            for (column, cell) in row.enumerated() {
                line += cell
                if column + 1 < row.count { line += String(repeating: " ", count: widths[column] - cell.count + 2) }
            }
            return line + "\n"
        }.joined()
    }
}
