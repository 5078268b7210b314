import Domain

/// Sends commands one at a time, when the controller grants a credit, and finds the answer to each.
///
/// A controller may grant several credits; we use one. [ours]: hosts commonly do, so it is what controllers are tested
/// with, and no command of ours is in a hurry.
///
/// Source: Core Specification, Vol 4, Part E, 4.4.
final class CommandQueue {
    /// How a command ended.
    enum Answer {
        /// It was carried out, or begun; with the parameters behind the status.
        case success(ByteReader)
        /// The controller refused it.
        case refused(HCIStatus)
        /// It was not answered in time, not sent for lack of room, or no longer wanted when its turn came.
        case none
    }

    /// What it means that a command stays without an answer.
    enum Importance {
        /// The controller is of no use.
        case mandatory
        /// The controller does not know the command; it is not sent again.
        case optional
        /// Nothing: the next one is sent as if nothing had been.
        case dispensable
    }

    private struct Entry {
        let command: HCICommand
        let importance: Importance
        let timeout: Milliseconds
        let resending: Milliseconds?
        let isWanted: () -> Bool
        let then: (Answer) -> Void
    }

    private let timers: any RadioTimers
    private let send: ([UInt8]) -> Void
    private let fail: (String) -> Void
    private var waiting: ArraySlice<Entry> = []
    private var underWay: Entry?
    private var timer: RadioTimer?
    /// When the command that is under way counts as unanswered.
    private var deadline = Uptime(milliseconds: 0)
    private var credits = 1
    private var unsupported: Set<OpCode> = []
    private var isStopped = false
    /// Answers to commands that nobody waited for.
    private(set) var strayAnswers = 0
    /// Commands that were not answered in time.
    private(set) var unanswered = 0

    /// - Parameter fail: Told once, when the controller turns out to be of no use; the queue has stopped by then.
    init(timers: any RadioTimers, send: @escaping ([UInt8]) -> Void, fail: @escaping (String) -> Void) {
        self.timers = timers
        self.send = send
        self.fail = fail
    }

    /// Whether nothing is under way and nothing waits.
    var isIdle: Bool { underWay == nil && waiting.isEmpty }

    /// Sends a command when its turn comes.
    ///
    /// - Parameters:
    ///   - resending: How long it may stay without an answer before it is sent again; `nil`: never.
    ///   - isWanted: Asked when its turn has come; a connection may be gone by then, and its handle given to another.
    ///   - then: Told how it ended, unless the queue stops first; perhaps before this function returns.
    func enqueue(
        _ command: HCICommand, _ importance: Importance, timeout: Milliseconds = BluetoothPolicy.commandTimeout,
        resending: Milliseconds? = nil, while isWanted: @escaping () -> Bool,
        then: @escaping (Answer) -> Void = { _ in }
    ) {
        guard !isStopped else { return }
        if importance == .optional, !isSupported(command.opCode) { return then(.refused(.unknownCommand)) }
        if importance != .mandatory {
            guard waiting.count < BluetoothPolicy.waitingOptionalCommands else { return then(.none) }
        }
        guard waiting.count < BluetoothPolicy.waitingCommands else {
            return giveUp("does not keep up: \(waiting.count) commands wait for it")
        }
        waiting.append(
            Entry(
                command: command, importance: importance, timeout: timeout, resending: resending, isWanted: isWanted,
                then: then))
        pump()
    }

    /// Sends a command when its turn comes, whatever happens until then.
    func enqueue(
        _ command: HCICommand, _ importance: Importance, timeout: Milliseconds = BluetoothPolicy.commandTimeout,
        resending: Milliseconds? = nil, then: @escaping (Answer) -> Void = { _ in }
    ) {
        enqueue(command, importance, timeout: timeout, resending: resending, while: { true }, then: then)
    }

    /// Whether a command was neither unknown to the controller nor left without an answer so far.
    func isSupported(_ opCode: OpCode) -> Bool { !unsupported.contains(opCode) }

