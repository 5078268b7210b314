import Application
import Domain

/// Where in the chat one is.
enum ChatView: Hashable, Sendable {
    /// The public mesh.
    case mesh
    /// A private conversation.
    case direct(PeerID)
}

/// One view's rows and what of them was not seen.
struct ChatBuffer: Sendable {
    /// Rows kept (spec: app §5.1).
    static let capacity = 1337

    /// Oldest first.
    private(set) var rows: [ChatRow] = []
    /// Messages that arrived while another view was open, oldest first: what to acknowledge when it opens.
    private(set) var unread: [String] = []
    /// The place in the log of the first of them.
    private(set) var firstUnread: UInt64?

    /// Adds a row; false when a message of that identifier is there.
    mutating func add(_ row: ChatRow) -> Bool {
        guard row.id.isEmpty || !rows.contains(where: { $0.id == row.id }) else { return false }
        rows.append(row)
        if rows.count > Self.capacity { rows.removeFirst(rows.count - Self.capacity) }
        return true
    }

    mutating func addUnread(_ id: String, sequence: UInt64) {
        firstUnread = firstUnread ?? sequence
        unread.append(id)
        // Their rows are gone too.
        if unread.count > Self.capacity { unread.removeFirst(unread.count - Self.capacity) }
    }

    /// Rows from the first unread message to the end.
    var unreadRows: Int {
        guard !unread.isEmpty else { return 0 }
        let ids = Set(unread)
        return rows.firstIndex { ids.contains($0.id) }.map { rows.count - $0 } ?? 0
    }

    /// Changes the status of one of our rows; `nil` when it is not here, or what it says is no news.
    mutating func change(_ id: String, to status: DeliveryStatus) -> ChatRow? {
        guard let index = rows.lastIndex(where: { $0.id == id }), rows[index].status != status else { return nil }
        rows[index].status = status
        return rows[index]
    }

    mutating func clear() { rows = [] }

    mutating func markSeen() -> [String] {
        defer { (unread, firstUnread) = ([], nil) }
        // A message whose row made room for others was not seen.
        let kept = Set(rows.map(\.id))
        return unread.filter { kept.contains($0) }
    }
}

/// What the chat knows, and what follows from what happens. Pure: the session does what the effects say.
struct ChatState: Sendable {
    /// What to do.
    enum Effect: Hashable, Sendable {
        /// Show a row, in the open view.
        case show(ChatRow)
        /// Ring the bell.
        case bell
        /// Tell a peer that its messages were seen.
        case markRead(PeerID, [String])
        /// Ask the node who is here.
        case refreshPeers
    }

    /// Our identifier.
    let own: PeerID
    /// Our nickname.
    var nickname: String
    /// Who is here.
    var roster = ChatRoster()
    /// What is shown.
    private(set) var open = ChatView.mesh
    private var buffers: [ChatView: ChatBuffer] = [.mesh: ChatBuffer()]
    /// Threads in the order in which they were begun.
    private(set) var threads: [PeerID] = []
    /// The names under which the peers of threads were last known.
    private var knownNames: [PeerID: String] = [:]
    private var lastBell: WallTime?

    /// The bell rings at most once in this time for gestures, in milliseconds (spec: app §2.5).
    private static let bellPause: UInt64 = 10_000

    /// A chat with nothing in it.
    init(own: PeerID, nickname: String) {
        self.own = own
        self.nickname = nickname
    }

    // MARK: Views

    /// The rows of a view.
    func rows(of view: ChatView) -> [ChatRow] { buffers[view]?.rows ?? [] }

    /// How many messages of a view were not seen.
    func unread(in view: ChatView) -> Int { buffers[view]?.unread.count ?? 0 }

    /// How many rows of a view must be shown so that nothing of it stays unread.
    func unreadRows(in view: ChatView) -> Int { buffers[view]?.unreadRows ?? 0 }

    /// The views in their order: the mesh, then the threads by age.
    var views: [ChatView] { [.mesh] + threads.map { .direct($0) } }

    /// The place in the log before the oldest private message that was not seen; `nil` when all were.
    var firstUnread: UInt64? {
        threads.compactMap { buffers[.direct($0)]?.firstUnread }.min()
    }

