import Glibc

/// Takes a number that a result was reduced to, so that the optimiser cannot drop what made it.
@inline(never)
func consume(_ value: Int) { sink &+= value }

/// Where all results end up; read by nobody, written on one thread.
private nonisolated(unsafe) var sink = 0

/// Times operations on one thread and prints them as a table.
///
/// What counts is the thread's processor time, so that other work on the machine disturbs less.
struct Harness {
    /// Runs whose median counts.
    static let runs = 5
    /// How many nanoseconds one run takes at least.
    private static let shortestRun = 120_000_000.0

    /// Nanoseconds that one call of `operation` takes: the median of five runs.
    ///
    /// - Parameter operation: Called with a number that rises; the loop is inside the clock, the set-up is not.
    func nanoseconds(_ operation: (Int) -> Void) -> Double {
        let iterations = calibrate(operation)
        let runs = (0..<Self.runs).map { _ in time(iterations, operation) / Double(iterations) }
        return runs.sorted()[Self.runs / 2]
    }

    /// The same with a fixed number of calls in each of the five runs, for operations that use something up.
    func nanoseconds(calls: Int, _ operation: (Int) -> Void) -> Double {
        let runs = (0..<Self.runs).map { _ in time(calls, operation) / Double(calls) }
        return runs.sorted()[Self.runs / 2]
    }

    private func calibrate(_ operation: (Int) -> Void) -> Int {
        var iterations = 1
        while time(iterations, operation) < Self.shortestRun { iterations *= 2 }
        return iterations
    }

    private func time(_ iterations: Int, _ operation: (Int) -> Void) -> Double {
        let start = processorTime()
        for iteration in 0..<iterations { operation(iteration) }
        return processorTime() - start
    }

    private func processorTime() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) * 1_000_000_000 + Double(time.tv_nsec)
    }

    /// Prints one line: the rate, and beside it that of the raw primitives that the operation is made of.
    func report(_ name: String, _ nanoseconds: Double, raw: Double? = nil, of primitives: String = "") {
        var line = column(name, 44) + column(rate(nanoseconds), 14, right: true) + "/s"
        line += column(decimal(nanoseconds), 14, right: true) + " ns"
        if let raw {
            line +=
                column(decimal(raw), 14, right: true) + " ns"
                + column(decimal(nanoseconds / raw, digits: 2), 8, right: true)
            line += "  " + primitives
        }
        print(line)
    }

    /// A primitive, and how often one operation calls it.
    struct Part {
        let name: String
        let times: Int
        let call: (Int) -> Void

        init(_ name: String, times: Int, _ call: @escaping (Int) -> Void) {
            self.name = name
            self.times = times
            self.call = call
        }
    }

    /// Times an operation and what it is made of, in turns, so that both meet the same state of the machine; prints the
    /// operation beside the sum of its parts.
    func compare(_ name: String, with parts: [Part], _ operation: @escaping (Int) -> Void) {
        let calls = [operation] + parts.map(\.call)
        let iterations = calls.map { calibrate($0) }
        var runs = calls.map { _ in [Double]() }
        for _ in 0..<Self.runs {
            for (index, call) in calls.enumerated() {
                runs[index].append(time(iterations[index], call) / Double(iterations[index]))
            }
        }
        let medians = runs.map { $0.sorted()[Self.runs / 2] }
        let sum = zip(medians.dropFirst(), parts).reduce(0.0) { $0 + $1.0 * Double($1.1.times) }
        let names = parts.map { $0.times == 1 ? $0.name : "\($0.times) x \($0.name)" }
        report(name, medians[0], raw: sum, of: names.joined(separator: ", "))
    }

    /// Prints the head of the table.
    func header() {
        print(
            column("operation", 44) + column("rate", 16, right: true) + column("time", 17, right: true)
                + column("primitives", 17, right: true) + column("ratio", 8, right: true))
    }

    private func rate(_ nanoseconds: Double) -> String {
        let perSecond = 1_000_000_000 / nanoseconds
        return perSecond >= 1_000_000
            ? decimal(perSecond / 1_000_000, digits: 2) + " M" : decimal(perSecond / 1000) + " k"
    }

    func decimal(_ value: Double, digits: Int = 1) -> String {
        let scale = digits == 1 ? 10.0 : 100.0
        let scaled = Int((value * scale).rounded())
        let fraction = String(scaled % Int(scale))
        return "\(scaled / Int(scale))." + String(repeating: "0", count: digits - fraction.count) + fraction
    }

    func column(_ text: String, _ width: Int, right: Bool = false) -> String {
        let blanks = String(repeating: " ", count: max(0, width - text.count))
        return right ? blanks + text : text + blanks
    }
}
