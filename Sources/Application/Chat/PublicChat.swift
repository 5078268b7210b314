import Domain

/// The public timeline of the mesh: what we say, and what others say as far as it is theirs, fresh and not a flood.
///
/// Source: spec, packet §4.1; app §5.
final class PublicChat<C: Cryptography> {
    /// A relay checks messages, to tell how freely it passes them on, and shows none.
    var isForRelay = false
    private let localPeer: PeerID
    private let signers: Signers<C>
    private let signatures: SignatureCheck<C>
    private let transmitter: Transmitter<C>
    private let links: LinkTable
    private let names: DisplayNames
    private let ports: NodePorts
    private let counters: Counters
    private let cryptography: C
    private var limiter = PublicRateLimiter()
    private var seen = RecentIDs()
    private var recentTexts = RecentTexts()
    /// What waits for a right clock, oldest first, under the identifiers that its writers were given.
    private var held: [(id: String, text: String)] = []

    init(
        localPeer: PeerID, signers: Signers<C>, signatures: SignatureCheck<C>, transmitter: Transmitter<C>,
        names: DisplayNames, ports: NodePorts, counters: Counters, cryptography: C
    ) {
        self.localPeer = localPeer
        self.signers = signers
        self.signatures = signatures
        self.transmitter = transmitter
        links = transmitter.links
        self.names = names
        self.ports = ports
        self.counters = counters
        self.cryptography = cryptography
    }

    /// Rate buckets, message identifiers and texts remembered.
    var rememberedCounts: (buckets: Int, ids: Int, texts: Int) { (limiter.bucketCount, seen.count, recentTexts.count) }

    /// Public messages that wait for a right clock.
    var heldCount: Int { held.count }

    /// Says something to everyone; answers the message's identifier, which every device derives alike.
    ///
    /// While the clock is wrong the message waits under an identifier of its own: that of the mesh comes with the time at
    /// which it leaves.
    func send(_ text: String) throws(Refusal) -> String {
        guard !text.trimmedForWire.isEmpty else { throw .invalid("the message is empty") }
        guard text.count <= ChatPolicy.publicCharacters else {
            throw .tooLong(bytes: text.utf8.count, limit: ChatPolicy.publicCharacters)
        }
        let packet = transmitter.makePacket(.message, payload: Array(text.utf8))
        guard let signed = transmitter.sign(packet) else {
            throw .tooLong(bytes: text.utf8.count, limit: PacketPolicy.maximumSection1)
        }
        guard transmitter.links.count > 0 else { throw .nobodyHere }
        guard transmitter.hold == nil else { return try holdBack(text) }
        guard transmitter.send(signed) else { throw .busy("every link is full") }
        let message = message(text, sender: localPeer, sentAt: packet.timestamp, isOwn: true)
        _ = recentTexts.insert(text, sentAt: message.sentAt)
        _ = ports.journal.append(.event(.publicMessage(message)))
        return message.id
    }

    private func holdBack(_ text: String) throws(Refusal) -> String {
        guard held.count < ClockPolicy.heldMessages else { throw .busy("too many messages wait for a right clock") }
        let id = UUIDText.make(from: ports.randomness)
        held.append((id, text))
        tell(.sending, id)
        return id
    }

    /// The clock is right again: what waited leaves in its order, with the time of now.
    func sendHeld() {
        let waiting = held
        held = []
        for message in waiting {
            do throws(Refusal) {
                _ = try send(message.text)
                tell(.sent, message.id)
            } catch {
                tell(.failed(reason: error.explanation), message.id)
            }
        }
    }

    /// The node stops: what waits will not leave.
    func giveUpHeld() {
        for message in held { tell(.failed(reason: "the node stopped while its clock was wrong"), message.id) }
        held = []
    }

    private func tell(_ status: DeliveryStatus, _ id: String) {
        _ = ports.journal.append(
            .event(.status(MessageStatusChange(id: id, peer: nil, status: status, at: ports.clock.wall))))
    }

    /// Takes note of a message that the event log holds: a copy of it must not show again.
    func remember(_ event: Event) {
        if case .publicMessage(let message) = event { _ = seen.insert(MessageID(message.id)) }
    }

    /// Takes a public message; whether its author was found to have written it.
    func receive(_ packet: Inbound) -> Bool {
        if let refusal = refusal(of: packet) {
            counters.add(refusal)
            return false
        }
        // An echo, or our own words out of a neighbour's store: the event log has them.
        guard packet.sender != localPeer else { return false }
        guard let key = signers.key(of: packet.sender) else {
            counters.add(.droppedUnknownSigner)
            return false
        }
        guard signatures.passes(packet, by: key) else { return false }
        if isForRelay {
            counters.add(.notTakenByRelay)
        } else if let text = String(validating: packet.payload, as: UTF8.self) {
            show(text, packet)
        } else {
            counters.add(.droppedMalformedPayload)
        }
        return true
    }

    /// Why a packet is not looked into, whoever wrote it.
    private func refusal(of packet: Inbound) -> CounterName? {
        guard packet.view.isBroadcast else { return .droppedNotBroadcast }
        let verdict = PublicMessagePolicy.judge(packet.view, localPeer: localPeer, at: ports.clock.wall)
        return verdict == .stale ? .droppedStale : nil
    }

    /// The rules of the timeline, in their order (spec: app §5.3).
    private func show(_ text: String, _ packet: Inbound) {
        guard limiter.allows(text, from: packet.sender, at: ports.clock.uptime),
            links.spend(of: \.shownMessages, on: packet.link, at: ports.clock.uptime)
        else {
            return counters.add(.droppedPublicRateLimit)
        }
        guard text.count <= ChatPolicy.publicCharacters, !text.trimmedForWire.isEmpty else {
            return counters.add(.droppedMalformedPayload)
        }
        let message = message(text, sender: packet.sender, sentAt: packet.view.timestamp, isOwn: false)
        guard seen.insert(MessageID(message.id)), recentTexts.insert(text, sentAt: message.sentAt) else {
            return counters.add(.droppedDuplicate)
        }
        counters.add(.publicMessagesReceived)
        _ = ports.journal.append(.event(.publicMessage(message)))
    }

    private func message(_ text: String, sender: PeerID, sentAt: WallTime, isOwn: Bool) -> ChatMessage {
        ChatMessage(
            id: MessageIdentity.publicMessage(sender: sender, timestamp: sentAt, text: text, using: cryptography),
            sender: sender, senderName: isOwn ? names.own : names.display(sender), text: text, sentAt: sentAt,
            receivedAt: ports.clock.wall, isOwn: isOwn)
    }
}

/// The signing keys of senders: those here, and those pinned earlier.
final class Signers<C: Cryptography> {
    private let registry: PeerRegistry
    private let identities: KnownIdentities<C>

    init(registry: PeerRegistry, identities: KnownIdentities<C>) {
        self.registry = registry
        self.identities = identities
    }

    /// The key that a packet of this sender must be signed with; `nil` when none is known.
    func key(of sender: PeerID) -> SigningPublicKey? {
        registry[sender]?.signingKey ?? identities[sender]?.signingKey
    }
}
