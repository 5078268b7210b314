import Domain
import Glibc

/// `status --watch`: the report again and again, with what the counters gained each second.
struct StatusWatch {
    private let context: CommandContext
    private let interval: Milliseconds
    /// Whether a person looks: then the report is drawn over the last one.
    private let redraws: Bool
    private var last: Sample?

    /// A report and when it was made.
    struct Sample {
        /// The answer of the control method `status`.
        let status: JSONValue

        /// Prepares a report for comparison.
        init(_ status: JSONValue) { self.status = status }

        /// The node's uptime then.
        var uptime: Int64 { status["uptime"]?.integer ?? 0 }

        /// What each counter gained per second since an earlier report, where it gained anything.
        func rates(since earlier: Sample) -> [String: String] {
            let span = uptime - earlier.uptime
            // A node that was started anew counts from zero.
            guard span > 0 else { return [:] }
            var rates: [String: String] = [:]
            for counter in status["counters"]?.members ?? [] {
                let (now, before) = (
                    counter.value.unsigned ?? 0, earlier.status["counters"]?[counter.name]?.unsigned ?? 0
                )
                guard now > before else { continue }
                rates[counter.name] = Self.tenths(Double(now - before) * 10_000 / Double(span))
            }
            return rates
        }

        private static func tenths(_ value: Double) -> String {
            let tenths = UInt64(clamping: Int64(value.rounded()))
            return "\(tenths / 10).\(tenths % 10)/s"
        }
    }

    /// Prepares to watch.
    init(_ context: CommandContext) throws(Failure) {
        self.context = context
        interval = try context.invocation.seconds("watch") ?? .seconds(2)
        guard interval.count >= 100 else {
            throw Failure(.usage, "--watch takes a tenth of a second at least")
        }
        redraws = isatty(STDOUT_FILENO) == 1 && !context.invocation.wantsJSON
    }

    /// Watches until somebody ends it by SIGINT, SIGTERM or SIGHUP.
    mutating func run() throws(Failure) {
        let signals = Signals()
        let connection = try NodeConnection.open(context.places())
        repeat {
            try show(Sample(connection.call("status", timeout: .seconds(5))))
        } while signals.next(within: interval) == nil
        signals.release()
    }

    private mutating func show(_ sample: Sample) throws(Failure) {
        let rates = last.map { sample.rates(since: $0) } ?? [:]
        last = sample
        guard !context.invocation.wantsJSON else { return try context.output.answer(sample.status) }
        let text = StatusVerb.text(of: sample.status, rates: rates)
        try context.output.answer(redraws ? "\u{1B}[H\u{1B}[J" + text : text + "\n")
    }
}
