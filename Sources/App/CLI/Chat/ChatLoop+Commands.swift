import ControlSocket
import Domain
import Glibc
import Terminal

/// What the user asks for.
///
/// Source: spec, app §2.
extension ChatLoop {
    /// Does what a line says.
    func perform(_ input: ChatInput, typed line: String) {
        // The line was wiped from the screen; a message comes back as its row, a command would leave no trace.
        if screen.terminal.isInteractive, line.first == "/" { screen.terminal.print(["> " + DisplayText.line(line)]) }
        switch input {
        case .nothing: return
        case .message(let text): speak(text)
        case .command(let command): perform(command)
        case .usage(let verb): say("usage", "usage: \(verb.usage)")
        case .unsupported(let name): say("unsupported", "/\(name) is not supported yet")
        case .unknown(let name): say("unknown", "there is no command /\(name); /help lists them")
        }
    }

    private func perform(_ command: ChatCommand) {
        switch command {
        case .msg(let peer, let text): converse(with: peer, text)
        case .open(let peer): if let peer { converse(with: peer, nil) } else { show(.mesh) }
        case .close: close()
        case .views: listViews()
        case .who: listNames()
        case .peers: listPeers()
        case .nick(let name): rename(name)
        case .id: showIdentity()
        case .fingerprint(let peer): showFingerprint(of: peer)
        case .ping(let peer): ping(peer)
        case .status: showStatus()
        case .trace(let peer): trace(peer)
        case .topology: showTopology()
        case .send(let path): sendFile(path)
        case .emote(let emote, let peer): perform(emote, to: peer)
        case .wave: give(.object(["text": "👋"]))
        case .clear:
            state.clear()
            screen.terminal.clear()
        case .help:
            let width = SlashVerb.allCases.map(\.usage.count).max() ?? 0
            let lines = SlashVerb.allCases.map { verb in
                verb.usage + String(repeating: " ", count: width - verb.usage.count + 2) + verb.summary
            }
            say("help", lines.joined(separator: "\n"))
        case .panic(let isSure): panic(isSure: isSure)
        case .quit: leave()
        }
    }

    /// Has everything erased; the chat ends with the node that it spoke to.
    private func panic(isSure: Bool) {
        guard isSure else {
            return say("panic.sure", "identity, messages and files would be erased for good; '/panic now' does it")
        }
        guard ask("panic") != nil else { return }
        say("panic.begun", "erasing everything")
        isErasing = true
        leave()
    }

    // MARK: Talking

    private func speak(_ text: String) {
        guard !isAstray else {
            say("astray", "not said: the conversation that was asked for is not open; /open or /close first")
            return
        }
        switch state.open {
        case .mesh: give(.object(["text": .string(text)]))
        case .direct(let peer): send(text, to: peer)
        }
    }

    private func send(_ text: String, to peer: PeerID) {
        give(.object(["text": .string(text), "to": .string(peer.hex)]))
    }

    private func converse(with name: String, _ text: String?) {
        // Nobody must go on talking in the view that happens to be open: what was meant for one would be read by all.
        isAstray = true
        guard let peer = find(name, code: "msg.notfound") else { return }
        guard peer != state.own else {
            say("msg.self", "that is you")
            return
        }
        show(.direct(peer))
        say("msg.started", "private conversation with \(state.name(of: peer))")
        if let text, !text.trimmedForWire.isEmpty { send(text, to: peer) }
    }

    /// The peer that a name means; says why there is none.
    private func find(_ name: String, code: String = "notfound") -> PeerID? {
        guard let answer = ask("peers") else { return nil }
        take(roster: answer)
        switch state.match(name) {
        case .one(let peer): return peer
        case .none: say(code, "nobody here is called \(name)")
        case .several(let candidates):
            let lines = ["several are called \(name):"] + candidates
            say(
                "ambiguous", lines.joined(separator: "\n"),
                data: .object(["candidates": .array(candidates.map { .string($0) })]))
        }
        return nil
    }

    private func perform(_ emote: ChatEmote, to name: String) {
        guard let peer = find(name) else { return }
        switch state.open {
        case .mesh:
            let text = emote.publicText(from: state.nickname, to: name)
            give(.object(["text": .string(text)]))
        case .direct: send(emote.privateText(from: state.nickname), to: peer)
        }
    }

    private func ping(_ name: String) {
        guard let peer = find(name) else { return }
        // The answer belongs where the question was asked, whatever is open by then (spec: app §1.3).
        let (view, shown) = (state.open, state.name(of: peer))
        say("ping.sent", "ping to \(shown)")
        ask(later: "ping", .object(["to": .string(peer.hex)])) { [self] reply in
            switch reply {
            case .failure(let refusal): say(refusal, code: "ping.failed", in: view)
            case .success(let result):
                guard let time = result["roundTrip"]?.integer else {
                    say("ping.none", "no answer from \(shown)", in: view, data: result)
                    return
                }
                let hops =
                    switch result["hops"]?.integer {
                    case nil: ""
                    case 1?: " · direct (1 hop)"
                    case let hops?: " · \(hops) hops"
                    }
                say("ping.pong", "pong from \(shown): \(time) ms\(hops)", in: view, data: result)
            }
        }
    }

