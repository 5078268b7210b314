import Domain

/// The way of a frame. The order is normative (spec: mesh §2); whatever costs is paid for from the link's budget first.
extension Node {
    /// A frame came in.
    public func receive(_ frame: [UInt8], on link: LinkID) {
        guard !isStopped, let state = links[link] else { return counters.add(.droppedUnknownLink) }
        counters.add(.framesReceived)
        counters.add(.bytesReceived, frame.count)
        guard affords(frame, on: link) else { return }
        guard let view = PacketView(frame) else { return counters.add(.droppedMalformedFrame) }
        guard let from = admit(view, on: link, boundPeer: state.boundPeer) else { return }
        guard let payload = inflate(view, on: link) else { return }
        let packet = Inbound(view: view, payload: payload, link: link, from: from, isRebuilt: false)
        bindRaw(packet)
        let now = ports.clock.uptime
        let key = DedupKey(
            type: view.type, sender: view.sender, timestamp: view.timestamp, payload: payload.span, using: cryptography
        )
        .distinguished(by: view)
        guard ingress.recordIfNew(key, link: link, peer: from, at: now) else {
            counters.add(.droppedDuplicateAtIngress)
            confirmBinding(by: packet, key: key)
            return giveUpRelay(of: key)
        }
        process(packet, key: key)
    }

    /// Whether the link may still cost a look at this frame.
    private func affords(_ frame: [UInt8], on link: LinkID) -> Bool {
        let now = ports.clock.uptime
        guard links.spend(of: \.frames, on: link, at: now) else {
            counters.add(.droppedFrameBudget)
            return false
        }
        guard links.spend(Int64(frame.count), of: \.bytes, on: link, at: now) else {
            counters.add(.droppedByteBudget)
            return false
        }
        return true
    }

    /// The ingress guard: our own echo, a foreign sync request, a wrong clock. Answers whom to attribute the frame to.
    private func admit(_ view: PacketView, on link: LinkID, boundPeer: PeerID?) -> PeerID? {
        // We have asked nobody for anything yet, so nothing can be an answer.
        let verdict = IngressGuard.judge(
            view, boundPeer: boundPeer, localPeer: id, at: ports.clock.wall, isSolicited: { _ in false })
        if case .accept(let from, _) = verdict { return from }
        count(refusal: verdict)
        if case .timestampSkew = verdict { clockWatch.take(strange: view, on: link) }
        return nil
    }

    private func count(refusal: IngressVerdict) {
        switch refusal {
        case .accept: break
        case .selfLoop: counters.add(.droppedSelfLoop)
        case .senderMismatch: counters.add(.droppedSenderMismatch)
        case .unsolicitedSyncResponse: counters.add(.droppedUnsolicitedSyncResponse)
        case .timestampSkew: counters.add(.droppedClockSkew)
        }
    }

    /// The payload, inflated within the link's budget.
    private func inflate(_ view: PacketView, on link: LinkID) -> ArraySlice<UInt8>? {
        if view.isCompressed {
            let size = Int64(view.payloadLengthAfterInflation)
            guard links.spend(size, of: \.inflation, on: link, at: ports.clock.uptime) else {
                counters.add(.droppedInflationBudget)
                return nil
            }
        }
        guard let payload = view.payload(using: ports.compression) else {
            counters.add(.droppedDamagedPayload)
            return nil
        }
        return payload
    }

    /// A direct announce binds a link that is bound to nobody, before signature and duplicate checks: a second link to
    /// the same peer must be bound even though its copy is a duplicate. It never re-binds one.
    private func bindRaw(_ packet: Inbound) {
        guard packet.isDirectAnnounce, packet.sender != id, links[packet.link]?.boundPeer == nil else { return }
        links.bind(packet.link, to: packet.sender)
    }

    /// From the duplicate check on; packets rebuilt from fragments enter here.
    private func process(_ packet: Inbound, key: DedupKey) {
        let now = ports.clock.uptime
        if DedupKey.applies(type: packet.type, sender: packet.sender, ttl: packet.ttl, localPeer: id),
            seen.checkAndInsert(key, on: packet.link.rawValue, at: now)
        {
            counters.add(.droppedDuplicate)
            return giveUpRelay(of: key)
        }
        // On an unbound link `from` is only a claim: a stranger must not keep absent peers reachable.
        if links[packet.link]?.boundPeer == packet.from { registry.touch(packet.from, at: now) }
        lastTraffic = now
        routes.heard(packet)
        if handle(packet, key: key) == .relayable { passOn(packet, key: key) }
    }

