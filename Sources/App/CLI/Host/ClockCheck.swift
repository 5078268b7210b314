import Domain
import Glibc

/// Notices a clock that phones would not believe: they refuse packets more than two minutes off (spec: mesh §6).
enum ClockCheck {
    /// A time at which this program already existed.
    private static let oldestPlausible = WallTime(milliseconds: 1_785_542_400_000)

    /// How far a clock may be off before phones refuse what it stamps, in milliseconds.
    static let tolerance: UInt64 = 120_000

    /// What is wrong with the clock; empty when nothing seems to be.
    static func warnings(at now: WallTime) -> [String] {
        guard now < oldestPlausible else { return [] }
        return [
            "the clock says \(LocalTime.full(now)), which was before this program was made; "
                + "phones refuse what is more than two minutes off: set the clock"
        ]
    }
}
