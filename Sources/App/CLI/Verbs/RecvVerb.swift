import Application
import Domain

/// `recv`: takes messages and files out of the event log.
enum RecvVerb {
    /// The verb.
    static let verb = Verb(
        spec: VerbSpec(
            "recv", summary: "print what was received, and wait for more",
            details: """
                Prints received messages and files, oldest first, beginning behind the cursor that --after names, or \
                with the oldest event that is kept. Nothing is lost because nobody was listening: every event has a \
                rising sequence number, and the number printed at the end on standard error is the cursor for the \
                next call.
                Without --count, --timeout and --follow it prints what there is and ends; that works without a \
                running node too. With --count it waits for so many, with --timeout for so long (exit code 124 when \
                that was too short for --count, or when nothing came), with --follow for ever.
                """,
            options: [
                .value("count", short: "n", "N", "end after N messages"),
                .value("timeout", "SECONDS", "wait no longer than this in all"),
                .value("after", "CURSOR", "begin behind this event; 'now' means with what comes from now on"),
                .flag("follow", short: "f", "go on for ever"),
                .flag("all", "print every event: our own messages, delivery, who comes and goes"),
                .value(
                    "on-message", "PROGRAM", "run PROGRAM for each message, as JSON on its input, instead of printing"),
                Settings.passphraseFile.optionSpec,
            ],
            example: "satchel recv --count 1 --timeout 60 --json"),
        run: { context throws(Failure) in try run(context) })

    /// Where to begin.
    private enum Start {
        case after(UInt64)
        case now
    }

    private static func run(_ context: CommandContext) throws(Failure) -> ExitCode {
        let invocation = context.invocation
        let count = try invocation.number("count", in: 1...UInt64(Int.max))
        let timeout = try invocation.seconds("timeout")
        let start = try start(invocation)
        if invocation.has("follow"), count != nil || timeout != nil {
            throw Failure(.usage, "--follow goes on for ever: it cannot go together with --count and --timeout")
        }
        let places = try context.places()
        let waits = count != nil || timeout != nil || invocation.has("follow")
        var printer = EventPrinter(context: context, limit: count.map { Int(clamping: $0) })
        // Whatever ends the printing: what was printed need not be printed again.
        defer { printer.finish() }
        guard waits else {
            try printStored(from: start, places, context, &printer)
            return .done
        }
        let connection = try NodeConnection.open(places)
        let deadline = timeout.map { SystemClock.uptime + $0 }
        try printer.begin(connection.subscribe(after: after(start)))
        try follow(connection, until: deadline, &printer)
        let isShort = count.map { printer.printed < Int(clamping: $0) } ?? (printer.printed == 0)
        return timeout != nil && isShort ? .timeout : .done
    }

    private static func start(_ invocation: Invocation) throws(Failure) -> Start {
        guard let text = invocation.value("after") else { return .after(0) }
        if text == "now" { return .now }
        guard let cursor = UInt64(text) else {
            throw Failure(.usage, "--after takes the number of an event, or 'now', not \"\(text)\"")
        }
        return .after(cursor)
    }

    private static func after(_ start: Start) -> UInt64? {
        if case .after(let cursor) = start { cursor } else { nil }
    }

    private static func follow(
        _ connection: NodeConnection, until deadline: Uptime?, _ printer: inout EventPrinter
    ) throws(Failure) {
        while !printer.isFull {
            let left = deadline.map { $0 - SystemClock.uptime }
            // What has arrived already is taken even when the time is up.
            let timeout = left.map { $0 < 0 ? Milliseconds(0) : $0 }
            guard let message = try connection.next(timeout: timeout) else { return }
            try printer.take(message)
        }
    }

    /// Prints what the log holds now: asks the node if one runs, else the store itself.
    private static func printStored(
        from start: Start, _ places: Places, _ context: CommandContext, _ printer: inout EventPrinter
    ) throws(Failure) {
        guard let connection = try NodeConnection.openIfRunning(places) else {
            return try StoredEvents.print(after: after(start), places, context, &printer)
        }
        // Where the log ends now. That subscription brings nothing: an event logged before the second one replaces it
        // would otherwise come from the first, and move the cursor past all that lie before.
        let end = try connection.subscribe(after: nil, types: []).cursor
        guard case .after(let cursor) = start else { return printer.begin((end, false)) }
        try printer.begin(connection.subscribe(after: cursor))
        while printer.cursor < end, !printer.isFull {
            guard let message = try connection.next(timeout: .seconds(30)) else {
                throw Failure(.timeout, "the node stopped in the middle of its log", hints: ["its log may say why"])
            }
            try printer.take(message)
        }
    }
}
