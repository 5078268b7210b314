/// Joins what a device says in its advertisement with what it says in its answer to a scan.
///
/// Only the advertisement tells whether a device takes connections; the service may be in either. The answer follows at
/// once, so a short and small memory does, however many devices there are and however often they change their addresses.
///
/// Source: spec, ble-gatt §3, §4, §17 (case 21).
public struct SightingMemory<Device: Hashable & Sendable>: Sendable {
    /// What is known of a neighbour after a report.
    public struct Neighbour: Hashable, Sendable {
        /// Whether it takes connections; not, as long as only its answers to scans were heard.
        public let isConnectable: Bool
        /// Who it says it is.
        public let peer: PeerID?
    }

    private struct Part: Sendable {
        let advertisement: Advertisement
        let isConnectable: Bool
        let at: Uptime
    }

    private struct Entry: Sendable {
        var packet: Part?
        var answer: Part?
    }

    private var entries: [Device: Entry] = [:]
    private var order = RecencyOrder<Device>()

    /// Starts empty.
    public init() {}

    /// The number of devices remembered.
    public var count: Int { entries.count }

    /// Takes a report; what is known of the device now, or `nil` when nothing says that it offers the service.
    ///
    /// - Parameters:
    ///   - advertisement: What the report says.
    ///   - isConnectable: Whether the device takes connections; without meaning for an answer to a scan.
    ///   - isScanResponse: Whether this is an answer to a scan.
    public mutating func note(
        _ advertisement: Advertisement, of device: Device, isConnectable: Bool, isScanResponse: Bool, at now: Uptime
    ) -> Neighbour? {
        var entry = entries[device] ?? Entry()
        let part = Part(advertisement: advertisement, isConnectable: isConnectable, at: now)
        if isScanResponse { entry.answer = part } else { entry.packet = part }
        entry.packet = fresh(entry.packet, at: now)
        entry.answer = fresh(entry.answer, at: now)
        keep(entry, of: device)
        let parts = [entry.packet, entry.answer].compactMap { $0?.advertisement }
        guard parts.contains(where: \.offersService) else { return nil }
        return Neighbour(
            isConnectable: entry.packet?.isConnectable ?? false, peer: parts.lazy.compactMap(\.peer).last)
    }

    private func fresh(_ part: Part?, at now: Uptime) -> Part? {
        part.flatMap { now - $0.at <= RadioPolicy.sightingMemory ? $0 : nil }
    }

    private mutating func keep(_ entry: Entry, of device: Device) {
        entries[device] = entry
        order.touch(device)
        while order.count > RadioPolicy.maximumSightings, let oldest = order.removeOldest() { entries[oldest] = nil }
    }
}
