import Domain
import Testing

@testable import BluetoothHCI

@Suite("Starting a controller")
struct StartTests {
    @Test("it is reset, asked and set up in order, and then ready")
    func order() throws {
        let bench = Bench()
        bench.start()
        #expect(
            bench.far.opCodes == [
                .reset, .readVersion, .readCommands, .readFeatures, .readAddress, .readLowEnergyFeatures, .readStates,
                .readLowEnergyBufferSize, .setEventMask, .setLowEnergyEventMask, .writeDefaultDataLength,
                .setRandomAddress,
            ])
        #expect(bench.reports == [.ready])
        #expect(bench.far.commands.last?.parameters == Bench.own.bytes)
        let capabilities = try #require(bench.capabilities)
        #expect(capabilities.bufferLength == 251 && capabilities.bufferCount == 8)
        #expect(!capabilities.usesExtendedCommands)
        #expect(bench.controller.credits == (8, 8))
    }

    @Test("what it can do is told to people")
    func description() throws {
        let bench = Bench.ready()
        bench.start()
        let description = try #require(bench.capabilities?.description)
        #expect(description.version == "5.3")
        #expect(description.manufacturer == 0x59)
        #expect(description.address == "00:1A:7D:00:00:01")
        #expect(description.bufferLength == 251 && description.bufferCount == 8)
        #expect(description.features == ["parameter request", "data length", "2M", "extended advertising"])
        #expect(!description.usesExtendedCommands)
        #expect(description.doesAllAtOnce == true)
    }

    @Test("versions have names; one that has none yet says its number")
    func versions() {
        #expect(
            [6, 9, 12, 14, 16, 17, 255].map { ControllerDescription.version($0) }
                == ["4.0", "5.0", "5.3", "6.0", "6.2", "unknown (17)", "unknown (255)"])
    }

    @Test("a second start does nothing")
    func twice() {
        let bench = Bench.ready()
        bench.start()
        #expect(bench.far.commands.isEmpty && bench.reports.isEmpty)
    }

    @Test("before it is ready, nothing else is sent")
    func early() {
        let bench = Bench { $0.replies[.reset] = { _ in .silence } }
        bench.start()
        bench.call {
            $0.advertise(Controller.Advertising(data: []))
            $0.scan(Controller.Scanning(interval: 100, window: 100))
            $0.connect(to: Bench.own)
            $0.cancelConnect()
            $0.disconnect(ConnectionHandle(rawValue: 1), reason: .remoteUserTerminated)
            $0.wantsToSend(on: ConnectionHandle(rawValue: 1))
        }
        #expect(bench.far.opCodes == [.reset] && bench.reports.isEmpty)
    }

    @Test("what comes before the answer to Reset is of an earlier life, a hardware error too")
    func earlierLife() {
        let bench = Bench { $0.replies[.reset] = { _ in .silence } }
        bench.start()
        bench.hear(Packets.connected(1, Bench.own, isCentral: false), Packets.event(0x10, [1]), Packets.data(1, [1]))
        bench.hear(Packets.complete(.reset, 1, [0]))
        #expect(bench.reports == [.ready])
    }

    @Test("a reset that gets lost is sent again each second")
    func lostReset() {
        let bench = Bench { $0.replies[.reset] = { _ in .silence } }
        bench.start()
        bench.wait(2500)
        #expect(bench.far.opCodes == [.reset, .reset, .reset] && bench.reports.isEmpty)
        bench.far.replies = [:]
        bench.wait(500)
        #expect(bench.reports == [.ready] && bench.far.opCodes.count { $0 == .reset } == 4)
        // The answers to the others come at last.
        bench.hear(Packets.complete(.reset, 1, [0]), Packets.complete(.reset, 1, [0]))
        #expect(bench.reports == [.ready])
    }

    // MARK: What may be missing

    /// The questions and settings that a controller may refuse or leave unanswered.
    static let optional: [OpCode] = [
        .readVersion, .readCommands, .readFeatures, .readAddress, .readLowEnergyFeatures, .readStates,
        .writeDefaultDataLength,
    ]
    static let mandatory: [OpCode] = [
        .reset, .readLowEnergyBufferSize, .setEventMask, .setLowEnergyEventMask, .setRandomAddress,
    ]

    @Test("what is not needed may be refused, unanswered, or answered with nothing", arguments: optional)
    func notNeeded(opCode: OpCode) {
        for reply in [ScriptedController.Reply.complete(1), .status(1), .silence, .complete(0)] {
            let bench = Bench { $0.replies[opCode] = { _ in reply } }
            bench.start()
            bench.wait(.seconds(2))
            #expect(bench.events == [.ready])
        }
    }

    @Test("a controller that knows none of them is driven by the legacy commands")
    func bare() throws {
        let bench = Bench { far in for opCode in Self.optional { far.replies[opCode] = { _ in .silence } } }
        bench.start()
        bench.wait(.seconds(20))
        let capabilities = try #require(bench.capabilities)
        #expect(!capabilities.usesExtendedCommands && capabilities.states == nil)
        #expect(capabilities.description.address == nil && capabilities.description.doesAllAtOnce == nil)
    }

    @Test("what is needed and refused fails, with command and status by name", arguments: mandatory)
    func refused(opCode: OpCode) {
        let bench = Bench { $0.replies[opCode] = { _ in .complete(0x0c) } }
        bench.start()
        #expect(bench.reports == [.failed("refused \(opCode): 0x0C Command Disallowed")])
    }

    @Test("what is needed and unanswered fails in time", arguments: mandatory)
    func unanswered(opCode: OpCode) {
        let bench = Bench { $0.replies[opCode] = { _ in .silence } }
        bench.start()
        let limit = opCode == .reset ? BluetoothPolicy.resetTimeout : BluetoothPolicy.commandTimeout
        bench.wait(Milliseconds(limit.count - 1))
        #expect(bench.reports.isEmpty)
        bench.wait(1)
        #expect(bench.reports == [.failed("gave no answer to \(opCode) for \(limit.count / 1000) s")])
    }

    @Test("buffers that are not told of are a failure")
    func cutBuffers() {
        let bench = Bench { $0.replies[.readLowEnergyBufferSize] = { _ in .complete(0, [251, 0]) } }
        bench.start()
        #expect(bench.failure == "answered LE Read Buffer Size with too few bytes")
    }

    // MARK: Buffers

    @Test(
        "without buffers for LE alone, the shared ones are used",
        arguments: [(0, 0), (251, 0), (0, 8)] as [(UInt16, UInt8)])
    func shared(length: UInt16, count: UInt8) {
        let bench = Bench { ($0.bufferLength, $0.bufferCount) = (length, count) }
        bench.start()
        #expect(bench.far.opCodes.contains(.readBufferSize))
        #expect(bench.capabilities?.bufferLength == 1021 && bench.controller.credits == (10, 10))
    }

    @Test(
        "a controller without room for a packet of LE is of no use",
        arguments: [[0, 0, 0, 0, 0, 0, 0], [26, 0, 0, 10, 0, 0, 0], [0xff, 0, 0, 0, 0, 0, 0]] as [[UInt8]])
    func noRoom(shared: [UInt8]) {
        let bench = Bench {
            $0.bufferCount = 0
            $0.replies[.readBufferSize] = { _ in .complete(0, shared) }
        }
        bench.start()
        #expect(bench.failure?.hasPrefix("has no room for data") == true)
    }

    // MARK: Kinds of controllers

    @Test("a controller of both kinds is told that we know LE; one that does LE alone, or does not tell, is not")
    func dualMode() {
        for (features, isTold) in [(0x40 << 32, true), (0x60 << 32, false)] as [(UInt64, Bool)] {
            let bench = Bench { $0.features = features }
            bench.start()
            #expect(bench.far.opCodes.contains(.writeHostSupport) == isTold)
        }
        let silent = Bench { $0.replies[.readFeatures] = { _ in .complete(1) } }
        silent.start()
        #expect(!silent.far.opCodes.contains(.writeHostSupport))
    }

    @Test(
        "the extended commands are used where a legacy one is missing and all extended ones are there",
        arguments: [
            ([.legacy, .extended, .rest], false), ([.legacy, .rest], false), ([.extended, .rest], true),
            ([.rest], false),
        ] as [([ScriptedController.Set], Bool)])
    func choice(sets: [ScriptedController.Set], usesExtended: Bool) {
        let bench = Bench { $0.supportedCommands = ScriptedController.table(of: sets) }
        bench.start()
        #expect(bench.capabilities?.usesExtendedCommands == usesExtended)
    }

    @Test("each missing command decides", arguments: [(25, 5), (25, 7), (26, 0), (26, 1), (26, 2), (26, 3), (26, 4)])
    func missing(byte: Int, bit: UInt8) {
        var table = ScriptedController.table(of: [.legacy, .extended])
        table[byte] &= ~(1 << bit)
        #expect(ControllerCapabilities(commands: SupportedCommands(table: table[...])).usesExtendedCommands)
        table[37] &= ~(1 << 7)
        #expect(!ControllerCapabilities(commands: SupportedCommands(table: table[...])).usesExtendedCommands)
    }

    @Test("a short table of commands stands for zeros")
    func shortTable() {
        let table = ScriptedController.table(of: [.legacy])
        #expect(SupportedCommands(table: table.prefix(27)).isSuperset(of: .legacy))
        #expect(!SupportedCommands(table: table.prefix(26)).isSuperset(of: .legacy))
        #expect(SupportedCommands(table: []).isEmpty)
    }

    @Test("only those LE events are asked for that the controller may know")
    func mask() {
        func mask(_ features: UInt64, _ sets: [ScriptedController.Set] = [.legacy, .rest]) -> [UInt8]? {
            let bench = Bench {
                $0.lowEnergyFeatures = features
                $0.supportedCommands = ScriptedController.table(of: sets)
            }
            bench.start()
            return bench.far.commands.first { $0.opCode == .setLowEnergyEventMask }?.parameters
        }
        #expect(mask(0) == [0x17, 0, 0, 0, 0, 0, 0, 0])
        #expect(mask(1 << 1) == [0x37, 0, 0, 0, 0, 0, 0, 0])
        #expect(mask(1 << 5 | 1 << 8) == [0x57, 0x08, 0, 0, 0, 0, 0, 0])
        #expect(mask(1 << 12, [.extended]) == [0x17, 0x12, 0x03, 0, 0, 0, 0, 0])
    }
}
