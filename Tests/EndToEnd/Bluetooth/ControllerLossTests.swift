import Domain
import Foundation
import Support
import Testing

extension EndToEnd {
    /// Controllers that go away while they have much to do, and come back.
    @Suite("Controllers that are lost under load", .needsInteropPython)
    final class ControllerLossTests {
        private let room: BluetoothRoom
        private var ada: SatchelNode { room.nodes[0] }
        private var bea: SatchelNode { room.nodes[1] }

        init() throws { room = try BluetoothRoom.met(["ada", "bea"]) }

        private static let roundsPerGroup = 5
        private static let order: [Mishap] = [.pulledOut, .unplugged, .hardwareError, .mute]

        /// What happens in a round, and to whose controller.
        private struct Round {
            let number: Int
            var mishap: Mishap { order[number % order.count] }
            /// Another one each time that a mishap has its turn.
            var victim: Int { (number + number / order.count) % 2 }
            private let order = ControllerLossTests.order
        }

        @Test(
            "links re-form, and what was said meanwhile arrives, once, and soon",
            arguments: 0..<(EndToEnd.isSoak ? 10 : 1))
        func rounds(group: Int) throws {
            try talk(ada, bea)
            for number in 0..<Self.roundsPerGroup {
                try lose(Round(number: group * Self.roundsPerGroup + number))
            }
        }

        /// What one of them said, and to whom.
        private struct Letter {
            let sender: SatchelNode
            let receiver: SatchelNode
            let text: String
            let id: JSONValue?
        }

        private func lose(_ round: Round) throws {
            let victim = room.nodes[round.victim]
            let marks = try room.nodes.map { try $0.logMark }
            let events = try room.nodes.map { try $0.lastEvent }
            let files = try startFiles(round)
            // From now on hardly anything leaves the victim: what is said next waits in its queues when it happens.
            try room.air.loseCredits(round.victim, events: 1_000_000)
            let letters = try write(round)
            try round.mishap.happen(to: round.victim, in: room.air)
            try victim.logs("link down", from: marks[round.victim])
            try room.air.loseCredits(round.victim, events: 0)
            let back = Date()
            try round.mishap.end(for: round.victim, in: room.air)
            try victim.takesAdapter(from: marks[round.victim])
            let taken = Date().timeIntervalSince(back)
            for (node, mark) in zip(room.nodes, marks) { try node.logs("link up", from: mark) }
            let linked = Date().timeIntervalSince(back)
            for letter in letters { try letter.receiver.events().wait { $0["id"] == letter.id } }
            let arrived = Date().timeIntervalSince(back)
            print(
                "Bluetooth, \(round.mishap.rawValue) under load (round \(round.number)): adapter back after "
                    + "\(figure(taken)) s, link after \(figure(linked)) s, all messages after \(figure(arrived)) s")
            for letter in letters {
                try letter.sender.events().wait { $0["id"] == letter.id && $0["status"] == "delivered" }
            }
            for (node, mark) in zip(room.nodes, events) {
                let expected = letters.filter { $0.receiver === node }.map(\.text)
                #expect(try node.heardTexts(after: mark).sorted() == expected)
            }
            for file in files { try file.exitStatus(within: SatchelNode.patience) }
        }

        /// Lets each say three things to the other, in private.
        private func write(_ round: Round) throws -> [Letter] {
            try [(ada, bea), (bea, ada)].flatMap { sender, receiver in
                try (0..<3).map { number in
                    let text = "\(sender.name), round \(round.number), number \(number)"
                    let sent = try sender.json("send", "--to", receiver.name, "--wait", "queued", text)
                    return Letter(sender: sender, receiver: receiver, text: text, id: sent["ids"]?.array?.first)
                }
            }
        }

