import Domain
import Glibc

/// `topology`: the mesh as announces draw it.
enum TopologyVerb {
    /// The verb.
    static let verb = Verb(
        spec: VerbSpec(
            "topology", summary: "show who is whose neighbour",
            details: """
                What the announces of the last minute tell: every node that was heard of, and every pair of which at \
                least one calls the other its neighbour. Only what both say is used for routes (confirmed). Each node \
                names at most ten neighbours, so a dense mesh has more links than are shown.
                --dot prints the graph for Graphviz; --svg draws it with Graphviz' program dot, from the package \
                graphviz.
                """,
            options: [
                .flag("dot", "print the graph in the language of Graphviz"),
                .flag("svg", "print a drawing; needs the package graphviz"),
            ],
            example: "satchel topology --svg > mesh.svg"),
        run: { context throws(Failure) in
            let chosen = ["json", "dot", "svg"].filter { context.invocation.has($0) }
            guard chosen.count <= 1 else {
                let names = chosen.map { "--\($0)" }.joined(separator: " and ")
                throw Failure(.usage, "\(names) cannot go together")
            }
            let answer = try NodeConnection.open(context.places()).call("topology")
            switch chosen.first {
            case "json": try context.output.answer(answer)
            case "dot": try context.output.answer(TopologyGraph(answer).dot)
            case "svg": try draw(TopologyGraph(answer))
            default: try context.output.answer(TopologyGraph(answer).tables)
            }
            return .done
        })

    private static func draw(_ graph: TopologyGraph) throws(Failure) {
        let program = Handler(program: "dot", arguments: ["-Tsvg"])
        let status: Int32
        do throws(Failure) {
            status = try program.run(with: Array(graph.dot.utf8))
        } catch {
            guard error.code == .notFound else { throw error }
            throw Failure(
                .notRunning, "the program dot is not installed, which draws the graph",
                hints: [
                    "install it: sudo apt install graphviz",
                    "or draw elsewhere what this prints: satchel topology --dot",
                ])
        }
        guard status == 0 else { throw Failure(.inputOutput, "dot failed with status \(status)") }
    }
}

/// The mesh as the node tells it, for tables and drawings.
struct TopologyGraph {
    private let nodes: [Node]
    private let edges: [Edge]

    private struct Node {
        let id: String
        /// Fit for a terminal; `nil` for a node that never announced itself.
        let name: String?
        let isSelf: Bool
        let isConnected: Bool

        var title: String { (name ?? "?") + (isSelf ? " (this node)" : "") }
    }

    private struct Edge {
        let first: String
        let second: String
        let isConfirmed: Bool
    }

    /// Reads the answer of the control method `topology`.
    init(_ answer: JSONValue) {
        nodes = (answer["nodes"]?.array ?? []).map { node in
            Node(
                id: DisplayText.line(node["id"]?.string ?? "?"),
                name: (node["name"]?.string).map(DisplayText.line),
                isSelf: node["self"]?.bool == true, isConnected: node["isConnected"]?.bool == true)
        }
        func pairs(_ name: String) -> [[String]] {
            (answer[name]?.array ?? []).compactMap { pair in
                let ends = (pair.array ?? []).map { DisplayText.line($0.string ?? "?") }
                return ends.count == 2 ? ends : nil
            }
        }
        let confirmed = Set(pairs("confirmedEdges"))
        edges = pairs("edges").map { Edge(first: $0[0], second: $0[1], isConfirmed: confirmed.contains($0)) }
    }

    /// Nodes, then edges, for a person.
    var tables: String {
        let rows = nodes.map { node in
            let neighbours = edges.count { [$0.first, $0.second].contains(node.id) }
            let state = node.isSelf ? "this node" : node.isConnected ? "connected" : "further off"
            return [node.name ?? "?", node.id, state, String(neighbours)]
        }
        let titles = Dictionary(nodes.map { ($0.id, $0.name ?? $0.id) }) { first, _ in first }
        let pairs = edges.map { edge in
            [titles[edge.first] ?? edge.first, titles[edge.second] ?? edge.second, edge.isConfirmed ? "both" : "one"]
        }
        let table = Table.lines(["NAME", "ID", "STATE", "NEIGHBOURS"], rows)
        return pairs.isEmpty ? table : table + "\n" + Table.lines(["NEIGHBOUR", "OF", "SAID BY"], pairs)
    }

    /// The graph in the language of Graphviz: what only one side says is dashed, this node is drawn bold.
    var dot: String {
        var lines = ["graph mesh {", "  node [shape=box, fontname=\"sans-serif\"];"]
        for node in nodes {
            let style = node.isSelf ? ", style=bold" : ""
            lines.append(
                "  \(Self.quoted(node.id)) [label=\"\(Self.escaped(node.title))\\n\(Self.escaped(node.id))\"\(style)];")
        }
        for edge in edges {
            let style = edge.isConfirmed ? "" : " [style=dashed]"
            lines.append("  \(Self.quoted(edge.first)) -- \(Self.quoted(edge.second))\(style);")
        }
        return (lines + ["}"]).joined(separator: "\n") + "\n"
    }

    private static func quoted(_ text: String) -> String { "\"\(escaped(text))\"" }

    /// Text of others inside quotes: it must not end them, and Graphviz must not take parts of it for its own escapes or
    /// for entities.
    private static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "&quot;"
            case "\\": result += "&#92;"
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
