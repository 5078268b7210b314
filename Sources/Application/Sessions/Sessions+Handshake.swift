import Domain

/// Inbound handshake messages. Source: spec, noise §4.3.
extension Sessions {
    /// Processes one handshake message from `peer`.
    ///
    /// - Parameters:
    ///   - link: Where it came in.
    ///   - isOwnLink: Whether that link is the peer's own.
    func receive(
        _ message: ArraySlice<UInt8>, from peer: PeerID, on link: LinkID? = nil, isOwnLink: Bool = false
    ) -> HandshakeResult {
        guard message.count <= NoisePolicy().maximumHandshakeMessage else { return .failed }
        guard handshakeLimits.spend(for: peer, on: link, isOwnLink: isOwnLink, at: clock.uptime) else {
            return .limited
        }
        var slot = slots[peer] ?? SessionSlot()
        let isFirst = isInitiation(message, current: slot.current)
        if isFirst {
            guard acceptsInitiation(from: peer, slot: &slot) else {
                slots[peer] = slot
                return .ignored
            }
            guard becomeResponder(to: peer, slot: &slot) else { return .failed }
        } else if slot.current?.isEstablished == true {
            return .ignored
        }
        slots[peer] = slot
        return process(message, from: peer)
    }

    /// Whether the message opens a handshake rather than continuing one.
    ///
    /// On a standing session only exactly 32 bytes do: a repeated message 2 or 3 must not start a ping-pong (the note
    /// in the specification allows it).
    private func isInitiation(_ message: ArraySlice<UInt8>, current: Session<C>?) -> Bool {
        message.count == SessionPolicy.firstMessageLength || current == nil
    }

    /// The rules under which a first message is heard; changes what they say of the slot.
    private func acceptsInitiation(from peer: PeerID, slot: inout SessionSlot<C>) -> Bool {
        let now = clock.uptime
        let stands = slot.current?.isEstablished == true
        let weAreLower = localPeer < peer
        if let until = slot.cooldownUntil {
            if until > now, stands { return false }
            slot.cooldownUntil = nil
        }
        if slot.isSuppressing, weAreLower, stands { return false }
        if let completed = slot.completedAsInitiatorAt {
            slot.completedAsInitiatorAt = nil
            if now - completed < SessionPolicy.completionGrace, weAreLower, stands {
                slot.isSuppressing = true
                scheduler.schedule(.handshakeGrace(peer), at: completed + SessionPolicy.completionGrace)
                return false
            }
        }
        // Crossed first messages: the lower identifier keeps the initiator's role.
        return !(slot.current?.isInitiating == true && weAreLower)
    }

    /// Puts a new responder in the current place; a standing session goes into quarantine.
    private func becomeResponder(to peer: PeerID, slot: inout SessionSlot<C>) -> Bool {
        guard let handshake = makeHandshake(role: .responder) else { return false }
        let now = clock.uptime
        var (retry, yielded) = (false, false)
        if let current = slot.current {
            if current.isEstablished {
                slot.quarantined = current
                slot.responderDeadline = now + SessionPolicy.responderTimeout
                cancelTimers(of: peer)
                slot.isSuppressing = false
            } else if current.isInitiating {
                (retry, yielded) = (slot.initiatorRetry, true)
                scheduler.cancel(.handshakeInitiator(peer))
                slot.initiatorRetry = false
                slot.responderDeadline = nil
            } else {
                (retry, yielded) = (slot.responderRetry, slot.responderYielded)
            }
        } else {
            slot.responderDeadline = nil
        }
        slot.current = makeSession(.responding(handshake))
        slot.responderRetry = retry
        slot.responderYielded = yielded
        // A repeated first message gets a fresh answer and never more time.
        let deadline = slot.responderDeadline ?? now + SessionPolicy.responderTimeout
        slot.responderDeadline = deadline
        scheduler.schedule(.handshakeResponder(peer), at: deadline)
        return true
    }

    /// Feeds the message to the handshake in the current place.
    private func process(_ message: ArraySlice<UInt8>, from peer: PeerID) -> HandshakeResult {
        guard let session = slots[peer]?.current else { return .ignored }
        do {
            switch session.phase {
            case .initiating(let handshake):
                _ = try handshake.readMessage(message.span)
                // Before message 3 leaves: a spoofer learns nothing of us, and cannot keep us trying.
                guard belongs(handshake.remoteStatic, to: peer) else { return fail(peer, mismatch: true) }
                let reply = try handshake.writeMessage()
                return .progress(reply: reply, established: try complete(handshake, of: session, peer: peer))
            case .responding(let handshake):
                _ = try handshake.readMessage(message.span)
                guard handshake.isComplete else {
                    return .progress(reply: try handshake.writeMessage(), established: nil)
                }
                guard belongs(handshake.remoteStatic, to: peer) else { return fail(peer, mismatch: true) }
                return .progress(reply: nil, established: try complete(handshake, of: session, peer: peer))
            case .established:
                return .ignored
            }
        } catch {
            return fail(peer, mismatch: false)
        }
    }

    /// XX authenticates a key, not the name in the packet header: they must belong together (spec: noise §2.3).
    private func belongs(_ key: AgreementPublicKey?, to peer: PeerID) -> Bool {
        key.map { PeerID(of: $0, using: cryptography) == peer } ?? false
    }

