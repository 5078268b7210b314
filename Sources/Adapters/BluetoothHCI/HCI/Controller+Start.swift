import Domain

extension Controller {
    /// One question of the start, and what is done with its answer.
    private struct Step {
        let command: HCICommand
        /// Whether we can do without it.
        let importance: CommandQueue.Importance
        var timeout = BluetoothPolicy.commandTimeout
        /// When it is sent again if there is no answer.
        var resending: Milliseconds?
        /// Takes what was answered; `false` when it is too short.
        var take: (Controller, inout ByteReader) -> Bool = { _, _ in true }
    }

    /// Resets the controller, asks what it can do, and sets what is the same for its whole life; controllerReady or
    /// controllerFailed follows. To be called once.
    ///
    /// - Parameter address: Our own address, a static random one, for advertising and connecting alike (spec: ble-gatt §11).
    func start(address: DeviceAddress) {
        guard phase == .new else { return }
        phase = .resetting
        self.address = address
        run(Self.questions[...]) { controller in
            controller.run(controller.settings[...]) { $0.becomeReady() }
        }
    }

    private func run(_ steps: ArraySlice<Step>, then: @escaping (Controller) -> Void) {
        guard let step = steps.first else { return then(self) }
        commands.enqueue(step.command, step.importance, timeout: step.timeout, resending: step.resending) {
            [weak self] answer in
            guard let self else { return }
            switch answer {
            case .success(var reader):
                guard step.take(self, &reader) || step.importance == .optional else {
                    return fail("answered \(step.command.opCode) with too few bytes")
                }
            case .refused(let status):
                guard step.importance == .optional else { return fail("refused \(step.command.opCode): \(status)") }
            case .none: break
            }
            guard phase != .failed else { return }
            run(steps.dropFirst(), then: then)
        }
    }

    private func becomeReady() {
        guard capabilities.bufferCount > 0, capabilities.bufferLength >= Self.shortestBuffer else {
            let (count, length) = (capabilities.bufferCount, capabilities.bufferLength)
            return fail("has no room for data: \(count) buffers of \(length) bytes")
        }
        data = DataScheduler(pieceLength: capabilities.bufferLength, total: capabilities.bufferCount)
        advertisingYields = capabilities.states.map { !$0.contains(.advertisingWhileConnecting) } ?? false
        phase = .ready
        let capabilities = capabilities
        report { $0.controllerReady(capabilities) }
        watch()
    }

    /// The least that a controller may offer (Core Specification, Vol 4, Part E, 7.8.2).
    private static let shortestBuffer = 27
}

// MARK: Questions

extension Controller {
    /// What is asked, in this order. Only the reset, the buffers and a sign of life are needed.
    private static var questions: [Step] {
        [
            Step(
                command: .reset, importance: .mandatory, timeout: BluetoothPolicy.resetTimeout,
                resending: BluetoothPolicy.resetInterval
            ) { controller, _ in
                controller.phase = .starting
                return true
            },
            Step(command: .readVersion, importance: .optional) { $0.takeVersion(&$1) },
            Step(command: .readCommands, importance: .optional) { controller, reader in
                controller.capabilities.commands = SupportedCommands(table: reader.rest)
                return true
            },
            Step(command: .readFeatures, importance: .optional) { controller, reader in
                controller.capabilities.features = reader.takeLittleEndian(UInt64.self)
                return true
            },
            Step(command: .readAddress, importance: .optional) { $0.takePublicAddress(&$1) },
            Step(command: .readLowEnergyFeatures, importance: .optional) { controller, reader in
                controller.capabilities.lowEnergyFeatures = LowEnergyFeatures(
                    rawValue: reader.takeLittleEndian(UInt64.self) ?? 0)
                return true
            },
            Step(command: .readStates, importance: .optional) { controller, reader in
                controller.capabilities.states = reader.takeLittleEndian(UInt64.self).map {
                    LowEnergyStates(rawValue: $0)
                }
                return true
            },
            Step(command: .readLowEnergyBufferSize, importance: .mandatory) { $0.takeLowEnergyBuffers(&$1) },
        ]
    }