    private func handle(_ packet: Inbound, key: DedupKey) -> Handling {
        switch packet.type {
        case .announce: return judge(packet, isFamiliar: announced(packet, key: key))
        case .message: return judge(packet, isFamiliar: publicChat.receive(packet))
        case .leave: return left(packet)
        case .noiseHandshake: noise.receive(handshake: packet)
        case .noiseEncrypted: noise.receive(encrypted: packet)
        case .fragment: return reassemble(packet)
        case .requestSync:
            // Nothing is kept here yet that could be asked for, and no request is ever passed on.
            counters.add(.droppedSyncRequest)
            return .stop
        case .fileTransfer: return files.receive(packet)
        case .boardPost: return judgeBoard(packet)
        case .voiceFrame: return judgeVoice(packet)
        case .ping: pings.receive(ping: packet)
        case .pong: pings.receive(pong: packet)
        default: break
        }
        return .relayable
    }

    /// Packets of unchecked or unheard-of origin are passed on too (spec: mesh §2), but not without limit.
    private func judge(_ packet: Inbound, isFamiliar: Bool) -> Handling {
        // What goes no further anyway costs nothing.
        if isFamiliar || packet.ttl <= 1 || packet.view.recipient == id { return .relayable }
        return relayBudget.spendUnverifiedRelay(on: packet.link, at: ports.clock.uptime) ? .relayable : .stop
    }

    /// Takes an announce; whether it was found good, and of somebody whom we had heard of.
    private func announced(_ packet: Inbound, key: DedupKey) -> Bool {
        let isKnown = signers.key(of: packet.sender) != nil
        guard let acceptance = handleAnnounce(packet) else { return false }
        clockWatch.take(accepted: packet)
        registry.update(acceptance.peer) { $0.lastAnnounce = key }
        let isRebound = acceptance.isDirect && rebind(packet.link, to: acceptance.peer)
        if !isRebound, let change = acceptance.change, let entry = registry[acceptance.peer] { report(change, entry) }
        let survivor = acceptance.isDirect ? redundantLinks(of: acceptance.peer, announcedOn: packet.link) : nil
        noise.peerAnnounced(acceptance.peer, on: packet.link, isDirect: acceptance.isDirect)
        flushOutbox.peerAnnounced(acceptance.peer, isBack: acceptance.change == .connected)
        confirmBinding(by: packet, key: key)
        if let survivor { noise.prove(survivor, of: acceptance.peer) }
        return isKnown
    }

    /// Notes that the link's peer announced itself there verifiably, with this copy or with one that came on another link
    /// before. A binding without that rests on a sender field that nobody has checked.
    private func confirmBinding(by packet: Inbound, key: DedupKey) {
        guard packet.isDirectAnnounce, registry[packet.sender]?.lastAnnounce == key,
            links[packet.link]?.boundPeer == packet.sender
        else { return }
        _ = links.update(packet.link) { $0.isAnnounced = true }
    }

    /// A verified direct announce of another peer than the link's: the far end has changed its identity.
    ///
    /// Refused while that peer has a link of its own (a replay must not steal a live identity) and within a minute of
    /// the last change (spec: mesh §13.2).
    private func rebind(_ link: LinkID, to peer: PeerID) -> Bool {
        let now = ports.clock.uptime
        guard let state = links[link], let old = state.boundPeer, old != peer, !links.hasLink(to: peer),
            state.reboundAt.map({ now - $0 >= MeshPolicy.rebindInterval }) ?? true
        else { return false }
        // [ours] A link that only claimed to be a neighbour's takes nothing from one that was proved to be.
        let isImpostor =
            state.authenticatedPeer == nil
            && (!state.isAnnounced || links.hasAuthenticatedLink(to: old, besides: link))
        links.bind(link, to: peer)
        _ = links.update(link) {
            $0.reboundAt = now
            $0.revalidatedAt = nil
        }
        registry.update(peer) { $0.isConnected = true }
        if let entry = registry[peer] { report(.connected, entry) }
        guard !isImpostor else { return true }
        for other in links.links(boundTo: old) { links.bind(other, to: nil) }
        disconnect(old)
        _ = registry.remove(old)
        routes.forget(old)
        return true
    }

