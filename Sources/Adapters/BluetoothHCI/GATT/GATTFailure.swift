/// Why the client side of a connection cannot be used.
enum GATTFailure: Hashable, Sendable {
    /// The far end has no service of our mesh.
    case noService
    /// The service has no characteristic that takes writes and notifies, or no descriptor to subscribe with.
    case noCharacteristic
    /// The far end refused a request.
    case refused(request: UInt8, ATTError)
    /// A request stayed without an answer for the transaction timeout: the bearer is dead (Core Specification, Vol 3, Part
    /// F, 3.3.3).
    case timedOut(request: UInt8)
}

extension GATTFailure: CustomStringConvertible {
    /// For the log.
    var description: String {
        switch self {
        case .noService: "it has no service of this mesh"
        case .noCharacteristic: "its service has no characteristic to write to and be notified by"
        case .refused(let request, let error): "it refused \(Self.name(request)): \(error)"
        case .timedOut(let request): "it did not answer \(Self.name(request))"
        }
    }

    /// Whether the connection is of no use for the other direction either.
    var isFatal: Bool {
        if case .timedOut = self { true } else { false }
    }

    private static func name(_ request: UInt8) -> String {
        AttributeOpcode(rawValue: request).map { "\($0)" } ?? "request \(request)"
    }
}
