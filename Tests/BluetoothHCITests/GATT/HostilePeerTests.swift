import Domain
import Testing

@testable import BluetoothHCI

/// What no phone would send. None of it may trap, hang, or make us say what the protocol does not allow.
@Suite("Hostile peer")
struct HostilePeerTests {
    /// Error responses that each request may have from us (Core Specification, Vol 3, Part F, 3.4.9 and 3.3).
    private func isAllowed(_ answer: [UInt8], to request: UInt8) -> Bool {
        if answer.first == request + 1 { return true }
        guard answer.count == 5, answer[0] == 0x01, answer[1] == request else { return false }
        let everywhere: Set<UInt8> = [0x04, 0x06]
        let errors: [UInt8: Set<UInt8>] = [
            0x04: [0x01, 0x0A], 0x06: [0x01, 0x0A], 0x08: [0x01, 0x02, 0x0A], 0x0A: [0x01, 0x02],
            0x0C: [0x01, 0x02, 0x07, 0x0B], 0x0E: [0x01, 0x02], 0x10: [0x01, 0x0A, 0x10], 0x12: [0x01, 0x03, 0x0D],
            0x16: [0x01, 0x03, 0x09], 0x18: [0x07, 0x0D],
        ]
        return everywhere.union(errors[request] ?? []).contains(answer[4])
    }

    /// Recorded only when it fails: it is asked some ten thousand times.
    private func check(_ answers: [[UInt8]], to pdu: [UInt8], mtu: Int) {
        let isRight =
            switch AttributeOpcode.kind(of: pdu[0]) {
            case .request: answers.count == 1 && isAllowed(answers.first ?? [], to: pdu[0])
            case .indication: answers == [[0x1E]]
            case .command, .confirmation, .notification, .response: answers.isEmpty
            }
        if !isRight || answers.contains(where: { $0.count > mtu }) { Issue.record("\(pdu) has the answers \(answers)") }
    }

    @Test(
        "every opcode with every length from 0 to 23 is answered as it should be, or ignored",
        arguments: [false, true])
    func everyOpcode(withHandle: Bool) {
        let far = BearerHarness()
        for code in UInt8.min...UInt8.max {
            for length in 0...23 {
                var parameters = [UInt8](repeating: 0, count: length)
                if withHandle {
                    // Handles 0x0001...0x000C, or the characteristic and a little more.
                    for (place, byte) in [0x01, 0x00, 0x0C, 0x00, 0x03, 0x28].enumerated() where place < length {
                        parameters[place] = UInt8(byte)
                    }
                }
                // Answers keep to the MTU before an exchange takes hold, and after it.
                let mtu = far.bearer.mtu
                check(far.exchange([code] + parameters), to: [code] + parameters, mtu: max(mtu, far.bearer.mtu))
            }
        }
        #expect(far.exchange([]).isEmpty)
        #expect(far.answer("0A 05 00") == pdu("0B 00 00"), "and serves on")
    }

    @Test("every opcode with every length in the midst of a set-up, and it still comes to an end", arguments: 0...5)
    func everyOpcodeInSetUp(step: Int) {
        let answers = [
            pdu("03 05 02"), pdu("07 28 00 2B 00"), pdu("09 15 29 00 1E 2A 00") + AttributeUUID.mesh.bytes,
            pdu("05 01 2B 00 02 29"), pdu("13"),
        ]
        for code in UInt8.min...UInt8.max {
            let far = BearerHarness()
            far.bearer.openClient()
            for answer in answers.prefix(step) {
                _ = far.sent()
                far.bearer.receive(answer[...])
            }
            for length in 0...23 {
                _ = far.exchange([code] + [UInt8](repeating: 0x29, count: length))
            }
            // Either it failed, or it waits for an answer that does not come, or it is ready.
            for _ in 0..<10 {
                _ = far.sent()
                far.timers.advance(by: .seconds(31))
            }
            let events = far.takeEvents()
            let ends = events.filter { event in
                if case .failed = event { true } else { event == .ready }
            }
            #expect(!ends.isEmpty, "\(code)")
            #expect(far.timers.count == 0)
        }
    }

    @Test("random PDUs, to a server", arguments: 0..<8)
    func randomRequests(seed: UInt64) {
        var dice = Dice(seed: seed)
        let far = BearerHarness()
        for _ in 0..<2000 {
            let count = Int.random(in: 1...dice.pick([2, 4, 8, 24, 64, 600]), using: &dice)
            var pdu = dice.bytes(count)
            pdu[0] = dice.pick([pdu[0], UInt8.random(in: 0...0x23, using: &dice), 0x12, 0x16, 0x18])
            // Handles near those that there are.
            if count > 2 { (pdu[1], pdu[2]) = (pdu[1] & 0x0F, 0) }
            if count > 4 {
                pdu.replaceSubrange(3...4, with: dice.pick([[pdu[3], pdu[4]], [0xFF, 0xFF], [0x0D, 0]]))
            }
            let mtu = far.bearer.mtu
            check(far.exchange(pdu), to: pdu, mtu: max(mtu, far.bearer.mtu))
            for case .written(let value) in far.takeEvents() {
                if !(1...BluetoothPolicy.inboundValue).contains(value.count) { Issue.record("\(value.count) bytes") }
            }
        }
    }

