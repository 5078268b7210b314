import Domain
import Testing

private typealias Activity = RadioActivity<Int>
private typealias Step = ArmingStep<Int>

/// A controller that does what it is told, and refuses what many controllers refuse.
private struct ObedientRadio {
    var arming = RadioArming<Int>()
    var activity: Activity

    /// Takes a step; `false` when no controller would have.
    mutating func take(_ step: Step) -> Bool {
        let before = activity
        switch step {
        case .startAdvertising: activity.isAdvertising = true
        case .stopAdvertising: activity.isAdvertising = false
        case .startScanning:
            guard activity.connecting == nil else { return false }
            activity.isScanning = true
        case .stopScanning: activity.isScanning = false
        case .connect(let device):
            guard activity.connecting == nil, !activity.isScanning else { return false }
            activity.connecting = device
        case .cancelConnect: activity.connecting = nil
        }
        arming.succeeded(step)
        return activity != before
    }

    /// The steps towards a wish until there is none, six at most.
    mutating func reach(_ wish: Activity) -> [Step] {
        var taken: [Step] = []
        while taken.count < 6, let step = arming.next(wish: wish, activity: activity, at: start).step {
            taken.append(step)
            if !take(step) { break }
        }
        return taken
    }
}

private let start = Uptime(milliseconds: 1000)

private func at(_ milliseconds: Int64) -> Uptime { start + Milliseconds(milliseconds) }

/// Every activity with nobody, and with two devices, to connect to.
private let everyActivity: [Activity] = [false, true].flatMap { advertises in
    [false, true].flatMap { scans in
        [nil, 1, 2].map { Activity(isAdvertising: advertises, isScanning: scans, connecting: $0) }
    }
}

@Suite("What a radio does next (spec: ble-gatt §3, §4; mesh §21)")
struct RadioArmingTests {
    private let everything = Activity(isAdvertising: true, isScanning: true, connecting: 1)

    @Test("from any activity to any wish in four steps at most, and none is undone", arguments: everyActivity)
    func reachesEveryWish(from activity: RadioActivity<Int>) {
        for wish in everyActivity {
            var radio = ObedientRadio(activity: activity)
            let steps = radio.reach(wish)
            // Scanning gives way to the attempt.
            var reached = wish
            if wish.connecting != nil { reached.isScanning = false }
            #expect(radio.activity == reached, "\(activity) to \(wish) by \(steps)")
            #expect(steps.count <= 4)
            #expect(Set(steps).count == steps.count)
            #expect(!(steps.contains(.startScanning) && steps.contains(.stopScanning)))
            #expect(!(steps.contains(.startAdvertising) && steps.contains(.stopAdvertising)))
            if wish.isAdvertising { #expect(!steps.contains(.stopAdvertising)) }
            let rest = radio.arming.next(wish: wish, activity: radio.activity, at: start)
            #expect(rest.step == nil && rest.retryAt == nil)
        }
    }

    @Test("what ended by itself is started again, whatever it was", arguments: everyActivity)
    func restores(after activity: RadioActivity<Int>) {
        let wish = Activity(isAdvertising: true, isScanning: true)
        var radio = ObedientRadio(activity: activity)
        _ = radio.reach(wish)
        radio.activity = Activity()
        #expect(radio.reach(wish) == [.startAdvertising, .startScanning])
    }

    @Test(
        "the order: an old attempt ends, advertising, scanning ends, the attempt",
        arguments: [
            (Activity(), [.startAdvertising, .connect(1)]),
            (Activity(isScanning: true), [.startAdvertising, .stopScanning, .connect(1)]),
            (Activity(connecting: 2), [.cancelConnect, .startAdvertising, .connect(1)]),
            (
                Activity(isScanning: true, connecting: 2),
                [.cancelConnect, .startAdvertising, .stopScanning, .connect(1)]
            ),
            (Activity(isAdvertising: true, isScanning: true, connecting: 1), [.stopScanning]),
        ] as [(Activity, [Step])])
    func order(from activity: RadioActivity<Int>, steps: [ArmingStep<Int>]) {
        var radio = ObedientRadio(activity: activity)
        let taken = radio.reach(everything)
        #expect(taken == steps)
    }

    @Test("scanning comes back after the attempt, and not while another one is still under way")
    func scanningResumes() {
        let wish = Activity(isScanning: true)
        let arming = RadioArming<Int>()
        #expect(arming.next(wish: wish, activity: Activity(connecting: 1), at: start).step == .cancelConnect)
        #expect(arming.next(wish: wish, activity: Activity(), at: start).step == .startScanning)
    }

    @Test("switched off, everything ends: attempt, advertising, scanning")
    func off() {
        var radio = ObedientRadio(activity: everything)
        let taken = radio.reach(Activity())
        #expect(taken == [.cancelConnect, .stopAdvertising, .stopScanning])
    }
}

@Suite("A radio whose controller refuses")
struct RefusedStepTests {
    private let idle = Activity()