    /// What a view is called.
    func title(of view: ChatView) -> String {
        switch view {
        case .mesh: "mesh"
        case .direct(let peer): name(of: peer)
        }
    }

    /// What a peer is called, with its digits.
    func name(of peer: PeerID) -> String {
        if peer == own { return ChatNames.suffixed(nickname, own) }
        return roster[peer]?.suffixedName ?? knownNames[peer] ?? ChatNames.suffixed("anon", peer)
    }

    /// What stands before the line being typed.
    var prompt: String {
        let unread = views.filter { $0 != open }.reduce(0) { $0 + self.unread(in: $1) }
        return DisplayText.line(title(of: open)) + (unread > 0 ? " (\(unread))" : "") + "> "
    }

    /// Opens a view; its unread messages count as seen now.
    mutating func open(_ view: ChatView) -> [Effect] {
        open = view
        if case .direct(let peer) = view, !threads.contains(peer) { threads.append(peer) }
        let seen = buffers[view, default: ChatBuffer()].markSeen()
        guard case .direct(let peer) = view, !seen.isEmpty else { return [] }
        return [.markRead(peer, seen)]
    }

    /// Closes the open thread; the mesh is shown then.
    mutating func close() -> Bool {
        guard case .direct = open else { return false }
        _ = open(.mesh)
        return true
    }

    /// Empties the open view.
    mutating func clear() { buffers[open]?.clear() }

    /// Adds a line of the chat itself to a view; shown when that view is open.
    mutating func addLocal(_ row: ChatRow, to view: ChatView) -> [Effect] {
        _ = buffers[view, default: ChatBuffer()].add(row)
        return view == open ? [.show(row)] : []
    }

    /// Finds a peer among those who are here and those one has a thread with.
    func match(_ name: String) -> ChatRoster.Match {
        let match = roster.match(name)
        guard match == .none else { return match }
        let hits = threads.filter { self.name(of: $0) == name || knownNames[$0] == name }
        return hits.count == 1 ? .one(hits[0]) : hits.isEmpty ? .none : .several(hits.map(\.hex))
    }

    // MARK: Events

    /// Takes an event. One of the past, `isOld`, is filed and not announced.
    mutating func take(_ logged: LoggedEvent, isOld: Bool = false) -> [Effect] {
        switch logged.event {
        case .publicMessage(let message): take(message, in: .mesh, logged.sequence, isOld)
        case .privateMessage(let message):
            message.peer.map { take(message, in: .direct($0), logged.sequence, isOld) } ?? []
        case .status(let change): take(change)
        case .file(let file): take(file, logged.sequence, isOld)
        case .peer(let change): isOld ? [] : take(change)
        }
    }

    private mutating func take(
        _ message: ChatMessage, in view: ChatView, _ sequence: UInt64, _ isOld: Bool
    ) -> [Effect] {
        let name = ChatNames.suffixed(message.senderName, message.sender)
        var row = ChatRow(
            id: message.id, at: message.sentAt, content: .message(name: name, text: message.text),
            status: message.isOwn && view != .mesh ? .sending : nil)
        if view == .mesh, let inner = ChatEmote.inner(of: message.text.trimmedForWire) {
            row.content = .emote(name: name, text: inner)
        }
        if !message.isOwn, view == .mesh { row.isMention = isMention(message) }
        if !message.isOwn, view != .mesh { knownNames[message.sender] = name }
        let isAttention = row.isMention || !message.isOwn && ChatEmote.isTowards(nickname, message.text)
        return file(
            row, in: view, sequence, isOwn: message.isOwn, isOld: isOld, isAttention: isAttention,
            at: message.receivedAt)
    }

    private mutating func take(_ file: ReceivedFile, _ sequence: UInt64, _ isOld: Bool) -> [Effect] {
        let name = ChatNames.suffixed(file.senderName, file.sender)
        let text = "sent \(file.name ?? "a file") (\(file.mime), \(file.size) bytes): \(file.path)"
        let row = ChatRow(id: file.id, at: file.sentAt, content: .message(name: name, text: text))
        let view = file.isPrivate ? ChatView.direct(file.sender) : .mesh
        if file.isPrivate { knownNames[file.sender] = name }
        return self.file(
            row, in: view, sequence, isOwn: false, isOld: isOld, isAttention: false, at: file.receivedAt)
    }

