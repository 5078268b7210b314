import Glibc
import KeyfileVault

/// Where a passphrase comes from: a file, or a person at a terminal; nobody is asked where nobody can answer.
enum PassphraseSource {
    /// The longest passphrase, in bytes.
    private static let limit = 1024

    /// Reads the first line of a file.
    static func read(_ path: String) throws(Failure) -> Passphrase {
        var bytes = try SystemFile.read(path, limit: limit, missing: .configuration)
        if let end = bytes.firstIndex(of: 0x0A) {
            for index in bytes.indices where index >= end { bytes[index] = 0 }
            bytes.removeSubrange(end...)
        }
        if bytes.last == 0x0D { bytes.removeLast() }
        guard let passphrase = Passphrase(wiping: &bytes) else {
            throw Failure(.configuration, "the passphrase file \(path) begins with an empty line")
        }
        return passphrase
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
        var second = try typedLine("The same again", output)
        let areEqual = first == second
        for index in second.indices { second[index] = 0 }
        guard areEqual else {
            for index in first.indices { first[index] = 0 }
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
        settings.c_lflag &= ~tcflag_t(ECHO)
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
            line.append(byte)
        }
        output.note("")
        return line
    }
}
