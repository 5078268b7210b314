import Domain
import Glibc

/// Notices a clock that phones would not believe: they refuse packets more than two minutes off (spec: mesh §6).
enum ClockCheck {
    /// 2026-08-01: this version is younger.
    private static let oldestPlausible = WallTime(milliseconds: 1_785_542_400_000)

    /// How far a clock may be off before phones refuse what it stamps, in milliseconds.
    private static let tolerance: UInt64 = 120_000

    /// What shows that the clock is slow; that nothing does is no proof that it is right.
    ///
    /// - Parameter files: Files of ours, which cannot have been written in the future.
    static func warnings(at now: WallTime, files: [String] = []) -> [String] {
        if now < oldestPlausible {
            return ["the clock says \(LocalTime.full(now)), but this version was made after July 2026\(advice)"]
        }
        return files.compactMap { file in
            guard let written = written(file), now < written, now.distance(to: written) > tolerance else { return nil }
            return
                "the clock says \(LocalTime.full(now)), but \(file) was written at \(LocalTime.full(written))\(advice)"
        }
    }

    private static var advice: String { "; phones refuse what is more than two minutes off: set the clock" }

    private static func written(_ file: String) -> WallTime? {
        var status = stat()
        guard stat(file, &status) == 0 else { return nil }
        let (time, overflow) = UInt64(clamping: status.st_mtim.tv_sec).multipliedReportingOverflow(by: 1000)
        return overflow ? nil : WallTime(milliseconds: time)
    }
}
