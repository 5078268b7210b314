import Application
import Synchronization

/// Where the node leaves frames for the radios, from any thread, and learns at once what becomes of them.
final class LinkDesk: Sendable {
    private struct State {
        var boxes: [LinkID: LinkOutbox] = [:]
        /// Our addresses on the air, by radio.
        var own: [Int: DeviceAddress] = [:]
        /// Devices with a connection, and which radio it is on.
        var held: [DeviceAddress: Int] = [:]
        /// Links with frames since their radio last looked, by radio.
        var unfetched: [Int: Set<LinkID>] = [:]
    }

    private let state = Mutex(State())

    // MARK: From any thread

    /// What became of a frame.
    struct Admission {
        let outcome: SendOutcome
        /// The radio to be woken; `nil` when it is due to look anyway.
        let wakes: Int?
    }

    func send(_ frame: [UInt8], on link: LinkID) -> Admission {
        state.withLock { state in
            guard let outcome = state.boxes[link]?.append(frame), let radio = state.boxes[link]?.radio else {
                return Admission(outcome: .refused, wakes: nil)
            }
            guard outcome == .accepted else { return Admission(outcome: outcome, wakes: nil) }
            let isAsleep = state.unfetched[radio, default: []].isEmpty
            state.unfetched[radio, default: []].insert(link)
            return Admission(outcome: .accepted, wakes: isAsleep ? radio : nil)
        }
    }

    /// The radio of a link; `nil` when the link is gone.
    func radio(of link: LinkID) -> Int? { state.withLock { $0.boxes[link]?.radio } }

    /// Links that are open.
    var openLinks: Int { state.withLock { $0.boxes.count } }

    // MARK: From the radios' queues

    /// The address under which a radio is on the air; `nil` when it is not.
    func setOwnAddress(_ address: DeviceAddress?, of radio: Int) { state.withLock { $0.own[radio] = address } }

    /// A radio has a connection to a device.
    func hold(_ device: DeviceAddress, by radio: Int) { state.withLock { $0.held[device] = radio } }

    /// It has none any more.
    func release(_ device: DeviceAddress, of radio: Int) {
        state.withLock { if $0.held[device] == radio { $0.held[device] = nil } }
    }

    /// Whether a device is one of our radios, or connected to one of them.
    func isOurs(_ device: DeviceAddress) -> Bool {
        state.withLock { $0.held[device] != nil || $0.own.values.contains(device) }
    }

    /// A link came up.
    func open(_ link: LinkID, radio: Int, frameLimit: Int) {
        state.withLock { $0.boxes[link] = LinkOutbox(radio: radio, frameLimit: frameLimit) }
    }

    /// A link is gone, and with it what waited for it.
    func close(_ link: LinkID) {
        state.withLock { state in
            guard let box = state.boxes.removeValue(forKey: link) else { return }
            state.unfetched[box.radio]?.remove(link)
        }
    }

    /// The links that got frames since the last call.
    func takeUnfetched(of radio: Int) -> Set<LinkID> {
        state.withLock { $0.unfetched.removeValue(forKey: radio) ?? [] }
    }

    /// The oldest frame of a link.
    func nextFrame(of link: LinkID) -> (frame: [UInt8], isNoticeDue: Bool)? {
        state.withLock { $0.boxes[link]?.next() }
    }
}
