import Foundation

/// A value that some threads change and others wait for.
public final class Watched<Value>: @unchecked Sendable {
    // Unchecked, because the compiler does not see that `value` is touched under `changed` alone.
    private let changed = NSCondition()
    private var value: Value

    /// Starts with a value.
    public init(_ value: Value) { self.value = value }

    /// Looks at the value.
    public func look<Result>(_ body: (Value) throws -> Result) rethrows -> Result {
        changed.lock()
        defer { changed.unlock() }
        return try body(value)
    }

    /// Changes the value and wakes all who wait.
    @discardableResult
    public func change<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
        changed.lock()
        defer {
            changed.broadcast()
            changed.unlock()
        }
        return try body(&value)
    }

    /// Waits until `check` answers something; `nil` when it does not in time.
    public func wait<Result>(within seconds: Double, until check: (Value) throws -> Result?) rethrows -> Result? {
        let deadline = Date(timeIntervalSinceNow: seconds)
        changed.lock()
        defer { changed.unlock() }
        while true {
            if let result = try check(value) { return result }
            // One more look at the end: what changed while the time ran out counts.
            guard changed.wait(until: deadline) else { return try check(value) }
        }
    }
}
