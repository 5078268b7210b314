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
        if place.missed { output.note("satchel: older events are not kept any more; some were missed") }
    }

    /// Takes a notification of the node.
    mutating func take(_ message: (method: String, params: JSONValue)) throws(Failure) {
        switch message.method {
        case "event": try take(message.params)
        case "missed":
            let oldest = message.params["oldest"]?.unsigned.map { String($0) } ?? "?"
            output.note("satchel: events before \(oldest) are not kept any more; some were missed")
        default: return
        }
    }

    /// Takes an event, as JSON.
    mutating func take(_ event: JSONValue) throws(Failure) {
        if let sequence = event["sequence"]?.unsigned { cursor = sequence }
        guard wantsAll || Self.isReceived(event) else { return }
        printed += 1
        if let handler {
            let code = try handler.run(with: event)
            if code != 0 { output.note("satchel: \(handler.program) ended with \(code) for event \(cursor)") }
        } else if isJSON {
            try output.answer(event)
        } else if let logged = try? LoggedEvent(json: event) {
            try output.answer(EventText.text(of: logged.event) + "\n")
        } else {
            // A newer node knows kinds of events that we do not.
            output.note("satchel: event \(cursor) is of an unknown kind; --json prints it")
        }
    }

    /// Says where the next call can go on.
    func finish() {
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
