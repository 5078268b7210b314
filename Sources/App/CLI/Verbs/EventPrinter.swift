import Application
import Domain

/// Prints events as `recv` does, or runs a program for each, and remembers the cursor.
struct EventPrinter {
    private let output: Output
    private let isJSON: Bool
    private let wantsAll: Bool
    private let handler: Handler?
    private let limit: Int?
    /// The last event looked at, printed or not.
    private(set) var cursor: UInt64 = 0
    /// Whether a place in the log is known.
    private var hasBegun = false
    /// How many were printed.
    private(set) var printed = 0

    /// Makes a printer.
    ///
    /// - Parameter limit: After how many it is full.
    init(context: CommandContext, limit: Int?) {
        output = context.output
        isJSON = context.invocation.wantsJSON
        wantsAll = context.invocation.has("all")
        handler = context.invocation.value("on-message").map { Handler(program: $0) }
        self.limit = limit
    }

    /// Whether as many were printed as were wanted.
    var isFull: Bool { limit.map { printed >= $0 } ?? false }

    /// Takes note of where the log is entered.
    mutating func begin(_ place: (cursor: UInt64, missed: Bool)) {
        cursor = place.cursor
        hasBegun = true
        if place.missed { tellGap() }
    }

    private func tellGap() {
        output.note("satchel: events up to \(cursor) are not kept any more, or damaged; some were missed")
    }

    /// Takes a notification of the node.
    mutating func take(_ message: (method: String, params: JSONValue)) throws(Failure) {
        switch message.method {
        case "event": try take(message.params)
        case "missed":
            guard let oldest = message.params["oldest"]?.unsigned else { return }
            cursor = max(cursor, oldest - min(oldest, 1))
            tellGap()
        default: return
        }
    }

    /// Takes an event, as JSON; the cursor passes it when it was printed, or given to the program.
    mutating func take(_ event: JSONValue) throws(Failure) {
        let sequence = event["sequence"]?.unsigned ?? cursor
        if wantsAll || Self.isReceived(event) {
            try print(event, sequence)
            printed += 1
        }
        cursor = sequence
    }

    /// Takes an event.
    mutating func take(_ logged: LoggedEvent) throws(Failure) { try take(logged.json) }

    /// Passes over what could not be read up to here.
    mutating func pass(to end: UInt64) {
        guard end > cursor else { return }
        cursor = end
        tellGap()
    }

    private func print(_ event: JSONValue, _ sequence: UInt64) throws(Failure) {
        if let handler {
            let code = try handler.run(with: event)
            if code != 0 { output.note("satchel: \(handler.program) ended with \(code) for event \(sequence)") }
        } else if isJSON {
            try output.answer(event)
        } else if let logged = try? LoggedEvent(json: event) {
            try output.answer(EventText.text(of: logged.event) + "\n")
        } else {
            // A newer node knows kinds of events that we do not.
            output.note("satchel: event \(sequence) is of an unknown kind; --json prints it")
        }
    }

    /// Says where the next call can go on, if the log was found at all.
    func finish() {
        guard hasBegun else { return }
        output.note(isJSON ? JSONValue.object(["cursor": .number(cursor)]).text : "cursor: \(cursor)")
    }

    private static func isReceived(_ event: JSONValue) -> Bool {
        switch event["type"]?.string {
        case "publicMessage", "privateMessage": event["isOwn"]?.bool == false
        case "file": true
        default: false
        }
    }
}
