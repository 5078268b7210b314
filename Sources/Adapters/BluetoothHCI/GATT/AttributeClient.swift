import Domain

/// Our side of asking a peer's server: finds the mesh characteristic and subscribes to it.
///
/// It says which request comes next and takes what is answered, one at a time; time is kept by ``GATTBearer``. Whatever a
/// peer answers, a discovery ends: each request asks about handles above the last, and there is a limit on top.
///
/// Source: spec, ble-gatt §6.1; Core Specification, Vol 3, Part G, 4.
struct AttributeClient: Sendable {
    /// What came of an answer, beyond the next request.
    enum Event: Hashable, Sendable {
        /// What the peer can receive, as it says: any number.
        case peerMTU(UInt16)
        /// We are subscribed.
        case ready
        /// The search for the service failed: call ``retry()`` after a while.
        case retryLater
        /// The set-up ended.
        case failed(GATTFailure)
    }

    /// The mesh characteristic of the peer.
    private struct Link {
        let service: AttributeHandles
        let value: UInt16
        var configuration: UInt16 = 0
        /// The last handle that may be a descriptor of it.
        let end: UInt16
    }

    private enum Stage {
        case closed
        case exchangingMTU
        case findingService(isRetry: Bool)
        case waiting
        case findingCharacteristic(service: AttributeHandles, from: UInt16)
        case findingDescriptor(Link, from: UInt16)
        case subscribing(Link)
        case ready(Link, ServiceChangedSubscription)
        case unsubscribing(configuration: UInt16, reopens: Bool)
        case failed
    }

    private static let on: [UInt8] = [0x01, 0x00]
    private static let off: [UInt8] = [0x00, 0x00]

    private let service: AttributeUUID
    private var stage = Stage.closed
    /// Whether the request of this stage has still to be sent.
    private var isPending = false
    /// Requests of this discovery.
    private var count = 0
    /// The MTU is exchanged once in a connection (Part F, 3.4.2.1).
    private var hasExchangedMTU = false
    /// The request that waits for an answer.
    private(set) var outstanding: AttributeRequest?
    /// Whether that answer is of no use any more, since the stage changed meanwhile.
    private var isStale = false

    /// Looks for the service of a mesh.
    init(service: BluetoothService) { self.service = service.uuid }

    /// Whether we are subscribed.
    var isReady: Bool {
        if case .ready = stage { true } else { false }
    }

    /// The handle of the peer's value, as soon as it is known: a frame may come before the subscription is confirmed.
    var valueHandle: UInt16? {
        switch stage {
        case .findingDescriptor(let link, _), .subscribing(let link), .ready(let link, _): link.value
        default: nil
        }
    }

    /// Whether ``nextRequest()`` has one.
    var hasRequest: Bool { isPending && outstanding == nil && request(of: stage) != nil }

    /// Whether our MTU request waits for its answer.
    var isExchangingMTU: Bool {
        if case .exchangeMTU = outstanding { true } else { false }
    }

    // MARK: From above

    /// Begins, unless it has begun.
    mutating func open() {
        switch stage {
        case .closed, .failed: start()
        case .unsubscribing(let configuration, _): stage = .unsubscribing(configuration: configuration, reopens: true)
        default: break
        }
    }

    /// Ends it: takes the subscription back, if there may be one, and forgets the rest.
    mutating func close() {
        var configuration: UInt16?
        switch stage {
        case .ready(let link, _): configuration = link.configuration
        case .subscribing(let link) where !isPending: configuration = link.configuration
        case .unsubscribing(let handle, _):
            stage = .unsubscribing(configuration: handle, reopens: false)
            return
        default: break
        }
        isStale = outstanding != nil
        isPending = configuration != nil
        stage = configuration.map { .unsubscribing(configuration: $0, reopens: false) } ?? .closed
    }

    /// Searches for the service again.
    mutating func retry() {
        if case .waiting = stage { enter(.findingService(isRetry: true)) }
    }

    /// The request to send now; then it waits for its answer.
    mutating func nextRequest() -> AttributeRequest? {
        guard hasRequest, let request = request(of: stage) else { return nil }
        isPending = false
        outstanding = request
        return request
    }

