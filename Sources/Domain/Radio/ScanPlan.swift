/// Whether the scanner is to listen now, and when that changes.
///
/// Three things silence it: the duty cycle of a node that saves power, a pause for what needs the air more (a fragment
/// train, the radio settling after a link ended), and an attempt to connect, of which ``RadioArming`` takes care. A scanner
/// that hears nothing for long is started anew: some controllers go deaf.
///
/// Source: spec, mesh §19, §21, §22; ble-gatt §4.
public struct ScanPlan: Sendable {
    /// Pauses that follow each other so closely that they count as one.
    private struct Pause: Sendable {
        let since: Uptime
        var until: Uptime
    }

    /// The duty in force.
    public private(set) var duty = ScanDuty.continuous
    /// When the first listening phase of the duty began.
    private var dutySince = Uptime(milliseconds: 0)
    private var silence: Pause?
    /// When the scanner last gave a sign of life: its start, or a report; `nil` before the first start.
    private var lastSign: Uptime?

    /// Listens all the time.
    public init() {}

    /// Sets the duty; a cycle begins with its listening phase. The duty that is in force already goes on as it is.
    public mutating func set(_ duty: ScanDuty, at now: Uptime) {
        guard duty != self.duty else { return }
        self.duty = duty
        dutySince = now
    }

    /// Pauses from now on; of several pauses the one that ends last counts.
    ///
    /// [ours]: pauses in a row end after ``RadioPolicy/longestDeafness``, and then at least
    /// ``RadioPolicy/shortestListening`` follows. A neighbour that keeps connecting and leaving, or has us pass on train
    /// after train, must not keep us deaf.
    public mutating func pause(for span: Milliseconds, at now: Uptime) {
        let isInRow = silence.map { now < $0.until + RadioPolicy.shortestListening } ?? false
        let since = isInRow ? silence?.since ?? now : now
        let wished = max(silence?.until ?? now, now + span)
        silence = Pause(since: since, until: min(wished, since + RadioPolicy.longestDeafness))
    }

    /// Pauses for a train of so many fragments that starts now, if it is long enough to matter (mesh §19).
    public mutating func trainStarts(of count: Int, at now: Uptime) {
        guard count > RadioPolicy.unpausedTrain else { return }
        pause(for: min(RadioPolicy.trainPausePerFragment * Int64(count), RadioPolicy.maximumTrainPause), at: now)
    }

    /// Pauses for a moment because a link, or an attempt to open one, ended (mesh §21).
    public mutating func linkEnded(at now: Uptime) { pause(for: RadioPolicy.scanRestartDelay, at: now) }

    /// A report came in, of whatever device.
    public mutating func heard(at now: Uptime) { lastSign = now }

    /// The scanner was started.
    public mutating func started(at now: Uptime) { lastSign = now }

    /// Whether the scanner is to listen.
    public func isListening(at now: Uptime) -> Bool {
        if let silence, now < silence.until { return false }
        guard let phase = phase(at: now) else { return true }
        return phase.isOn
    }

    /// Whether a scanner that should be hearing something has been silent for so long that it is to be stopped and started.
    public func needsRestart(at now: Uptime) -> Bool {
        guard let lastSign, isListening(at: now) else { return false }
        return now - lastSign >= RadioPolicy.scanSilence
    }

    /// When to ask again: until then neither answer changes by itself. `nil` when they never do.
    public func nextChange(after now: Uptime) -> Uptime? {
        let changes = [
            silence?.until, phase(at: now)?.end, lastSign.map { $0 + RadioPolicy.scanSilence },
        ]
        return changes.compactMap { $0 }.filter { $0 > now }.min()
    }

    /// The phase of the duty cycle, and when it ends; `nil` when there is no cycle.
    private func phase(at now: Uptime) -> (isOn: Bool, end: Uptime)? {
        guard case .cycle(let on, let off) = duty, on > 0, off > 0 else { return nil }
        let place = Milliseconds(max(0, (now - dutySince).count) % (on + off).count)
        let isOn = place < on
        return (isOn, now + (isOn ? on : on + off) + place * -1)
    }
}
