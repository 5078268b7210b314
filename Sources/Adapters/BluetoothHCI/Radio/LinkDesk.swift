import Application
import Synchronization

/// Where the node leaves frames for the radios, from any thread, and learns at once what becomes of them.
final class LinkDesk: Sendable {
    private struct State {
        var boxes: [LinkID: LinkOutbox] = [:]
        /// Our addresses on the air, by radio.
        var own: [Int: DeviceAddress] = [:]
        /// Devices with a connection, and which radios it is on: a device may connect to several.
        var held: [DeviceAddress: Set<Int>] = [:]
        /// Whom the radios are connecting to; each to one device at a time.
        var sought: [Int: DeviceAddress] = [:]
        /// Links with frames since their radio last looked, by radio.
        var unfetched: [Int: Set<LinkID>] = [:]

        func isOurs(_ device: DeviceAddress) -> Bool {
            held[device] != nil || own.values.contains(device) || sought.values.contains(device)
        }
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
    func hold(_ device: DeviceAddress, by radio: Int) {
        state.withLock { _ = $0.held[device, default: []].insert(radio) }
    }

    /// That radio has none any more.
    func release(_ device: DeviceAddress, of radio: Int) {
        state.withLock { state in
            state.held[device]?.remove(radio)
            if state.held[device]?.isEmpty == true { state.held[device] = nil }
        }
    }

    /// Whether a device is one of our radios, or one of them has a connection to it or is making one.
    func isOurs(_ device: DeviceAddress) -> Bool { state.withLock { $0.isOurs(device) } }

    /// A radio wants to connect to a device, and to nobody else; `false` when the device is ours already. Several radios see
    /// a newcomer at once, and one of them is enough.
    func claim(_ device: DeviceAddress, by radio: Int) -> Bool {
        state.withLock { state in
            state.sought[radio] = nil
            guard !state.isOurs(device) else { return false }
            state.sought[radio] = device
            return true
        }
    }

    /// A radio is not connecting to anybody any more.
    func endClaim(of radio: Int) { state.withLock { $0.sought[radio] = nil } }

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
