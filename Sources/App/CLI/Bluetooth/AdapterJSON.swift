import BluetoothHCI
import Domain

extension AdapterStatus {
    /// The adapter as `status --json` and `adapters --json` list it.
    ///
    /// - Parameters:
    ///   - now: The monotonic time at which the report is made.
    ///   - wall: The wall clock at that moment; turns `since` into milliseconds UTC.
    func json(at now: Uptime, wall: WallTime) -> JSONValue {
        .object([
            "address": .string(address.description), "state": .string(state.rawValue),
            "since": .number(wall.milliseconds.subtractingUpTo(UInt64(clamping: (now - since).count))),
            "reason": reason.map { .string($0) }, "remedy": remedy.map { .string($0) },
            "deviceAddress": deviceAddress.map { .string($0) }, "isAdvertising": .bool(isAdvertising),
            "isScanning": .bool(isScanning),
            "links": .object(["outgoing": .number(outgoingLinks), "incoming": .number(incomingLinks)]),
            "connections": .array(connections.map(\.json)), "losses": .number(losses),
            "framesSent": .number(framesSent), "framesReceived": .number(framesReceived),
            "faults": .object(faults.sorted { $0.key < $1.key }.map { JSONValue.Member($0.key, .number($0.value)) }),
            "controller": controller?.json,
        ])
    }
}

extension AdapterStatus.Connection {
    /// The connection as `status --json` lists it.
    fileprivate var json: JSONValue {
        .object([
            "device": .string(device), "isOutgoing": .bool(isOutgoing), "mtu": .number(mtu),
            "signal": signal.map { .number($0) }, "links": .array(links.map { .number($0.rawValue) }),
        ])
    }
}

extension ControllerDescription {
    /// The controller as `adapters --json` describes it.
    fileprivate var json: JSONValue {
        .object([
            "version": .string(version), "manufacturer": .number(manufacturer),
            "manufacturerName": manufacturerName.map { .string($0) }, "description": .string(details),
            "address": address.map { .string($0) }, "bufferLength": .number(bufferLength),
            "bufferCount": .number(bufferCount), "features": .array(features.map { .string($0) }),
            "usesExtendedCommands": .bool(usesExtendedCommands), "doesAllAtOnce": doesAllAtOnce.map { .bool($0) },
        ])
    }
}

extension UInt64 {
    /// The difference, and zero where it would fall below.
    fileprivate func subtractingUpTo(_ other: UInt64) -> UInt64 { self < other ? 0 : self - other }
}
