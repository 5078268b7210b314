import Domain
import Foundation
import Glibc
import Support
import Testing

extension EndToEnd {
    /// What `topology`, `trace`, `peers` and `status --watch` show of three processes on a line.
    @Suite("Views of a mesh of three")
    final class MeshViewTests {
        private let nodes: NodesOnALine
        private var folder: TemporaryDirectory { nodes.folder }
        private var alice: SatchelNode { nodes.alice }
        private var bob: SatchelNode { nodes.bob }
        private var carol: SatchelNode { nodes.carol }

        init() throws { nodes = try NodesOnALine(nickname: "b\"o\\b") }

        /// Asks until the answer is as wanted; each question takes a process, so nothing spins.
        private func ask(_ words: [String], until isWanted: (JSONValue) -> Bool) throws -> JSONValue {
            let deadline = Date(timeIntervalSinceNow: SatchelNode.patience)
            while true {
                let outcome = try alice.run(["--json"] + words)
                try #require(outcome.status == 0, "\(outcome.notes)")
                let answer = try outcome.json
                if isWanted(answer) || Date() > deadline { return answer }
            }
        }

        @Test("topology shows three nodes and two confirmed edges, as tables, JSON and for Graphviz")
        func topology() throws {
            let mesh = try ask(["topology"]) { mesh in
                mesh["confirmedEdges"]?.array?.count == 2
            }
            #expect(mesh["nodes"]?.array?.count == 3)
            #expect(mesh["nodes"]?.array?.count { $0["self"] == true } == 1)
            let ids = try [alice.identifier, bob.identifier, carol.identifier]
            let edges = mesh["edges"]?.array?.map { Set(($0.array ?? []).map(\.string)) }
            #expect(edges.map(Set.init) == [[ids[0], ids[1]], [ids[1], ids[2]]])
            let table = try alice.run("topology")
            #expect(table.status == 0)
            #expect(ids.allSatisfy { table.output.contains($0) })
            let dot = try alice.run("topology", "--dot")
            #expect(dot.output.hasPrefix("graph mesh {"))
            #expect(dot.output.contains("b&quot;o&#92;b"))
            #expect(try alice.run("topology", "--dot", "--json").status == 64)
        }

        /// Makes a program of one line. A process of its own writes it: a file that is open for writing in this one while
        /// another test starts a program cannot be run.
        private func makeProgram(_ name: String, _ line: String) throws {
            let path = folder.file(name)
            let script = "printf '#!/bin/sh\\n%s\\n' \"$2\" > \"$1\" && chmod 700 \"$1\""
            let writer = try ChildProcess(
                "/bin/sh", ["-c", script, "sh", path, line], environment: ["PATH": "/usr/bin:/bin"])
            try #require(try writer.exitStatus(within: SatchelNode.patience) == 0, "\(writer.text(.errors))")
        }

        @Test("--svg runs Graphviz, and names the package where it is not installed")
        func svg() throws {
            let program = try BuiltProgram("satchel").url.path
            func draw(path: String) throws -> (status: Int32, output: String, notes: String) {
                let process = try ChildProcess(
                    program, ["--home", alice.home, "topology", "--svg"],
                    environment: ["HOME": alice.home, "PATH": path])
                let status = try process.exitStatus(within: SatchelNode.patience)
                return (status, process.text(.output), process.text(.errors))
            }
            let missing = try draw(path: folder.file("empty"))
            #expect(missing.status == 69)
            #expect(missing.notes.contains("graphviz"))
            #expect(missing.output.isEmpty)

            try makeProgram("dot", "echo \"<svg $1>\"; exec /bin/cat")
            let drawn = try draw(path: folder.path)
            #expect(drawn.status == 0, "\(drawn.notes)")
            #expect(drawn.output.hasPrefix("<svg -Tsvg>\ngraph mesh {"))

            try makeProgram("dot", "exit 3")
            #expect(try draw(path: folder.path).status == 74)
        }

        @Test("trace knows a neighbour, says that packets flood, and names the hops once both ends speak version 2")
        func trace() throws {
            let direct = try alice.json("trace", try bob.identifier)
            #expect(direct["way"] == "direct")
            #expect(try alice.run("trace", "carol").output.contains("flooded"))
            #expect(try alice.run("trace", "nobody").status == 66)
            // A file is a packet of version 2: who sends one shows that it speaks it.
            try folder.write(Array("x".utf8), to: "x.txt")
            for node in [bob, carol] { _ = try node.json("send", "--file", folder.file("x.txt")) }
            let way = try ask(["trace", "carol"]) { $0["way"] == "route" }
            #expect(way["hops"]?.array?.map { $0["id"]?.string } == [try bob.identifier])
            let text = try alice.run("trace", "carol").output
            #expect(text.contains("(2 hops,"))
        }

        @Test("peers shows four separate facts about each peer")
        func peers() throws {
            _ = try alice.json("send", "--to", "carol", "--wait", "delivered", "hello")
            let carol = try #require(try alice.peer("carol"))
            let facts = ["isConnected", "isReachable", "isPrompt", "isSecure"].map { carol[$0]?.bool }
            #expect(facts == [false, true, true, true])
            let lines = try alice.run("peers").output.split(separator: "\n")
            #expect(lines.first?.contains("CONNECTED  REACHABLE  PROMPT  SECURE") == true)
            let row = try #require(lines.first { $0.hasPrefix("carol") })
            let words = row.split(separator: " ")
            #expect(words.dropFirst(2).prefix(4) == ["no", "yes", "yes", "yes"])
        }

        @Test("status --watch prints one report after another until Ctrl-C, and ends with 0")
        func watch() throws {
            let stream = try alice.spawn(["status", "--watch=0.2", "--json"])
            let third = try stream.line(.output, from: 2, within: SatchelNode.patience) { _ in true }
            #expect(try JSONValue(parsing: third)["id"]?.string == (try alice.identifier))
            stream.send(SIGINT)
            #expect(try stream.exitStatus(within: SatchelNode.patience) == 0)
            let lines = stream.lines(.output)
            #expect(try lines.map { try JSONValue(parsing: $0)["uptime"]?.integer ?? 0 }.sorted().count == lines.count)

            let text = try alice.spawn(["status", "--watch=0.2"])
            _ = try carol.json("send", "something to count")
            _ = try text.line(.output, within: SatchelNode.patience) {
                $0.hasPrefix("framesReceived") && $0.hasSuffix("/s")
            }
            text.send(SIGTERM)
            #expect(try text.exitStatus(within: SatchelNode.patience) == 0)
            #expect(!text.text(.output).contains("\u{1B}"), "nothing is redrawn where nobody looks")
            #expect(try alice.run("status", "--watch=0").status == 64)
        }
    }
}
