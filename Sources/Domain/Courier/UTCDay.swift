/// A day of the UTC calendar, counted from 1970-01-01, as courier tags use it.
///
/// Source: spec, store-and-forward §3.3.
public struct UTCDay: Hashable, Sendable {
    /// Days since 1970-01-01.
    public let number: UInt32

    private static let milliseconds: UInt64 = 24 * 60 * 60 * 1000

    /// Takes the number of days since 1970-01-01.
    public init(number: UInt32) { self.number = number }

    /// The day that a time falls on.
    public init(_ time: WallTime) { self.init(number: UInt32(clamping: time.milliseconds / Self.milliseconds)) }

    /// Yesterday, today and tomorrow; at either end of the count the day itself stands in for the missing one.
    public var withNeighbours: [UTCDay] {
        [UTCDay(number: number == 0 ? 0 : number - 1), self, UTCDay(number: number == .max ? .max : number + 1)]
    }
}
