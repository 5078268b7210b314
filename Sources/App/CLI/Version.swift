import Domain

/// What this program is and what it is made of.
enum Version {
    /// The program's own version.
    static let number = "0.1.0"

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
}
