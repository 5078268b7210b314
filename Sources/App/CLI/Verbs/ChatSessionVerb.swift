import Application
import ControlSocket
import Dispatch
import Domain
import Glibc
import KeyfileVault
import NativeCryptography
import Terminal

/// `chat`: a conversation in the terminal.
enum ChatSessionVerb {
    /// The verb.
    static let verb = Verb(
        spec: VerbSpec(
            "chat", summary: "talk, in the terminal",
            details: """
                Joins the running node of this home, or runs one that ends with the chat. Lines are said to everyone; \
                /msg NAME opens a private conversation, /help lists the commands, /quit leaves. Reads lines from a \
                pipe too; --json prints one JSON object a line. On a terminal the log of a node that ends with the \
                chat goes to chat.log in the data directory.
                """,
            options: Settings.options, example: "satchel chat --nickname pebble"),
        run: { context throws(Failure) in
            let places = try context.places()
            signal(SIGPIPE, SIG_IGN)
            if let client = try client(of: places) {
                guard try NodeConnection.open(places).call("identity")["role"] != "relay" else {
                    throw RelayFolder.refusal
                }
                tellIgnored(context)
                return try talk(through: client, places, context)
            }
            let configuration = try context.configuration(in: places)
            guard !configuration.isRelayOnly else { throw RelayFolder.refusal }
            let style = RunVerb.style(configuration, isJSON: false)
            let log = try log(style, places, context)
            defer { log.flush() }
            let panic = PanicRequest(restarts: false)
            let trigger = panicTrigger(panic)
            defer { trigger.cancel() }
            let node = try RunningNode(places, configuration, panic: panic, log: log, output: context.output)
            defer { node.stop() }
            panic.whenMade(node.endClients)
            let code: ExitCode
            do throws(Failure) {
                code = try talkAlone(places, context)
            } catch {
                // A wipe ends the connection at any point: that is no fault, and must not keep it from being done.
                guard panic.isMade else { throw error }
                code = .done
            }
            guard panic.isMade else { return code }
            try node.wipe()
            context.output.note("satchel: everything is erased; the next start makes a new identity")
            return .done
        })

    /// Talks through the node that was just started.
    private static func talkAlone(_ places: Places, _ context: CommandContext) throws(Failure) -> ExitCode {
        if isatty(STDIN_FILENO) == 0 { try awaitCompany(places) }
        guard let client = try client(of: places) else {
            throw Failure(.internalFault, "the node that was just started does not answer")
        }
        return try talk(through: client, places, context)
    }

    /// SIGUSR2, which asks a node for a wipe wherever it runs.
    private static func panicTrigger(_ panic: PanicRequest) -> any DispatchSourceSignal {
        signal(SIGUSR2, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: SIGUSR2, queue: .global(qos: .userInitiated))
        source.setEventHandler { panic.make() }
        source.resume()
        return source
    }

    /// A connection to the node of this home; `nil` when none runs.
    private static func client(of places: Places) throws(Failure) -> ControlClient? {
        do { return try ControlClient(path: places.controlSocket) } catch {
            if case .notRunning = error { return nil }
            throw NodeConnection.failure(error, places: places)
        }
    }

    /// How long a script's first line waits for somebody to hear it: links come up and announce within a second.
    private static let patience = Milliseconds.seconds(3)

    /// Waits until a neighbour announced itself: what a script says is not to be said to an empty room.
    private static func awaitCompany(_ places: Places) throws(Failure) {
        let connection = try NodeConnection.open(places)
        let deadline = SystemClock.uptime + patience
        if try connection.call("peers")["peers"]?.array?.isEmpty == false { return }
        _ = try connection.subscribe(after: 0)
        while let message = try connection.next(timeout: max(0, deadline - SystemClock.uptime)) {
            // The log may hold events of earlier runs, so the node itself is asked.
            guard message.params["kind"] == "connected" else { continue }
            if try connection.call("peers")["peers"]?.array?.isEmpty == false { return }
        }
    }

    private static func talk(
        through client: ControlClient, _ places: Places, _ context: CommandContext
    ) throws(Failure) -> ExitCode {
        var options = ChatSession.Options()
        options.isJSON = context.invocation.wantsJSON
        options.cursorPath = places.data + "/chat-cursor"
        // A node whose keys are being destroyed must not find a new file behind it; they go before it leaves its clients.
        let vault = KeyfileVault(directory: places.data, cryptography: NativeCryptography()).path
        options.savesCursor = { SystemFile.exists(vault) && !PanicMarks(places).areSet }
        options.terminal.terminalName = context.environment["TERM"]
        options.terminal.refusesColour = context.environment["NO_COLOR"].map { !$0.isEmpty } ?? false
        let code = ChatSession(client: client, options: options).run()
        return ExitCode(rawValue: code) ?? .internalFault
    }

    /// A node that runs already keeps its own settings.
    private static func tellIgnored(_ context: CommandContext) {
        let ignored = Settings.all.filter { context.invocation.has($0.option) }.map { "--\($0.option)" }
        guard !ignored.isEmpty else { return }
        context.output.note("satchel: the node runs already; \(ignored.joined(separator: ", ")) changes nothing")
    }

    /// Where the log of a node goes that ends with the chat: on a terminal, it must not write between the lines.
    private static func log(
        _ style: LogWriter.Style, _ places: Places, _ context: CommandContext
    ) throws(Failure) -> LogWriter {
        let output = context.output
        guard isatty(STDERR_FILENO) == 1 else { return LogWriter(style: style) { output.note($0) } }
        try SystemFile.makePrivateDirectory(places.data)
        let path = places.data + "/chat.log"
        let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { throw Failure(.cannotWrite, "cannot write \(path): \(SystemError.text())") }
        return LogWriter(style: style) { _ = SystemFile.writeAll(Array(($0 + "\n").utf8), to: file) }
    }
}
