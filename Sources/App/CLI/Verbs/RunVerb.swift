import Application
import Domain
import Glibc

/// `run`: the node itself, in the foreground.
enum RunVerb {
    /// The verb.
    static let verb = Verb(
        spec: VerbSpec(
            "run", summary: "run the node in the foreground",
            details: """
                Makes an identity at the first start, joins the mesh, and answers the other commands on the control \
                socket. The log goes to standard error; --json makes it one JSON object a line. SIGINT and SIGTERM \
                leave politely; SIGUSR2 erases everything ('satchel help panic') and begins anew; SIGHUP reads the configuration file again: nickname and log follow at once, the log \
                says what needs a restart. A home that another node holds is refused with exit code 73, and so is \
                an adapter named by --adapter that another node has. An adapter that is missing or else not free is taken when it can be; the log and 'satchel status' say how it stands.

                \(SecurityNote.listener)
                """,
            options: Settings.options, example: "satchel run --nickname pebble --listen 127.0.0.1:4242"),
        run: { context throws(Failure) in
            let places = try context.places()
            let configuration = try context.configuration(in: places)
            // After a wipe the old name would tell whose node this was.
            let isFresh = context.environment[FreshStart.variable] != nil
            let (output, isJSON) = (context.output, context.invocation.wantsJSON)
            let log = LogWriter(style: style(configuration, isJSON: isJSON)) { output.note($0) }
            defer { log.flush() }
            let signals = Signals()
            let panic = PanicRequest(restarts: true)
            panic.whenMade { kill(getpid(), SIGUSR2) }
            let node = try RunningNode(
                places, isFresh ? configuration.anonymous : configuration, panic: panic, log: log, output: output)
            let isPanic = wait(for: signals, node, context, places, log)
            signals.release()
            guard isPanic else {
                node.stop()
                return .done
            }
            try node.wipe()
            log.flush()
            throw FreshStart.begin()
        })

    /// What is logged, and how; `--json` asks for JSON whatever the configuration says.
    static func style(_ configuration: Configuration, isJSON: Bool) -> LogWriter.Style {
        LogWriter.Style(level: configuration.logLevel, isJSON: configuration.logsJSON || isJSON)
    }

    /// Waits for the end; whether it is a wipe.
    private static func wait(
        for signals: Signals, _ node: RunningNode, _ context: CommandContext, _ places: Places, _ log: LogWriter
    ) -> Bool {
        while true {
            let signal = signals.next()
            guard signal == SIGHUP else { return signal == SIGUSR2 }
            do throws(Failure) {
                let new = try context.configuration(in: places)
                node.reload(new, style: style(new, isJSON: context.invocation.wantsJSON))
            } catch {
                log.log(.error, "the configuration was not read again: \(error.message)")
            }
        }
    }
}
