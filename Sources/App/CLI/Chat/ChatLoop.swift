import Application
import ControlSocket
import Domain
import Glibc
import Terminal

/// The chat at work: lines from the user to the node, what the node says to the screen.
///
/// Requests are answered at once by a local node and therefore awaited, which keeps a script's lines in their order; only
/// a ping, which takes seconds, is answered later, in the view where it was asked.
final class ChatLoop {
    let client: ControlClient
    let screen: ChatScreen
    var state = ChatState(own: PeerID(rawValue: 0), nickname: "")
    /// Set when the view that a script asked for could not be opened: what it says next is meant for nobody else.
    var isAstray = false

    private let options: ChatSession.Options
    private var pending: [UInt64: (ControlReply) -> Void] = [:]
    private var isRefreshing = false
    private var lastSequence: UInt64 = 0
    private var exitCode: Int32?
    private var wasInterrupted = false
    /// Everything of the node is being erased: nothing is to be kept.
    var isErasing = false

    /// How long the node may take for an answer.
    private static let patience = Milliseconds.seconds(10)
    /// How long a script's end waits for answers that are on their way: a ping and a margin.
    private static let lastPatience = Milliseconds.seconds(12)
    /// Events of the past that are filed at the start.
    private static let context: UInt64 = 500
    /// Rows shown of a view that is opened, if no more of it are unread.
    static let shownRows = 20

    init(client: ControlClient, options: ChatSession.Options) {
        self.client = client
        self.options = options
        screen = ChatScreen(options)
    }

    // MARK: The course of a chat

    func run() -> Int32 {
        do throws(ControlClientError) { try begin() } catch {
            lose(error)
            return exitCode ?? 0
        }
        greet()
        while exitCode == nil {
            takeMessages()
            guard exitCode == nil else { break }
            take(
                screen.terminal.nextLine(prompt: state.prompt, polling: [client.fileDescriptor]) { [self] _ in
                    takeMessages()
                    screen.terminal.changePrompt(state.prompt)
                    return exitCode == nil
                })
        }
        saveCursor()
        if exitCode == 0, screen.terminal.isBroken { exitCode = ExitCode.inputOutput.rawValue }
        return exitCode ?? 0
    }

    private func take(_ input: Terminal.Input) {
        let again = wasInterrupted
        wasInterrupted = false
        switch input {
        case .line(let line): perform(ChatInput(line), typed: line)
        case .interrupt(hadText: true): return
        case .interrupt where again: leave()
        case .interrupt:
            wasInterrupted = true
            say("interrupted", "Ctrl-C again, Ctrl-D or /quit leaves")
        case .end:
            awaitPending()
            leave()
        case .terminated: leave()
        case .stopped: return
        }
    }

    /// Ends the chat in good order.
    func leave() { if exitCode == nil { exitCode = 0 } }

    /// Ends the chat because the node is gone.
    private func lose(_ error: ControlClientError) {
        guard exitCode == nil else { return }
        let code: ExitCode =
            switch error {
            case .malformed: .protocolFault
            case .timeout: .timeout
            case .refused(let refusal) where refusal.code == ControlError.busy: .notYet
            default: .inputOutput
            }
        exitCode = code.rawValue
        say("disconnected", error.description)
    }

    // MARK: The start

    private func begin() throws(ControlClientError) {
        let identity = try client.call("identity", timeout: Self.patience)
        guard let own = identity["id"]?.string.flatMap({ PeerID(hex: $0) }), let name = identity["nickname"]?.string
        else { throw .malformed("identity has no id or nickname") }
        state = ChatState(own: own, nickname: name)
        take(roster: try client.call("peers", timeout: Self.patience))
        try catchUp()
    }

    /// Files what happened lately, and what was not seen since the last time as new.
    private func catchUp() throws(ControlClientError) {
        let head = try client.subscribe(types: [])["cursor"]?.unsigned ?? 0
        // A cursor beyond the log's end belongs to a log that is gone.
        let seen = savedCursor.map { $0 > head ? 0 : $0 } ?? head
        let place = try client.subscribe(after: seen - min(seen, Self.context))
        let isWiped = savedCursor.map { $0 > head } ?? false
        if isWiped || place["missed"]?.bool == true && seen < (place["oldest"]?.unsigned ?? .max) &- 1 {
            say("missed", "older events are not kept any more; some were missed")
        }
        lastSequence = place["cursor"]?.unsigned ?? 0
        while lastSequence < head {
            guard let (method, params) = try client.nextNotification(timeout: Self.patience) else { throw .timeout }
            take(method, params, seen: seen, head: head)
        }
    }

    private var savedCursor: UInt64? {
        guard let path = options.cursorPath else { return nil }
        let text = try? SystemFile.readText(path, limit: 64)
        return text.flatMap { UInt64($0.trimmedForWire) }
    }

    /// A private message that was not seen is new again the next time.
    private func saveCursor() {
        guard !isErasing, let path = options.cursorPath, options.savesCursor() else { return }
        let cursor = state.firstUnread.map { $0 - min($0, 1) } ?? lastSequence
        do throws(Failure) { try SystemFile.replace(path, with: "\(cursor)\n") } catch {
            say("cursor.failed", error.message)
        }
    }

