import Glibc
import KeyfileVault

/// Where a passphrase comes from: a file, or a person at a terminal; nobody is asked where nobody can answer.
enum PassphraseSource {
    /// The longest passphrase, in bytes.
    private static let limit = 1024
    /// Ctrl-C.
    private static let interrupt: UInt8 = 3

    /// Reads the first line of a file that nobody else may read, or of `-`, standard input.
    static func read(_ path: String) throws(Failure) -> Passphrase {
        let isInput = path == "-"
        let descriptor = isInput ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            let code: ExitCode =
                errno == EACCES ? .refused : errno == ENOENT || errno == ENOTDIR ? .configuration : .inputOutput
            throw Failure(code, "cannot read \(path): \(SystemError.text())")
        }
        defer { if !isInput { close(descriptor) } }
        try check(descriptor, path)
        // One buffer that never moves, so that wiping it wipes all there is.
        var bytes = [UInt8](repeating: 0, count: limit + 1)
        defer { wipe(&bytes) }
        let count = try fill(&bytes, from: descriptor, path)
        guard count <= limit else { throw Failure(.configuration, "\(path) is larger than \(limit) bytes") }
        var end = bytes[..<count].firstIndex(of: 0x0A) ?? count
        if end > 0, bytes[end - 1] == 0x0D { end -= 1 }
        var line = Array(bytes[..<end])
        guard let passphrase = Passphrase(wiping: &line) else {
            throw Failure(.configuration, "the passphrase file \(path) begins with an empty line")
        }
        return passphrase
    }

    /// A file of ours must be closed to everybody else. One of root's may be open to a group: so does systemd hand over
    /// credentials.
    private static func check(_ descriptor: Int32, _ path: String) throws(Failure) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            throw Failure(.inputOutput, "cannot look at \(path): \(SystemError.text())")
        }
        let others: mode_t = status.st_uid == 0 && geteuid() != 0 ? 0o007 : 0o077
        guard status.st_mode & S_IFMT == S_IFREG, status.st_mode & others != 0 else { return }
        throw Failure(
            .refused, "others may read the passphrase in \(path)", hints: ["chmod 600 \(ShellWord.quoted(path))"])
    }

    private static func fill(_ bytes: inout [UInt8], from descriptor: Int32, _ path: String) throws(Failure) -> Int {
        var filled = 0
        while filled < bytes.count {
            let count = bytes.withUnsafeMutableBytes { memory in
                Glibc.read(descriptor, memory.baseAddress?.advanced(by: filled), memory.count - filled)
            }
            if count == 0 { break }
            if count < 0 {
                if errno == EINTR { continue }
                throw Failure(.inputOutput, "cannot read \(path): \(SystemError.text())")
            }
            filled += count
        }
        return filled
    }

    private static func wipe(_ bytes: inout [UInt8]) {
        bytes.withUnsafeMutableBytes { memory in
            // explicit_bzero is not removed by an optimiser that sees that nobody reads the zeros.
            if let start = memory.baseAddress { explicit_bzero(start, memory.count) }
        }
    }

    /// Whether there is a person to ask.
    static var canAsk: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1 }

    /// Asks at the terminal, without showing what is typed.
    static func ask(_ prompt: String, _ output: Output) throws(Failure) -> Passphrase {
        var typed = try typedLine(prompt, output)
        guard let passphrase = Passphrase(wiping: &typed) else {
            throw Failure(.usage, "an empty passphrase is none")
        }
        return passphrase
    }

    /// Asks twice for a new passphrase.
    static func askForNew(_ purpose: String, _ output: Output) throws(Failure) -> Passphrase {
        var first = try typedLine("Passphrase for \(purpose)", output)
        var second: [UInt8]
        do throws(Failure) { second = try typedLine("The same again", output) } catch {
            wipe(&first)
            throw error
        }
        let areEqual = first == second
        wipe(&second)
        guard areEqual else {
            wipe(&first)
            throw Failure(.usage, "the two passphrases differ")
        }
        guard let passphrase = Passphrase(wiping: &first) else {
            throw Failure(.usage, "an empty passphrase is none")
        }
        return passphrase
    }

    private static func typedLine(_ prompt: String, _ output: Output) throws(Failure) -> [UInt8] {
        var settings = termios()
        guard tcgetattr(STDIN_FILENO, &settings) == 0 else {
            throw Failure(.inputOutput, "cannot read from the terminal: \(SystemError.text())")
        }
        let before = settings
        settings.c_lflag &= ~tcflag_t(ECHO | ISIG)
        // Ctrl-C must not end the process before the echo is back, and where signals are held back it would not arrive:
        // it comes as a character, and at once, as one that ends the line.
        withUnsafeMutableBytes(of: &settings.c_cc) { $0[Int(VEOL)] = interrupt }
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &settings)
        defer {
            var before = before
            tcsetattr(STDIN_FILENO, TCSAFLUSH, &before)
        }
        output.prompt(prompt + ": ")
        var line: [UInt8] = []
        line.reserveCapacity(limit)
        var byte: UInt8 = 0
        while line.count < limit {
            let count = Glibc.read(STDIN_FILENO, &byte, 1)
            if count < 0, errno == EINTR { continue }
            guard count == 1, byte != 0x0A else { break }
            guard byte != interrupt else {
                wipe(&line)
                output.note("")
                throw Failure(.interrupted, "interrupted")
            }
            line.append(byte)
        }
        output.note("")
        return line
    }
}
