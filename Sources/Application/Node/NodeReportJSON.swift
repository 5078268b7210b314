import Domain

extension NodeReport {
    /// The report as `status --json` prints it: times in milliseconds UTC, spans in milliseconds.
    public var json: JSONValue {
        .object([
            "id": .string(id.hex), "nickname": .string(nickname), "role": .string(role.rawValue),
            "fingerprint": .string(fingerprint.hex), "time": .number(wall.milliseconds),
            "startedAt": .number(wall.before(now - startedAt).milliseconds), "uptime": .number((now - startedAt).count),
            "links": .array(links.map(\.json)), "connectedPeers": .number(connectedPeers),
            "reachablePeers": .number(reachablePeers), "sessions": .number(sessions),
            "queuedMessages": .number(queuedMessages), "queuedFrames": .number(queuedFrames),
            "queuedBytes": .number(queuedBytes), "spooledPackets": .number(spooledPackets),
            "heldMessages": .number(heldMessages), "clock": clock.json,
            "counters": .object(counters.map { JSONValue.Member($0.name, .number($0.value)) }),
        ])
    }
}

extension LinkReport {
    /// The link as `status --json` lists it.
    public var json: JSONValue {
        .object([
            "id": .number(description.id.rawValue), "name": .string(description.name),
            "isOutgoing": .bool(description.isOutgoing), "frameLimit": .number(description.frameLimit),
            "peer": peer.map { .string($0.hex) }, "isAuthenticated": .bool(isAuthenticated),
        ])
    }
}

extension PeerReport {
    /// The peer as `peers --json` lists it.
    ///
    /// - Parameters:
    ///   - now: The monotonic time at which the report was made.
    ///   - wall: The wall clock at that moment; turns `lastSeen` into milliseconds UTC.
    public func json(at now: Uptime, wall: WallTime) -> JSONValue {
        .object([
            "id": .string(id.hex), "nickname": .string(nickname), "displayName": .string(displayName),
            "fingerprint": .string(fingerprint.hex), "noiseKey": .string(noiseKey.bytes.hex),
            "isConnected": .bool(isConnected), "isReachable": .bool(isReachable), "isPrompt": .bool(isPrompt),
            "isSecure": .bool(isSecure),
            "lastSeen": .number(wall.before(now - lastSeen).milliseconds),
            "capabilities": capabilities.map { .number($0) }, "links": .array(links.map { .number($0.rawValue) }),
        ])
    }
}

extension WallTime {
    /// An earlier time, kept at 1970 where it would fall below.
    fileprivate func before(_ span: Milliseconds) -> WallTime {
        let (difference, underflow) = milliseconds.subtractingReportingOverflow(UInt64(clamping: span.count))
        return WallTime(milliseconds: underflow ? 0 : difference)
    }
}
