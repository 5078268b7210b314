import Application
import BluetoothHCI
import Dispatch
import Domain
import Glibc
import Support
import Synchronization

/// One end of a radio link: sends and counts as it is told to, by its own process or by the far end.
///
/// The two ends live in processes of their own, so that it is known what processor time each takes. The far one is told
/// what to do over the link itself: the first byte of a packet's payload is an ``RadioOrder``.
final class RadioEnd: Sendable {
    /// Equal packets that are to be sent.
    private struct Batch {
        let frame: [UInt8]
        var count = 1
        /// Whether `done` is sent behind them.
        var isReported = false

        static func data(_ count: Int, size: Int, isReported: Bool = false) -> Batch {
            Batch(frame: RadioOrder.data.frame(size: size), count: count, isReported: isReported)
        }
    }

    private struct State {
        var link: LinkDescription?
        var batches: [Batch] = []
        /// Packets that are still to come.
        var toCome = 0
        /// Whether `done` is sent when they have.
        var isReported = false
        /// Processor time when the present order came.
        var start: UInt64 = 0
        /// The number in the last `done` or `pong`.
        var answer: UInt64 = 0
        var loss: String?

        mutating func takeFrame() -> [UInt8]? {
            guard let frame = batches.first?.frame else { return nil }
            batches[0].count -= 1
            if batches[0].count == 0, batches.removeFirst().isReported { batches.append(done) }
            return frame
        }

        /// What the far end wants to know at the end of its order.
        var done: Batch { Batch(frame: RadioOrder.done.frame([Clocks.processor - start])) }
    }

    /// What a transfer took, in seconds.
    struct Transfer {
        /// From the first packet to the last.
        let time: Double
        /// Processor time of our process.
        let near: Double
        /// Processor time of the far end's process.
        let far: Double
    }

    /// The link is gone, or the far end says nothing.
    struct Lost: Error, CustomStringConvertible {
        let description: String
    }

    private let state = Mutex(State())
    /// Raised when the link came up, an answer came, or all is lost.
    private let news = DispatchSemaphore(value: 0)
    /// Where a node would be: what hands packets over is not on the radio's queue.
    private let queue = DispatchQueue(label: "node")
    private let radio = Mutex<BluetoothHCI?>(nil)

    /// Starts a radio.
    init(_ adapter: String) throws {
        var configuration = BluetoothConfiguration(adapters: [try AdapterAddress(parsing: adapter)])
        configuration.service = .test
        // One link is all that comes.
        let radio = try BluetoothHCI(
            configuration, randomness: { .random(in: .min ... .max) }, nextLinkID: { LinkID(rawValue: 1) },
            handlers: BluetoothHandlers(
                linkUp: { [weak self] in self?.linkUp($0) },
                linkDown: { [weak self] in self?.lost("the link is gone: \($1)") },
                frame: { [weak self] frame, _ in self?.received(frame) },
                linkWritable: { [weak self] _ in self?.pumpSoon() },
                adapterDown: { [weak self] in self?.lost("the adapter is gone") },
                log: { level, text in if level >= .warning { print("    \(text)") } }))
        self.radio.withLock { $0 = radio }
        radio.start()
    }

    /// Says goodbye.
    func stop() { radio.withLock { $0 }?.stop() }

    /// Does what the far end wants until the link is gone.
    static func serve(_ adapter: String) throws {
        let end = try RadioEnd(adapter)
        while end.state.withLock({ $0.loss == nil }) { end.news.wait() }
    }

    // MARK: What is measured

    /// Waits for the link.
    ///
    /// - Returns: Whether we opened it: then what we send is written, and what comes are notifications.
    func isOutgoing() throws -> Bool {
        try wait()
        return state.withLock { $0.link?.isOutgoing ?? false }
    }

    /// Sends so many packets of so many bytes to the far end.
    func send(_ count: Int, size: Int) throws -> Transfer {
        try transfer {
            $0.batches = [Batch(frame: RadioOrder.expect.frame([UInt64(count)])), .data(count, size: size)]
        }
    }

    /// Has the far end send so many packets of so many bytes.
    func fetch(_ count: Int, size: Int) throws -> Transfer {
        try transfer {
            $0.toCome = count
            $0.batches = [Batch(frame: RadioOrder.fetch.frame([UInt64(count), UInt64(size)]))]
        }
    }

    private func transfer(_ begin: (inout State) -> Void) throws -> Transfer {
        let (start, processor) = (Clocks.now, Clocks.processor)
        state.withLock { begin(&$0) }
        pumpSoon()
        try wait()
        let (end, processorEnd) = (Clocks.now, Clocks.processor)
        let (far, toCome) = state.withLock { ($0.answer, $0.toCome) }
        guard toCome == 0 else { throw Lost(description: "\(toCome) packets did not come") }
        return Transfer(
            time: Double(end - start) / 1e9, near: Double(processorEnd - processor) / 1e9, far: Double(far) / 1e9)
    }

    /// How long a packet of so many bytes takes until the far end's handler has it, in seconds.
    func ping(size: Int) throws -> Double {
        let frame = RadioOrder.ping.frame(size: size)
        let start = Clocks.now
        guard send(frame) == .accepted else { throw Lost(description: "the link takes no packet") }
        try wait()
        return Double(state.withLock { $0.answer } - start) / 1e9
    }

    private func wait() throws {
        let isNews = news.wait(timeout: .now() + SatchelNode.patience) == .success
        if let loss = state.withLock({ $0.loss }) { throw Lost(description: loss) }
        guard isNews else { throw Lost(description: "the far end says nothing") }
    }

    // MARK: What the radio reports

    private func linkUp(_ link: LinkDescription) {
        state.withLock { $0.link = link }
        news.signal()
    }

    private func lost(_ reason: String) {
        state.withLock { $0.loss = $0.loss ?? reason }
        news.signal()
    }

    private func received(_ frame: [UInt8]) {
        switch RadioOrder(frame) {
        case .data: counted()
        case .expect:
            state.withLock {
                ($0.start, $0.toCome, $0.isReported) = (Clocks.processor, RadioOrder.number(0, in: frame), true)
            }
        case .fetch:
            state.withLock {
                $0.start = Clocks.processor
                $0.batches = [
                    .data(RadioOrder.number(0, in: frame), size: RadioOrder.number(1, in: frame), isReported: true)
                ]
            }
            pumpSoon()
        case .done, .pong:
            state.withLock { $0.answer = UInt64(RadioOrder.number(0, in: frame)) }
            news.signal()
        case .ping: _ = send(RadioOrder.pong.frame([Clocks.now]))
        case nil: break
        }
    }

    private func counted() {
        let isDone = state.withLock { state in
            state.toCome -= 1
            guard state.toCome == 0, state.isReported else { return false }
            state.isReported = false
            state.batches = [state.done]
            return true
        }
        if isDone { pumpSoon() }
    }

    // MARK: Sending

    private func pumpSoon() { queue.async { [weak self] in self?.pump() } }

    /// Hands over what the link takes; goes on when it takes more.
    private func pump() {
        // Taken off the list before it is handed over: the far end may be at its next order as soon as it is.
        while let frame = state.withLock({ $0.takeFrame() }) {
            guard send(frame) == .accepted else {
                return state.withLock { $0.batches.insert(Batch(frame: frame), at: 0) }
            }
        }
    }

    private func send(_ frame: [UInt8]) -> SendOutcome {
        guard let link = state.withLock({ $0.link?.id }) else { return .refused }
        return radio.withLock { $0 }?.send(frame, on: link) ?? .refused
    }
}
