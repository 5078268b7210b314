import Domain

/// A host on a controller that says what the input has, and what must hold whatever it says.
struct ControllerScript {
    private static let complete: UInt8 = 0x0e

    /// A start that is answered, two connections, data both ways; then the same in the extended manner.
    static let samples: [[UInt8]] = [
        [0, 8] + connected(1, role: 1) + [9, 1, 3, 0] + data(1) + completed(1) + [14, 20] + disconnected(1),
        [0, 2, 11, 9, 2, 1] + connected(2, role: 0) + [9, 2, 200, 0] + completed(2) + completed(2) + [14, 200],
        [3, 4, 10, 0, 10, 1, 10, 2, 14, 100] + connected(1, role: 1) + [13, 1] + disconnected(1) + [12, 14, 255],
        [4, 1, 7, 0, 4, 0x0e, 4, 1, 3, 0x0c, 0, 14, 50],
    ]

    private static func event(_ bytes: [UInt8]) -> [UInt8] { [0, UInt8(bytes.count + 1), 4] + bytes }

    private static func connected(_ handle: UInt8, role: UInt8) -> [UInt8] {
        event([0x3e, 19, 1, 0, handle, 0, role, 1, handle, 0, 0, 0, 0, 0xd0, 36, 0, 0, 0, 244, 1, 0])
    }

    private static func disconnected(_ handle: UInt8) -> [UInt8] { event([5, 4, 0, handle, 0, 0x13]) }

    private static func completed(_ handle: UInt8) -> [UInt8] { event([0x13, 5, 1, handle, 0, 1, 0]) }

    private static func data(_ handle: UInt8) -> [UInt8] { [0, 8, 2, handle, 0x20, 3, 0, 1, 2, 3] }

    /// The host: keeps what it was told, and judges whether it makes sense.
    private final class Delegate: ControllerDelegate {
        var live: Set<ConnectionHandle> = []
        var frames: [ConnectionHandle: Int] = [:]
        var isReady = false
        var isFailed = false
        var isWithin = false

        private func note() {
            require(!isFailed, "something is reported after the failure")
            require(!isWithin, "something is reported from within a call")
        }

        func controllerReady(_ capabilities: ControllerCapabilities) {
            note()
            require(!isReady, "it is ready twice")
            isReady = true
        }
        func controllerFailed(_ reason: String) {
            note()
            isFailed = true
        }
        func activityChanged() { note() }
        func refused(_ refusal: Controller.Refusal, _ status: HCIStatus) { note() }
        func saw(_ report: AdvertisingReport) { note() }
        func connected(_ connection: HCIConnection) {
            note()
            require(isReady && live.insert(connection.handle).inserted, "a connection comes up twice")
            require(connection.handle.rawValue <= ConnectionHandle.maximum, "a handle out of bounds")
        }
        func connectEnded(_ device: DeviceAddress, _ status: HCIStatus) { note() }
        func disconnected(_ handle: ConnectionHandle, _ reason: HCIStatus) {
            note()
            require(live.remove(handle) != nil, "a connection ends that is none")
            frames[handle] = nil
        }
        func received(_ fragment: ArraySlice<UInt8>, isStart: Bool, on handle: ConnectionHandle) {
            note()
            require(live.contains(handle) && !fragment.isEmpty, "data comes from nowhere")
        }
        func nextFrame(for handle: ConnectionHandle) -> [UInt8]? {
            note()
            require(live.contains(handle), "data is asked for nobody")
            guard let length = frames.removeValue(forKey: handle) else { return nil }
            return [UInt8](repeating: 1, count: length)
        }
    }

    /// Commands that wait for their answer, newest last.
    private final class Line {
        var commands: [[UInt8]] = []
        var dataPackets = 0
        var longestData = 0
        /// Whether commands are answered by themselves.
        var isObliging = true
    }

    private var reader: ByteReader
    private let timers = FuzzedTimers()
    private let line = Line()
    private let delegate = Delegate()
    private let controller: Controller
    private let isExtended: Bool
    private var bufferCount: UInt8 = 1

    init(_ input: ArraySlice<UInt8>) {
        reader = ByteReader(input)
        let head = reader.take(UInt8.self) ?? 0
        isExtended = head & 1 == 1
        line.isObliging = head & 4 == 0
        bufferCount = reader.take(UInt8.self) ?? 1
        controller = Controller(timers: timers) { [line] packet in
            if packet.first == PacketIndicator.command {
                line.commands.append(packet)
            } else {
                line.dataPackets += 1
                line.longestData = max(line.longestData, packet.count - 5)
            }
        }
        controller.delegate = delegate
    }

    /// Starts the controller, and goes on step by step: a byte for what is done, and what that takes.
    mutating func run() {
        within { $0.start(address: DeviceAddress.staticRandom(from: 7)) }
        settle()
        while let step = reader.take(UInt8.self) {
            perform(step & 15)
            settle()
            check()
        }
        // Nothing more is said: time takes care of what is under way.
        line.isObliging = false
        timers.advance(by: .seconds(60))
        check()
        require(delegate.isFailed, "a controller that says nothing for a minute is given up")
        require(timers.count <= 1, "a controller that was given up still has timers")
    }

