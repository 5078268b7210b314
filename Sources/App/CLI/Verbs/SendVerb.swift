import Application
import Domain
import Glibc

/// `send`: gives the node a message or a file.
enum SendVerb {
    /// The verb.
    static let verb = Verb(
        spec: VerbSpec(
            "send", summary: "send a message or a file",
            details: """
                Without --to the message is public. The words are joined by blanks; a lone - reads the text from \
                standard input. Prints the ID of each message: a long private text goes out as several.
                --wait says what to wait for: 'none' for nothing, 'queued' until the message is safe on the disk of \
                the node, 'sent' until a transport took it, 'carried' until a courier's link took a copy, 'delivered' \
                and 'read' until the receiver confirmed it. A later stage counts for the earlier ones. What is not \
                reached in time ends with 75; a private message that is queued is still tried.
                """,
            positionals: [PositionalSpec("TEXT", .rest(atLeast: 0), "the message, or - to read it")],
            options: [
                .value(
                    "to", short: "t", "PEER", "the receiver: nickname, nickname#suffix, peer ID, fingerprint or key"),
                .value("file", short: "f", "PATH", "send this file to everyone instead of a text"),
                .value("mime", "TYPE", "the file's media type, if its name does not tell"),
                .value(
                    "wait", short: "w", "STAGE", choices: DeliveryStage.allCases.map(\.rawValue),
                    "what to wait for; queued without it"),
                .value("timeout", "SECONDS", "how long to wait; 60 without it"),
            ],
            example: "satchel send --to pebble --wait delivered --timeout 30 \"are you there?\""),
        run: { context throws(Failure) in try run(context) })

    /// The largest text that is worth giving to the node: its own limits, in bytes, are below.
    private static let textLimit = 1 << 20

    private static func run(_ context: CommandContext) throws(Failure) -> ExitCode {
        let invocation = context.invocation
        let stage = invocation.value("wait").flatMap { DeliveryStage(rawValue: $0) } ?? .queued
        let timeout = try invocation.seconds("timeout") ?? .seconds(60)
        let request = try request(invocation, stage: stage)
        let connection = try NodeConnection.open(context.places())
        if stage > .none { _ = try connection.subscribe(after: nil) }
        let deadline = SystemClock.uptime + timeout
        let answer = try connection.call(request.method, request.params)
        let ids = answer["ids"]?.array?.compactMap(\.string) ?? answer["id"]?.string.map { [$0] } ?? []
        let held = answer["held"]?.string
        if let held { context.output.note("satchel: held back until that is mended: \(DisplayText.line(held))") }
        if !invocation.wantsJSON { try context.output.answer(ids.map { $0 + "\n" }.joined()) }
        // A file is in the node's hands with its ID; a message is safe once its event is on the disk.
        var watch = DeliveryWatch(ids: ids, stage: request.isFile ? .queued : .none)
        try wait(for: stage, until: deadline, connection, &watch)
        if invocation.wantsJSON { try context.output.answer(json(of: answer, watch)) }
        return try result(
            watch, stage: stage, timeout: timeout, isKept: invocation.has("to") || held != nil, context)
    }

    private struct Request {
        let method: String
        let params: JSONValue
        let isFile: Bool
    }

    private static func request(_ invocation: Invocation, stage: DeliveryStage) throws(Failure) -> Request {
        let words = invocation.arguments("TEXT")
        let receiver = invocation.value("to")
        if receiver == nil, stage > .sent {
            throw Failure(
                .usage, "nobody confirms what goes to everyone, so --wait=\(stage.rawValue) would wait for ever",
                hints: ["use --wait=sent, or name a receiver with --to"])
        }
        if let path = invocation.value("file") {
            guard words.isEmpty else { throw Failure(.usage, "--file and a text cannot go together") }
            guard receiver == nil else {
                throw Failure(.usage, "files go to everyone: --file and --to cannot go together")
            }
            return try fileRequest(path, invocation)
        }
        guard invocation.value("mime") == nil else { throw Failure(.usage, "--mime belongs to --file") }
        guard !words.isEmpty else {
            throw Failure(.usage, "there is no text to send", hints: ["name it behind the options, or - to read it"])
        }
        var text = words.joined(separator: " ")
        if words == ["-"] {
            text = try SystemFile.readText("-", limit: textLimit)
            // The line end that closes the last line is the shell's, not the writer's.
            if text.hasSuffix("\n") { text.removeLast() }
        }
        return Request(
            method: "send", params: .object(["text": .string(text), "to": receiver.map { .string($0) }]), isFile: false)
    }

    private static func fileRequest(_ path: String, _ invocation: Invocation) throws(Failure) -> Request {
        let content = try SystemFile.read(path, limit: fileLimit)
        let name = path == "-" ? "file" : path.split(separator: "/").last.map(String.init) ?? "file"
        let params = JSONValue.object([
            "name": .string(name), "mime": invocation.value("mime").map { .string($0) },
            "content": .string(Base64.encode(content)),
        ])
        return Request(method: "sendFile", params: params, isFile: true)
    }

    /// What fits a line of the control protocol in base64; the node's own limit is lower (spec: app §10).
    private static let fileLimit = 2 << 20

    private static func wait(
        for stage: DeliveryStage, until deadline: Uptime, _ connection: NodeConnection, _ watch: inout DeliveryWatch
    ) throws(Failure) {
        while watch.stage < stage, watch.failure == nil {
            let left = deadline - SystemClock.uptime
            guard left.count > 0, let message = try connection.next(timeout: left) else { return }
            guard message.method == "event", let logged = try? LoggedEvent(json: message.params) else { continue }
            watch.take(logged.event)
        }
    }

    private static func json(of answer: JSONValue, _ watch: DeliveryWatch) -> JSONValue {
        .object([
            "ids": .array(watch.ids.map { .string($0) }), "peer": answer["peer"], "held": answer["held"],
            "status": .string(watch.failure == nil ? watch.stage.word : "failed"),
            "reason": watch.failure.map { .string($0.reason) },
        ])
    }

    private static func result(
        _ watch: DeliveryWatch, stage: DeliveryStage, timeout: Milliseconds, isKept: Bool, _ context: CommandContext
    ) throws(Failure) -> ExitCode {
        if let failure = watch.failure {
            context.output.note("satchel: \(failure.id) will not arrive: \(DisplayText.line(failure.reason))")
            return .inputOutput
        }
        guard watch.stage >= stage else {
            // What waits for one receiver, or for a right clock, is kept; else what goes to everyone goes out once.
            context.output.note(
                "satchel: not \(stage.rawValue) within \(LocalTime.span(timeout)), only \(watch.stage.word)"
                    + (isKept && watch.stage == .queued ? "; it stays queued" : ""))
            return .notYet
        }
        return .done
    }
}
