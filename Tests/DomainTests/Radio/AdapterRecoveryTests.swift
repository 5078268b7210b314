import Domain
import Testing

/// A recovery by reference, with times as milliseconds.
private final class Recovering {
    private(set) var recovery = AdapterRecovery()

    func lost(at time: Int64) -> Int64 { recovery.lost(at: Uptime(milliseconds: time)).milliseconds }
    func failed(at time: Int64) -> Int64 { recovery.failed(at: Uptime(milliseconds: time)).milliseconds }
    func ready(at time: Int64) { recovery.ready(at: Uptime(milliseconds: time)) }

    /// Becomes ready and is lost again `life` later, so many times; the time of the last loss and of the next try.
    func flap(_ times: Int, life: Int64, from time: Int64) -> (lost: Int64, retry: Int64) {
        var (lost, retry) = (time, time)
        for _ in 0..<times {
            ready(at: retry)
            lost = retry + life
            retry = self.lost(at: lost)
        }
        return (lost, retry)
    }
}

@Suite("When a lost adapter is opened again")
struct AdapterRecoveryTests {
    private let radio = Recovering()

    @Test("after 250 ms, then every second for 30 s, then every 2 s")
    func cadence() {
        radio.ready(at: 0)
        #expect(radio.lost(at: 100_000) == 100_250)
        #expect(radio.failed(at: 100_250) == 101_250)
        #expect(radio.failed(at: 130_000) == 131_000)
        #expect(radio.failed(at: 130_001) == 132_001)
        #expect(radio.failed(at: 86_400_000) == 86_402_000)
    }

    @Test("one that is missing at the start is tried for every second, too")
    func missingAtStart() {
        #expect(radio.failed(at: 500) == 1500)
        #expect(radio.failed(at: 30_500) == 31_500)
        #expect(radio.failed(at: 30_501) == 32_501)
    }

    @Test("whenever it comes back, it is ready within 5 s, with 2 s for opening and reset")
    func withinFiveSeconds() {
        for absence in stride(from: Int64(0), through: 120_000, by: 37) {
            let radio = Recovering()
            radio.ready(at: 0)
            let (lost, back) = (Int64(60_000), 60_000 + absence)
            // A try that began just before it came back may take as long as one that succeeds.
            var attempt = radio.lost(at: lost)
            while attempt < back { attempt = radio.failed(at: attempt + (back - attempt < 500 ? 500 : 3)) }
            #expect(attempt + 2000 - back <= 5000, "absent for \(absence) ms")
        }
    }

    @Test("the pause counts from the beginning of a try: a firmware that hung is ready within 5 s of its return")
    func longTries() {
        var radio = AdapterRecovery()
        #expect(radio.failed(at: Uptime(milliseconds: 1400), after: 400) == Uptime(milliseconds: 2000))
        for (now, next) in [(6000, 6250), (30_000, 30_250), (60_000, 60_250)] as [(Int64, Int64)] {
            // It woke up just after it had lost the reset, whose answer was waited for for 4 s.
            #expect(radio.failed(at: Uptime(milliseconds: now), after: 4000) == Uptime(milliseconds: next))
        }
    }

    @Test("gone again before it was ready, it is not tried for at once again and again")
    func lostBeforeReady() {
        radio.ready(at: 0)
        #expect(radio.lost(at: 20_000) == 20_250)
        #expect(radio.lost(at: 20_300) == 21_300)
        #expect(radio.lost(at: 50_001) == 52_001)
    }

    @Test("five lives shorter than 10 s in a row, and the tries become rare; four are bad luck")
    func flapping() {
        let (lost, retry) = radio.flap(4, life: 9999, from: 0)
        #expect(retry == lost + 250)
        #expect(!radio.recovery.isPatient)
        let (fifth, rare) = radio.flap(1, life: 9999, from: retry)
        #expect(rare == fifth + 4000)
        #expect(radio.recovery.isPatient)
        #expect(radio.failed(at: rare) == rare + 4000)
        let (sixth, still) = radio.flap(1, life: 0, from: rare + 4000)
        #expect(still == sixth + 4000)
    }

    @Test("a life of 10 s ends that")
    func longLife() {
        let (_, retry) = radio.flap(5, life: 100, from: 0)
        let (lost, next) = radio.flap(1, life: 10_000, from: retry)
        #expect(next == lost + 250)
        let (fourth, again) = radio.flap(4, life: 100, from: next)
        #expect(again == fourth + 250)
    }

    @Test("and so does an absence of more than 30 s: it was replaced")
    func longAbsence() {
        let (lost, _) = radio.flap(5, life: 100, from: 0)
        #expect(radio.failed(at: lost + 30_000) == lost + 34_000)
        #expect(radio.failed(at: lost + 34_000) == lost + 36_000)
        #expect(!radio.recovery.isPatient)
    }
}
