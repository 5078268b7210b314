/// What an advertisement, or the answer to a scan, says about our service; and what ours says.
///
/// Source: spec, ble-gatt §3, §4; Core Specification, Vol 3, Part C, 11, and Core Specification Supplement, Part A, 1.
public struct Advertisement: Hashable, Sendable {
    /// Whether the service is in a list of 128-bit service UUIDs. Nothing else makes a neighbour: not a name, and not
    /// service data.
    public let offersService: Bool
    /// Who it is, by the service data that Android adds: exactly eight bytes. Unproven, as everything on the air.
    public let peer: PeerID?

    /// Reads AD structures: a length, a type, and so many bytes less one.
    ///
    /// A length of zero ends the data early. Data that is cut counts up to the cut: whole UUIDs in a list that is cut, but
    /// not service data, whose length means something.
    ///
    /// - Parameters:
    ///   - data: The AD structures, of any length.
    ///   - service: The service looked for.
    public init(_ data: [UInt8], for service: ServiceUUID) {
        var (offersService, peer) = (false, PeerID?.none)
        var rest = data[...]
        while let length = rest.popFirst(), length > 0, let type = rest.popFirst() {
            let content = rest.prefix(Int(length) - 1)
            let isWhole = content.count == Int(length) - 1
            rest = rest.dropFirst(content.count)
            switch type {
            case Self.incompleteList, Self.completeList:
                offersService = offersService || Self.list(content, contains: service)
            case Self.serviceData where isWhole && service.matches(content.prefix(ServiceUUID.count)):
                peer = PeerID(content.dropFirst(ServiceUUID.count)) ?? peer
            default: break
            }
        }
        self.offersService = offersService
        self.peer = peer
    }

    /// What we advertise, 21 bytes: flags (found by anybody, no classic Bluetooth) and the list of one service. No name.
    public static func data(for service: ServiceUUID) -> [UInt8] {
        [2, flags, generalDiscoverable | noClassic, UInt8(1 + ServiceUUID.count), completeList] + service.bytes
    }

    /// What we may answer to a scan, 26 bytes: who we are, so that Android does not link to one peer twice.
    ///
    /// It shows an identifier that never changes to anybody who listens.
    public static func scanResponse(for service: ServiceUUID, peer: PeerID) -> [UInt8] {
        [UInt8(1 + ServiceUUID.count + PeerID.count), serviceData] + service.bytes + peer.bytes
    }

    private static let flags: UInt8 = 0x01
    private static let incompleteList: UInt8 = 0x06
    private static let completeList: UInt8 = 0x07
    private static let serviceData: UInt8 = 0x21
    private static let generalDiscoverable: UInt8 = 0x02
    private static let noClassic: UInt8 = 0x04

    private static func list(_ content: ArraySlice<UInt8>, contains service: ServiceUUID) -> Bool {
        var rest = content
        while rest.count >= ServiceUUID.count {
            if service.matches(rest.prefix(ServiceUUID.count)) { return true }
            rest = rest.dropFirst(ServiceUUID.count)
        }
        return false
    }
}