    /// Gives up for good, since a request was not answered in time.
    mutating func timeOut() -> Event? {
        guard let request = outstanding else { return nil }
        stage = .failed
        isPending = false
        outstanding = nil
        return .failed(.timedOut(request: request.opcode.rawValue))
    }

    private mutating func start() {
        count = 0
        enter(hasExchangedMTU ? .findingService(isRetry: false) : .exchangingMTU)
        hasExchangedMTU = true
    }

    private mutating func enter(_ next: Stage) {
        stage = next
        isPending = true
        count += 1
    }

    private func request(of stage: Stage) -> AttributeRequest? {
        switch stage {
        case .closed, .waiting, .failed: nil
        case .exchangingMTU: .exchangeMTU(UInt16(BluetoothPolicy.mtu))
        case .findingService: .search(for: service)
        case .findingCharacteristic(let service, let from):
            .readByType(from...service.upperBound, type: .characteristic)
        case .findingDescriptor(let link, let from): .findInformation(from...link.end)
        case .subscribing(let link): .write(link.configuration, value: Self.on)
        case .ready(_, let serviceChanged): serviceChanged.request
        case .unsubscribing(let configuration, _): .write(configuration, value: Self.off)
        }
    }
}

// MARK: AttributeAnswers

extension AttributeClient {
    /// Takes a response. What does not answer the outstanding request is ignored: the real answer may still come.
    mutating func receive(_ pdu: ArraySlice<UInt8>) -> Event? {
        guard let request = outstanding, let answer = AttributeAnswer(pdu, to: request) else { return nil }
        outstanding = nil
        var event: Event?
        // Whatever became of the set-up meanwhile, the peer goes by it from now on.
        if case .exchangeMTU = request, case .response(let parameters) = answer { event = Self.peerMTU(parameters) }
        guard !isStale else {
            isStale = false
            return event
        }
        return advance(answer) ?? event
    }

    private static func peerMTU(_ parameters: ArraySlice<UInt8>) -> Event? {
        var reader = ByteReader(parameters)
        guard let mtu = reader.takeLittleEndian(UInt16.self), reader.isAtEnd else { return nil }
        return .peerMTU(mtu)
    }

    private mutating func advance(_ answer: AttributeAnswer) -> Event? {
        switch stage {
        case .closed, .waiting, .failed:
            return nil
        case .exchangingMTU:
            // Without it, 23 bytes it is: text may not fit, but the link is a link.
            enter(.findingService(isRetry: false))
            return nil
        case .findingService(let isRetry):
            return foundService(answer, isRetry: isRetry)
        case .findingCharacteristic(let service, let from):
            return foundCharacteristics(answer, service, from: from)
        case .findingDescriptor(let link, let from):
            return foundDescriptors(answer, link, from: from)
        case .subscribing(let link):
            if case .error(let error) = answer { return fail(.refused(request: Self.write, error)) }
            enter(.ready(link, ServiceChangedSubscription()))
            return .ready
        case .ready(let link, var serviceChanged):
            serviceChanged.receive(answer)
            enter(.ready(link, serviceChanged))
            isPending = count <= BluetoothPolicy.discoveryRequests
            return nil
        case .unsubscribing(_, let reopens):
            // Refused or not: it is not ours to say more.
            stage = .closed
            if reopens { start() }
            return nil
        }
    }

    private static var write: UInt8 { AttributeOpcode.writeRequest.rawValue }

    private mutating func fail(_ failure: GATTFailure) -> Event {
        stage = .failed
        isPending = false
        return .failed(failure)
    }

    /// A search that finds nothing has its answer; one that fails is made once more (spec: ble-gatt §6.2).
    private mutating func foundService(_ answer: AttributeAnswer, isRetry: Bool) -> Event? {
        let error: ATTError
        switch answer {
        case .error(.attributeNotFound):
            return fail(.noService)
        case .error(let refusal):
            error = refusal
        case .response(let parameters):
            if let service = AttributeResponse.groups(parameters, within: AttributeRequest.allHandles)?.first {
                enter(.findingCharacteristic(service: service, from: service.lowerBound))
                return nil
            }
            error = .invalidPDU
        }
        guard !isRetry else {
            return fail(.refused(request: AttributeOpcode.findByTypeValueRequest.rawValue, error))
        }
        stage = .waiting
        return .retryLater
    }

