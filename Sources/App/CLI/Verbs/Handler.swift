import Domain
import Glibc

/// Runs a program for a message, with the message as JSON on its standard input. Never through a shell.
struct Handler: Sendable {
    /// A path, or a name that is looked up in `PATH`.
    let program: String
    /// What it is given on its command line.
    var arguments: [String] = []

    /// Runs the program to its end.
    ///
    /// - Returns: What it exited with; 128 and the signal's number when one ended it.
    func run(with message: JSONValue) throws(Failure) -> Int32 { try run(with: message.encoded + [0x0A]) }

    /// Runs the program to its end with these bytes on its standard input; its output is ours.
    func run(with input: [UInt8]) throws(Failure) -> Int32 {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw Failure(.inputOutput, "cannot make a pipe: \(SystemError.text())") }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let process: pid_t
        do throws(Failure) {
            process = try start(reading: ends[0])
        } catch {
            close(ends[0])
            close(ends[1])
            throw error
        }
        close(ends[0])
        // A program that does not read to the end is not to end us: the write then fails, and that is its affair.
        let previous = signal(SIGPIPE, SIG_IGN)
        _ = SystemFile.writeAll(input, to: ends[1])
        signal(SIGPIPE, previous)
        close(ends[1])
        return try wait(for: process)
    }

    private func start(reading descriptor: Int32) throws(Failure) -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, descriptor, STDIN_FILENO)
        var process: pid_t = 0
        // C wants the name twice, as the file and as the program's own first argument, and a null behind the last.
        let code = program.withCString { name -> Int32 in
            var arguments = ([program] + self.arguments).map { strdup($0) } + [nil]
            defer { for argument in arguments { free(argument) } }
            return posix_spawnp(&process, name, &actions, nil, &arguments, environ)
        }
        guard code == 0 else {
            throw Failure(
                code == ENOENT ? .notFound : code == EACCES ? .refused : .inputOutput,
                "cannot run \(program): \(SystemError.text(code))")
        }
        return process
    }

    private func wait(for process: pid_t) throws(Failure) -> Int32 {
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0 {
            guard errno == EINTR else {
                throw Failure(.inputOutput, "cannot wait for \(program): \(SystemError.text())")
            }
        }
        let signal = status & 0x7F
        return signal == 0 ? status >> 8 & 0xFF : 128 + signal
    }
}