    private mutating func file(
        _ row: ChatRow, in view: ChatView, _ sequence: UInt64, isOwn: Bool, isOld: Bool, isAttention: Bool,
        at time: WallTime
    ) -> [Effect] {
        guard buffers[view, default: ChatBuffer()].add(row) else { return [] }
        if case .direct(let peer) = view, !threads.contains(peer) { threads.append(peer) }
        if isOwn || isOld { return view == open && !isOld ? [.show(row)] : [] }
        guard view == open else {
            buffers[view]?.addUnread(row.id, sequence: sequence)
            return announce(row, in: view, isAttention: isAttention, at: time)
        }
        var effects: [Effect] = [.show(row)]
        if isAttention, mayRing(at: time) { effects.append(.bell) }
        if case .direct(let peer) = view { effects.append(.markRead(peer, [row.id])) }
        return effects
    }

    /// Says in the open view that there is something in another: once for each thread until it is opened.
    private mutating func announce(
        _ row: ChatRow, in view: ChatView, isAttention: Bool, at time: WallTime
    ) -> [Effect] {
        switch view {
        case .mesh:
            guard isAttention else { return [] }
            return [.show(.local("you are mentioned in the mesh; /close shows it"))]
                + (mayRing(at: time) ? [.bell] : [])
        case .direct(let peer):
            guard unread(in: view) == 1 else { return [] }
            let name = name(of: peer)
            return [.show(.local("\(name) wrote to you; /open \(name)")), .bell]
        }
    }

    private mutating func mayRing(at time: WallTime) -> Bool {
        if let lastBell, lastBell.distance(to: time) < Self.bellPause { return false }
        lastBell = time
        return true
    }

    private func isMention(_ message: ChatMessage) -> Bool {
        message.senderName != nickname
            && Mentions.hit(
                nickname, suffix: ChatNames.suffix(of: own), in: message.text, others: roster.peers.map(\.nickname))
    }

    private mutating func take(_ change: MessageStatusChange) -> [Effect] {
        let view = change.peer.map { ChatView.direct($0) } ?? .mesh
        guard let row = buffers[view]?.change(change.id, to: change.status), view == open else { return [] }
        switch change.status {
        case .sending, .sent, .partiallySent: return []
        case .carried, .delivered, .read, .failed:
            guard case .message(_, let text) = row.content else { return [] }
            return [.show(.local("\(ChatRowText.label(of: change.status)): \(Self.beginning(of: text))"))]
        }
    }

    /// Enough of a text to recognise it by.
    private static func beginning(of text: String) -> String {
        let line = text.prefix { $0 != "\n" }
        return line.count > 40 ? line.prefix(39) + "…" : line.count < text.count ? line + "…" : String(line)
    }

    private mutating func take(_ change: PeerChange) -> [Effect] {
        let name = ChatNames.suffixed(change.name, change.peer)
        let thread = ChatView.direct(change.peer)
        var effects: [Effect] = [.refreshPeers]
        switch change.kind {
        case .connected: effects += addLocal(.local("\(name) is connected"), to: .mesh)
        case .appeared: effects += addLocal(.local("\(name) is here"), to: .mesh)
        case .left: effects += addLocal(.local("\(name) left"), to: .mesh)
        case .disconnected: effects += addLocal(.local("\(name) is not connected any more"), to: .mesh)
        case .renamed: effects += addLocal(.local("\(change.peer.hex) is called \(name) now"), to: .mesh)
        case .secured:
            if threads.contains(change.peer) {
                effects += addLocal(.local("the line to \(name) is secured"), to: thread)
            }
        case .keyConflict:
            let text = "\(name) (\(change.peer.hex)) was announced with ANOTHER KEY: somebody may pose as this peer"
            _ = buffers[.mesh]?.add(ChatRow(content: .alarm(text)))
            effects += [.show(ChatRow(content: .alarm(text))), .bell]
        }
        return effects
    }
}
