import Domain
import Testing

@testable import App

@Suite("Views of the mesh")
struct MeshViewTests {
    private static func mesh() throws -> JSONValue {
        try JSONValue(
            parsing: #"""
                {"nodes": [
                  {"id": "0000000000000001", "name": "me", "self": true, "isConnected": false},
                  {"id": "0000000000000002", "name": "a\"b\\nc<d>&amp;\u001b[1m\u202e", "isConnected": true},
                  {"id": "0000000000000003", "self": false, "isConnected": false}
                ], "edges": [
                  ["0000000000000001", "0000000000000002"], ["0000000000000002", "0000000000000003"]
                ], "confirmedEdges": [["0000000000000001", "0000000000000002"]]}
                """#)
    }

    @Test("the drawing marks this node and what only one side says; names can neither end their quotes nor act")
    func dot() throws {
        #expect(
            try TopologyGraph(Self.mesh()).dot == """
                graph mesh {
                  node [shape=box, fontname="sans-serif"];
                  "0000000000000001" [label="me (this node)\\n0000000000000001", style=bold];
                  "0000000000000002" [label="a&quot;b&#92;nc&lt;d&gt;&amp;amp;\u{FFFD}[1m\\n0000000000000002"];
                  "0000000000000003" [label="?\\n0000000000000003"];
                  "0000000000000001" -- "0000000000000002";
                  "0000000000000002" -- "0000000000000003" [style=dashed];
                }

                """)
    }

    @Test("the table lists nodes with their number of neighbours, then who says what")
    func tables() throws {
        let lines = try TopologyGraph(Self.mesh()).tables.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines[0].hasPrefix("NAME"))
        #expect(lines[1].hasPrefix("me ") && lines[1].hasSuffix("this node    1"))
        #expect(lines[2].contains("connected    2"))
        #expect(lines[3].hasPrefix("? ") && lines[3].hasSuffix("further off  1"))
        #expect(lines[6].hasPrefix("me ") && lines[6].hasSuffix("both"))
        #expect(lines[7].hasSuffix("one"))
        #expect(!lines.joined().contains("\u{1B}"))
    }

    @Test("a mesh of one node has no table of neighbours")
    func alone() throws {
        let mesh = try JSONValue(parsing: #"{"nodes": [{"id": "0000000000000001", "self": true}], "edges": []}"#)
        #expect(TopologyGraph(mesh).tables.split(separator: "\n").count == 2)
    }

    @Test("a way is told hop by hop, and where none is known, that packets flood")
    func trace() throws {
        func text(_ way: String, _ hops: String) throws -> String {
            TraceVerb.text(
                of: try JSONValue(
                    parsing: """
                        {"peer": "0000000000000009", "displayName": "fa\\u001br", "way": "\(way)", "hops": \(hops)}
                        """))
        }
        #expect(try text("direct", "[]") == "you → fa\u{FFFD}r (1 hop, as announces tell)\n")
        let hops = #"[{"id": "0000000000000002", "displayName": "bob"}, {"id": "0000000000000003"}]"#
        #expect(
            try text("route", hops)
                == "you → bob → 00000000… → fa\u{FFFD}r (3 hops, as announces tell)\n")
        #expect(try text("flooded", "[]").contains("flooded"))
    }

    @Test("rates are per second of the node's own time; a counter that stands still has none")
    func rates() throws {
        let first = StatusWatch.Sample(
            try JSONValue(parsing: #"{"uptime": 10000, "counters": {"framesSent": 100, "framesReceived": 7}}"#))
        let second = StatusWatch.Sample(
            try JSONValue(parsing: #"{"uptime": 12500, "counters": {"framesSent": 125, "framesReceived": 7}}"#))
        #expect(second.rates(since: first) == ["framesSent": "10.0/s"])
        #expect(first.rates(since: second).isEmpty, "a node that was started anew")
        #expect(StatusVerb.text(of: second.status, rates: second.rates(since: first)).contains("125  +10.0/s"))
    }
}
