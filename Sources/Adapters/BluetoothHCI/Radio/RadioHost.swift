import Application
import Dispatch
import Domain

/// Runs an actor on a serial queue, so that callbacks of dispatch sources are already where the radio lives.
private final class RadioExecutor: SerialExecutor {
    let queue: DispatchQueue

    init(queue: DispatchQueue) { self.queue = queue }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }

    func checkIsolated() { dispatchPrecondition(condition: .onQueue(queue)) }
}

/// Owns one radio and the queue that everything about it happens on.
actor RadioHost {
    private nonisolated let executor: RadioExecutor
    private var radio: Radio?

    nonisolated var queue: DispatchQueue { executor.queue }
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// Makes a host for an adapter; nothing happens before ``start(_:)``.
    init(_ address: AdapterAddress) {
        executor = RadioExecutor(queue: DispatchQueue(label: "satchel.radio.\(address)", qos: .userInitiated))
    }

    /// Hands over to the radio and returns at once; from any thread, order is kept.
    nonisolated func post(_ body: @escaping @Sendable (Radio) -> Void) {
        queue.async { self.assumeIsolated { host in host.radio.map(body) } }
    }

    /// Makes the radio and begins to open its adapter.
    nonisolated func start(_ settings: RadioSettings) {
        queue.async {
            self.assumeIsolated { host in
                guard host.radio == nil else { return }
                let radio = Radio(settings, queue: host.queue) { [weak self] in self?.open(settings.address) }
                host.radio = radio
                radio.start()
            }
        }
    }

    /// Opens the adapter where waiting hurts nobody, and reports to the radio.
    private nonisolated func open(_ address: AdapterAddress) {
        DispatchQueue.global(qos: .userInitiated).async {
            let result = Result { () throws(BluetoothError) in try AdapterOpening.open(address) }
            self.queue.async {
                self.assumeIsolated { host in
                    guard let radio = host.radio else {
                        if case .success(let opened) = result { opened.close() }
                        return
                    }
                    radio.opened(result)
                }
            }
        }
    }

    /// Says goodbye to every connection and closes the adapter.
    ///
    /// - Parameter done: Called on the radio's queue, once, when nothing is open any more.
    nonisolated func stop(_ done: @escaping @Sendable () -> Void) {
        queue.async {
            self.assumeIsolated { host in
                guard let radio = host.radio else { return done() }
                radio.stop {
                    // The radio lives until what it is doing now is done.
                    self.queue.async { self.assumeIsolated { $0.radio = nil } }
                    done()
                }
            }
        }
    }
}
