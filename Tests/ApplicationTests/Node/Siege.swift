import Domain
import InMemory
import NativeCryptography
import Testing

@testable import Application

/// Two honest members who talk through a hub, over links as slow as a radio, beside somebody hostile on a fast one.
final class Siege {
    /// What a good radio link carries.
    static let radio = LinkProfile(latency: 1...5, bytesPerSecond: 60_000, queueLimit: 4096, frameLimit: 512)
    /// How long a message may be on its way through a hub under attack.
    static let patience: Milliseconds = .seconds(2)

    let world = RealWorld.real()
    let hub: RealMember
    let alice: RealMember
    let bob: RealMember
    let hostile: Stranger
    let dice = SeededRandomness(seed: 0x5E)
    /// Frames that the hub sent to the honest members.
    private(set) var framesToHonest = 0
    /// How long the floods lasted in all, in seconds.
    private(set) var floodedSeconds = 0
    private var publicTexts: [String] = []
    private var privateTexts: [String] = []
    private var confidences: [String] = []
    private var late: [String] = []

    init() throws {
        (hub, alice, bob) = (world.addNode("hub"), world.addNode("alice"), world.addNode("bob"))
        hostile = Stranger(world, seed: 13)
        _ = world.connect(alice, hub, Self.radio)
        _ = world.connect(bob, hub, Self.radio)
        _ = hostile.join(hub)
        world.time.run(for: .seconds(3))
        _ = try node(alice).sendPrivate("first", to: bob.id)
        _ = try node(alice).sendPrivate("first", to: hub.id)
        world.time.run(for: .seconds(3))
        try #require(bob.privateTexts == ["first"] && hub.privateTexts == ["first"])
        world.air.tap = { [unowned self] frame in
            if frame.sender === hub.endpoint, frame.receiver !== hostile.endpoint { framesToHonest += 1 }
        }
    }

    func node(_ member: RealMember) throws -> Node<NativeCryptography> { try #require(member.node) }

    /// Floods the hub with frames while the others talk: a public and some private messages a second.
    func flood(_ perSecond: Int, seconds: Int, _ make: (Int) -> [UInt8]?) throws {
        let start = world.time.now
        for number in 0..<perSecond * seconds {
            world.time.run(until: start + Milliseconds(Int64(number) * 1000 / Int64(perSecond)))
            if number % (perSecond / 2) == 0 { try talk(number / (perSecond / 2)) }
            hostile.send(try #require(make(number)))
        }
        world.time.run(until: start + .seconds(Int64(seconds)))
        floodedSeconds += seconds
        world.time.run(for: Self.patience)
    }

    private func talk(_ number: Int) throws {
        let text = "\(floodedSeconds).\(number)"
        if number.isMultiple(of: 2) {
            _ = try node(alice).sendPublic("public \(text)")
            publicTexts.append("public \(text)")
            expect("public \(text)") { [bob] in bob.publicTexts }
        }
        _ = try node(alice).sendPrivate("private \(text)", to: bob.id)
        privateTexts.append("private \(text)")
        expect("private \(text)") { [bob] in bob.privateTexts }
        _ = try node(alice).sendPrivate("to the hub \(text)", to: hub.id)
        confidences.append("to the hub \(text)")
        expect("to the hub \(text)") { [hub] in hub.privateTexts }
    }

    private func expect(_ text: String, _ texts: @escaping () -> [String]) {
        world.time.after(Milliseconds(Self.patience.count - 1)) { [unowned self] in
            if !texts().contains(text) { late.append(text) }
        }
    }

    /// Everything that was said during the floods has arrived, once, in order and in time, and no table is too full.
    func expectPeace() throws {
        #expect(bob.publicTexts == publicTexts)
        #expect(hub.publicTexts.filter { $0.hasPrefix("public ") } == publicTexts)
        #expect(bob.privateTexts == ["first"] + privateTexts)
        #expect(hub.privateTexts == ["first"] + confidences)
        #expect(late.isEmpty)
        for table in try node(hub).tableSizes {
            #expect(table.count <= table.bound, "\(table.name): \(table.count) of \(table.bound)")
        }
        // To each of two: what is passed on within the link's budget, what the honest said, and some announces.
        let relayed = MeshPolicy.relaysPerLink.burst + MeshPolicy.relaysPerLink.refill * Int64(floodedSeconds + 2)
        #expect(framesToHonest <= 2 * Int(relayed) + 60 * (floodedSeconds + 2))
    }

    /// Whether each of the drops was counted at the hub.
    func expectCounted(_ names: CounterName...) {
        for name in names { #expect(hub.counter(name) > 0, "\(name.rawValue)") }
    }

    // MARK: What the hostile neighbour sends

    /// A packet under an invented name, if none is given.
    func packet(
        _ type: MessageType, from sender: PeerID? = nil, to recipient: PeerID? = nil, payload: [UInt8], ttl: UInt8 = 7,
        route: [PeerID] = [], at time: WallTime? = nil
    ) -> Packet {
        Packet(
            version: route.isEmpty ? 1 : 2, type: type, ttl: ttl, timestamp: time ?? hostile.now,
            sender: sender ?? PeerID(rawValue: dice.next()), recipient: recipient, route: route, payload: payload)
    }

    func frame(_ packet: Packet) -> [UInt8]? { packet.encoded(padding: false, using: hostile.compression) }

    /// The packet with a signature that fits nothing.
    func forged(_ packet: Packet) -> [UInt8]? {
        var packet = packet
        packet.signature = Signature(dice.bytes(64))
        return frame(packet)
    }

    /// A valid announce of an identity that is made up for it.
    func announce(ttl: UInt8 = 6) -> [UInt8]? { Invented(dice).announce(at: hostile.now, ttl: ttl).flatMap(frame) }
}

/// An identity that is made up for one announce.
struct Invented {
    private static let cryptography = NativeCryptography()
    let id: PeerID
    private let noiseKey: AgreementPublicKey
    private let signing: NativeCryptography.Secret

    init(_ dice: SeededRandomness) {
        noiseKey = Self.cryptography.agreementPublicKey(of: Self.cryptography.makeSecret(count: 32, from: dice))
        signing = Self.cryptography.makeSecret(count: 32, from: dice)
        id = PeerID(of: noiseKey, using: Self.cryptography)
    }

    /// A signed announce; with a signing key of another to steal the name.
    func announce(
        at time: WallTime, ttl: UInt8, signedBy thief: NativeCryptography.Secret? = nil
    ) -> Packet? {
        let seed = thief ?? signing
        let payload = Announce(
            nickname: "n", noiseKey: noiseKey.bytes.bytes,
            signingKey: Self.cryptography.signingPublicKey(of: seed).bytes.bytes)
        return payload.encoded.flatMap { bytes in
            Packet(type: .announce, ttl: ttl, timestamp: time, sender: id, payload: bytes)
                .signed(with: seed, using: Self.cryptography, NoCompression())
        }
    }
}
