import Domain
import Testing

@Suite("What a sighting leads to (spec: mesh §21)")
struct SightingTests {
    private let radio = Scheduling()

    @Test("1: a device that takes no connections is ignored, however near")
    func notConnectable() {
        #expect(radio.sighted(1, -30, connectable: false, held: true, at: 0) == .ignore)
        #expect(radio.queued.isEmpty)
    }

    @Test("a device that has a link to us is ignored, not queued; when the link is gone it counts again")
    func linkedInOtherRole() {
        radio.accepted(1)
        #expect(radio.sighted(1, -50, at: 0) == .ignore)
        #expect(radio.sighted(1, -95, at: 0) == .ignore)
        #expect(radio.queued.isEmpty)
        radio.released(1)
        #expect(radio.sighted(1, -50, at: 1) == .connect)
    }

    @Test("2: a device at or below the threshold waits")
    func weak() {
        #expect(radio.sighted(1, -90, at: 0) == .enqueued(retryAfter: nil))
        #expect(radio.queued == [1])
        #expect(radio.sighted(2, -89, at: 0) == .connect)
    }

    @Test("2: the threshold follows the surroundings")
    func adapted() {
        radio.adapt(degree: 0, at: 0)
        #expect(radio.sighted(1, -95, at: 0) == .enqueued(retryAfter: nil))
        #expect(radio.sighted(2, -94, at: 0) == .connect)
        radio.adapt(degree: 0, at: 30_001)
        #expect(radio.sighted(3, -99, at: 40_000) == .connect)
    }

    @Test("3: with six links, opening ones included, a device waits, whatever else is known of it")
    func full() {
        radio.connect(1...5)
        #expect(radio.sighted(6, at: 5000) == .connect)
        #expect(radio.scheduler.outgoingCount == 6)
        // Also before the limit of attempts, so without a time to come back.
        #expect(radio.sighted(7, at: 5001) == .enqueued(retryAfter: nil))
        #expect(radio.sighted(1, at: 60_000) == .enqueued(retryAfter: nil))
        radio.failed(6, at: 60_000)
        #expect(radio.sighted(7, at: 60_000) == .connect)
    }

    @Test("3: with the controller's other links reserved or taken a device waits")
    func controllerFull() {
        let radio = Scheduling(controllerLinks: 4)
        radio.connect(1...2)
        #expect(radio.sighted(3, at: 10_000) == .enqueued(retryAfter: nil))
        radio.disconnected(2, isError: false, at: 20_000)
        for device in 11...13 { radio.accepted(device) }
        #expect(radio.sighted(3, at: 30_000) == .enqueued(retryAfter: nil))
        radio.released(11)
        #expect(radio.sighted(3, at: 30_000) == .connect)
    }

    @Test(
        "4: within half a second of an attempt to anybody a device waits, until 0.05 s after",
        arguments: [(0, 550), (1, 549), (499, 51)] as [(Int64, Int64)])
    func rate(elapsed: Int64, wait: Int64) {
        #expect(radio.sighted(1, at: 1000) == .connect)
        #expect(radio.sighted(2, at: 1000 + elapsed) == .enqueued(retryAfter: Milliseconds(wait)))
        #expect(radio.queued == [2])
    }

    @Test("4: after half a second it does not")
    func rateOver() {
        #expect(radio.sighted(1, at: 1000) == .connect)
        #expect(radio.sighted(2, at: 1500) == .connect)
    }

    @Test("5: a device that we connect to, or are connected to, is ignored")
    func known() {
        #expect(radio.sighted(1, at: 0) == .connect)
        #expect(radio.sighted(1, held: true, at: 5000) == .ignore)
        radio.succeeded(1)
        #expect(radio.sighted(1, held: true, at: 50_000) == .ignore)
    }

    @Test("5: an attempt less than 2 s ago is not repeated")
    func repeated() {
        #expect(radio.sighted(1, at: 0) == .connect)
        radio.failed(1, at: 100)
        #expect(radio.sighted(1, at: 1999) == .ignore)
        #expect(radio.sighted(1, at: 2000) == .connect)
    }

    @Test("6: a device that timed out less than 15 s ago is ignored")
    func timedOut() {
        #expect(radio.sighted(1, at: 0) == .connect)
        radio.timedOut(1, at: 8000)
        #expect(radio.sighted(1, at: 22_999) == .ignore)
        #expect(radio.sighted(1, at: 23_000) == .connect)
    }

    @Test("7: a device whose link broke less than 3 s ago is ignored; one that was closed is not")
    func broke() {
        radio.connect(1...2)
        radio.disconnected(1, isError: true, at: 10_000)
        radio.disconnected(2, isError: false, at: 10_000)
        #expect(radio.sighted(1, at: 12_999) == .ignore)
        #expect(radio.sighted(2, at: 10_000) == .connect)
        radio.succeeded(2)
        #expect(radio.sighted(1, at: 13_000) == .connect)
    }

