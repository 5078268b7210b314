/// Our attributes: the two services that every device has, and the one of the mesh.
///
/// The layout is the same in every run and in both meshes, since phones remember it by our address (spec: ble-gatt §2).
///
/// Source: Core Specification, Vol 3, Part G, 3 and 7; Part C, 12.
struct AttributeDatabase: Sendable {
    /// What an attribute holds, and with it what may be done to it. Nothing wants encryption or authentication: phones
    /// never pair (spec: ble-gatt §2).
    enum Content: Hashable, Sendable {
        /// Always the same, readable.
        case constant([UInt8])
        /// Always empty, readable, and of no fixed length.
        case empty
        /// The mesh characteristic: takes writes, reads as empty.
        case mesh
        /// The far end's subscription to the characteristic just before; readable and writable, two bytes.
        case clientConfiguration
        /// Only ever sent, never read or written.
        case indicated
    }

    /// One attribute.
    struct Attribute: Hashable, Sendable {
        /// Its handle.
        let handle: UInt16
        /// Its type.
        let type: AttributeUUID
        /// Its content.
        let content: Content
    }

    /// Properties of a characteristic (Part G, 3.3.1.1).
    private enum Properties {
        static let read: UInt8 = 0x02
        static let indicate: UInt8 = 0x20
        /// Read, Write Without Response, Write and Notify: exactly what both phones declare (spec: ble-gatt §2).
        static let mesh: UInt8 = 0x1E
    }

    /// The handle of the mesh characteristic's value.
    static let meshValue: UInt16 = 0x000C
    /// The handle of its subscription.
    static let meshConfiguration: UInt16 = 0x000D
    /// The handle of Service Changed's subscription.
    static let serviceChangedConfiguration: UInt16 = 0x0009

    /// All attributes in the order of their handles, which begin with 1 and have no gaps.
    let attributes: [Attribute]

    /// Lays the database out.
    init(service: BluetoothService) {
        let contents: [(AttributeUUID, Content)] = [
            (.primaryService, .constant(AttributeUUID.genericAccess.bytes)),
            (.characteristic, Self.declaration(Properties.read, value: 0x0003, .deviceName)),
            // Every device has a name; ours is empty. Phones read it as soon as they connect, so whatever stood here would
            // tell the node, or its owner, apart from others, which the rule against names in advertisements is to prevent
            // (spec: ble-gatt §3). An empty name is allowed (Part C, 12.1: 0 to 248 bytes). [ours]
            (.deviceName, .empty),
            (.characteristic, Self.declaration(Properties.read, value: 0x0005, .appearance)),
            // "Unknown" (Assigned Numbers, 2.6).
            (.appearance, .constant([0x00, 0x00])),
            (.primaryService, .constant(AttributeUUID.genericAttribute.bytes)),
            (.characteristic, Self.declaration(Properties.indicate, value: 0x0008, .serviceChanged)),
            (.serviceChanged, .indicated),
            (.clientConfiguration, .clientConfiguration),
            (.primaryService, .constant(service.uuid.bytes)),
            (.characteristic, Self.declaration(Properties.mesh, value: Self.meshValue, .mesh)),
            (.mesh, .mesh),
            (.clientConfiguration, .clientConfiguration),
        ]
        attributes = zip(UInt16(1)..., contents).map { handle, content in
            Attribute(handle: handle, type: content.0, content: content.1)
        }
    }

    /// The attribute with a handle; `nil` when there is none.
    subscript(handle: UInt16) -> Attribute? {
        attributes.indices.contains(Int(handle) - 1) ? attributes[Int(handle) - 1] : nil
    }

    /// The attributes with these handles, in order.
    func attributes(in handles: AttributeHandles) -> ArraySlice<Attribute> {
        attributes.drop { $0.handle < handles.lowerBound }.prefix { $0.handle <= handles.upperBound }
    }

    /// Whether attributes of a type begin a group. We have no secondary services, but their type is as good a question.
    ///
    /// Source: Core Specification, Vol 3, Part G, 2.5.3.
    static func isGrouping(_ type: AttributeUUID) -> Bool { type == .primaryService || type == .secondaryService }

    /// The last handle of what an attribute stands for: of its group, if it begins one; else its own.
    func lastHandle(of attribute: Attribute) -> UInt16 {
        guard Self.isGrouping(attribute.type) else { return attribute.handle }
        let next = attributes.first { $0.handle > attribute.handle && Self.isGrouping($0.type) }
        return next.map { $0.handle - 1 } ?? UInt16(clamping: attributes.count)
    }

    /// The declaration of a characteristic: its properties, and handle and type of its value.
    private static func declaration(_ properties: UInt8, value handle: UInt16, _ type: AttributeUUID) -> Content {
        var bytes = [properties]
        bytes.append(littleEndian: handle)
        return .constant(bytes + type.bytes)
    }
}
