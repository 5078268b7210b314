import Domain

extension Controller {
    /// Puts a connection into the round of those that have something to send; when its turn comes, its frames are asked
    /// for one after the other.
    func wantsToSend(on handle: ConnectionHandle) {
        guard phase == .ready, handle != asked else { return }
        data.join(handle)
        settleSoon()
    }

    /// Sends as much as the controller has room for.
    func sendData() {
        while phase == .ready, let handle = data.nextTurn() {
            if data.needsFrame(handle) {
                // The answer may come with calls into the controller, which may end this very connection.
                asked = handle
                let frame = delegate?.nextFrame(for: handle)
                asked = nil
                if let frame { data.supply(frame, for: handle) }
            }
            guard phase == .ready, let piece = data.takePiece(of: handle, at: timers.now) else { continue }
            send(piece.bytes)
        }
        watchCredits()
    }

    func receiveData(_ bytes: ArraySlice<UInt8>) {
        guard let packet = DataPacket(bytes) else {
            tally.malformedPackets += 1
            return
        }
        // It is of an earlier life.
        guard phase == .ready else { return tally.unknownHandles += 1 }
        guard connections[packet.handle] != nil else {
            tally.unknownHandles += 1
            return heardStranger(packet.handle)
        }
        report { $0.received(packet.payload, isStart: packet.isStart, on: packet.handle) }
    }

    func completed(_ completions: [HCIEvent.Completion]) {
        for completion in completions {
            if let surplus = data.completed(completion.count, on: completion.handle, at: timers.now) {
                tally.surplusCredits += surplus
            } else {
                tally.unknownHandles += 1
            }
        }
    }

    // MARK: Credits that do not come back

    /// Sets the timer to when credits may first count as lost; it is left to run when that moves away, which it does with
    /// every packet.
    private func watchCredits() {
        guard creditTimer == nil, phase == .ready, let deadline = data.deadline else { return }
        let delay = max(0, (deadline - timers.now).count)
        creditTimer = after(Milliseconds(delay)) {
            $0.creditTimer = nil
            $0.reclaimCredits()
        }
    }

    private func reclaimCredits() {
        for verdict in data.reclaim(at: timers.now) {
            switch verdict {
            case .reclaimed(_, let credits): tally.reclaimedCredits += credits
            case .dead(let handle):
                tally.stalledConnections += 1
                disconnect(handle, reason: .remoteUserTerminated)
            }
        }
    }
}
