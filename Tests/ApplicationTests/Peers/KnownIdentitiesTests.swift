import Domain
import InMemory
import NativeCryptography
import Testing

@testable import Application

@Suite("Pinned identities, too many of them")
struct KnownIdentitiesTests {
    private let world = RealWorld.real()
    private let cryptography = NativeCryptography()

    private func identity(_ number: UInt64, isProved: Bool = false) -> PeerIdentity {
        var identity = PeerIdentity(
            noiseKey: AgreementPublicKey(Bytes32(high: 7, low: UInt128(number))),
            signingKey: SigningPublicKey(Bytes32(high: 8, low: UInt128(number))), nickname: "n\(number)")
        identity.isSigningKeyAuthenticated = isProved
        return identity
    }

    private func peer(_ identity: PeerIdentity) -> PeerID { PeerID(of: identity.noiseKey, using: cryptography) }

    private func store(_ node: Node<NativeCryptography>, _ identities: [PeerIdentity])
        -> KnownIdentities<NativeCryptography>
    {
        KnownIdentities(
            identities, links: node.links, ports: node.ports, counters: node.counters, cryptography: cryptography)
    }

    @Test("the one not heard of for longest goes, those that a session proved last")
    func capacity() throws {
        let node = try #require(world.addNode("alice").node)
        let capacity = UInt64(KnownIdentities<NativeCryptography>.capacity)
        let proved = (0..<10).map { identity($0, isProved: true) }
        let others = (10..<capacity).map { identity($0) }
        let link = LinkID(rawValue: 1)
        let store = store(node, proved + others)
        #expect(store.count == Int(capacity))
        // This one announces itself again.
        store.keep(others[0], of: peer(others[0]), on: link)
        for number in capacity..<capacity + 20 {
            let new = identity(number, isProved: true)
            store.keep(new, of: peer(new), on: link)
        }
        #expect(store.count == Int(capacity))
        #expect(proved.allSatisfy { store[peer($0)] != nil })
        #expect(store[peer(others[0])] != nil)
        #expect((1...20).allSatisfy { store[peer(others[$0])] == nil })
        #expect(store[peer(others[21])] != nil)
    }

    @Test("a link that floods identities leaves other links their pins, also after it came again and again")
    func budgets() throws {
        let node = try #require(world.addNode("alice").node)
        let store = store(node, [])
        func link(_ number: UInt64) -> LinkID {
            let id = LinkID(rawValue: number)
            _ = node.links.insert(
                LinkDescription(id: id, frameLimit: 512, isOutgoing: false, name: ""), tag: 1, at: world.time.now)
            return id
        }
        func keep(_ numbers: Range<UInt64>, on link: LinkID) -> Int {
            let before = store.count
            for number in numbers { store.keep(identity(number), of: peer(identity(number)), on: link) }
            return store.count - before
        }
        #expect(keep(0..<1000, on: link(1)) == 200)
        #expect(keep(1000..<1050, on: link(2)) == 50)
        #expect(keep(2000..<6000, on: link(3)) == 200)
        for number in 4...8 as ClosedRange<UInt64> {
            _ = keep(number * 10_000..<number * 10_000 + 300, on: link(number))
        }
        #expect(store.count == 1000)
        // Whoever proves his key in a session is pinned in any case.
        let proved = identity(99_999, isProved: true)
        store.keep(proved, of: peer(proved), on: link(9))
        #expect(store[peer(proved)] != nil)
    }
}
