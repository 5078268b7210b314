import Domain

/// Reads the lists that a peer's server answers with. Each must be what was asked for: entries of the stated length,
/// within the handles asked about, and strictly ascending; else all of it is malformed, and `nil`. So whoever asks on from
/// the last handle comes to an end.
///
/// Source: Core Specification, Vol 3, Part F, 3.4.3–3.4.4.
enum AttributeResponse {
    /// A handle and what belongs to it.
    typealias Entry<Content> = (handle: UInt16, content: Content)

    /// The groups in a Find By Type Value Response, from first to last handle.
    static func groups(_ parameters: ArraySlice<UInt8>, within handles: AttributeHandles) -> [AttributeHandles]? {
        entries(parameters, length: 4, within: handles) { handle, rest -> AttributeHandles? in
            guard let last = rest.takeLittleEndian(UInt16.self), last >= handle else { return nil }
            return handle...last
        }?.map(\.content)
    }

    /// The types in a Find Information Response.
    static func types(
        _ parameters: ArraySlice<UInt8>, within handles: AttributeHandles
    ) -> [Entry<AttributeUUID>]? {
        var reader = ByteReader(parameters)
        guard let format = reader.take(UInt8.self), format == 1 || format == 2 else { return nil }
        return entries(reader.rest, length: format == 1 ? 4 : 18, within: handles) { AttributeUUID($1.rest) }
    }

    /// The characteristic declarations in a Read By Type Response.
    static func characteristics(
        _ parameters: ArraySlice<UInt8>, within handles: AttributeHandles
    ) -> [Entry<CharacteristicDeclaration>]? {
        var reader = ByteReader(parameters)
        guard let length = reader.take(UInt8.self), length > 2 else { return nil }
        return entries(reader.rest, length: Int(length), within: handles) { CharacteristicDeclaration($1.rest) }
    }

    private static func entries<Content>(
        _ list: ArraySlice<UInt8>, length: Int, within handles: AttributeHandles,
        _ content: (UInt16, inout ByteReader) -> Content?
    ) -> [Entry<Content>]? {
        guard !list.isEmpty, list.count.isMultiple(of: length) else { return nil }
        var entries: [Entry<Content>] = []
        var reader = ByteReader(list)
        while let entry = reader.take(length) {
            var rest = ByteReader(entry)
            guard let handle = rest.takeLittleEndian(UInt16.self), handles.contains(handle),
                entries.last.map({ $0.handle < handle }) ?? true, let content = content(handle, &rest)
            else { return nil }
            entries.append((handle, content))
        }
        return entries
    }
}

/// What a peer says about one of its characteristics.
///
/// Source: Core Specification, Vol 3, Part G, 3.3.1.
struct CharacteristicDeclaration: Hashable, Sendable {
    /// Write Without Response or Write.
    private static let writable: UInt8 = 0x04 | 0x08
    private static let notify: UInt8 = 0x10

    /// What may be done with it, bit by bit.
    let properties: UInt8
    /// The handle of its value.
    let valueHandle: UInt16
    /// What it is.
    let type: AttributeUUID

    /// Reads the value of a declaration.
    init?(_ bytes: ArraySlice<UInt8>) {
        var reader = ByteReader(bytes)
        guard let properties = reader.take(UInt8.self), let handle = reader.takeLittleEndian(UInt16.self),
            let type = AttributeUUID(reader.rest)
        else { return nil }
        self.properties = properties
        valueHandle = handle
        self.type = type
    }

    /// Whether it can carry both directions of a link.
    var isMesh: Bool {
        type == .mesh && properties & Self.writable != 0 && properties & Self.notify != 0
    }
}
