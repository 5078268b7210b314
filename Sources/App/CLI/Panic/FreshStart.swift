import Glibc

/// Begins the program anew in the same process: what is left of old secrets in its memory goes with the old image.
enum FreshStart {
    /// Set for a start that follows a wipe: the node takes a new name, whatever name it was configured with.
    static let variable = "SATCHEL_AFTER_WIPE"

    /// Replaces this program by a new run of itself with the same command line. Returns only when that fails.
    static func begin() -> Failure {
        setenv(variable, "1", 1)
        var arguments = CommandLine.arguments.map { strdup($0) } + [nil]
        // The link names the file that runs, also when the command line named it by PATH.
        execv("/proc/self/exe", &arguments)
        let reason = SystemError.text()
        for argument in arguments { free(argument) }
        return Failure(.internalFault, "everything is erased, but the node cannot begin anew: \(reason)")
    }
}
