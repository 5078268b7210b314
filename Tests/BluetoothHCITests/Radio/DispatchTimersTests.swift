import Dispatch
import Domain
import Support
import Testing

@testable import BluetoothHCI

@Suite("Timers on a queue")
struct DispatchTimersTests {
    private let queue = DispatchQueue(label: "timers")
    private let fired = Watched<[String]>([])

    /// Makes timers on the queue, and keeps them until all of `names` have fired.
    private func run(expecting names: [String], _ body: @Sendable (DispatchTimers) -> Void) {
        let timers = DispatchTimers(queue: queue)
        queue.sync { body(timers) }
        let seen = fired.wait(within: 30) { $0.count >= names.count ? $0 : nil }
        #expect(seen == names)
        queue.sync {}
        #expect(fired.look { $0 } == names)
        withExtendedLifetime(timers) {}
    }

    @Test("what is due now runs in order, not at once, and before what is due later")
    func order() {
        let fired = fired
        run(expecting: ["now", "also now", "soon", "later"]) { timers in
            timers.after(40) { fired.change { $0.append("later") } }
            timers.after(0) { fired.change { $0.append("now") } }
            timers.after(10) { fired.change { $0.append("soon") } }
            timers.after(0) { fired.change { $0.append("also now") } }
            #expect(fired.look { $0.isEmpty })
        }
    }

    @Test("what is cancelled does not run, whatever it was behind or in front of")
    func cancelled() {
        let fired = fired
        run(expecting: ["now", "later"]) { timers in
            let never = timers.after(0) { fired.change { $0.append("never") } }
            timers.after(0) { fired.change { $0.append("now") } }
            let first = timers.after(5) { fired.change { $0.append("first") } }
            timers.after(30) { fired.change { $0.append("later") } }
            timers.cancel(never)
            timers.cancel(first)
        }
    }

    @Test("what a timer asks for comes too, with the same moment again")
    func chain() {
        let fired = fired
        run(expecting: ["one", "two", "three"]) { timers in
            timers.after(5) { [weak timers] in
                fired.change { $0.append("one") }
                timers?.after(0) { fired.change { $0.append("two") } }
                timers?.after(5) { fired.change { $0.append("three") } }
            }
        }
    }
}
