import Glibc

/// The process environment, as far as it concerns us.
enum Environment {
    /// The variables that are read besides those of the settings.
    static let names = [
        "HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_RUNTIME_DIR", "TMPDIR", "SATCHEL_HOME", "SATCHEL_CONFIG",
        "NO_COLOR", "TERM", FreshStart.variable,
    ]

    /// Their values, where they are set.
    static func read() -> [String: String] {
        var values: [String: String] = [:]
        for name in names + Settings.all.map(\.environment) {
            if let value = getenv(name) { values[name] = String(cString: value) }
        }
        return values
    }

    /// The directory that relative paths are relative to.
    static var workingDirectory: String {
        guard let path = getcwd(nil, 0) else { return "/" }
        defer { free(path) }
        return String(cString: path)
    }
}
