import Glibc

/// Where a node keeps its things.
///
/// Without `--home` the XDG directories hold them: `$XDG_CONFIG_HOME/satchel`, `$XDG_DATA_HOME/satchel` and
/// `$XDG_RUNTIME_DIR/satchel`. With `--home DIR` all is under one folder: `config.json5`, `data/` and `run/`.
struct Places: Hashable, Sendable {
    /// The configuration file.
    let configuration: String
    /// Whether somebody named the configuration file: then it must exist.
    let isConfigurationNamed: Bool
    /// Keys, database and received files.
    let data: String
    /// The control socket and the lock.
    let runtime: String
    /// The folder through which all nodes of this user meet, whatever their home.
    let air: String
    /// What `--home` or `SATCHEL_HOME` said, made absolute.
    let home: String?

    /// The control socket.
    var controlSocket: String { runtime + "/control.sock" }

    /// The longest path of a Unix socket that Linux takes, in bytes.
    static let longestSocketPath = 107

    /// Works the places out.
    ///
    /// - Parameters:
    ///   - workingDirectory: What relative paths are relative to.
    ///   - user: The user's number; names the runtime directory where the session has none.
    init(
        invocation: Invocation, environment: [String: String], workingDirectory: String, user: UInt32
    ) throws(Failure) {
        func named(_ name: String) -> String? {
            environment[name].flatMap { $0.isEmpty ? nil : Self.absolute($0, in: workingDirectory) }
        }
        // A relative XDG path is to be ignored (XDG Base Directory Specification).
        func xdg(_ name: String) -> String? { environment[name].flatMap { $0.hasPrefix("/") ? $0 : nil } }

        let userHome = environment["HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
        let userRuntime =
            xdg("XDG_RUNTIME_DIR").map { $0 + "/satchel" }
            ?? (xdg("TMPDIR") ?? "/tmp") + "/satchel-\(user)"
        air = userRuntime + "/air"
        home = invocation.value("home").map { Self.absolute($0, in: workingDirectory) } ?? named("SATCHEL_HOME")
        let file = invocation.value("config").map { Self.absolute($0, in: workingDirectory) } ?? named("SATCHEL_CONFIG")
        isConfigurationNamed = file != nil
        if let home {
            configuration = file ?? home + "/config.json5"
            data = home + "/data"
            runtime = home + "/run"
        } else {
            guard let dataHome = xdg("XDG_DATA_HOME") ?? userHome.map({ $0 + "/.local/share" }),
                let configHome = xdg("XDG_CONFIG_HOME") ?? userHome.map({ $0 + "/.config" })
            else {
                throw Failure(
                    .configuration, "HOME is not set, so there is no place for data",
                    hints: ["name one with --home DIR or SATCHEL_HOME"])
            }
            configuration = file ?? configHome + "/satchel/config.json5"
            data = dataHome + "/satchel"
            runtime = userRuntime
        }
        guard controlSocket.utf8.count <= Self.longestSocketPath else {
            throw Failure(
                .configuration,
                "the control socket's path has \(controlSocket.utf8.count) bytes, and Linux allows "
                    + "\(Self.longestSocketPath): \(controlSocket)", hints: ["choose a shorter --home"])
        }
    }

    /// A path without doubled slashes and `.` parts, made absolute.
    static func absolute(_ path: String, in directory: String) -> String {
        let whole = path.hasPrefix("/") ? path : directory + "/" + path
        let parts = whole.split(separator: "/").filter { $0 != "." }
        return "/" + parts.joined(separator: "/")
    }

    /// The folder around a file or folder.
    static func parent(of path: String) -> String {
        let parent = path.lastIndex(of: "/").map { path[..<$0] } ?? ""
        return parent.isEmpty ? "/" : String(parent)
    }

    /// The options that make another command find the same node; for hints.
    var options: String { home.map { " --home " + ShellWord.quoted($0) } ?? "" }
}

/// Quotes text for a command line that a person may copy.
enum ShellWord {
    /// The word as it is, or in single quotes where a shell would take it apart.
    static func quoted(_ word: String) -> String {
        let plain = word.unicodeScalars.allSatisfy { scalar in
            scalar.properties.isAlphabetic && scalar.isASCII || ("0"..."9").contains(scalar)
                || "/._-+:@%,=".unicodeScalars.contains(scalar)
        }
        guard word.isEmpty || !plain else { return word }
        return "'" + word.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
    }
}