    /// Takes a goodbye; a forged one must neither evict anybody nor spread.
    private func left(_ packet: Inbound) -> Handling {
        guard let key = signers.key(of: packet.sender) else {
            counters.add(.droppedUnknownSigner)
            return .stop
        }
        guard signatures.passes(packet, by: key) else { return .stop }
        noise.peerLeft(packet.sender)
        links.retireProofs(of: packet.sender)
        routes.forget(packet.sender)
        if let entry = registry.remove(packet.sender) { report(.left, entry) }
        return .relayable
    }

    /// Puts fragments together; what comes out is processed as received from the fragments' sender, and never relayed:
    /// its fragments were.
    private func reassemble(_ packet: Inbound) -> Handling {
        counters.add(.fragmentsReceived)
        guard let fragment = FragmentHeader(packet.payload) else {
            counters.add(.droppedFragment)
            return .relayable
        }
        // Asked before anything is kept or passed on: what begins here begins in every node further on.
        guard
            assemblies.isOpen(FragmentStream(sender: packet.sender, id: fragment.id)) || packet.sender == id
                || links.spend(of: \.fragmentStreams, on: packet.link, at: ports.clock.uptime)
        else {
            counters.add(.droppedFragmentStream)
            return .stop
        }
        switch assemblies.insert(
            fragment, from: packet.sender, on: packet.link.rawValue, ttl: packet.view.ttl,
            isBroadcast: packet.view.isBroadcast, isSolicited: packet.view.isSyncResponse, at: ports.clock.uptime)
        {
        case .ignored: counters.add(.droppedFragment)
        case .stored: break
        case .dropped: counters.add(.droppedAssembly)
        case .complete(let completion): rebuilt(completion, from: packet)
        }
        return .relayable
    }

    private func rebuilt(_ completion: FragmentAssemblies.Completion, from fragment: Inbound) {
        guard let view = PacketView(completion.frame) else { return counters.add(.droppedMalformedFrame) }
        guard view.sender != id else { return counters.add(.droppedSelfLoop) }
        let refusal = IngressGuard.refusalOfTime(
            view, validation: view.sender, at: ports.clock.wall, isSolicited: { _ in false })
        if let refusal { return count(refusal: refusal) }
        guard let payload = inflate(view, on: fragment.link) else { return }
        counters.add(.fragmentedPacketsCompleted)
        let packet = Inbound(
            view: view, payload: payload, link: fragment.link, from: fragment.sender, isRebuilt: true)
        process(
            packet,
            key: DedupKey(
                type: view.type, sender: view.sender, timestamp: view.timestamp, payload: payload.span,
                using: cryptography
            ).distinguished(by: view))
    }

    /// The notice board is not kept here yet; a good post is passed on, others would be amplified (spec: packet §3).
    private func judgeBoard(_ packet: Inbound) -> Handling {
        guard let notice = BoardNotice(packet.payload) else {
            counters.add(.droppedMalformedPayload)
            return .stop
        }
        guard signatures.spend(on: packet.link) else { return .stop }
        guard notice.verifies(using: cryptography) else {
            counters.add(.droppedBadSignature)
            return .stop
        }
        return .relayable
    }

    /// Live voice is not played here; fresh, public and signed frames are passed on (spec: mesh §2).
    private func judgeVoice(_ packet: Inbound) -> Handling {
        guard packet.sender != id, packet.view.isBroadcast else {
            counters.add(.droppedNotBroadcast)
            return .stop
        }
        guard !packet.view.timestamp.isStale(at: ports.clock.wall, maximumAge: MeshPolicy.voiceMaximumAge) else {
            counters.add(.droppedStale)
            return .stop
        }
        guard let key = signers.key(of: packet.sender) else {
            counters.add(.droppedUnknownSigner)
            return .stop
        }
        return signatures.passes(packet, by: key) ? .relayable : .stop
    }
}

extension PacketView: PacketHeader {}