    @Test("8: a connection that only the radio knows of is cancelled")
    func ghost() {
        #expect(radio.sighted(1, held: true, at: 0) == .cancel)
        #expect(radio.scheduler.outgoingCount == 0)
    }

    @Test("9: else it is connected to, and leaves the queue")
    func connect() {
        #expect(radio.sighted(1, -95, at: 0) == .enqueued(retryAfter: nil))
        #expect(radio.sighted(1, -50, at: 100) == .connect)
        #expect(radio.queued.isEmpty)
        #expect(radio.scheduler.outgoingCount == 1)
    }
}

@Suite("Which waiting device is next (spec: mesh §21)")
struct NextCandidateTests {
    private let radio = Scheduling()

    private func enqueue(_ device: Int, _ signal: Int8, at time: Int64 = 0) {
        #expect(radio.sighted(device, signal, at: time) == .enqueued(retryAfter: nil))
    }

    @Test("nobody waits, nothing happens")
    func empty() { #expect(radio.next(at: 0) == .idle) }

    @Test("the strongest first, and weak ones too: the threshold does not count here")
    func order() {
        enqueue(1, -99)
        enqueue(2, -91)
        #expect(radio.next(at: 1000) == .connect(2))
        #expect(radio.next(at: 2000) == .connect(1))
        #expect(radio.next(at: 3000) == .idle)
    }

    @Test("with six links nobody is next")
    func full() {
        radio.connect(1...6)
        enqueue(7, -50, at: 10_000)
        #expect(radio.next(at: 20_000) == .idle)
        radio.disconnected(3, isError: false, at: 30_000)
        #expect(radio.next(at: 30_000) == .connect(7))
    }

    @Test("within half a second of an attempt the queue waits until 0.05 s after")
    func rate() {
        enqueue(1, -95)
        #expect(radio.sighted(2, at: 100) == .connect)
        #expect(radio.next(at: 599) == .retry(after: 51))
        #expect(radio.next(at: 600) == .connect(1))
    }

    @Test("what waits is connected already, or has a link to us: the next one gets its turn")
    func discarded() {
        enqueue(1, -91)
        enqueue(2, -92)
        enqueue(3, -93)
        // An adapter may know better than the queue.
        radio.succeeded(1)
        radio.accepted(2)
        #expect(radio.next(at: 1000) == .connect(3))
        #expect(radio.queued.isEmpty)
        enqueue(1, -91, at: 1001)
        #expect(radio.next(at: 2000) == .idle)
        #expect(radio.queued.isEmpty)
    }

    @Test(
        "a weak device that timed out less than 30 s ago holds the queue up for what remains, 2 s to 15 s",
        arguments: [(10_000, 15_000), (15_000, 15_000), (20_000, 10_000), (29_000, 2000), (29_999, 2000)]
            as [(Int64, Int64)])
    func weakAfterTimeout(elapsed: Int64, wait: Int64) {
        enqueue(1, -90)
        #expect(radio.next(at: 0) == .connect(1))
        radio.timedOut(1, at: 8000)
        enqueue(1, -90, at: 8000)
        #expect(radio.next(at: 8000 + elapsed) == .retry(after: Milliseconds(wait)))
        #expect(radio.queued == [1])
        #expect(radio.next(at: 38_000) == .connect(1))
    }

    @Test("a device that is near is tried again even after a timeout")
    func nearAfterTimeout() {
        #expect(radio.sighted(1, -50, at: 0) == .connect)
        radio.timedOut(1, at: 8000)
        #expect(radio.sighted(2, at: 8000) == .connect)
        #expect(radio.sighted(1, -89, at: 8100) == .enqueued(retryAfter: 450))
        #expect(radio.next(at: 8550) == .connect(1))
    }

    @Test("a device whose link broke less than 3 s ago holds the queue up until 0.05 s after")
    func broke() {
        radio.connect(1...1)
        radio.disconnected(1, isError: true, at: 10_000)
        enqueue(1, -95, at: 10_000)
        #expect(radio.next(at: 10_500) == .retry(after: 2550))
        #expect(radio.next(at: 12_999) == .retry(after: 51))
        #expect(radio.next(at: 13_000) == .connect(1))
    }
}

@Suite("The score of a waiting device (spec: mesh §21)")
struct CandidateScoreTests {
    private let radio = Scheduling()

    @Test(
        "1000, two points a dB above -100, minus a point each tenth of a second, minus one without failures",
        arguments: [
            (-100, 0, 999), (-50, 0, 1099), (-50, 99, 1099), (-50, 100, 1098), (-50, 12_345, 976), (-128, 0, 943),
            (127, 0, 1453), (-50, 3_600_000, -34_901),
        ] as [(Int8, Int64, Int64)])
    func signalAndAge(signal: Int8, age: Int64, points: Int64) {
        #expect(radio.score(1, signal, seenAt: 1000, at: 1000 + age) == points)
    }

