import Domain
import Foundation
import Glibc
import Support
import Testing

extension EndToEnd {
    /// What is left after everything was to be erased: nothing, whatever came between.
    @Suite("Panic")
    final class PanicTests {
        private let folder: TemporaryDirectory
        private let air: String
        private let ada: SatchelNode

        init() throws {
            folder = try TemporaryDirectory()
            air = folder.file("air")
            ada = try SatchelNode("ada", in: folder, options: ["--nickname", "ada", "--air", air])
        }

        private var data: String { ada.home + "/data" }

        /// The contents of every file in the data directory.
        private func contents() throws -> [[UInt8]] {
            let files = try #require(FileManager.default.enumerator(atPath: data))
            return files.compactMap { name in
                (name as? String).flatMap { FileManager.default.contents(atPath: data + "/" + $0) }.map { [UInt8]($0) }
            }
        }

        private func holds(_ text: String) throws -> Bool {
            try contents().contains { $0.contains(Array(text.utf8)) }
        }

        /// Puts something of each kind into the home: identity, messages both ways, a pin, a file.
        private func live(with bea: SatchelNode) throws {
            try ada.meet(bea)
            _ = try bea.json("send", "--to", "ada", "--wait", "delivered", "a word in confidence")
            let picture = folder.file("note.txt")
            try Data("what the file says".utf8).write(to: URL(fileURLWithPath: picture))
            _ = try bea.json("send", "--wait", "sent", "--file", picture)
            try ada.events().wait { $0["type"] == "file" }
        }

        private func isPending() -> Bool {
            FileManager.default.fileExists(atPath: data + "/wipe-pending")
                || FileManager.default.fileExists(atPath: ada.home + "/satchel-wipe-pending")
        }

        @Test("nothing of the old identity is left, and the node goes on as somebody else without a goodbye")
        func wipe() throws {
            let bea = try SatchelNode("bea", in: folder, options: ["--nickname", "bea", "--air", air])
            try ada.start()
            try bea.start()
            try live(with: bea)
            let old = try ada.identifier
            #expect(try !holds("a word in confidence"), "it is sealed")
            #expect(try holds("what the file says"))
            let copy = folder.file("copy")
            try FileManager.default.copyItem(atPath: data, toPath: copy + "-data")

            let answer = try ada.json("panic", "--now")
            #expect(answer["wiped"] == true)
            let new = try ada.identifier
            #expect(new != old && answer["id"]?.string == new)
            #expect(try ada.json("identity")["nickname"]?.string?.hasPrefix("anon") == true)
            #expect(!isPending())
            for text in ["a word in confidence", "what the file says", "ada", "bea", old] {
                #expect(try !holds(text), "\(text)")
            }
            try bea.events().wait { $0["kind"] == "connected" && $0["peer"]?.string == new }
            let told = try bea.history().filter { $0["peer"]?.string == old }.compactMap { $0["kind"]?.string }
            #expect(told.contains("disconnected") && !told.contains("left"), "\(told)")
            #expect(try ada.history().allSatisfy { $0["type"] == "peer" })

            // Whoever copied the files before has nothing without the key that is gone, nor with the new one.
            let thief = try SatchelNode("thief", in: folder, options: [])
            try FileManager.default.moveItem(atPath: copy + "-data", toPath: thief.home + "/data")
            #expect(try holdsKey(thief, nil) == 66)
            #expect(try holdsKey(thief, data + "/vault.key") == 65)
        }

        /// What reading the stolen log ends with, under another key file or none.
        private func holdsKey(_ thief: SatchelNode, _ key: String?) throws -> Int32 {
            let place = thief.home + "/data/vault.key"
            try? FileManager.default.removeItem(atPath: place)
            if let key { try FileManager.default.copyItem(atPath: key, toPath: place) }
            return try thief.run("recv", "--all", "--json").status
        }

        @Test("the signal erases as the command does, and what the start was told to be called does not hold")
        func signal() throws {
            try ada.start()
            let old = try ada.identifier
            try ada.log.send(SIGUSR2)
            _ = try ada.log.line(.errors, within: SatchelNode.patience) { $0.contains("everything is erased") }
            _ = try ada.log.line(.errors, within: SatchelNode.patience) {
                $0.contains(" is up, process ") && $0.contains("anon") && !$0.contains(old)
            }
            #expect(try ada.identifier != old)
            #expect(try ada.stop() == 0)
        }

        @Test("killed in the middle, it is finished by the next start")
        func killed() throws {
            var finished = 0
            let rounds = EndToEnd.isSoak ? 100 : 8
            for round in 0..<rounds {
                try ada.start()
                let old = try ada.identifier
                _ = try ada.json("identity")
                try ada.log.send(SIGUSR2)
                // The moment of the kill is the test: spread over the time that a wipe takes.
                usleep(UInt32(round * 30_000 / rounds))
                try ada.kill()
                if isPending() {
                    finished += 1
                    let refused = try ada.run("identity", "show")
                    #expect(refused.status == 77 || refused.status == 66, "\(refused.notes)")
                }
                let wasBegun = isPending() || !FileManager.default.fileExists(atPath: data + "/identity.vault")
                try ada.start()
                #expect(!isPending())
                if wasBegun { #expect(try ada.identifier != old) }
                try ada.stop()
            }
            print("panic: \(finished) wipes were cut off and finished by the next start")
        }

        @Test("without a node the files go, and nobody is asked where nobody sits")
        func alone() throws {
            try ada.start()
            let old = try ada.identifier
            try ada.stop()
            #expect(try ada.run("panic").status == 64)
            #expect(FileManager.default.fileExists(atPath: data + "/identity.vault"))
            #expect(try ada.json("panic", "--now")["wiped"] == true)
            #expect(try FileManager.default.contentsOfDirectory(atPath: data) == ["lock"])
            try ada.start()
            #expect(try ada.identifier != old)
        }

        @Test("what cannot be erased keeps the node from starting until it can, and is named")
        func incomplete() throws {
            try ada.start()
            try ada.stop()
            // A file that not even root can remove.
            let stubborn = "/proc/self/comm"
            let configuration = ada.home + "/config.json5"
            try Data("{ links: { hciLog: \"\(stubborn)\" } }".utf8).write(to: URL(fileURLWithPath: configuration))
            let outcome = try ada.run("panic", "--now")
            #expect(outcome.status == 74)
            #expect(outcome.notes.contains("not complete") && outcome.notes.contains(stubborn), "\(outcome.notes)")
            #expect(isPending())
            #expect(!FileManager.default.fileExists(atPath: data + "/identity.vault"))
            #expect(try ada.run("run").status == 74, "the same again before anything else")
            #expect(!FileManager.default.fileExists(atPath: data + "/identity.vault"))
            try FileManager.default.removeItem(atPath: configuration)
            try ada.start()
            #expect(!isPending())
        }
    }
}
