import Domain

/// What a line typed into the chat means.
///
/// Source: spec, app §1.2, §2.
enum ChatInput: Hashable, Sendable {
    /// Nothing to do.
    case nothing
    /// Something to say in the open view, as typed.
    case message(String)
    /// A command.
    case command(ChatCommand)
    /// A command whose argument is missing or makes no sense.
    case usage(SlashVerb)
    /// A command of the phones, or of a later version of ours.
    case unsupported(String)
    /// No command at all.
    case unknown(String)

    /// Reads a line. Only a slash in the first column begins a command; the text behind its first space is kept as typed.
    init(_ line: String) {
        guard !line.trimmedForWire.isEmpty else {
            self = .nothing
            return
        }
        guard line.first == "/" else {
            self = .message(line)
            return
        }
        let space = line.firstIndex(of: " ")
        let name = line[line.index(after: line.startIndex)..<(space ?? line.endIndex)].lowercased()
        let argument = space.map { String(line[line.index(after: $0)...]) } ?? ""
        guard let verb = SlashVerb(name) else {
            self = SlashVerb.unsupported.contains(name) ? .unsupported(name) : .unknown(name)
            return
        }
        self = ChatCommand(verb, argument).map { .command($0) } ?? .usage(verb)
    }
}

/// The commands that there are.
enum SlashVerb: String, CaseIterable, Sendable {
    case clear, close, fingerprint, help, hug, id, msg, nick, open, panic, peers, ping, quit, send, slap, status,
        topology, trace, views, wave, who

    /// Commands of the phones and of the specification that this version does not have.
    static let unsupported: Set<String> = [
        "alias", "block", "board", "bookmark", "cancel", "delete", "drop", "fav", "files", "group", "j", "join",
        "leave",
        "links", "notes", "pay", "retry", "save", "set", "unblock", "unfav", "verify",
        "voice",
    ]

    /// Finds a command by its name or short name, lowercase.
    init?(_ name: String) {
        switch name {
        case "m": self = .msg
        case "w": self = .who
        default: self.init(rawValue: name)
        }
    }

    /// The command with its argument, for help.
    var usage: String {
        switch self {
        case .msg: "/msg PEER [TEXT]"
        case .nick: "/nick NAME"
        case .open: "/open PEER"
        case .panic: "/panic [now]"
        case .fingerprint: "/fingerprint [PEER]"
        case .ping: "/ping PEER"
        case .trace: "/trace PEER"
        case .hug: "/hug PEER"
        case .slap: "/slap PEER"
        case .send: "/send PATH"
        case .clear, .close, .help, .id, .peers, .quit, .status, .topology, .views, .wave, .who: "/" + rawValue
        }
    }

    /// What it does, for help.
    var summary: String {
        switch self {
        case .msg: "open a private conversation, and say TEXT in it (short: /m)"
        case .who: "the names of those who are here (short: /w)"
        case .peers: "those who are here, with their peer IDs"
        case .open: "open a private conversation, or 'mesh'"
        case .panic: "erase everything of the node at once; asks before it does, 'now' does not"
        case .close: "go back to the public mesh"
        case .views: "the open conversations and what is unread"
        case .nick: "change your nickname"
        case .id: "your own identity"
        case .fingerprint: "a peer's fingerprint, to be compared over another channel"
        case .ping: "ask a peer for a sign of life"
        case .trace: "the way that packets to a peer take, as announces tell"
        case .topology: "who is whose neighbour"
        case .status: "the node at a glance"
        case .send: "send a file to everyone"
        case .clear: "empty the open view; others keep their copies"
        case .hug: "hug somebody"
        case .slap: "slap somebody with a large trout"
        case .wave: "wave to everyone"
        case .help: "this list"
        case .quit: "leave the chat"
        }
    }

    /// Whether its argument is a peer's name, for completion.
    var takesPeer: Bool { [.msg, .open, .fingerprint, .ping, .trace, .hug, .slap].contains(self) }
}

/// A command with its argument.
enum ChatCommand: Hashable, Sendable {
    /// Opens a thread and says something in it, exactly as typed; blank text is not said.
    case msg(String, text: String?)
    case who
    case peers
    /// Opens a thread, or with `nil` the mesh.
    case open(String?)
    case close
    case views
    case nick(String)
    case id
    /// `nil`: that of the open thread, or our own.
    case fingerprint(String?)
    case ping(String)
    case trace(String)
    case topology
    case status
    case send(path: String)
    case clear
    case emote(ChatEmote, String)
    case wave
    case panic(isSure: Bool)
    case help
    case quit

    /// Reads the argument of a command; `nil` when one is missing.
    init?(_ verb: SlashVerb, _ argument: String) {
        let name = Self.name(argument)
        switch verb {
        case .msg:
            let parts = argument.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
            guard let first = parts.first, case let peer = Self.name(String(first)), !peer.isEmpty else { return nil }
            self = .msg(peer, text: parts.count > 1 ? String(parts[1]) : nil)
        case .open where name == "mesh": self = .open(nil)
        case .open where !name.isEmpty: self = .open(name)
        case .ping where !name.isEmpty: self = .ping(name)
        case .trace where !name.isEmpty: self = .trace(name)
        case .hug where !name.isEmpty: self = .emote(.hug, name)
        case .slap where !name.isEmpty: self = .emote(.slap, name)
        case .nick where !argument.trimmedForWire.isEmpty: self = .nick(argument)
        case .send where !argument.trimmedForWire.isEmpty: self = .send(path: argument.trimmedForWire)
        case .open, .ping, .trace, .hug, .slap, .nick, .send: return nil
        case .fingerprint: self = .fingerprint(name.isEmpty ? nil : name)
        case .who: self = .who
        case .peers: self = .peers
        case .close: self = .close
        case .views: self = .views
        case .id: self = .id
        case .status: self = .status
        case .topology: self = .topology
        case .clear: self = .clear
        case .wave: self = .wave
        case .panic: self = .panic(isSure: argument.trimmedForWire == "now")
        case .help: self = .help
        case .quit: self = .quit
        }
    }

    /// A nickname argument: trimmed, with one `@` in front removed (spec: app §2.1).
    private static func name(_ argument: String) -> String {
        let trimmed = argument.trimmedForWire
        return trimmed.first == "@" ? String(trimmed.dropFirst()) : trimmed
    }
}