    private func greet() {
        let rows = state.rows(of: .mesh)
        screen.show(Array(rows.suffix(Self.shownRows)))
        let here = state.roster.names.count
        let people = here == 1 ? "1 person is here" : "\(here) people are here"
        say("started", "you are \(state.name(of: state.own)); \(people); /help lists the commands")
        if rows.count > Self.shownRows {
            say("omitted", "\(rows.count - Self.shownRows) older rows are not shown; 'satchel recv' prints them")
        }
        if screen.isPlainTerminal {
            say("plain", "this terminal cannot edit lines (TERM is dumb or not set); they are read as they come")
        }
        for view in state.views where view != .mesh && state.unread(in: view) > 0 {
            let name = state.title(of: view)
            say("unread", "\(name) wrote to you (\(state.unread(in: view)) unread); /open \(name)")
        }
    }

    // MARK: What the node says

    private func takeMessages() {
        do throws(ControlClientError) {
            while exitCode == nil, let message = try client.next(timeout: 0) { take(message) }
        } catch {
            lose(error)
        }
    }

    private func take(_ message: ControlMessage) {
        switch message {
        case .reply(let number, let reply): pending.removeValue(forKey: number)?(reply)
        case .notification(let method, let params): take(method, params, seen: 0, head: 0)
        }
    }

    /// Takes a notification; events up to `seen` are of the past, those up to `head` are filed without being shown.
    private func take(_ method: String, _ params: JSONValue, seen: UInt64, head: UInt64) {
        switch method {
        case "event":
            guard let sequence = params["sequence"]?.unsigned else { return }
            lastSequence = sequence
            if sequence > seen { screen.tell(params) }
            // A newer node knows kinds of events that we do not.
            guard let logged = try? LoggedEvent(json: params) else { return }
            let effects = state.take(logged, isOld: sequence <= seen)
            if sequence > head { perform(effects) } else { performSilently(effects) }
        case "missed":
            if let oldest = params["oldest"]?.unsigned, oldest > lastSequence { lastSequence = oldest - 1 }
            say("missed", "events were dropped from the log, or are damaged, and cannot be shown")
        default: return
        }
    }

    func perform(_ effects: [ChatState.Effect]) {
        for effect in effects {
            switch effect {
            case .show(let row): screen.show([row])
            case .bell: screen.bell()
            default: performSilently([effect])
            }
        }
    }

    private func performSilently(_ effects: [ChatState.Effect]) {
        for effect in effects {
            switch effect {
            case .show, .bell: continue
            case .refreshPeers: refreshPeers()
            case .markRead(let peer, let ids):
                let params = JSONValue.object([
                    "peer": .string(peer.hex), "ids": .array(ids.map { .string($0) }),
                ])
                ask(later: "markRead", params) { _ in }
            }
        }
    }

    private func refreshPeers() {
        guard !isRefreshing else { return }
        isRefreshing = true
        ask(later: "peers") { [self] reply in
            isRefreshing = false
            if case .success(let result) = reply { take(roster: result) }
        }
    }

    /// Takes the node's list of those who are here.
    func take(roster: JSONValue) {
        state.roster = ChatRoster(roster)
        // A name that the screen would show otherwise than it is cannot be checked by who completes it.
        screen.names = state.roster.peers.map(\.displayName).filter { DisplayText.line($0) == $0 }
    }

    // MARK: Asking

    /// Asks and waits; a refusal is said in the open view.
    func ask(_ method: String, _ params: JSONValue? = nil, code: String = "refused") -> JSONValue? {
        do throws(ControlClientError) { return try client.call(method, params, timeout: Self.patience) } catch {
            switch error {
            case .refused(let refusal): say(refusal, code: code, in: state.open)
            case .timeout: say("timeout", error.description)
            default: lose(error)
            }
            return nil
        }
    }

    /// Asks and goes on; the answer comes to `then`.
    func ask(later method: String, _ params: JSONValue? = nil, then: @escaping (ControlReply) -> Void) {
        do throws(ControlClientError) { pending[try client.request(method, params)] = then } catch { lose(error) }
    }

    private func awaitPending() {
        let end = SystemClock.uptime + Self.lastPatience
        do throws(ControlClientError) {
            while !pending.isEmpty, exitCode == nil {
                let left = end - SystemClock.uptime
                guard left.count > 0, let message = try client.next(timeout: left) else { return }
                take(message)
            }
        } catch {
            lose(error)
        }
    }

    // MARK: Speaking

    /// Says something as the chat itself, in a view; texts may hold raw names.
    func say(_ code: String, _ text: String, in view: ChatView? = nil, data: JSONValue? = nil) {
        let view = view ?? state.open
        screen.tell(
            .object([
                "type": "local", "code": .string(code), "view": .string(Self.name(of: view)), "text": .string(text),
                "data": data,
            ]))
        perform(state.addLocal(.local(text), to: view))
    }

    /// Says why something was not done.
    func say(_ refusal: ControlError, code: String, in view: ChatView) {
        let candidates = refusal.data?["candidates"]?.array?.compactMap(\.string) ?? []
        let hints = refusal.data?["hints"]?.array?.compactMap(\.string) ?? []
        let lines = [refusal.message] + candidates.map { "candidate: \($0)" } + hints
        say(
            code, lines.joined(separator: "\n"), in: view,
            data: .object(["error": .number(refusal.code), "candidates": refusal.data?["candidates"]]))
    }

    private static func name(of view: ChatView) -> String {
        switch view {
        case .mesh: "mesh"
        case .direct(let peer): peer.hex
        }
    }
}
