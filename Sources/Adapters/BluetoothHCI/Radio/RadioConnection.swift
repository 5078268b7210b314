import Application
import Domain

/// One connection to a device, with up to two links on it: one on which we write and are notified (client), and one on
/// which the far end does (server). Each carries frames both ways; which side opened the connection does not matter.
///
/// A link comes up when its subscription stands and its MTU carries the smallest packets that matter; it goes down with
/// the subscription or the connection.
///
/// Source: spec, ble-gatt §5, §6, §7.
final class RadioConnection {
    /// Which of the two links.
    enum Role: CaseIterable { case client, server }

    /// What came in before its link was up.
    private struct EarlyFrames {
        private(set) var frames: [[UInt8]] = []
        private var bytes = 0

        /// Keeps a frame, if there is room.
        mutating func append(_ frame: [UInt8]) -> Bool {
            guard frames.count < BluetoothPolicy.earlyFrames, bytes + frame.count <= BluetoothPolicy.earlyBytes else {
                return false
            }
            frames.append(frame)
            bytes += frame.count
            return true
        }
    }

    /// A link that is up.
    private struct Link {
        let id: LinkID
        /// The longest frame, as it was announced with the link.
        let frameLimit: Int
    }

    let handle: ConnectionHandle
    let peer: DeviceAddress
    /// Whether we opened it.
    let isCentral: Bool
    /// How long the controller waits before it gives the far end up.
    let supervisionTimeout: Milliseconds
    private var channels: L2CAPChannels
    let bearer: GATTBearer
    /// How strong the far end is, in dBm, once it was asked.
    var signal: Int8?
    /// Ends a connection that stays without a link.
    private var patienceTimer: RadioTimer?
    private unowned let radio: Radio
    private var links: [Role: Link] = [:]
    /// Links that the node closed; they stay closed until the far end subscribes anew.
    private var closed: Set<Role> = []
    private var early: [Role: EarlyFrames] = [:]
    private var delimiter = FrameDelimiter()
    private var hasReportedNarrow = false

    init(_ connection: HCIConnection, radio: Radio, service: BluetoothService) {
        handle = connection.handle
        peer = connection.peer
        isCentral = connection.isCentral
        supervisionTimeout = connection.supervisionTimeout
        self.radio = radio
        channels = L2CAPChannels(isCentral: connection.isCentral)
        bearer = GATTBearer(service: service, timers: radio.timers)
        bearer.delegate = self
    }

    /// The links that are up, the client's first.
    var openLinks: [LinkID] { Role.allCases.compactMap { links[$0]?.id } }

    /// Whether a link is up.
    var isInUse: Bool { !links.isEmpty }
    /// Whether a link ever was.
    private(set) var wasInUse = false

    /// What came over it that should not, by name.
    var faults: [String: UInt64] {
        let all = ["unusableFrames": channels.dropped, "unansweredRequests": bearer.dropped]
        return all.compactMapValues { $0 > 0 ? UInt64($0) : nil }
    }

    /// Begins with what is ours to begin.
    func start() {
        waitForUse(isCentral ? BluetoothPolicy.setUpTimeout : BluetoothPolicy.subscriptionPatience)
        if isCentral { bearer.openClient() }
    }

    /// Ends everything on it.
    func end(_ reason: String) {
        bearer.close()
        for role in Role.allCases { takeDown(role, reason) }
        radio.timers.cancel(patienceTimer)
    }

    /// A connection without a link holds one of the controller's few for nothing: it goes, unless a link comes up in time.
    private func waitForUse(_ patience: Milliseconds) {
        radio.timers.cancel(patienceTimer)
        patienceTimer = radio.timers.after(patience) { [weak self] in
            guard let self, !isInUse else { return }
            radio.log(.debug, "\(radio.name(of: peer)): no link for \(patience.count / 1000) s")
            radio.disconnect(self)
        }
    }

    // MARK: Links

    /// Closes a link for the node. The connection goes with the last one.
    func close(_ link: LinkID) {
        guard let role = Role.allCases.first(where: { links[$0]?.id == link }) else { return }
        closed.insert(role)
        takeDown(role, "closed here")
        if role == .client { bearer.closeClient() }
        if links.isEmpty { radio.disconnect(self) }
    }

    private func isSubscribed(_ role: Role) -> Bool {
        role == .client ? bearer.isClientReady : bearer.isSubscribed
    }

