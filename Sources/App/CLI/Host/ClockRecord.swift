import Dispatch
import Domain

/// The time at which the node last ran, on the disk: a machine without a battery clock boots into the past, and this shows
/// it.
struct ClockRecord: Sendable {
    /// Where it is.
    let path: String
    private let queue = DispatchQueue(label: "satchel.clock")

    /// How often it is written while the node runs; after a power cut the clock may be that far behind unnoticed.
    static let interval = Milliseconds.seconds(600)

    /// Names the file in the data directory.
    init(directory: String) { path = directory + "/clock" }

    /// The time; `nil` when there is none, or what is there is none.
    func read() -> WallTime? {
        guard let text = try? SystemFile.readText(path, limit: 64), let line = text.split(separator: "\n").first else {
            return nil
        }
        return UInt64(line).map { WallTime(milliseconds: $0) }
    }

    /// A time that has passed for certain: this version was made, and the node has run.
    var floor: WallTime { max(Version.releaseDate, read() ?? Version.releaseDate) }

    /// Keeps a time, in its turn and without making anybody wait for the disk; what fails is logged.
    func write(_ time: WallTime, log: LogWriter) {
        queue.async {
            do throws(Failure) {
                try SystemFile.replace(path, with: "\(time.milliseconds)\n")
            } catch {
                log.log(.warning, "the time was not kept: \(error.message)")
            }
        }
    }

    /// Waits until every time is kept.
    func flush() { queue.sync {} }
}
