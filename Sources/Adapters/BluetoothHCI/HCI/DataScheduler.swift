import Domain

/// Shares a controller's buffers among connections that have something to send.
///
/// A credit is room for one piece in the controller; it is taken when the piece is handed over, and comes back when the
/// piece has left (Core Specification, Vol 4, Part E, 4.1.1). Connections take turns piece by piece. A connection whose far
/// end is gone holds on to its credits until the controller notices. So while there are others, none may hold more than
/// half of them, nor take more than one while no more are free than it holds: the first to stall holds half, the next one
/// half of the rest, and it takes many to stop the others. With one credit in all that cannot be.
struct DataScheduler {
    private struct Sender {
        var frame: ArraySlice<UInt8> = []
        var isAtStart = true
        /// Credits held.
        var held = 0
        /// When the last piece left, or the first of those that are held was handed over.
        var since: Uptime
        /// How long that may be ago before the credits count as lost.
        var patience: Milliseconds
        /// Credits were taken back, and no piece has left since.
        var isSuspect = false
        var isInRound = false
        var isClosed = false
    }

    /// What became of a connection's credits that were held for too long.
    enum Verdict: Hashable {
        /// They were taken back: their return was lost.
        case reclaimed(ConnectionHandle, Int)
        /// The connection is dead, and is to be ended: nothing left for the second time, or for longer than the others can
        /// wait. Its credits come back when it has ended, since until then the controller may hold the pieces.
        case dead(ConnectionHandle)
    }

    /// The longest piece, in bytes.
    let pieceLength: Int
    /// All credits.
    let total: Int
    /// Credits not held by a connection.
    private(set) var free: Int
    private var senders: [ConnectionHandle: Sender] = [:]
    /// Those that may have something to send, in the order of their turns; each once. So few that moving them all up costs
    /// less than the storage that a slice would leave behind.
    private var round: [ConnectionHandle] = []

    init(pieceLength: Int, total: Int) {
        self.pieceLength = max(1, pieceLength)
        self.total = max(0, total)
        free = self.total
    }

    /// Whether a connection holds credits.
    var isWaiting: Bool { free < total }

    /// Credits held by a connection.
    func held(by handle: ConnectionHandle) -> Int { senders[handle]?.held ?? 0 }

    // MARK: Connections

    /// A connection came up.
    mutating func open(_ handle: ConnectionHandle, patience: Milliseconds, at now: Uptime) {
        remove(handle)
        senders[handle] = Sender(since: now, patience: patience)
    }

    /// A connection's supervision timeout changed.
    mutating func setPatience(_ patience: Milliseconds, of handle: ConnectionHandle) {
        senders[handle]?.patience = patience
    }

    /// A connection is being ended: nothing more is sent over it.
    mutating func close(_ handle: ConnectionHandle) {
        senders[handle]?.isClosed = true
        senders[handle]?.frame = []
    }

    /// A connection is gone, and its credits are back (Core Specification, Vol 4, Part E, 4.3).
    mutating func remove(_ handle: ConnectionHandle) {
        guard let sender = senders.removeValue(forKey: handle) else { return }
        free += sender.held
        if sender.isInRound { round.removeAll { $0 == handle } }
    }

    // MARK: Sending

    /// A connection has something to send, for all we know.
    mutating func join(_ handle: ConnectionHandle) {
        guard let sender = senders[handle], !sender.isInRound, !sender.isClosed else { return }
        senders[handle]?.isInRound = true
        round.append(handle)
    }

    /// Whose turn it is, off the round; `nil` when no connection may send now.
    mutating func nextTurn() -> ConnectionHandle? {
        guard free > 0 else { return nil }
        for _ in 0..<round.count {
            let handle = round.removeFirst()
            guard let sender = senders[handle] else { continue }
            if maySend(sender) {
                senders[handle]?.isInRound = false
                return handle
            }
            if sender.isClosed {
                senders[handle]?.isInRound = false
            } else {
                round.append(handle)
            }
        }
        return nil
    }

    private func maySend(_ sender: Sender) -> Bool {
        guard free > 0, !sender.isClosed else { return false }
        guard senders.count > 1 else { return true }
        return sender.held == 0 || sender.held < min(total / 2, free)
    }

    /// Whether all of a connection's last frame was handed over.
    func needsFrame(_ handle: ConnectionHandle) -> Bool { senders[handle]?.frame.isEmpty ?? false }

    /// Takes a connection's next frame.
    mutating func supply(_ frame: [UInt8], for handle: ConnectionHandle) {
        guard let sender = senders[handle], !sender.isClosed else { return }
        senders[handle]?.frame = frame[...]
        senders[handle]?.isAtStart = true
    }

    /// Takes the next piece of a connection's frame, for a credit, and sends the connection to the end of the round.
    mutating func takePiece(of handle: ConnectionHandle, at now: Uptime) -> DataPacket? {
        guard var sender = senders[handle], !sender.frame.isEmpty, free > 0 else { return nil }
        let piece = DataPacket(handle: handle, isStart: sender.isAtStart, payload: sender.frame.prefix(pieceLength))
        sender.frame = sender.frame.dropFirst(pieceLength)
        sender.isAtStart = false
        if sender.held == 0 { sender.since = now }
        sender.held += 1
        free -= 1
        senders[handle] = sender
        join(handle)
        return piece
    }

    // MARK: Credits

    /// Pieces left the controller.
    ///
    /// - Returns: The credits that were returned without having been taken; `nil` for a connection that we do not know.
    mutating func completed(_ count: Int, on handle: ConnectionHandle, at now: Uptime) -> Int? {
        guard let sender = senders[handle] else { return nil }
        let returned = min(max(count, 0), sender.held)
        if returned > 0 {
            senders[handle]?.held -= returned
            senders[handle]?.since = now
            senders[handle]?.isSuspect = false
            free += returned
        }
        return count - returned
    }

    /// When credits may first count as lost; `nil` while none are held.
    var deadline: Uptime? {
        senders.values.lazy.filter { $0.held > 0 && !$0.isClosed }.map(Self.deadline).min()
    }

    private static func deadline(_ sender: Sender) -> Uptime {
        sender.since + min(sender.patience, BluetoothPolicy.longestStall)
    }

    /// Takes back the credits that were held for too long, but for those of connections that are dead.
    mutating func reclaim(at now: Uptime) -> [Verdict] {
        var verdicts: [Verdict] = []
        for handle in senders.keys.sorted() {
            guard var sender = senders[handle], sender.held > 0, !sender.isClosed, now >= Self.deadline(sender) else {
                continue
            }
            guard !sender.isSuspect, sender.patience <= BluetoothPolicy.longestStall else {
                close(handle)
                verdicts.append(.dead(handle))
                continue
            }
            verdicts.append(.reclaimed(handle, sender.held))
            free += sender.held
            sender.held = 0
            sender.isSuspect = true
            senders[handle] = sender
        }
        return verdicts
    }
}
