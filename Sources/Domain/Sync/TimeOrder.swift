/// Entries in the order of their packets' times: the newest are listed, the oldest expire, and nothing is sorted or
/// scanned for it.
///
/// Short runs in a list of runs. Putting in and taking out move one run's entries, and rarely the list's; mostly
/// packets arrive as they were made, and go to the end.
struct TimeOrder: Sendable {
    /// An entry as the order knows it.
    struct Mark: Hashable, Comparable, Sendable {
        /// The packet's time.
        let time: WallTime
        /// Tells entries of one time apart: the later one is the greater.
        let stamp: UInt32
        /// Where the entry is kept.
        let place: UInt32
        /// The packet's place in a filter.
        let hash: SyncHash

        static func < (left: Mark, right: Mark) -> Bool {
            left.time != right.time ? left.time < right.time : left.stamp < right.stamp
        }
    }

    /// Entries of a run, from which on it is split.
    private static let longestRun = 128
    /// Ascending, and so are the entries of each; none is empty.
    private var runs: [[Mark]] = []
    /// The number of entries.
    private(set) var count = 0

    /// The entry with the earliest time.
    var oldest: Mark? { runs.first?.first }

    /// Puts an entry in.
    mutating func insert(_ mark: Mark) {
        count += 1
        guard let run = runIndex(of: mark) else { return runs.append([mark]) }
        if run == runs.count - 1, runs[run].count >= Self.longestRun, let last = runs[run].last, last < mark {
            return runs.append([mark])
        }
        let place = Self.firstIndex(in: runs[run]) { !($0 < mark) }
        runs[run].insert(mark, at: place)
        if runs[run].count > Self.longestRun {
            let half = runs[run].count / 2
            runs.insert(Array(runs[run][half...]), at: run + 1)
            runs[run].removeLast(runs[run].count - half)
        }
    }

    /// Takes an entry out, if it is there.
    mutating func remove(_ mark: Mark) {
        guard let run = runIndex(of: mark) else { return }
        let place = Self.firstIndex(in: runs[run]) { !($0 < mark) }
        guard place < runs[run].count, runs[run][place] == mark else { return }
        runs[run].remove(at: place)
        if runs[run].isEmpty { runs.remove(at: run) }
        count -= 1
    }

    /// How many entries are older than a time.
    func count(before time: WallTime) -> Int {
        var sum = 0
        for run in runs {
            guard let last = run.last, last.time >= time else {
                sum += run.count
                continue
            }
            return sum + Self.firstIndex(in: run) { $0.time >= time }
        }
        return sum
    }

    /// The entries, latest first.
    var newestFirst: NewestFirst { NewestFirst(runs: runs) }

    /// Lists the entries of a ``TimeOrder``, latest first.
    struct NewestFirst: IteratorProtocol {
        private let runs: [[Mark]]
        private var run: Int
        private var place: Int

        fileprivate init(runs: [[Mark]]) {
            self.runs = runs
            run = runs.count - 1
            place = runs.last?.count ?? 0
        }

        mutating func next() -> Mark? {
            guard run >= 0 else { return nil }
            place -= 1
            let mark = runs[run][place]
            if place == 0 {
                run -= 1
                place = run >= 0 ? runs[run].count : 0
            }
            return mark
        }
    }

    /// The run that a mark belongs to: the last one that does not begin behind it, or else the first.
    private func runIndex(of mark: Mark) -> Int? {
        guard let last = runs.last?.first else { return nil }
        guard mark < last else { return runs.count - 1 }
        return max(0, Self.firstIndex(in: runs) { $0.first.map { mark < $0 } ?? true } - 1)
    }

    /// The first place whose element, and every later one, passes; the end if none does.
    private static func firstIndex<Element>(in elements: [Element], where passes: (Element) -> Bool) -> Int {
        var (low, high) = (0, elements.count)
        while low < high {
            let middle = (low + high) / 2
            if passes(elements[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