    @Test("failures cost two, four, eight, sixteen, and no more than that")
    func failures() {
        for cost in [2, 4, 8, 16, 16, 16] as [Int64] {
            radio.failed(1, at: 0)
            #expect(radio.score(1, -100, seenAt: 0, at: 0) == 1000 - cost)
        }
    }

    @Test("a timeout less than a minute ago costs ten more")
    func timeout() {
        radio.timedOut(1, at: 0)
        #expect(radio.score(1, -100, seenAt: 59_999, at: 59_999) == 988)
        #expect(radio.score(1, -100, seenAt: 60_000, at: 60_000) == 998)
    }

    @Test("a fresh sighting overtakes an old one that was a little stronger")
    func fairness() {
        #expect(radio.sighted(1, -91, at: 0) == .enqueued(retryAfter: nil))
        #expect(radio.sighted(2, -93, at: 500) == .enqueued(retryAfter: nil))
        #expect(radio.next(at: 500) == .connect(2))
    }
}

@Suite("How attempts end (spec: mesh §21)")
struct ConnectionOutcomeTests {
    private let radio = Scheduling()

    @Test("an attempt is overdue after 8 s; several, the oldest first")
    func overdue() {
        #expect(radio.sighted(2, at: 0) == .connect)
        #expect(radio.sighted(1, at: 500) == .connect)
        #expect(radio.overdue(at: 7999).isEmpty)
        #expect(radio.overdue(at: 8000) == [2])
        #expect(radio.overdue(at: 8500) == [2, 1])
        radio.timedOut(2, at: 8500)
        radio.succeeded(1)
        #expect(radio.overdue(at: 60_000).isEmpty)
        #expect(radio.scheduler.outgoingCount == 1)
    }

    @Test("a timeout counts as a failure and leaves its mark")
    func timedOut() {
        #expect(radio.sighted(1, at: 0) == .connect)
        radio.timedOut(1, at: 8000)
        #expect(radio.scheduler[1].failures == 1)
        #expect(radio.scheduler[1].timedOutAt == Uptime(milliseconds: 8000))
        #expect(radio.scheduler.outgoingCount == 0)
    }

    @Test("a failure counts, without another mark")
    func failed() {
        #expect(radio.sighted(1, at: 0) == .connect)
        radio.failed(1, at: 10)
        #expect(radio.scheduler[1].failures == 1)
        #expect(radio.scheduler[1].timedOutAt == nil)
        #expect(radio.scheduler[1].brokeAt == nil)
    }

    @Test("a success clears failures and marks, but the attempt stands")
    func succeeded() {
        radio.connect(1...1)
        radio.disconnected(1, isError: true, at: 1000)
        radio.timedOut(1, at: 1000)
        #expect(radio.sighted(1, at: 20_000) == .connect)
        radio.succeeded(1)
        let marks = radio.scheduler[1]
        #expect(marks.failures == 0)
        #expect(marks.timedOutAt == nil)
        #expect(marks.brokeAt == nil)
        #expect(marks.attemptedAt == Uptime(milliseconds: 20_000))
    }

    @Test("only a link that broke leaves a mark")
    func disconnected() {
        radio.connect(1...2)
        radio.disconnected(1, isError: false, at: 5000)
        radio.disconnected(2, isError: true, at: 5000)
        #expect(radio.scheduler[1].brokeAt == nil)
        #expect(radio.scheduler[2].brokeAt == Uptime(milliseconds: 5000))
        #expect(radio.scheduler.outgoingCount == 0)
    }

    @Test("marks are dropped when they are older than two minutes")
    func cleanUp() {
        radio.timedOut(1, at: 0)
        radio.disconnected(2, isError: true, at: 1)
        radio.cleanUp(at: 120_000)
        #expect(radio.scheduler.markCount == 2)
        radio.cleanUp(at: 120_001)
        #expect(radio.scheduler.markCount == 1)
        #expect(radio.scheduler[1].failures == 0)
        radio.cleanUp(at: 120_002)
        #expect(radio.scheduler.markCount == 0)
    }

    @Test("each mark has its own age; failures go with the last one")
    func agesApart() {
        radio.failed(1, at: 0)
        radio.failed(1, at: 100_000)
        radio.disconnected(1, isError: true, at: 50_000)
        radio.cleanUp(at: 180_000)
        #expect(radio.scheduler[1].brokeAt == nil)
        #expect(radio.scheduler[1].failures == 2)
        radio.cleanUp(at: 220_001)
        #expect(radio.scheduler[1].failures == 0)
    }

    @Test("a crowd of changing addresses does not grow the marks without end")
    func crowd() {
        for step in 0..<4000 {
            let time = Int64(step) * 250
            if radio.sighted(step, at: time) == .connect { radio.failed(step, at: time) }
            if step.isMultiple(of: 60) { radio.cleanUp(at: time) }
        }
        // Two attempts a second, two minutes and a cleanup's pause long.
        #expect(radio.scheduler.markCount <= 2 * 135 + 2)
        #expect(radio.scheduler.queue.count <= 100)
    }
}
