import Domain
import Testing

/// A scheduler by reference, so that expectations can call what changes it.
final class Scheduling {
    private(set) var scheduler: ConnectionScheduler<Int>

    init(controllerLinks: Int = 32) {
        scheduler = ConnectionScheduler(budget: LinkBudget(controllerLinks: controllerLinks))
    }

    var queued: [Int] { scheduler.queue.entries.map(\.device) }

    func sighted(
        _ device: Int, _ signal: Int8 = -50, connectable: Bool = true, held: Bool = false, at time: Int64
    ) -> SightingDecision {
        scheduler.sighted(
            Sighting(device: device, signal: signal, isConnectable: connectable, isHeldByRadio: held), at: at(time))
    }
    func next(at time: Int64) -> QueueDecision<Int> { scheduler.next(at: at(time)) }
    func succeeded(_ device: Int, at time: Int64 = 0) { scheduler.succeeded(device, at: at(time)) }
    func failed(_ device: Int, at time: Int64) { scheduler.failed(device, at: at(time)) }
    func timedOut(_ device: Int, at time: Int64) { scheduler.timedOut(device, at: at(time)) }
    func disconnected(_ device: Int, isError: Bool, wasOfUse: Bool = true, at time: Int64) {
        scheduler.disconnected(device, isError: isError, wasOfUse: wasOfUse, at: at(time))
    }
    func withdrawn(_ device: Int) { scheduler.withdrawn(device) }
    func limitReached(links: Int, at time: Int64) { scheduler.limitReached(links: links, at: at(time)) }
    func accepted(_ device: Int) { scheduler.accepted(device) }
    func released(_ device: Int) { scheduler.released(device) }
    func adapt(degree: Int, at time: Int64) { scheduler.adapt(degree: degree, at: at(time)) }
    func cleanUp(at time: Int64) { scheduler.cleanUp(at: at(time)) }
    func overdue(at time: Int64) -> [Int] { scheduler.overdue(at: at(time)) }
    func score(_ device: Int, _ signal: Int8, seenAt: Int64, at time: Int64) -> Int64 {
        scheduler.score(ConnectionCandidate(device: device, signal: signal, seenAt: at(seenAt)), at: at(time))
    }

    /// Opens links to these devices, one each second from `time` on.
    func connect(_ devices: ClosedRange<Int>, from time: Int64 = 0) {
        for (index, device) in devices.enumerated() {
            #expect(sighted(device, at: time + Int64(index) * 1000) == .connect)
            succeeded(device, at: time + Int64(index) * 1000)
        }
    }

    private func at(_ time: Int64) -> Uptime { Uptime(milliseconds: time) }
}