    private func sendFile(_ path: String) {
        guard state.open == .mesh else {
            say("unsupported", "files in private conversations are not supported yet; /close first to send to everyone")
            return
        }
        guard path != "-" else {
            say("send.failed", "the chat reads its lines from standard input, so no file can come from there")
            return
        }
        let home = getenv("HOME").map { String(cString: $0) } ?? ""
        let path = path.hasPrefix("~/") ? home + path.dropFirst(1) : path
        do throws(Failure) {
            let content = try SystemFile.read(path, limit: Self.fileLimit)
            let name = path.split(separator: "/").last.map(String.init) ?? "file"
            let params = JSONValue.object(["name": .string(name), "content": .string(Base64.encode(content))])
            guard let answer = ask("sendFile", params, code: "send.failed") else { return }
            say("send.started", "sending \(name), \(content.count) bytes", data: answer)
        } catch {
            say("send.failed", error.message)
        }
    }

    /// Gives the node a message; says so when it must wait.
    private func give(_ message: JSONValue) {
        guard let why = ask("send", message, code: "send.failed")?["held"]?.string else { return }
        say("send.held", "held back until that is mended: \(why)")
    }

    /// What fits a line of the control protocol in base64; the node's own limit is lower (spec: app §10).
    private static var fileLimit: Int { 2 << 20 }

    // MARK: Views

    private func show(_ view: ChatView) {
        isAstray = false
        let isOther = view != state.open
        // What is acknowledged as read must have been on the screen.
        let count = max(Self.shownRows, state.unreadRows(in: view))
        let effects = state.open(view)
        if isOther {
            screen.show(Array(state.rows(of: view).suffix(count)))
            screen.tell(.object(["type": "local", "code": "view", "view": .string(state.title(of: view))]))
        }
        perform(effects)
    }

    private func close() {
        guard state.open != .mesh else {
            isAstray = false
            say("close.none", "this is the public mesh")
            return
        }
        show(.mesh)
        say("closed", "back in the public mesh")
    }

    private func listViews() {
        let lines = state.views.map { view in
            let unread = state.unread(in: view)
            return (view == state.open ? "* " : "  ") + state.title(of: view)
                + (unread > 0 ? " (\(unread) unread)" : "")
        }
        say("views", lines.joined(separator: "\n"))
    }

    // MARK: Looking

    private func listNames() {
        guard let answer = ask("peers") else { return }
        take(roster: answer)
        let names = state.roster.names
        guard !names.isEmpty else {
            say("who.none", "nobody else is here")
            return
        }
        say("who.list", names.joined(separator: ", "), data: .array(names.map { .string($0) }))
    }

    private func listPeers() {
        guard let answer = ask("peers") else { return }
        take(roster: answer)
        let lines = state.roster.peers.map { peer in
            let state = peer.isConnected ? "connected" : peer.isReachable ? "reachable" : "away"
            return "\(peer.suffixedName)  \(peer.id.hex)  \(state)\(peer.isSecure ? ", secured" : "")"
        }
        say("peers", lines.isEmpty ? "nobody else is here" : lines.joined(separator: "\n"), data: answer)
    }

    private func showIdentity() {
        guard let answer = ask("identity") else { return }
        let fields = ["nickname", "id", "fingerprint", "noiseKey", "signingKey"]
        let lines = fields.compactMap { name in answer[name]?.string.map { "\(name): \($0)" } }
        say("id", lines.joined(separator: "\n"), data: answer)
    }

    private func showFingerprint(of name: String?) {
        var peer: PeerID?
        if let name {
            peer = find(name)
            guard peer != nil else { return }
        } else if case .direct(let other) = state.open {
            guard let answer = ask("peers") else { return }
            take(roster: answer)
            peer = other
        }
        guard let peer, peer != state.own else {
            guard let digits = ask("identity")?["fingerprint"]?.string else { return }
            say("fingerprint", "your fingerprint: \(digits)", data: .object(["fingerprint": .string(digits)]))
            return
        }
        guard let digits = state.roster[peer]?.fingerprint, !digits.isEmpty else {
            say("notfound", "the fingerprint of \(state.name(of: peer)) is not known; it has not been heard of lately")
            return
        }
        say(
            "fingerprint", "\(state.name(of: peer)): \(digits)",
            data: .object(["peer": .string(peer.hex), "fingerprint": .string(digits)]))
    }

    private func showStatus() {
        guard let answer = ask("status") else { return }
        say("status", StatusVerb.text(of: answer).trimmedForWire, data: answer)
    }

    private func trace(_ name: String) {
        guard let peer = find(name),
            let answer = ask("trace", .object(["to": .string(peer.hex)]), code: "trace.failed")
        else { return }
        let isKnown = answer["way"]?.string != "flooded"
        say(isKnown ? "trace.path" : "trace.none", TraceVerb.text(of: answer).trimmedForWire, data: answer)
    }

    private func showTopology() {
        guard let answer = ask("topology") else { return }
        say("topology", TopologyGraph(answer).tables.trimmedForWire, data: answer)
    }

    private func rename(_ name: String) {
        guard let answer = ask("nickname", .object(["name": .string(name)]), code: "nick.failed"),
            let nickname = answer["nickname"]?.string
        else { return }
        state.nickname = nickname
        let isLong = nickname.count > Self.shortName
        say(
            "nick", "you are \(state.name(of: state.own)) now" + (isLong ? "; Android phones cut it" : ""), data: answer
        )
    }

    /// The longest nickname that an Android phone shows whole (spec: app §3.1).
    private static var shortName: Int { 15 }
}
