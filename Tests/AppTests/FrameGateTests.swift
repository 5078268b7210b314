import Dispatch
import Synchronization
import Testing

@testable import App

@Suite("Frame gate")
struct FrameGateTests {
    @Test("who finds the gate full waits until somebody leaves", .timeLimit(.minutes(1)))
    func full() {
        let gate = FrameGate(limit: 2)
        gate.enter()
        gate.enter()
        let hasEntered = Mutex(false)
        let done = DispatchSemaphore(value: 0)
        DispatchQueue.global().async {
            gate.enter()
            hasEntered.withLock { $0 = true }
            done.signal()
        }
        // Long enough for a gate that does not hold to be caught now and then; never so for one that does.
        #expect(done.wait(timeout: .now() + .milliseconds(50)) == .timedOut)
        #expect(hasEntered.withLock { !$0 })
        gate.leave()
        done.wait()
        #expect(hasEntered.withLock { $0 })
    }

    @Test("a gate may go while frames are on their way")
    func goes() {
        let gate = FrameGate(limit: 3)
        gate.enter()
        gate.enter()
    }

    @Test("a queue behind the gate never holds more than the limit", .timeLimit(.minutes(1)))
    func bound() {
        let gate = FrameGate(limit: 4)
        let queue = DispatchQueue(label: "node")
        let counts = Mutex((waiting: 0, most: 0))
        for _ in 0..<2000 {
            gate.enter()
            counts.withLock {
                $0.waiting += 1
                $0.most = max($0.most, $0.waiting)
            }
            queue.async {
                counts.withLock { $0.waiting -= 1 }
                gate.leave()
            }
        }
        queue.sync {}
        #expect(counts.withLock { $0.most } <= 4)
        #expect(counts.withLock { $0.waiting } == 0)
    }
}