    /// Brings a link up if it can be.
    private func bringUp(_ role: Role) {
        guard links[role] == nil, isSubscribed(role), !closed.contains(role) else { return }
        let limit = bearer.valueLimit
        guard limit >= MeshPolicy.minimumFrameLimit else { return reportNarrow() }
        radio.timers.cancel(patienceTimer)
        let link = radio.open(role, on: self, frameLimit: limit)
        links[role] = Link(id: link, frameLimit: limit)
        wasInUse = true
        for frame in early.removeValue(forKey: role)?.frames ?? [] { radio.deliver(frame, on: link) }
    }

    /// The link is kept (spec: ble-gatt §7), and comes up should its MTU grow.
    private func reportNarrow() {
        // It is set up, as far as it ever will be.
        radio.timers.cancel(patienceTimer)
        guard !hasReportedNarrow else { return }
        hasReportedNarrow = true
        radio.log(
            .warning,
            "\(radio.name(of: peer)): its MTU of \(bearer.mtu) bytes carries no announce; the link waits for a larger one"
        )
    }

    private func takeDown(_ role: Role, _ reason: String) {
        early[role] = nil
        if role == .client { delimiter.reset() }
        guard let link = links.removeValue(forKey: role) else { return }
        radio.ended(link.id, reason)
        if links.isEmpty { waitForUse(BluetoothPolicy.subscriptionPatience) }
    }

    /// A frame came in, perhaps before its link was up: a phone may write before it subscribes (spec: ble-gatt §6.2).
    private func take(_ frame: [UInt8], _ role: Role) {
        if let link = links[role] { return radio.deliver(frame, on: link.id) }
        guard !closed.contains(role), early[role, default: EarlyFrames()].append(frame) else {
            return radio.countFault("earlyFramesDropped")
        }
    }

    // MARK: Sending

    /// The next L2CAP frame: answers first, then our requests, then the node's frames, of both links in turn.
    func nextFrame() -> [UInt8]? {
        if let frame = channels.nextFrame() { return frame }
        if let pdu = bearer.nextPDU() { return L2CAPChannels.frame(ofAttributePDU: pdu) }
        // Notifications wait while our MTU request does; its answer brings us back here.
        for role in turns() where role == .client || !bearer.isExchangingMTU {
            while let link = links[role]?.id, let (frame, isNoticeDue) = radio.nextFrame(of: link) {
                if isNoticeDue { radio.reportWritable(link) }
                let room = L2CAPFrame.headerLength
                let pdu =
                    role == .client
                    ? bearer.write(of: frame, behind: room) : bearer.notification(of: frame, behind: room)
                guard let pdu else {
                    radio.countFault("framesNotSendable")
                    continue
                }
                lastServed = role
                radio.countFrame(isSent: true)
                return L2CAPChannels.frame(ofAttributePDUBehindHeader: pdu)
            }
        }
        return nil
    }

    private var lastServed = Role.server

    private func turns() -> [Role] { lastServed == .server ? [.client, .server] : [.server, .client] }
}

extension RadioConnection {
    /// Takes a piece of an L2CAP frame.
    func receive(_ fragment: ArraySlice<UInt8>, isStart: Bool) {
        switch channels.receive(fragment, isStart: isStart) {
        case .attributePDU(let pdu): bearer.receive(pdu)
        case .parameters(let parameters): radio.update(parameters, of: self)
        case nil: break
        }
        if channels.hasOutput { radio.wantsToSend(self) }
    }
}

extension RadioConnection: GATTBearerDelegate {
    func bearerHasOutput() { radio.wantsToSend(self) }

    /// A link is announced with its limit: with another limit it is another link.
    func mtuChanged(to mtu: Int) {
        for role in Role.allCases {
            if let link = links[role], link.frameLimit != bearer.valueLimit { takeDown(role, "its MTU changed") }
            bringUp(role)
        }
        radio.statusChanged()
    }

    func subscriptionChanged(to isOn: Bool) {
        closed.remove(.server)
        guard !isOn else { return bringUp(.server) }
        takeDown(.server, "unsubscribed")
        if links.isEmpty { waitForUse(BluetoothPolicy.subscriptionPatience) }
    }

    /// Each write is a packet of its own (spec: ble-gatt §9.2).
    func written(_ value: ArraySlice<UInt8>) {
        guard !value.isEmpty else { return }
        take(Array(value), .server)
    }

    func notified(_ value: ArraySlice<UInt8>) {
        for frame in delimiter.append(value, at: radio.timers.now) { take(frame, .client) }
    }

    func clientReady() { bringUp(.client) }

    func clientReset() { takeDown(.client, "its service changed") }

    func clientFailed(_ failure: GATTFailure) {
        // One that is dead carries nothing the other way round either.
        for role in Role.allCases where role == .client || failure.isFatal { takeDown(role, failure.description) }
        radio.clientFailed(self, failure)
    }
}