    private func complete(
        _ handshake: HandshakeState<C>, of session: Session<C>, peer: PeerID
    ) throws(NoiseError) -> EstablishedSession {
        let outcome = try handshake.finish()
        let asInitiator = handshake.role == .initiator
        session.phase = .established(
            TransportCipher(outcome, using: cryptography), remoteKey: outcome.remoteStatic)
        session.lastUsed = clock.uptime
        cancelTimers(of: peer)
        cancelRecovery(of: peer)
        var slot = SessionSlot(current: session)
        slot.completedAsInitiatorAt = asInitiator ? clock.uptime : nil
        slots[peer] = slot
        return EstablishedSession(peer: peer, remoteKey: outcome.remoteStatic, generation: session.generation)
    }

    /// The error path: the attempt goes, a quarantined session returns, and at most one retry is owed.
    private func fail(_ peer: PeerID, mismatch: Bool) -> HandshakeResult {
        guard let slot = slots[peer], let current = slot.current else { return .failed }
        let wantsRetry = current.isInitiating ? slot.initiatorRetry : slot.responderRetry
        let wasRecovering = slot.isRecovering
        var isQuiet = current.isInitiating || slot.responderYielded || wasRecovering
        cancelTimers(of: peer)
        var next = SessionSlot<C>()
        next.isRecovering = wasRecovering
        if let quarantined = slot.quarantined {
            next.current = quarantined
            next.cooldownUntil = clock.uptime + SessionPolicy.rollbackCooldown
        }
        slots[peer] = next
        if let quarantined = slot.quarantined {
            observer?.session(
                restoredFor: peer, generation: quarantined.generation,
                isPending: !mismatch && (wantsRetry || wasRecovering))
        }
        if wantsRetry && !mismatch || mismatch && wasRecovering {
            requestRecovery(of: peer, after: SessionPolicy.collisionDelay)
            isQuiet = true
        } else if slot.quarantined == nil && !wasRecovering {
            observer?.session(failedFor: peer)
        }
        if mismatch { return .identityMismatch }
        return isQuiet ? .managed : .failed
    }
}

/// Timeouts and the one bounded retry. Source: spec, noise §4.4, §4.5.
extension Sessions {
    /// No message 2 came.
    func initiatorTimedOut(_ peer: PeerID) {
        guard let slot = slots[peer], slot.current?.isInitiating == true else { return }
        slots[peer] = SessionSlot(isRecovering: slot.isRecovering)
        if slot.initiatorRetry {
            requestRecovery(of: peer, after: 0)
        } else if !slot.isRecovering {
            observer?.session(failedFor: peer)
        }
    }

    /// No message 3 came.
    func responderTimedOut(_ peer: PeerID) {
        guard let slot = slots[peer], slot.current?.isResponding == true else { return }
        giveUpResponding(to: peer, slot)
    }

    /// Drops an unfinished responder; a session that it displaced takes its place again.
    func giveUpResponding(to peer: PeerID, _ slot: SessionSlot<C>) {
        var next = SessionSlot<C>(isRecovering: slot.isRecovering)
        if let quarantined = slot.quarantined {
            next.current = quarantined
            next.cooldownUntil = clock.uptime + SessionPolicy.rollbackCooldown
        }
        slots[peer] = next
        if let quarantined = slot.quarantined {
            observer?.session(restoredFor: peer, generation: quarantined.generation, isPending: true)
        }
        // A rollback always owns one retry: the peer may hold newer keys.
        if slot.responderRetry || slot.quarantined != nil {
            requestRecovery(of: peer, after: 0)
        } else if !slot.isRecovering {
            observer?.session(failedFor: peer)
        }
    }

    /// The grace after completing as initiator is over; the ignored first message may have been a genuine restart.
    func graceEnded(_ peer: PeerID) {
        guard slots[peer]?.isSuppressing == true else { return }
        slots[peer]?.isSuppressing = false
        if slots[peer]?.current?.isEstablished == true { requestRecovery(of: peer, after: 0) }
    }

    /// Schedules the one retry; an earlier request is replaced.
    func requestRecovery(of peer: PeerID, after delay: Milliseconds) {
        slots[peer, default: SessionSlot()].isRecovering = true
        scheduler.schedule(.handshakeRecovery(peer), at: clock.uptime + delay)
    }

    /// Carries out the retry, if the peer can be reached.
    func recover(_ peer: PeerID) {
        guard var slot = slots[peer], slot.isRecovering else { return }
        guard observer?.session(canReach: peer) == true else {
            slots[peer]?.isRecovering = false
            if let current = slot.current, current.isEstablished {
                // Nothing replaces the restored session now, so it is the one that holds, in both directions.
                observer?.session(restoredFor: peer, generation: current.generation, isPending: false)
            } else if slot.current == nil {
                observer?.session(failedFor: peer)
            }
            return
        }
        let now = clock.uptime
        if let current = slot.current, !current.isEstablished {
            if current.isInitiating {
                slot.initiatorRetry = true
                scheduler.schedule(.handshakeInitiator(peer), at: now + SessionPolicy.initiatorTimeout)
            } else {
                (slot.responderRetry, slot.responderYielded) = (true, true)
                if slot.quarantined == nil {
                    slot.responderDeadline = now + SessionPolicy.responderTimeout
                    scheduler.schedule(.handshakeResponder(peer), at: now + SessionPolicy.responderTimeout)
                }
            }
            slots[peer] = slot
            return
        }
        guard handshakeLimits.spendOwn(for: peer, at: now) else {
            scheduler.schedule(.handshakeRecovery(peer), at: now + SessionPolicy.rateLimitDelay)
            return
        }
        // A retry does not breed retries.
        if !install(initiatorFor: peer, retry: false) {
            scheduler.schedule(.handshakeRecovery(peer), at: now + SessionPolicy.collisionDelay)
        }
    }
}
