import Domain

/// Subscribes to a peer's Service Changed, beside a link that works already.
///
/// An app that is closed and opened again takes our subscription with it while the connection stays: we would never hear
/// of it again. Its phone tells those who asked. Nothing else depends on it: a peer without it, or one that refuses, is
/// left alone.
///
/// Source: Core Specification, Vol 3, Part G, 2.5.2, 7.1. [ours]: the apps have it done by their system.
struct ServiceChangedSubscription: Sendable {
    private enum Step {
        case findingService
        case findingAttributes(AttributeHandles)
        case subscribing(configuration: UInt16)
        case done
    }

    private var step = Step.findingService
    /// The handle of its value, once it is known.
    private(set) var handle: UInt16?

    /// What to ask next; `nil` when all is done.
    var request: AttributeRequest? {
        switch step {
        case .findingService: .search(for: .genericAttribute)
        case .findingAttributes(let handles): .findInformation(handles)
        case .subscribing(let configuration): .write(configuration, value: [0x02, 0x00])
        case .done: nil
        }
    }

    /// Takes the answer to ``request``.
    mutating func receive(_ answer: AttributeAnswer) {
        guard case .response(let parameters) = answer else {
            step = .done
            return
        }
        switch step {
        case .findingService:
            let service = AttributeResponse.groups(parameters, within: AttributeRequest.allHandles)?.first
            step = service.map { .findingAttributes($0) } ?? .done
        case .findingAttributes(let handles):
            step = found(AttributeResponse.types(parameters, within: handles) ?? [], within: handles)
        case .subscribing, .done:
            step = .done
        }
    }

    /// The characteristic's value comes first, then its descriptors, then the next declaration.
    private mutating func found(
        _ types: [AttributeResponse.Entry<AttributeUUID>], within handles: AttributeHandles
    ) -> Step {
        for (found, type) in types {
            switch type {
            case .serviceChanged: handle = found
            case .clientConfiguration where handle != nil: return .subscribing(configuration: found)
            case .characteristic where handle != nil: return .done
            default: break
            }
        }
        guard let last = types.last?.handle, last < handles.upperBound else { return .done }
        return .findingAttributes(last + 1...handles.upperBound)
    }
}