    private mutating func foundCharacteristics(
        _ answer: AttributeAnswer, _ service: AttributeHandles, from: UInt16
    ) -> Event? {
        let handles = from...service.upperBound
        switch answer {
        case .error(.attributeNotFound):
            return fail(.noCharacteristic)
        case .error(let error):
            return fail(.refused(request: AttributeOpcode.readByTypeRequest.rawValue, error))
        case .response(let parameters):
            guard let found = AttributeResponse.characteristics(parameters, within: handles), let last = found.last
            else {
                return fail(.refused(request: AttributeOpcode.readByTypeRequest.rawValue, .invalidPDU))
            }
            guard let place = found.firstIndex(where: { $0.content.isMesh }) else {
                return goOn(above: last.handle, within: service) { .findingCharacteristic(service: service, from: $0) }
            }
            // The next characteristic, if it is known, ends this one.
            let end = found.dropFirst(place + 1).first.map { $0.handle - 1 } ?? service.upperBound
            let value = found[place].content.valueHandle
            // The descriptor comes behind the value, and the value behind the declaration.
            guard value > found[place].handle, value < end else { return fail(.noCharacteristic) }
            enter(.findingDescriptor(Link(service: service, value: value, end: end), from: value + 1))
            return nil
        }
    }

    private mutating func foundDescriptors(_ answer: AttributeAnswer, _ link: Link, from: UInt16) -> Event? {
        switch answer {
        case .error(.attributeNotFound):
            return fail(.noCharacteristic)
        case .error(let error):
            return fail(.refused(request: AttributeOpcode.findInformationRequest.rawValue, error))
        case .response(let parameters):
            guard let found = AttributeResponse.types(parameters, within: from...link.end), let last = found.last else {
                return fail(.refused(request: AttributeOpcode.findInformationRequest.rawValue, .invalidPDU))
            }
            for (handle, type) in found where type == .clientConfiguration || Self.isDeclaration(type) {
                guard type == .clientConfiguration else { return fail(.noCharacteristic) }
                var link = link
                link.configuration = handle
                enter(.subscribing(link))
                return nil
            }
            return goOn(above: last.handle, within: from...link.end) { .findingDescriptor(link, from: $0) }
        }
    }

    private static func isDeclaration(_ type: AttributeUUID) -> Bool {
        [.characteristic, .primaryService, .secondaryService, .include].contains(type)
    }

    private mutating func goOn(
        above last: UInt16, within handles: AttributeHandles, _ next: (UInt16) -> Stage
    ) -> Event? {
        guard last < handles.upperBound, count < BluetoothPolicy.discoveryRequests else {
            return fail(.noCharacteristic)
        }
        enter(next(last + 1))
        return nil
    }
}

// MARK: Service Changed

extension AttributeClient {
    /// Takes an indication that a peer's database changed within these handles.
    ///
    /// - Parameter handle: The handle that was indicated. As long as we do not know which one is Service Changed, any will
    ///   do: we subscribed to no other indication.
    /// - Returns: Whether the set-up begins again.
    mutating func serviceChanged(at handle: UInt16, _ value: ArraySlice<UInt8>) -> Bool {
        var reader = ByteReader(value)
        guard let first = reader.takeLittleEndian(UInt16.self), let last = reader.takeLittleEndian(UInt16.self),
            reader.isAtEnd, first <= last
        else { return false }
        switch stage {
        case .closed, .exchangingMTU, .unsubscribing, .failed: return false
        case .ready(let link, let serviceChanged):
            guard serviceChanged.handle ?? handle == handle, (first...last).overlaps(link.service) else {
                return false
            }
        default: break
        }
        isStale = outstanding != nil
        count = 0
        enter(.findingService(isRetry: false))
        return true
    }
}