    @Test("random answers, to a client", arguments: 0..<50)
    func randomAnswers(seed: UInt64) {
        var dice = Dice(seed: seed)
        let far = BearerHarness()
        far.bearer.openClient()
        var requests = 0
        for _ in 0..<500 {
            guard let request = far.bearer.nextPDU() else {
                far.timers.advance(by: dice.pick([0, 500, .seconds(31)]))
                if Bool.random(using: &dice) { far.bearer.receive([0x1D, 0x08, 0x00, 0x01, 0x00, 0xFF, 0xFF]) }
                continue
            }
            requests += 1
            if request.count > 23 { Issue.record("\(request) is too long") }
            far.bearer.receive(dice.answer(to: request)[...])
        }
        #expect(requests > 0)
    }

    @Test("random pieces, to L2CAP and on", arguments: 0..<8)
    func randomPieces(seed: UInt64) {
        var dice = Dice(seed: seed)
        var channels = L2CAPChannels(isCentral: seed.isMultiple(of: 2))
        let far = BearerHarness()
        for _ in 0..<2000 {
            let count = Int.random(in: 0...dice.pick([3, 8, 27, 251]), using: &dice)
            var piece = dice.bytes(count)
            let isStart = Bool.random(using: &dice)
            if isStart, count > 4 {
                (piece[0], piece[1]) = (UInt8(dice.pick([count - 4, count, count - 5])), dice.pick([0, 0, 0, 1, 9]))
                (piece[2], piece[3]) = (dice.pick([4, 5, 6, 7]), 0)
            }
            if case .attributePDU(let pdu) = channels.receive(piece[...], isStart: isStart) {
                far.bearer.receive(pdu)
                for answer in far.sent() where answer.count > far.bearer.mtu { Issue.record("\(answer) is too long") }
            }
            if Bool.random(using: &dice) { while channels.nextFrame() != nil {} }
        }
        #expect(channels.dropped > 0)
    }

    @Test("PDUs of one byte at a time")
    func oneByte() {
        let far = BearerHarness()
        far.bearer.openClient()
        for code in UInt8.min...UInt8.max { check(far.exchangeAnswers([code]), to: [code], mtu: 23) }
        #expect(far.takeEvents().isEmpty)
    }

    @Test("a peer that changes its database for ever keeps only itself busy")
    func changesForEver() {
        let far = BearerHarness()
        far.bearer.openClient()
        var requests = 0
        for _ in 0..<1000 {
            far.bearer.receive([0x1D, 0x08, 0x00, 0x01, 0x00, 0xFF, 0xFF])
            for pdu in far.sent() where pdu != [0x1E] {
                requests += 1
                if pdu[0] == 0x02 { far.bearer.receive([0x03, 0x05, 0x02]) }
                if pdu[0] == 0x06 { far.bearer.receive([0x07, 0x28, 0x00, 0x2B, 0x00]) }
            }
        }
        #expect(requests <= 1000)
        far.timers.advance(by: .seconds(30))
        #expect(far.timers.count == 0)
    }
}

extension BearerHarness {
    /// The answers to a PDU, without requests of our own.
    fileprivate func exchangeAnswers(_ pdu: [UInt8]) -> [[UInt8]] {
        exchange(pdu).filter { AttributeOpcode.kind(of: $0[0]) != .request }
    }
}

extension Dice {
    /// An answer that is plausible in part: the right opcode most of the time, handles near those asked about.
    fileprivate mutating func answer(to request: [UInt8]) -> [UInt8] {
        let right = rightAnswer(to: request)
        let error: [UInt8] = [0x01, request[0], 0, 0, pick([0x0A, 0x0E])]
        let choices: [[UInt8]] = [
            right, right, right, right, right.dropLast(), right + [0], error, bytes(number(below: 24)),
        ]
        return pick(choices)
    }

    private mutating func rightAnswer(to request: [UInt8]) -> [UInt8] {
        let from = request.count > 2 ? UInt16(request[1]) | UInt16(request[2]) << 8 : 0
        func handle(_ distance: UInt16) -> [UInt8] {
            let handle = from &+ distance
            return [UInt8(handle & 0xFF), UInt8(handle >> 8)]
        }
        let (near, far) = (UInt16.random(in: 0...3, using: &self), UInt16.random(in: 0...40, using: &self))
        switch request[0] {
        case 0x02: return [0x03] + bytes(1) + [pick([0, 1, 2, 0xFF])]
        case 0x06: return [0x07] + handle(near) + handle(near + far)
        case 0x08:
            let declaration: [UInt8] = handle(near) + [pick([0x1E, 0x10, 0x00])] + handle(near + pick([0, 1, 2]))
            return [0x09, 0x15] + declaration + AttributeUUID.mesh.bytes
        case 0x04:
            var types: [UInt8] = [0x05, 0x01]
            for index in 0..<UInt16.random(in: 1...4, using: &self) {
                types += handle(near + index)
                types += pick([[0x02, 0x29], [0x01, 0x29], [0x03, 0x28], [0x05, 0x2A]])
            }
            return types
        default: return [0x13]
        }
    }
}
