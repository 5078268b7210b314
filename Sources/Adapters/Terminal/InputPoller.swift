import Glibc

/// Waits on the keyboard, the caller's descriptors and the signal pipe at once.
struct InputPoller {
    /// What happened.
    enum Event: Equatable {
        case input
        case ready(Int32)
        case signal(Int32)
    }

    private let inputs: [Int32]
    private let signals: Int32

    init(inputs: [Int32], signals: Int32) {
        self.inputs = inputs
        self.signals = signals
    }

    /// What is ready now or next; the keyboard comes last, so that what it answers is on the screen.
    func wait(for keyboard: Int32) -> [Event] {
        // A negative descriptor is skipped by poll.
        var entries = (inputs + [signals, keyboard]).map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        guard poll(&entries, nfds_t(entries.count), -1) > 0 else { return [] }
        return entries.enumerated().flatMap { index, entry -> [Event] in
            guard entry.revents != 0 else { return [] }
            if index == inputs.count { return takeSignals() }
            return [index > inputs.count ? .input : .ready(entry.fd)]
        }
    }

    private func takeSignals() -> [Event] {
        guard case .bytes(let numbers) = InputRead.once(from: signals) else { return [] }
        return numbers.map { .signal(Int32($0)) }
    }
}
