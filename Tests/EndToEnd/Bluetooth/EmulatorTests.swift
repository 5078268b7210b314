import Domain
import Foundation
import Support
import Testing

extension EndToEnd {
    /// The second air, in C: one credit, one report for each advertiser, and not a word about hosts that die.
    @Suite("Nodes over BlueZ's emulator", .needsBTVirt)
    final class EmulatedControllerTests {
        private let folder: TemporaryDirectory
        private let air: BTVirt
        private let ada: SatchelNode
        private let bea: SatchelNode

        init() throws {
            folder = try TemporaryDirectory()
            air = try BTVirt()
            ada = try SatchelNode("ada", in: folder, adapter: air.address)
            bea = try SatchelNode("bea", in: folder, adapter: air.address)
            for node in [ada, bea] { try node.start() }
            try ada.meet(bea)
            try bea.meet(ada)
        }

        @Test("two find each other, talk both ways, and move a file")
        func pair() throws {
            #expect(try ada.adapter["controller"]?["bufferCount"] == 1)
            try talk(ada, bea)
            #expect(try ada.links.map { $0["isAuthenticated"] } == [true])
            try sendFile(20_000, named: "there.bin", from: ada, to: bea, in: folder)
            try sendFile(20_000, named: "back.bin", from: bea, to: ada, in: folder)
        }

        @Test("when one dies without a word, the other takes its credit back, and gives the link up by itself")
        func death() throws {
            try talk(ada, bea)
            try bea.kill()
            // Takes the only credit, for a host that will never give it back.
            _ = try ada.json("send", "--to", "bea", "--wait", "queued", "are you there?")
            let begin = Date()
            try ada.status { $0["links"]?.array?.isEmpty == true }
            print("Bluetooth: a silent death was noticed after \(figure(Date().timeIntervalSince(begin))) s")
            let faults = try ada.adapter["faults"]
            #expect(faults?["reclaimedCredits"]?.unsigned ?? 0 > 0)
            #expect(faults?["stalledConnections"] == 1)
            try meetThird()
        }

        @Test("a third is linked to while a link to the dead still stands")
        func third() throws {
            try talk(ada, bea)
            try bea.kill()
            _ = try ada.json("send", "--to", "bea", "--wait", "queued", "are you there?")
            try meetThird()
        }

        private func meetThird() throws {
            let begin = Date()
            let cleo = try SatchelNode("cleo", in: folder, adapter: air.address)
            try cleo.start()
            try ada.meet(cleo)
            try cleo.meet(ada)
            print("Bluetooth: linked to a third after \(figure(Date().timeIntervalSince(begin))) s")
            try talk(ada, cleo)
            #expect(try ada.stop() == 0)
            #expect(try cleo.stop() == 0)
        }

        @Test("who comes back after a silent death is found again, and gets what waited")
        func comeback() throws {
            try talk(ada, bea)
            try bea.kill()
            let mark = try ada.lastEvent
            _ = try ada.json("send", "--to", "bea", "--wait", "queued", "are you there?")
            let begin = Date()
            try bea.start()
            try bea.hears("are you there?")
            print("Bluetooth: a message waited \(figure(Date().timeIntervalSince(begin))) s for one that came back")
            try ada.events().wait(after: mark) { $0["type"] == "status" && $0["status"] == "delivered" }
        }
    }
}
