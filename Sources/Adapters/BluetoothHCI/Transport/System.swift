import Glibc

/// What the system says about an `errno`.
func errorText(_ code: Int32) -> String {
    var text = [CChar](repeating: 0, count: 256)
    guard strerror_r(code, &text, text.count) == 0 else { return "error \(code)" }
    return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
}

/// Sets an integer socket option; false when the system does not.
@discardableResult
func setOption(_ descriptor: Int32, _ level: Int32, _ option: Int32, _ value: Int32) -> Bool {
    var value = value
    return setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<Int32>.size)) == 0
}

/// Milliseconds that only ever rise, for timeouts within this process.
func monotonicMilliseconds() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
}
