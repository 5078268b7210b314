import Domain
import NativeCryptography
import SQLiteStores
import ZlibCompression

/// What this program is and what it is made of.
enum Version {
    /// The program's own version.
    static let number = "0.1.0"
    /// When this version was released, 2026-11-30: a clock that shows an earlier time is wrong.
    static let releaseDate = WallTime(milliseconds: 1_795_996_800_000)

    /// The compiler that built it.
    static var swift: String {
        #if compiler(>=6.4)
            "6.4 or later"
        #elseif compiler(>=6.3)
            "6.3"
        #else
            "6.2"
        #endif
    }

    /// The libraries that it runs with, as they name themselves.
    static var libraries: [(name: String, version: String)] {
        NativeCryptography.libraries + [
            ("zlib", ZlibCompression.libraryVersion), ("SQLite", SQLiteLibrary.version),
        ]
    }

    /// The form of `version --json` and of the control method `version`.
    static var json: JSONValue {
        .object([
            "version": .string(number), "swift": .string(swift),
            "libraries": .object(libraries.map { JSONValue.Member($0.name, .string($0.version)) }),
        ])
    }
}
