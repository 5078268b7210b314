import Domain
import Testing

@testable import BluetoothHCI

@Suite("Commands by credit")
struct CommandQueueTests {
    private let timers = HandTimers()
    private let handle = ConnectionHandle(rawValue: 1)

    /// A queue, what it sent, and why it failed.
    private final class Line {
        var sent: [OpCode] = []
        var failures: [String] = []
        var answers: [String] = []
        private let timers: HandTimers
        private(set) lazy var queue = CommandQueue(
            timers: timers, send: { [unowned self] in sent.append(Self.opCode($0)) },
            fail: { [unowned self] in failures.append($0) })

        init(_ timers: HandTimers) { self.timers = timers }

        private static func opCode(_ packet: [UInt8]) -> OpCode {
            OpCode(rawValue: UInt16(packet[1]) | UInt16(packet[2]) << 8)
        }

        func ask(_ command: HCICommand, _ importance: CommandQueue.Importance = .mandatory) {
            queue.enqueue(command, importance) { [unowned self] answer in
                switch answer {
                case .success(let reader): answers.append("\(command.opCode) \(reader.count)")
                case .refused(let status): answers.append("\(command.opCode) \(status)")
                case .none: answers.append("\(command.opCode) none")
                }
            }
        }
    }

    @Test("one command at a time, in order, whatever the credits")
    func order() {
        let line = Line(timers)
        [.reset, .readVersion, .readAddress].forEach { line.ask($0) }
        #expect(line.sent == [.reset])
        line.queue.completed(.reset, credits: 5, returned: [0])
        #expect(line.sent == [.reset, .readVersion])
        line.queue.completed(.readVersion, credits: 5, returned: [0, 1, 2])
        line.queue.completed(.readAddress, credits: 5, returned: [0x0c])
        #expect(
            line.answers == [
                "Reset 0", "Read Local Version Information 2", "Read BD_ADDR 0x0C Command Disallowed",
            ])
        #expect(line.queue.isIdle)
    }

    @Test("without a credit it waits, until an event without a command brings one")
    func noCredit() {
        let line = Line(timers)
        line.ask(.reset)
        line.ask(.readVersion)
        line.queue.completed(.reset, credits: 0, returned: [0])
        #expect(line.sent == [.reset])
        line.queue.completed(.none, credits: 1, returned: [])
        #expect(line.sent == [.reset, .readVersion])
        #expect(line.queue.strayAnswers == 0)
    }

    @Test("a controller that gives no credit for good has failed")
    func neverACredit() {
        let line = Line(timers)
        line.ask(.reset)
        line.ask(.readVersion)
        line.queue.completed(.reset, credits: 0, returned: [0])
        #expect(!timers.step(to: timers.now + Milliseconds(1999)) && line.failures.isEmpty)
        #expect(timers.step(to: timers.now + Milliseconds(1)))
        #expect(line.failures == ["accepts no more commands"])
    }

    @Test("a status is the answer to a command that takes its time, and to no other")
    func statuses() {
        let line = Line(timers)
        line.ask(.readAddress)
        line.queue.began(.readAddress, credits: 1, .success)
        #expect(line.answers.isEmpty && !line.queue.isIdle)
        line.queue.completed(.readAddress, credits: 1, returned: [0, 1, 2, 3, 4, 5, 6])
        line.ask(.disconnect(handle, reason: .remoteUserTerminated))
        line.queue.began(.disconnect, credits: 1, .success)
        line.ask(.readRSSI(handle))
        line.queue.began(.readRSSI, credits: 1, .unknownConnection)
        line.ask(.disconnect(handle, reason: .remoteUserTerminated))
        line.queue.completed(.disconnect, credits: 1, returned: [0])
        #expect(
            line.answers == [
                "Read BD_ADDR 6", "Disconnect 0", "Read RSSI 0x02 Unknown Connection Identifier", "Disconnect 0",
            ])
    }

    @Test("an answer to another command is nobody's; its credits count")
    func mismatch() {
        let line = Line(timers)
        line.ask(.reset)
        line.ask(.readVersion)
        line.queue.completed(.readAddress, credits: 0, returned: [0])
        line.queue.began(.createConnection, credits: 9, .success)
        #expect(line.sent == [.reset] && line.answers.isEmpty)
        #expect(line.queue.strayAnswers == 2)
        line.queue.completed(.reset, credits: 1, returned: [0])
        line.queue.completed(.reset, credits: 1, returned: [0])
        #expect(line.answers == ["Reset 0"] && line.queue.strayAnswers == 3)
        #expect(line.sent == [.reset, .readVersion])
    }

    @Test("an optional command without an answer counts as unknown; the next goes on, a late answer is nobody's")
    func lateAnswer() {
        let line = Line(timers)
        line.ask(.readRSSI(handle), .optional)
        line.ask(.readVersion)
        #expect(timers.step(to: timers.now + .seconds(2)))
        #expect(line.answers == ["Read RSSI none"])
        #expect(line.sent == [.readRSSI, .readVersion])
        line.queue.completed(.readRSSI, credits: 1, returned: [0, 1, 0, 200])
        line.queue.completed(.readVersion, credits: 1, returned: [0])
        line.ask(.readRSSI(handle), .optional)
        #expect(
            line.answers == [
                "Read RSSI none", "Read Local Version Information 0", "Read RSSI 0x01 Unknown HCI Command",
            ])
        #expect(line.sent.count == 2 && line.failures.isEmpty)
        #expect(line.queue.unanswered == 1 && line.queue.strayAnswers == 1)
    }

    @Test("an optional command that is unknown is not sent again; one refused for another reason is")
    func unknown() {
        let line = Line(timers)
        line.ask(.readRSSI(handle), .optional)
        line.queue.completed(.readRSSI, credits: 1, returned: [0x0c])
        line.ask(.readRSSI(handle), .optional)
        line.queue.began(.readRSSI, credits: 1, .unknownCommand)
        line.ask(.readRSSI(handle), .optional)
        #expect(line.sent.count == 2)
        #expect(!line.queue.isSupported(.readRSSI))
    }

    @Test("a mandatory command without an answer is the end; nothing is sent or told after it")
    func mandatory() {
        let line = Line(timers)
        line.ask(.readVersion)
        line.ask(.readAddress)
        #expect(timers.step(to: timers.now + .seconds(2)))
        #expect(line.failures == ["gave no answer to Read Local Version Information for 2 s"])
        line.queue.completed(.readVersion, credits: 1, returned: [0])
        line.ask(.reset)
        #expect(line.sent == [.readVersion] && line.answers.isEmpty && line.failures.count == 1)
        #expect(timers.count == 0)
    }

    @Test("a command whose reason is gone when its turn comes is not sent")
    func unwanted() {
        let line = Line(timers)
        var isWanted = true
        line.ask(.reset)
        line.queue.enqueue(.readRSSI(handle), .mandatory, while: { isWanted }) { answer in
            if case .none = answer { line.answers.append("none") }
        }
        line.ask(.readVersion)
        isWanted = false
        line.queue.completed(.reset, credits: 1, returned: [0])
        #expect(line.sent == [.reset, .readVersion])
        #expect(line.answers == ["Reset 0", "none"])
    }

    @Test("the queue is bounded: optional commands are let go, the others are the end of a controller that is so slow")
    func bounded() {
        let line = Line(timers)
        for _ in 0..<1000 { line.ask(.readRSSI(handle), .optional) }
        #expect(line.answers.count == 1000 - 1 - BluetoothPolicy.waitingOptionalCommands)
        for _ in 0..<1000 { line.ask(.readAddress) }
        #expect(line.failures == ["does not keep up: \(BluetoothPolicy.waitingCommands) commands wait for it"])
        #expect(line.sent.count == 1)
    }
}
