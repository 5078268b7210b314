import Application
import Domain
import InMemory
import Testing

@Suite("Mixed links")
struct MixedLinksTests {
    @Test("a packet that came whole over a large link goes on in fragments over a small one (spec: mesh §10.4)")
    func largeToSmall() throws {
        let world = World(seed: 1, cryptography: ModelCryptography())
        let (left, middle, right) = (world.addNode("left"), world.addNode("middle"), world.addNode("right"))
        _ = world.connect(left, middle, LinkProfile(latency: 1...5, frameLimit: 65_536))
        _ = world.connect(middle, right, LinkProfile(latency: 1...5, frameLimit: 512))
        world.time.run(for: .seconds(10))
        let text = String(repeating: "x", count: 2000)
        _ = try left.node?.sendPublic(text)
        world.time.run(for: .seconds(10))
        for member in [middle, right] {
            let texts = member.events.compactMap { event in
                if case .publicMessage(let message) = event { message.text } else { nil }
            }
            #expect(texts == [text], "\(member.name)")
        }
    }
}
