import Application
import ControlSocket
import Domain
import Glibc

/// `panic`: erases everything, at once.
enum PanicVerb {
    /// The verb.
    static let verb = Verb(
        spec: VerbSpec(
            "panic", summary: "erase everything of this node, at once",
            details: """
                Silences the node, destroys the keys, erases what it keeps, and starts it again as somebody else under a \
                new name. Nothing is announced; nothing can be brought back. Asks once; --now does not ask. The signal \
                SIGUSR2 to the node does the same, and a wipe that was cut off is finished at the next start. Without a \
                running node only the files are erased. \(PanicWipe.extent)
                """,
            options: [.flag("now", "do not ask")], example: "satchel panic --now"),
        run: { context throws(Failure) in
            let places = try context.places()
            let isSure = context.invocation.has("now") ? true : try agreed(places, context)
            guard isSure else {
                context.output.note("satchel: nothing was erased")
                return .refused
            }
            let identity = try wipe(places, context)
            if context.invocation.wantsJSON {
                try context.output.answer(
                    .object(["wiped": true, "id": identity["id"], "nickname": identity["nickname"]]))
            } else if let id = identity["id"]?.string, let name = identity["nickname"]?.string {
                try context.output.answer("erased; the node goes on as \(DisplayText.line(name)) (\(id))\n")
            } else {
                try context.output.answer("erased; the next start makes a new identity\n")
            }
            return .done
        })

    /// How long a node may take to come back as somebody else.
    private static let patience = Milliseconds.seconds(60)
    private static let pause: UInt32 = 50_000

    private static func agreed(_ places: Places, _ context: CommandContext) throws(Failure) -> Bool {
        guard isatty(STDIN_FILENO) == 1 else {
            throw Failure(
                .usage, "nobody is at a terminal who could be asked",
                hints: ["to erase without a question: satchel panic --now"])
        }
        context.output.prompt("Erase the identity and everything in \(DisplayText.line(places.data)) for good? [y/N] ")
        return ["y", "yes"].contains(readLine()?.lowercased() ?? "")
    }

    /// Wipes through the node, or without one; answers who the node is then.
    private static func wipe(_ places: Places, _ context: CommandContext) throws(Failure) -> JSONValue {
        guard let connection = try NodeConnection.openIfRunning(places) else {
            let lock = try HomeLocking.lock(places)
            defer { withExtendedLifetime(lock) {} }
            // A configuration that cannot be read must not stand in the way.
            try PanicWipe(places, try? context.configuration(in: places)).finish()
            return .null
        }
        let answer = try connection.call("panic")
        guard answer["restarts"]?.bool == true else { return try awaitEnd(places) }
        return try awaitReturn(of: answer["process"]?.unsigned, places)
    }

    /// Waits for the node's end: it belonged to a chat, and goes with it.
    private static func awaitEnd(_ places: Places) throws(Failure) -> JSONValue {
        let deadline = SystemClock.uptime + patience
        while SystemClock.uptime < deadline {
            if try NodeConnection.openIfRunning(places) == nil, !PanicMarks(places).areSet { return .null }
            usleep(pause)
        }
        throw Failure(.timeout, "the node has not said that everything is erased", hints: ["its log says why"])
    }

    /// Waits until the node answers again: it does only when all is erased.
    private static func awaitReturn(of process: UInt64?, _ places: Places) throws(Failure) -> JSONValue {
        let deadline = SystemClock.uptime + patience
        while SystemClock.uptime < deadline {
            if !PanicMarks(places).areSet, let connection = try? NodeConnection.openIfRunning(places),
                let identity = try? connection.call("identity"), identity["afterWipe"]?.bool == true
            {
                return identity
            }
            guard process.map({ kill(pid_t(truncatingIfNeeded: $0), 0) == 0 || errno != ESRCH }) ?? true else {
                guard !PanicMarks(places).areSet else { break }
                return .null
            }
            usleep(pause)
        }
        throw Failure(
            .inputOutput, "the node has not said that everything is erased",
            hints: ["its log says why", "finish it: satchel panic --now\(places.options)"])
    }
}
