import InMemory
import Testing

@Suite("Mesh graphs")
struct MeshGraphTests {
    private let dice = SeededRandomness(seed: 1)

    @Test("a random regular graph is simple and connected, and each node opened half of its links")
    func regular() {
        let graph = MeshGraph.randomRegular(60, degree: 12, dice)
        #expect(graph.isConnected)
        #expect(graph.neighbours.allSatisfy { $0.count == 12 && Set($0).count == 12 })
        #expect((0..<60).allSatisfy { !graph.neighbours[$0].contains($0) })
        #expect((0..<60).allSatisfy { node in graph.links.count { $0.opener == node } == 6 })
        #expect(Set(graph.links) != Set(MeshGraph.randomRegular(60, degree: 12, dice).links))
    }

    @Test("a room has the mean degree asked for and is connected")
    func room() {
        let graph = MeshGraph.room(200, meanDegree: 12, dice)
        #expect(graph.links.count == 1200)
        #expect(graph.isConnected)
        // Not everybody stands in the middle.
        let degrees = graph.neighbours.map(\.count)
        #expect((degrees.min() ?? 0) < 9 && (degrees.max() ?? 0) > 15)
    }

    @Test("two rooms fall apart without the node between them")
    func twoRooms() {
        let graph = MeshGraph.twoRooms(of: 20, degree: 6, doorLinks: 4, dice)
        #expect(graph.isConnected)
        #expect(graph.neighbours[40].count == 8)
        let walled = MeshGraph(count: 41, links: graph.links.filter { $0.opener != 40 && $0.other != 40 })
        #expect(!walled.isConnected)
        #expect(graph.links.allSatisfy { $0.opener == 40 || $0.other == 40 || ($0.opener < 20) == ($0.other < 20) })
    }

    @Test("three disjoint paths: a ring and two rooms with one door have fewer, a full graph and a cube have them")
    func disjointPaths() {
        let ring = MeshGraph(count: 6, links: (0..<6).map { MeshGraph.Link(opener: $0, other: ($0 + 1) % 6) })
        #expect(!ring.hasThreeDisjointPaths)
        #expect(!MeshGraph.twoRooms(of: 20, degree: 6, doorLinks: 4, dice).hasThreeDisjointPaths)
        let full = (0..<5).flatMap { first in (first + 1..<5).map { MeshGraph.Link(opener: first, other: $0) } }
        #expect(MeshGraph(count: 5, links: full).hasThreeDisjointPaths)
        let cube = (0..<8).flatMap { node in
            [1, 2, 4].filter { node & $0 == 0 }.map { MeshGraph.Link(opener: node, other: node | $0) }
        }
        #expect(MeshGraph(count: 8, links: cube).hasThreeDisjointPaths)
        #expect(!MeshGraph(count: 8, links: Array(cube.dropFirst())).hasThreeDisjointPaths)
    }
}