    @Test("a refused step waits 1 s, 2 s, and so on, 5 s at most; a success ends that")
    func waits() {
        var arming = RadioArming<Int>()
        let wish = Activity(isAdvertising: true)
        var now = start
        for seconds in [1, 2, 3, 4, 5, 5, 5] as [Int64] {
            #expect(arming.next(wish: wish, activity: idle, at: now).step == .startAdvertising)
            arming.refused(.startAdvertising, at: now)
            let retryAt = now + .seconds(seconds)
            let early = arming.next(wish: wish, activity: idle, at: retryAt + -1)
            #expect(early.step == nil)
            #expect(early.retryAt == retryAt)
            now = retryAt
        }
        arming.succeeded(.startAdvertising)
        arming.refused(.startAdvertising, at: now)
        #expect(arming.next(wish: wish, activity: idle, at: now).retryAt == now + .seconds(1))
    }

    @Test("a refusal more than 5 s after the wait for the last one was over is the first of another row")
    func anotherRow() {
        for (later, wait) in [(5000, 2000), (5001, 1000)] as [(Int64, Int64)] {
            var arming = RadioArming<Int>()
            arming.refused(.connect(1), at: start)
            let now = at(1000 + later)
            arming.refused(.connect(2), at: now)
            let next = arming.next(wish: Activity(connecting: 2), activity: idle, at: now)
            #expect(next.retryAt == now + Milliseconds(wait))
        }
    }

    @Test("what ends as soon as it is started is started again after 100 ms, and stopped at any time")
    func startsInARow() {
        var arming = RadioArming<Int>()
        let wish = RadioActivity<Int>(isAdvertising: true)
        let (first, _) = arming.next(wish: wish, activity: RadioActivity(), at: at(0))
        #expect(first == .startAdvertising)
        arming.took(.startAdvertising, at: at(0))
        arming.succeeded(.startAdvertising)
        let early = arming.next(wish: wish, activity: RadioActivity(), at: at(99))
        #expect(early.step == nil && early.retryAt == at(100))
        #expect(arming.next(wish: wish, activity: RadioActivity(), at: at(100)).step == .startAdvertising)
        let off = arming.next(wish: RadioActivity(), activity: wish, at: at(1))
        #expect(off.step == .stopAdvertising && off.retryAt == nil)
        let other = arming.next(wish: RadioActivity(isAdvertising: true, isScanning: true), activity: wish, at: at(1))
        #expect(other.step == .startScanning, "one start does not hold up another")
    }

    @Test("other steps go on, and say when to come back for the one that waits")
    func othersGoOn() {
        var arming = RadioArming<Int>()
        arming.refused(.startAdvertising, at: start)
        let wish = Activity(isAdvertising: true, isScanning: true)
        let next = arming.next(wish: wish, activity: idle, at: start)
        #expect(next.step == .startScanning)
        #expect(next.retryAt == at(1000))
        arming.refused(.startScanning, at: at(500))
        let both = arming.next(wish: wish, activity: idle, at: at(600))
        #expect(both.step == nil)
        #expect(both.retryAt == at(1000))
    }

