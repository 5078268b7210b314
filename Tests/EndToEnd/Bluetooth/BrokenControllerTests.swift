import Domain
import Foundation
import Support
import Testing

extension EndToEnd {
    /// Controllers that answer wrongly, late or not at all, and adapters that somebody else has.
    @Suite("Nodes on adapters that are of little use", .needsInteropPython)
    struct BrokenControllerTests {
        @Test("on a broken controller a node stays alive, says how it stands, keeps its other links, and ends politely")
        func broken() throws {
            let folder = try TemporaryDirectory()
            let air = try UnpatchedAir(adapters: 2)
            let directory = folder.file("air")
            let ada = try SatchelNode(
                "ada", in: folder,
                options: ["--nickname", "ada", "--air", directory, "--adapter", air.address(of: 0)])
            let bea = try SatchelNode("bea", in: folder, adapter: air.address(of: 1))
            let cleo = try SatchelNode("cleo", in: folder, options: ["--nickname", "cleo", "--air", directory])
            for node in [ada, bea, cleo] { try node.start() }
            try ada.meet(cleo)
            try talk(ada, cleo)
            for node in [ada, bea] {
                try node.status { status in
                    let adapter = status["adapters"]?.array?.first
                    return adapter?["state"] == "ready" || adapter?["reason"]?.string?.isEmpty == false
                }
            }
            // A host that goes is still heard there, and its links do not end.
            try bea.kill()
            try bea.start()
            let stands = try bea.status { $0["adapters"]?.array?.first?["state"] != "opening" }["adapters"]
            print("Bluetooth: on an unpatched controller: \(String(decoding: stands?.encoded ?? [], as: UTF8.self))")
            try talk(ada, cleo, "controller")
            for node in [ada, bea, cleo] {
                let begin = Date()
                #expect(try node.stop() == 0)
                print("Bluetooth: \(node.name) ended within \(figure(Date().timeIntervalSince(begin))) s")
            }
        }

        @Test("of two nodes on one serial port the second says which process has it, and takes it when it is free")
        func serialPort() throws {
            let folder = try TemporaryDirectory()
            let air = try VirtualAir(adapters: 2)
            let cable = try SerialCable(to: air.path(of: 0))
            let first = try SatchelNode("first", in: folder, adapter: cable.address)
            let third = try SatchelNode("third", in: folder, adapter: air.address(of: 1))
            try first.start()
            try third.start()
            try first.meet(third)
            let holder = try first.log.id

            let second = try SatchelNode("second", in: folder, adapter: cable.address)
            try second.start()
            try second.logs("warning", "in use by process \(holder)")
            let adapter = try second.adapter
            #expect(adapter["state"] == "blocked")
            #expect(adapter["reason"]?.string?.contains("process \(holder)") == true)
            #expect(adapter["remedy"]?.string?.isEmpty == false)
            let listing = try second.run("adapters").output
            #expect(listing.contains("\(holder)"))
            let doctor = try second.run("doctor").output
            #expect(doctor.contains("\(holder)"))
            // The first has not felt it.
            try talk(first, third)

            #expect(try first.stop() == 0)
            let begin = Date()
            try second.takesAdapter()
            print("Bluetooth: a freed adapter was taken after \(figure(Date().timeIntervalSince(begin))) s")
            try second.meet(third)
            try talk(second, third)
        }

        @Test("of two nodes on one socket the second is turned away, says so, and takes it when it is free")
        func socket() throws {
            let folder = try TemporaryDirectory()
            let air = try VirtualAir(adapters: 1)
            let first = try SatchelNode("first", in: folder, adapter: air.address(of: 0))
            try first.start()
            try first.takesAdapter()
            let second = try SatchelNode("second", in: folder, adapter: air.address(of: 0))
            try second.start()
            try second.logs("warning", "another program may have it")
            try second.status { $0["adapters"]?.array?.first?["state"] == "blocked" }
            #expect(try first.adapter["state"] == "ready")
            #expect(try first.adapter["losses"] == 0)
            #expect(try first.stop() == 0)
            try second.takesAdapter()
            // Said once, however often it was tried.
            let warnings = try second.log.lines(.errors).count { $0.contains("another program may have it") }
            #expect(warnings == 1)
        }
    }
}