        /// Lets both send a file, and waits until pieces of both arrive.
        private func startFiles(_ round: Round) throws -> [ChildProcess] {
            var dice = SystemRandomNumberGenerator()
            let before = try room.nodes.map { try $0.counter("fragmentsReceived") }
            let files = try room.nodes.map { node in
                let name = "\(node.name)-\(round.number).bin"
                try room.folder.write((0..<100_000).map { _ in UInt8.random(in: 0...255, using: &dice) }, to: name)
                return try node.spawn(["send", "--file", room.folder.file(name), "--wait", "sent"])
            }
            for (node, count) in zip(room.nodes, before) {
                try node.status { $0["counters"]?["fragmentsReceived"]?.unsigned ?? 0 > count }
            }
            return files
        }
    }

    /// An adapter that is away is not the whole node.
    @Suite("A node with other links while its adapter is away", .needsInteropPython)
    final class OtherLinksTests {
        private let folder: TemporaryDirectory
        private let air: VirtualAir
        private let ada: SatchelNode
        private let bea: SatchelNode
        private let cleo: SatchelNode

        /// Ada is linked to Bea over Bluetooth, and to Cleo through an air directory.
        init() throws {
            folder = try TemporaryDirectory()
            air = try VirtualAir(adapters: 2)
            let directory = folder.file("air")
            ada = try SatchelNode(
                "ada", in: folder,
                options: ["--nickname", "ada", "--air", directory, "--adapter", air.address(of: 0)])
            bea = try SatchelNode("bea", in: folder, adapter: air.address(of: 1))
            cleo = try SatchelNode("cleo", in: folder, options: ["--nickname", "cleo", "--air", directory])
        }

        @Test("it goes on, says what is the matter, and takes the adapter back", arguments: [Mishap.pulledOut, .mute])
        func away(mishap: Mishap) throws {
            for node in [ada, bea, cleo] { try node.start() }
            try ada.meet(bea)
            try cleo.meet(bea, directly: false)
            let mark = try ada.logMark
            try mishap.happen(to: 0, in: air)
            let status = try ada.status { $0["adapters"]?.array?.first?["losses"] == 1 }
            let adapter = try #require(status["adapters"]?.array?.first)
            #expect(["missing", "failed", "starting"].contains(adapter["state"]?.string ?? ""))
            #expect(adapter["connections"]?.array?.count == 0)
            try ada.status { status in
                let adapter = status["adapters"]?.array?.first
                let isSaid = adapter?["state"] == (mishap == .mute ? "failed" : "missing")
                return isSaid && adapter?["reason"]?.string?.isEmpty == false
            }
            #expect(try ada.links.compactMap { $0["name"]?.string?.prefix(4) } == ["air:"])
            try talk(ada, cleo, "outage")
            #expect(try ada.run("status").status == 0)

            let (adaMark, beaMark) = (try ada.lastEvent, try bea.lastEvent)
            let back = Date()
            try mishap.end(for: 0, in: air)
            try ada.takesAdapter(from: mark)
            print(
                "Bluetooth, \(mishap.rawValue): taken back \(figure(Date().timeIntervalSince(back))) s after its return"
            )
            try ada.meet(bea, after: adaMark)
            try bea.meet(ada, after: beaMark)
            #expect(try ada.adapter["state"] == "ready" && ada.adapter["losses"] == 1)
            try bea.reaches(cleo)
            try cleo.reaches(bea)
            try talk(bea, cleo, "return")
        }

        @Test("a node starts without its adapter, and takes it when it appears")
        func missing() throws {
            try air.remove(0)
            for node in [ada, bea, cleo] { try node.start() }
            try ada.meet(cleo)
            let status = try ada.status { $0["adapters"]?.array?.first?["state"] == "missing" }
            #expect(status["adapters"]?.array?.first?["reason"]?.string?.isEmpty == false)
            let back = Date()
            try air.insert(0)
            try ada.takesAdapter()
            print("Bluetooth: taken \(figure(Date().timeIntervalSince(back))) s after it first appeared")
            try cleo.reaches(bea)
            try bea.reaches(cleo)
            try talk(bea, cleo)
        }
    }
}