    /// Takes a Command Complete event.
    func completed(_ opCode: OpCode, credits: Int, returned: ArraySlice<UInt8>) {
        var reader = ByteReader(returned)
        guard let entry = take(opCode, credits: credits) else { return }
        switch reader.takeStatus() {
        case .some(.success): finish(entry, .success(reader))
        case .some(let status): finish(entry, .refused(status))
        // Without even a status: it was answered, but said nothing.
        case .none: finish(entry, .success(reader))
        }
    }

    /// Takes a Command Status event: the answer to a command that takes its time, or a refusal; for any other command it
    /// says that the answer is still to come.
    func began(_ opCode: OpCode, credits: Int, _ status: HCIStatus) {
        if status.isSuccess, !opCode.isAnsweredByStatus, let entry = underWay, entry.command.opCode == opCode {
            self.credits = credits
            return
        }
        guard let entry = take(opCode, credits: credits) else { return }
        finish(entry, status.isSuccess ? .success(ByteReader([])) : .refused(status))
    }

    /// Forgets everything, the answers too.
    func stop() {
        isStopped = true
        timers.cancel(timer)
        timer = nil
        waiting = []
        underWay = nil
    }

    // MARK: One at a time

    private func pump() {
        while !isStopped, underWay == nil, let next = waiting.first {
            guard credits > 0 else { return waitForCredit() }
            waiting.removeFirst()
            guard next.isWanted() else {
                next.then(.none)
                continue
            }
            // It may have turned out while this one waited.
            guard next.importance != .optional || isSupported(next.command.opCode) else {
                next.then(.refused(.unknownCommand))
                continue
            }
            credits -= 1
            underWay = next
            deadline = timers.now + next.timeout
            sendNow(next)
        }
    }

    private func sendNow(_ entry: Entry) {
        let rest = max(0, deadline - timers.now)
        restartTimer(entry.resending.map { min($0, rest) } ?? rest) { $0.timedOut() }
        send(entry.command.packet)
    }

    /// Takes the credits of an answer, and the command that it answers.
    ///
    /// The credits of an event are all that there are, not more of them.
    private func take(_ opCode: OpCode, credits: Int) -> Entry? {
        guard !isStopped else { return nil }
        self.credits = credits
        if let entry = underWay, entry.command.opCode == opCode {
            underWay = nil
            timers.cancel(timer)
            timer = nil
            return entry
        }
        if opCode != .none { strayAnswers += 1 }
        pump()
        return nil
    }

    private func finish(_ entry: Entry, _ answer: Answer) {
        if case .refused(.unknownCommand) = answer, entry.importance == .optional {
            unsupported.insert(entry.command.opCode)
        }
        entry.then(answer)
        pump()
    }

    private func timedOut() {
        guard let entry = underWay else { return }
        if entry.resending != nil, timers.now < deadline { return sendNow(entry) }
        underWay = nil
        unanswered += 1
        if entry.importance == .mandatory {
            return giveUp("gave no answer to \(entry.command.opCode) for \(entry.timeout.count / 1000) s")
        }
        if entry.importance == .optional { unsupported.insert(entry.command.opCode) }
        // The credit that it took will not come back by itself.
        credits = max(credits, 1)
        entry.then(.none)
        pump()
    }

    /// A controller without a credit says so by an answer, and gives one by another; it may forget.
    private func waitForCredit() {
        guard timer == nil else { return }
        restartTimer(BluetoothPolicy.commandTimeout) { queue in
            guard queue.underWay == nil, queue.credits == 0 else { return queue.pump() }
            queue.giveUp("accepts no more commands")
        }
    }

    private func restartTimer(_ delay: Milliseconds, _ action: @escaping (CommandQueue) -> Void) {
        timers.cancel(timer)
        timer = timers.after(delay) { [weak self] in
            guard let self, !isStopped else { return }
            timer = nil
            action(self)
        }
    }

    private func giveUp(_ reason: String) {
        stop()
        fail(reason)
    }
}
