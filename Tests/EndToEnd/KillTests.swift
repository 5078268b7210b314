import Domain
import Foundation
import Glibc
import InMemory
import Support
import Synchronization
import Testing

extension EndToEnd {
    /// What a power cut at any moment leaves behind: nothing lost that was shown, nothing shown twice, and a pair that
    /// finds its way back by itself.
    @Suite("Killed nodes")
    final class KillTests {
        /// How long a pair may take for its session after a restart, in seconds.
        private static let recovery = 25.0

        private let folder: TemporaryDirectory
        private let ada: SatchelNode
        private let bea: SatchelNode
        private let wire: Wire

        init() throws {
            folder = try TemporaryDirectory()
            let (left, right) = (folder.file("left"), folder.file("right"))
            ada = try SatchelNode("ada", in: folder, options: ["--nickname", "ada", "--air", left])
            bea = try SatchelNode("bea", in: folder, options: ["--nickname", "bea", "--air", right])
            try ada.start()
            try bea.start()
            wire = try Wire(left: left, right: right)
            try ada.meet(bea)
            try bea.meet(ada)
        }

        deinit { wire.remove() }

        /// Which frame a node dies at.
        struct Moment: Sendable, CustomTestStringConvertible {
            /// Whether it is Ada, who begins, or Bea, who answers.
            let killsSender: Bool
            /// The frame, counted from 1.
            let frame: Int
            /// Whether the frame still arrives.
            let passes: Bool

            var testDescription: String {
                "the \(killsSender ? "sender" : "receiver") dies at frame \(frame), which is \(passes ? "passed" : "lost")"
            }
        }

        // MARK: In mid-handshake

        /// A first message that is lost together with its sender has left no trace, and nothing is to be recovered.
        static let handshakeMoments = [true, false].flatMap { killsSender in
            (1...3).flatMap { frame in
                [true, false].filter { $0 || EndToEnd.isSoak && !(killsSender && frame == 1) }
                    .map { Moment(killsSender: killsSender, frame: frame, passes: $0) }
            }
        }

        @Test("a pair whose handshake was cut by a kill has its session by itself", arguments: handshakeMoments)
        func handshake(moment: Moment) throws {
            let victim = moment.killsSender ? ada : bea
            let before = try victim.history()
            try arm(moment, victim) { $0.handshakeMessage == moment.frame ? moment.frame : nil }
            let sending = try ada.spawn(["send", "--to", "bea", "for bea"])
            try victim.log.exitStatus(within: SatchelNode.patience)
            try sending.exitStatus(within: SatchelNode.patience)
            try restart(victim, knowing: before)
            // What Ada had not sent died with her; else it waited, and arrives.
            if !moment.killsSender {
                try bea.events().wait { $0["type"] == "privateMessage" && $0["text"] == "for bea" }
            }
            try talk()
            try expectNothingTwice()
        }

        // MARK: In mid-message

        static let messageMoments: [Moment] = {
            var moments = [
                Moment(killsSender: false, frame: 1, passes: true), Moment(killsSender: true, frame: 1, passes: true),
                Moment(killsSender: false, frame: 2, passes: false),
                Moment(killsSender: false, frame: 9, passes: false), Moment(killsSender: true, frame: 6, passes: false),
            ]
            if EndToEnd.isSoak {
                let dice = SeededRandomness(seed: 0x6B_696C_6C)
                moments += (0..<30).map { _ in
                    Moment(
                        killsSender: dice.next() & 1 == 0, frame: Int(dice.number(in: 1...10)),
                        passes: dice.next() & 1 == 0)
                }
            }
            return moments
        }()

        @Test("a pair whose talk was cut by a kill goes on, without loss or repetition", arguments: messageMoments)
        func message(moment: Moment) throws {
            _ = try ada.json("send", "--to", "bea", "--wait", "delivered", "first")
            let victim = moment.killsSender ? ada : bea
            let before = try victim.history()
            let count = Atomic(0)
            try arm(moment, victim) { view in
                guard view.type == .noiseEncrypted else { return nil }
                return count.add(1, ordering: .sequentiallyConsistent).newValue
            }
            let text = String(repeating: "a long story, told in five parts. ", count: 34)
            let sending = try ada.spawn(["send", "--json", "--to", "bea", text])
            try victim.log.exitStatus(within: SatchelNode.patience)
            try sending.exitStatus(within: SatchelNode.patience)
            let known = try victim.history()
            #expect(Array(known.prefix(before.count)) == before)
            try restart(victim, knowing: known)
            if !moment.killsSender {
                let ids = try JSONValue(parsing: sending.text(.output))["ids"]?.array ?? []
                #expect(ids.count == 5)
                for id in ids { try bea.events().wait { $0["id"] == id && $0["isOwn"] == false } }
            }
            try talk()
            try expectNothingTwice()
        }