    @Test("a refusal that is no longer in the way is no reason to wait")
    func noLongerWished() {
        var arming = RadioArming<Int>()
        arming.refused(.startAdvertising, at: start)
        let next = arming.next(wish: idle, activity: idle, at: start)
        #expect(next.step == nil && next.retryAt == nil)
        let stop = arming.next(wish: idle, activity: Activity(isAdvertising: true), at: start)
        #expect(stop.step == .stopAdvertising)
    }

    @Test("while an attempt waits the radio listens, and stops in time for the next try, whoever it is for")
    func listensWhileAttemptWaits() {
        var radio = ObedientRadio(activity: Activity(isScanning: true))
        let wish = Activity(isScanning: true, connecting: 1)
        #expect(radio.reach(wish) == [.stopScanning, .connect(1)])
        radio.activity.connecting = nil
        radio.arming.refused(.connect(1), at: start)
        let waiting = radio.arming.next(wish: wish, activity: radio.activity, at: start)
        #expect(waiting.step == .startScanning)
        #expect(waiting.retryAt == at(1000))
        radio.activity.isScanning = true
        let other = Activity(isScanning: true, connecting: 2)
        let calm = radio.arming.next(wish: other, activity: radio.activity, at: at(999))
        #expect(calm.step == nil)
        #expect(calm.retryAt == at(1000))
        #expect(radio.arming.next(wish: other, activity: radio.activity, at: at(1000)).step == .stopScanning)
        radio.activity.isScanning = false
        #expect(radio.arming.next(wish: other, activity: radio.activity, at: at(1000)).step == .connect(2))
    }

    @Test("without the wish to listen a waiting attempt leaves the radio silent")
    func silentWhileAttemptWaits() {
        var arming = RadioArming<Int>()
        arming.refused(.connect(1), at: start)
        let next = arming.next(wish: Activity(connecting: 1), activity: idle, at: start)
        #expect(next.step == nil)
        #expect(next.retryAt == at(1000))
    }

    @Test("no attempt while the scanner cannot be stopped, and no scan while an attempt cannot be cancelled")
    func blocked() {
        var arming = RadioArming<Int>()
        arming.refused(.stopScanning, at: start)
        let wish = Activity(isScanning: true, connecting: 1)
        let attempt = arming.next(wish: wish, activity: Activity(isScanning: true), at: start)
        #expect(attempt.step == nil)
        #expect(attempt.retryAt == at(1000))
        arming.refused(.cancelConnect, at: start)
        let scan = arming.next(wish: Activity(isScanning: true), activity: Activity(connecting: 1), at: start)
        #expect(scan.step == nil)
        #expect(scan.retryAt == at(1000))
    }

    @Test("with any set of refusals the radio settles: no step is asked for twice", arguments: 0..<64)
    func settles(refused: Int) {
        let kinds: [Step] = [
            .startAdvertising, .stopAdvertising, .startScanning, .stopScanning, .connect(1), .cancelConnect,
        ]
        for activity in everyActivity {
            for wish in everyActivity {
                var radio = ObedientRadio(activity: activity)
                for (place, step) in kinds.enumerated() where refused >> place & 1 == 1 {
                    radio.arming.refused(step, at: start)
                }
                let steps = radio.reach(wish)
                #expect(steps.count <= 4 && Set(steps).count == steps.count, "\(activity) to \(wish) by \(steps)")
                let rest = radio.arming.next(wish: wish, activity: radio.activity, at: start)
                #expect(rest.step == nil)
                // Later everything goes through.
                radio.arming = RadioArming()
                _ = radio.reach(wish)
                #expect(radio.activity.connecting == wish.connecting)
                #expect(radio.activity.isAdvertising == wish.isAdvertising)
            }
        }
    }
}