    private func within(_ call: (Controller) -> Void) {
        delegate.isWithin = true
        call(controller)
        delegate.isWithin = false
    }

    private mutating func perform(_ step: UInt8) {
        switch step {
        case 7: line.isObliging.toggle()
        case 8: answerLast(status: reader.take(UInt8.self) ?? 0)
        case 9: offer()
        case 10: change(reader.take(UInt8.self) ?? 0)
        case 11: within { [device] in $0.connect(to: device) }
        case 12: within { $0.cancelConnect() }
        case 13:
            let handle = takeHandle()
            within { $0.disconnect(handle, reason: .remoteUserTerminated) }
        case 14: timers.advance(by: Milliseconds(Int64(reader.take(UInt8.self) ?? 0) * 50))
        case 15:
            let handle = takeHandle()
            within { controller in
                controller.readSignal(of: handle) { _ in }
                controller.updateParameters(of: handle, .ours)
            }
        default:
            let length = Int(reader.take(UInt8.self) ?? 0)
            controller.receive(Array(reader.take(min(length, reader.count)) ?? []))
        }
    }

    private let device = DeviceAddress(kind: .random, bits: 0xd000_0000_0002)

    private mutating func takeHandle() -> ConnectionHandle {
        ConnectionHandle(rawValue: UInt16(reader.take(UInt8.self) ?? 0))
    }

    /// A connection has a frame to send.
    private mutating func offer() {
        let (handle, length) = (takeHandle(), reader.takeLittleEndian(UInt16.self) ?? 0)
        if delegate.live.contains(handle) { delegate.frames[handle] = Int(length % 1024) }
        within { $0.wantsToSend(on: handle) }
    }

    private mutating func change(_ what: UInt8) {
        within { controller in
            switch what & 3 {
            case 0: controller.advertise(Controller.Advertising(data: [UInt8](repeating: 2, count: Int(what >> 3))))
            case 1: controller.advertise(nil)
            case 2: controller.scan(Controller.Scanning(interval: 60, window: 60))
            default: controller.scan(nil)
            }
        }
    }

    // MARK: Answers

    /// Runs what waits for no time, and answers commands, if that is wanted.
    private mutating func settle() {
        timers.advance(by: 0)
        var count = 0
        while line.isObliging, !line.commands.isEmpty, !delegate.isFailed {
            count += 1
            require(count < 1000, "commands without end")
            answerLast(status: 0)
            timers.advance(by: 0)
        }
    }

    /// Answers the last command by its kind.
    private mutating func answerLast(status: UInt8) {
        guard let command = line.commands.popLast(), command.count >= 4 else { return }
        line.commands = []
        let opCode = OpCode(rawValue: UInt16(command[1]) | UInt16(command[2]) << 8)
        if opCode.isAnsweredByStatus {
            controller.receive([4, 0x0f, 4, status, 1, command[1], command[2]])
        } else {
            let returned = [status] + self.returned(by: opCode)
            controller.receive(
                [4, Self.complete, UInt8(3 + returned.count), 1, command[1], command[2]] + returned)
        }
    }

    private func returned(by opCode: OpCode) -> [UInt8] {
        switch opCode {
        case .readVersion: return [12, 0, 0, 12, 1, 0, 0, 0]
        case .readCommands:
            var table = [UInt8](repeating: isExtended ? 0xff : 0, count: 64)
            if isExtended { table[26] = 0 } else { (table[25], table[26]) = (0xff, 0xff) }
            return table
        case .readLowEnergyFeatures: return [0xff, 0xff, 0, 0, 0, 0, 0, 0]
        case .readLowEnergyBufferSize: return [27, 0, bufferCount]
        case .readBufferSize: return [27, 0, 0, 2, 0, 0, 0]
        default: return [UInt8](repeating: 1, count: 8)
        }
    }

    // MARK: Claims

    private func check() {
        let data = controller.data
        let held = controller.connections.keys.map { data.held(by: $0) }
        require(held.allSatisfy { $0 >= 0 } && (0...data.total).contains(data.free), "credits out of bounds")
        require(data.free + held.reduce(0, +) == data.total || delegate.isFailed, "credits do not add up")
        require(controller.connections.count <= BluetoothPolicy.connections, "too many connections")
        require(Set(controller.connections.keys) == delegate.live || delegate.isFailed, "connections do not agree")
        require(line.longestData <= 27, "a piece is too long")
        require(timers.count <= 8 + controller.connections.count, "timers pile up")
        let activity = controller.activity
        let mayBeActive = delegate.isReady || delegate.isFailed
        require(activity == Controller.Activity() || mayBeActive, "it is active before it is ready")
    }
}