    private func takeVersion(_ reader: inout ByteReader) -> Bool {
        // The version of HCI, its revision, the version of the link layer.
        guard let version = reader.take(UInt8.self), reader.take(3) != nil,
            let manufacturer = reader.takeLittleEndian(UInt16.self)
        else { return false }
        capabilities.version = version
        capabilities.manufacturer = manufacturer
        return true
    }

    private func takePublicAddress(_ reader: inout ByteReader) -> Bool {
        guard let bytes = reader.take(6) else { return false }
        let bits = bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
        // All zeros and all ones are what controllers say that have none.
        if bits != 0, bits != 0xffff_ffff_ffff { capabilities.publicAddress = DeviceAddress(kind: .public, bits: bits) }
        return true
    }

    private func takeLowEnergyBuffers(_ reader: inout ByteReader) -> Bool {
        guard let length = reader.takeLittleEndian(UInt16.self), let count = reader.take(UInt8.self) else {
            return false
        }
        capabilities.bufferLength = Int(length)
        capabilities.bufferCount = length == 0 ? 0 : Int(count)
        return true
    }

    private func takeSharedBuffers(_ reader: inout ByteReader) -> Bool {
        guard let length = reader.takeLittleEndian(UInt16.self), reader.take(1) != nil,
            let count = reader.takeLittleEndian(UInt16.self)
        else { return false }
        capabilities.bufferLength = Int(length)
        capabilities.bufferCount = Int(count)
        return true
    }
}

// MARK: Settings

extension Controller {
    /// What is set, as far as the controller is able to.
    private var settings: [Step] {
        var steps: [Step] = []
        if capabilities.bufferCount == 0 {
            steps.append(Step(command: .readBufferSize, importance: .mandatory) { $0.takeSharedBuffers(&$1) })
        }
        steps.append(Step(command: .setEventMask(Self.eventMask), importance: .mandatory))
        if capabilities.isDualMode { steps.append(Step(command: .writeHostSupport, importance: .optional)) }
        steps.append(Step(command: .setLowEnergyEventMask(lowEnergyEventMask), importance: .mandatory))
        if capabilities.lowEnergyFeatures.contains(.dataLength) {
            steps.append(Step(command: .writeDefaultDataLength(.longest), importance: .optional))
        }
        steps.append(Step(command: .setRandomAddress(address), importance: .mandatory))
        return steps
    }

    /// Disconnection Complete, Encryption Change, Hardware Error, Data Buffer Overflow, LE Meta. The answers to commands
    /// and Number Of Completed Packets cannot be masked.
    ///
    /// Source: Core Specification, Vol 4, Part E, 7.3.1.
    private static let eventMask: UInt64 = 1 << 4 | 1 << 7 | 1 << 15 | 1 << 25 | 1 << 61

    /// What the controller may know, no more: old ones refuse a mask with bits that they do not know.
    ///
    /// Source: Core Specification, Vol 4, Part E, 7.8.1.
    private var lowEnergyEventMask: UInt64 {
        let features = capabilities.lowEnergyFeatures
        // Connection Complete, Advertising Report, Connection Update Complete, Long Term Key Request.
        var mask: UInt64 = 1 << 0 | 1 << 1 | 1 << 2 | 1 << 4
        if capabilities.answersParameterRequests { mask |= 1 << 5 }
        if features.contains(.dataLength) { mask |= 1 << 6 }
        // Enhanced Connection Complete, which takes the place of the other one where there is one of these two features.
        if !features.isDisjoint(with: [.privacy, .extendedAdvertising]) { mask |= 1 << 9 }
        if !features.isDisjoint(with: [.doubleRate, .coded]) { mask |= 1 << 11 }
        // Extended Advertising Report, Scan Timeout, Advertising Set Terminated.
        if capabilities.usesExtendedCommands { mask |= 1 << 12 | 1 << 16 | 1 << 17 }
        return mask
    }
}
