import Application
import Domain
import InMemory
import SimulationHash
import Testing

/// Two ways from one end to the other: a short one over two hops, and a longer one.
///
///         b --- c
///       /         \
///     a             d
///       \         /
///        e - f - g
private final class Loop {
    let world: World<ModelCryptography>
    let a, b, c, d, e, f, g: Person
    /// Frames of a's ciphertexts: who sent each, to whom, with how many hops left and along which route.
    private(set) var hops: [String] = []
    private var delivered: Set<String> = []

    init(seed: UInt64) {
        world = World(seed: seed, cryptography: ModelCryptography())
        a = world.addNode("a")
        b = world.addNode("b")
        c = world.addNode("c")
        d = world.addNode("d")
        e = world.addNode("e")
        f = world.addNode("f")
        g = world.addNode("g")
        for (near, far) in [(a, b), (b, c), (c, d), (a, e), (e, f), (f, g), (g, d)] { _ = world.connect(near, far) }
        a.journal.observe = { [unowned self] in
            if case .status(let change) = $0.event, change.status == .delivered { delivered.insert(change.id) }
        }
    }

    func run(seconds: Int64) { world.time.run(for: .seconds(seconds)) }

    /// Lets all learn who is whose neighbour and, from a file of each, that all speak version 2; and a talk with d.
    func meet() throws {
        run(seconds: 5)
        for member in world.members {
            _ = try member.node?.sendFile([1, 2, 3], name: "hello.bin", mime: "application/octet-stream")
            run(seconds: 1)
        }
        run(seconds: 12)
        _ = try write("first")
        run(seconds: 3)
        let sender = a.id
        world.air.tap = { [unowned self] frame in
            guard let view = PacketView(frame.bytes), view.type == .noiseEncrypted, view.sender == sender else {
                return
            }
            let names = view.route.map { hop in world.members.first { $0.id == hop }?.name ?? "?" }
            hops.append("\(frame.sender.name)>\(frame.receiver.name) \(view.ttl) \(names.joined())")
        }
    }

    func write(_ text: String) throws -> [String] { try a.node?.sendPrivate(text, to: d.id) ?? [] }

    func isDelivered(_ id: String) -> Bool { delivered.contains(id) }

    /// What d was told, in the order in which it came.
    var texts: [String] {
        d.events.compactMap { event in
            if case .privateMessage(let message) = event, !message.isOwn { message.text } else { nil }
        }
    }
}

@Suite("Source routes among real nodes")
struct SourceRouteSimulationTests {
    @Test(
        "a hop vanishes at any moment of a talk: what was on its way is flooded or goes again, and nothing is lost",
        arguments: isSoak ? Array(1...100) : Array(1...10))
    func vanishes(seed: UInt64) throws {
        let loop = Loop(seed: seed)
        try loop.meet()
        let dice = loop.world.randomness.fork("fate")
        let victim = dice.chance(0.5) ? loop.b : loop.c
        loop.world.time.after(Milliseconds(Int64(dice.number(below: 9_000)))) { victim.crash(in: loop.world) }
        var ids: [String] = []
        for number in 0..<40 {
            ids += try loop.write("\(number)")
            loop.world.time.run(for: 250)
        }
        let routed = loop.hops.count { $0.hasSuffix("bc") }
        loop.run(seconds: 40)
        // Both ways were used, and everything came once and was confirmed.
        #expect(routed > 0)
        #expect(loop.hops.contains { $0.hasPrefix("g>d") })
        #expect(loop.texts.sorted() == (["first"] + (0..<40).map(String.init)).sorted())
        #expect(ids.allSatisfy(loop.isDelivered))
    }
}
