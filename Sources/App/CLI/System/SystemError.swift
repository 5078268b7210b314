import Glibc

/// What the system's error numbers mean.
enum SystemError {
    /// In words; `errno` without an argument.
    static func text(_ code: Int32 = errno) -> String {
        var buffer = [CChar](repeating: 0, count: 128)
        guard strerror_r(code, &buffer, buffer.count) == 0 else { return "error \(code)" }
        return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
