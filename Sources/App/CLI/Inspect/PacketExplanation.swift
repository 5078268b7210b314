import Domain
import NativeCryptography
import ZlibCompression

/// Explains a frame field by field.
enum PacketExplanation {
    /// The explanation; a frame that the decoder refuses is a failure that says what is wrong with it.
    static func explain(_ frame: [UInt8]) throws(Failure) -> Explanation {
        guard let view = PacketView(frame) else { throw refusal(of: frame) }
        let (cryptography, compression) = (NativeCryptography(), ZlibCompression())
        var explanation = Explanation()
        explanation.frame = header(of: view)
        guard let payload = view.payload(using: compression) else {
            explanation.frame.add("problem", "the payload does not inflate to the size that it claims")
            return explanation
        }
        addRest(of: view, payload, to: &explanation.frame, cryptography)
        explanation.payload = PayloadExplanation(view, cryptography, compression).fields(of: payload)
        return explanation
    }

    private static func header(of view: PacketView) -> [Explanation.Field] {
        var fields: [Explanation.Field] = []
        fields.add(length: "length", view.frame.count)
        fields.add("version", .number(view.version), view.version == 2 ? "32-bit length, may carry a route" : "")
        let type = MessageTypeName.name(of: view.type)
        fields.add("type", .number(view.type.rawValue), type ?? "unknown to us; relayed all the same")
        fields.add("typeName", .optional(type))
        fields.add("ttl", .number(view.ttl), "hops left, not signed")
        fields.add("flags", .array(flagNames(view.flags).map { .string($0) }))
        fields.add("timestamp", view.timestamp, "as the sender claims")
        fields.add("sender", .string(view.sender.hex), "as claimed")
        fields.add(
            "recipient", .optional(view.recipient?.hex), view.isBroadcast ? "everyone" : "one peer")
        if view.hopCount > 0 {
            fields.add("route", .array(view.route.map { .string($0.hex) }), "\(view.hopCount) hops")
        }
        return fields
    }

    private static func addRest(
        of view: PacketView, _ payload: ArraySlice<UInt8>, to fields: inout [Explanation.Field],
        _ cryptography: NativeCryptography
    ) {
        fields.add(length: "payloadLength", payload.count)
        if let size = view.originalSize {
            fields.add(length: "compressedLength", view.payloadSection.count, "raw deflate, \(size) bytes inflated")
        }
        fields.add("signature", .optional(view.signature.map { Hex.encode($0.bytes) }))
        let trailing = view.frame.count - view.end
        if trailing > 0 {
            let isPadding = !view.wellFormedPadding.isEmpty
            fields.add(length: isPadding ? "padding" : "trailing", trailing, isPadding ? "" : "not padding; ignored")
        }
        let id = SyncID(
            type: view.type, sender: view.sender, timestamp: view.timestamp, payload: payload.span,
            using: cryptography)
        fields.add("syncID", .string(id.hex), "names the packet in the history")
    }

    private static func flagNames(_ flags: PacketFlags) -> [String] {
        let known: [(PacketFlags, String)] = [
            (.recipient, "recipient"), (.signature, "signature"), (.compressed, "compressed"), (.route, "route"),
            (.syncResponse, "syncResponse"),
        ]
        let reserved = flags.subtracting(PacketFlags(known.map(\.0)))
        return known.filter { flags.contains($0.0) }.map(\.1)
            + (reserved.isEmpty ? [] : ["reserved 0x" + Hex.encode([reserved.rawValue])])
    }

    /// What is wrong with a frame, as far as its first bytes tell.
    private static func refusal(of frame: [UInt8]) -> Failure {
        let problem: String
        switch frame.first {
        case nil: problem = "there are no bytes"
        case PacketPolicy.version1?, PacketPolicy.version2?:
            let isFirst = frame.first == PacketPolicy.version1
            let least = isFirst ? PacketPolicy.shortestFrame1 : PacketPolicy.shortestFrame2
            if frame.count < least {
                problem = "\(frame.count) bytes are fewer than the \(least) of the shortest packet"
            } else {
                let (first, last) = (12, isFirst ? 14 : 16)
                let declared = frame[first..<last].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
                problem =
                    "the sections do not fit: flags 0x\(Hex.encode([frame[11]])), a payload section of \(declared) bytes, "
                    + "\(frame.count) bytes in all"
            }
        case let version?: problem = "version \(version) is unknown; a packet begins with 01 or 02"
        }
        return Failure(.badInput, "this is no packet: \(problem)", hints: ["a frame is given from its version byte on"])
    }
}

/// Names of message types.
enum MessageTypeName {
    private static let names: [(MessageType, String)] = [
        (.announce, "announce"), (.message, "message"), (.leave, "leave"), (.courierEnvelope, "courierEnvelope"),
        (.noiseHandshake, "noiseHandshake"), (.noiseEncrypted, "noiseEncrypted"), (.fragment, "fragment"),
        (.requestSync, "requestSync"), (.fileTransfer, "fileTransfer"), (.boardPost, "boardPost"),
        (.prekeyBundle, "prekeyBundle"), (.groupMessage, "groupMessage"), (.ping, "ping"), (.pong, "pong"),
        (.nostrCarrier, "nostrCarrier"), (.voiceFrame, "voiceFrame"), (.announceV2, "announceV2"),
    ]

    /// The name of a type; `nil` for one that we do not know.
    static func name(of type: MessageType) -> String? { names.first { $0.0 == type }?.1 }

    /// The name, or the number.
    static func text(of type: MessageType) -> String { name(of: type) ?? "0x" + Hex.encode([type.rawValue]) }
}
