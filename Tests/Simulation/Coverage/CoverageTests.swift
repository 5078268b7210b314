import Application
import Domain
import InMemory
import Testing

/// Messages in each experiment, and over how many graphs they spread; between two messages on one graph the writer and
/// every delay are drawn anew.
private let runs = isSoak ? 1000 : 100
private let graphs = isSoak ? 20 : 2

/// How far a public message comes, on which graphs and at what price: real nodes under virtual time. Figures are printed.
///
/// What these floods leave out, gossip sync brings later.
@Suite("Coverage")
struct CoverageTests {
    private static let waiting = NodeSettings(cancelsRelays: false)
    private static let yielding = NodeSettings(cancelsRelays: true)

    /// Sends ``runs`` messages over ``graphs`` graphs, `body` with each. The graphs depend on the label only, so that two
    /// settings meet the same ones.
    private static func measure(
        _ label: String, nodes settings: NodeSettings, loss: Double = 0, _ draw: (SeededRandomness) -> MeshGraph,
        writer: (Int, SeededRandomness, MeshGraph) -> Int = { $1.number(below: $2.count) },
        _ body: (Spread, MeshGraph) -> Void
    ) throws {
        for number in 0..<graphs {
            let dice = SeededRandomness(seed: 1).fork("\(label) \(number)")
            let graph = draw(dice.fork("graph"))
            let mesh = try CoverageMesh(graph, seed: dice.fork("world").next(), settings: settings, loss: loss)
            let writers = dice.fork("writers")
            for message in 0..<runs / graphs { body(try mesh.spread(from: writer(message, writers, graph)), graph) }
            // The figures are of the message and of nothing else.
            #expect(mesh.strangers == [:])
        }
    }

    @Test("a chain of seven hops without loss: every node in every run, with and without cancellation")
    func chain() throws {
        for settings in [Self.waiting, Self.yielding] {
            var figures = CoverageFigures()
            try Self.measure("chain", nodes: settings) { _ in
                .chain(8)
            } writer: { message, _, _ in
                message % 8
            } _: {
                figures.add($0, of: 8)
                #expect(RelayRules(graph: $1).violations($0).prefix(3) == [])
            }
            print("chain of 8 nodes, cancellation \(settings.cancelsRelays ? "on" : "off")")
            print(CoverageFigures.head)
            print(figures.line("relays of the node"))
            #expect(figures.runs == runs && figures.full == runs)
        }
    }

    // MARK: A dense place

    private static func dense(_ settings: NodeSettings) throws -> (node: CoverageFigures, naive: CoverageFigures) {
        var (node, naive) = (CoverageFigures(), CoverageFigures())
        try measure("12-regular", nodes: settings) {
            .randomRegular(200, degree: 12, $0)
        } _: { spread, graph in
            node.add(spread, of: 200)
            let rules = RelayRules(graph: graph)
            #expect(rules.violations(spread, mayBeSilent: settings.cancelsRelays).prefix(3) == [])
            let flood = rules.naiveFlood(from: spread.origin)
            naive.add(covered: flood.covered, of: 200, frames: flood.frames)
        }
        return (node, naive)
    }

    @Test("a random 12-regular graph of 200 nodes: full coverage in at least 99.9 % of runs without cancellation")
    func dense() async throws {
        async let other = Self.dense(Self.yielding)
        let (node, naive) = try Self.dense(Self.waiting)
        let yielding = try await other.node
        print("random 12-regular graphs of 200 nodes: \(graphs) graphs, \(runs) messages")
        print(CoverageFigures.head)
        print(node.line("cancellation off"))
        print(yielding.line("cancellation on"))
        print(naive.line("naive flooding"))
        #expect(node.fullShare >= 0.999)
        #expect(naive.fullShare == 1)
        #expect(node.frames < naive.frames)
        #expect(yielding.frames < node.frames)
    }

    @Test("a room of 200 nodes, mean degree 12: coverage is the set that the TTL rules allow, no node less")
    func room() throws {
        var (figures, ball) = (CoverageFigures(), CoverageFigures())
        try Self.measure("room", nodes: Self.waiting) {
            .room(200, meanDegree: 12, $0)
        } _: { spread, graph in
            let rules = RelayRules(graph: graph)
            let covered = spread.covered
            #expect(covered == rules.allowed(spread))
            #expect(rules.violations(spread).prefix(3) == [])
            let reach = rules.ball(around: spread.origin)
            #expect(covered.isSubset(of: reach))
            figures.add(covered: covered.count, of: reach.count, frames: spread.hops.count, duration: spread.duration)
            ball.add(covered: reach.count, of: 200, frames: 0)
        }
        print("rooms of 200 nodes, mean degree 12, cancellation off: \(graphs) rooms, \(runs) messages; per cent of")
        print("the nodes within reach of the TTL, had each got the copy with the most hops left first, on all links")
        print(CoverageFigures.head)
        print(figures.line("relays of the node"))
        print("  within reach of the TTL: \(ball.covered / ball.runs) of 200 nodes on average")
    }

    @Test("two rooms joined by one node: the message crosses")
    func twoRooms() throws {
        for settings in [Self.waiting, Self.yielding] {
            var (crossed, figures) = (0, CoverageFigures())
            try Self.measure("two rooms", nodes: settings) {
                .twoRooms(of: 60, degree: 12, doorLinks: 6, $0)
            } writer: {
                // From within a room, as the rooms' joint belongs to both.
                $1.number(below: $2.count - 1)
            } _: { spread, _ in
                let others = spread.origin < 60 ? 60..<120 : 0..<60
                if !spread.covered.isDisjoint(with: others) { crossed += 1 }
                figures.add(spread, of: 121)
            }
            print("two rooms of 60 nodes, joined by one: cancellation \(settings.cancelsRelays ? "on" : "off")")
            print(CoverageFigures.head)
            print(figures.line("relays of the node"))
            print("  crossed into the other room: \(crossed) of \(figures.runs)")
            // Each of the six beside the door leaves it out of its choice of links in about two of five messages: all of
            // them do in 0.4 %, and so does every phone.
            if !settings.cancelsRelays { #expect(Double(crossed) >= 0.99 * Double(figures.runs)) }
        }
    }

    @Test("5 % of all frames lost, at least three disjoint paths: at least 99 % of all nodes in all runs")
    func loss() throws {
        for settings in [Self.waiting, Self.yielding] {
            var figures = CoverageFigures()
            try Self.measure("loss", nodes: settings, loss: 0.05) { dice in
                let graph = MeshGraph.randomRegular(60, degree: 6, dice)
                #expect(graph.hasThreeDisjointPaths)
                return graph
            } _: { spread, _ in
                figures.add(spread, of: 60)
            }
            print("6-regular graphs of 60 nodes, 5 % loss: cancellation \(settings.cancelsRelays ? "on" : "off")")
            print(CoverageFigures.head)
            print(figures.line("relays of the node"))
            print("  what is missing here, gossip sync brings later")
            if !settings.cancelsRelays { #expect(figures.pairShare >= 0.99) }
        }
    }
}