        @Test("a kill at any time is survived", arguments: 1...(EndToEnd.isSoak ? 20 : 2))
        func anyTime(round: Int) throws {
            let dice = SeededRandomness(seed: UInt64(round))
            let victim = dice.next() & 1 == 0 ? ada : bea
            let before = try victim.history()
            let sending = try ada.spawn([
                "send", "--to", "bea", "--wait", "delivered", "--timeout", "2", "now or never",
            ])
            // The moment is what is drawn here, nothing is waited for.
            usleep(UInt32(dice.number(in: 0...400_000)))
            try victim.kill()
            try sending.exitStatus(within: SatchelNode.patience)
            let known = try victim.history()
            #expect(Array(known.prefix(before.count)) == before)
            let survivor = victim === ada ? bea : ada
            let last = try #require(try survivor.history().last?["sequence"]?.unsigned)
            try victim.start()
            try survivor.meet(victim, after: last)
            try victim.meet(survivor, after: known.last?["sequence"]?.unsigned ?? 0)
            try talk()
            #expect(Array(try victim.history().prefix(known.count)) == known)
            try expectNothingTwice()
        }

        // MARK: Steps

        /// Kills the victim when the frame that `number` gives the moment's number is on the wire.
        private func arm(_ moment: Moment, _ victim: SatchelNode, number: @escaping @Sendable (PacketView) -> Int?)
            throws
        {
            let process = try victim.log
            wire.watch { view, _ in
                guard process.isRunning, number(view) == moment.frame else { return true }
                process.send(SIGKILL)
                return moment.passes
            }
        }

        /// Starts the victim again; the pair must have a session soon, and the log must be what it was, and go on.
        private func restart(_ victim: SatchelNode, knowing known: [JSONValue]) throws {
            let survivor = victim === ada ? bea : ada
            try victim.kill()
            let last = try #require(try survivor.history().last?["sequence"]?.unsigned)
            let lastKnown = try #require(known.last?["sequence"]?.unsigned)
            try victim.start()
            try victim.events().wait(after: lastKnown, within: Self.recovery) { $0["kind"] == "secured" }
            try survivor.events().wait(after: last, within: Self.recovery) { $0["kind"] == "secured" }
            try expectSecure(ada, "bea")
            try expectSecure(bea, "ada")
            #expect(Array(try victim.history().prefix(known.count)) == known)
        }

        /// A pair may renew a session that stands, to prove it on its new link: until the next one, none stands.
        private func expectSecure(_ node: SatchelNode, _ peer: String) throws {
            let last = try #require(try node.history().last?["sequence"]?.unsigned)
            if try node.peer(peer)?["isSecure"] == true { return }
            try node.events().wait(after: last, within: Self.recovery) { $0["kind"] == "secured" }
            #expect(try node.peer(peer)?["isSecure"] == true)
        }

        /// What is said now arrives, both ways.
        private func talk() throws {
            for (sender, receiver) in [(ada, bea), (bea, ada)] {
                let text = "and now \(sender.name) speaks"
                let sent = try sender.json("send", "--to", receiver.name, "--wait", "delivered", text)
                let id = try #require(sent["ids"]?.array?.first)
                let event = try receiver.events().wait { $0["id"] == id }
                #expect(event["text"]?.string == text)
            }
        }

        private func expectNothingTwice() throws {
            for node in [ada, bea] {
                let history = try node.history()
                let sequences = history.compactMap { $0["sequence"]?.unsigned }
                #expect(sequences.count == history.count)
                #expect(zip(sequences, sequences.dropFirst()).allSatisfy { $0 < $1 }, "\(sequences)")
                let messages = history.filter { $0["type"] == "privateMessage" }
                let ids = messages.compactMap { $0["id"]?.string }
                #expect(Set(ids).count == ids.count, "\(node.name) shows a message twice: \(messages.map(\.text))")
            }
        }
    }
}
