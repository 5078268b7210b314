import Dispatch

/// Runs an actor on a serial dispatch queue, so that adapters can hand over with one `queue.async`, in order of arrival.
final class QueueExecutor: SerialExecutor {
    /// The queue.
    let queue: DispatchQueue

    /// Makes an executor over a serial queue.
    init(queue: DispatchQueue) { self.queue = queue }

    /// Runs a job of the actor.
    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }

    /// Whether the caller is on the queue; what `assumeIsolated` asks.
    func checkIsolated() { dispatchPrecondition(condition: .onQueue(queue)) }
}
