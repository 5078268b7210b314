import Application
import Domain
import InMemory
import NativeCryptography
import ZlibCompression

/// Somebody on a link who speaks the wire format and keeps no rules: makes packets by hand and hears everything.
final class Stranger {
    let endpoint: Endpoint
    let cryptography = NativeCryptography()
    let compression = ZlibCompression()
    let keys: IdentityKeys<NativeCryptography>
    var heard: [[UInt8]] = []
    private let world: RealWorld
    private(set) var link: LinkID?

    init(_ world: RealWorld, seed: UInt64 = 99) {
        self.world = world
        let dice = SeededRandomness(seed: seed)
        keys = IdentityKeys(
            noise: cryptography.makeSecret(count: 32, from: dice),
            signing: cryptography.makeSecret(count: 32, from: dice),
            data: cryptography.makeSecret(count: 32, from: dice))
        endpoint = world.air.makeEndpoint("stranger")
        endpoint.linkUp = { [weak self] in self?.link = $0.id }
        endpoint.frame = { [weak self] frame, _ in self?.heard.append(frame) }
    }

    /// The identifier that belongs to the stranger's keys.
    var id: PeerID { PeerID(of: cryptography.agreementPublicKey(of: keys.noise), using: cryptography) }

    /// Opens a link to a node.
    func join(_ member: RealMember, _ profile: LinkProfile = LinkProfile(latency: 1...1)) -> Connection {
        let connection = world.air.connect(endpoint, member.endpoint, profile)
        world.time.run(for: 5)
        return connection
    }

    /// The wall clock that the nodes share.
    var now: WallTime { NodeClock(world.time).wall }

    /// Sends bytes as they are.
    func send(_ frame: [UInt8]) {
        guard let link else { return }
        _ = endpoint.send(frame, on: link)
    }

    /// Signs and sends a packet.
    func send(_ packet: Packet, signingWith seed: NativeCryptography.Secret? = nil) {
        guard let signed = packet.signed(with: seed ?? keys.signing, using: cryptography, compression),
            let frame = signed.encoded(padding: false, using: compression)
        else { return }
        send(frame)
    }

    /// An announce of the stranger, or one that wears other keys.
    func announce(
        name: String = "stranger", noiseKey: AgreementPublicKey? = nil, signingKey: SigningPublicKey? = nil,
        sender: PeerID? = nil, ttl: UInt8 = 7, at time: WallTime? = nil
    ) -> Packet {
        let noise = noiseKey ?? cryptography.agreementPublicKey(of: keys.noise)
        let signing = signingKey ?? cryptography.signingPublicKey(of: keys.signing)
        let payload = Announce(
            nickname: name, noiseKey: noise.bytes.bytes, signingKey: signing.bytes.bytes, capabilities: Capabilities())
        return Packet(
            type: .announce, ttl: ttl, timestamp: time ?? now, sender: sender ?? id, payload: payload.encoded ?? [])
    }

    /// A public message of the stranger.
    func message(_ text: String, at time: WallTime? = nil) -> Packet {
        Packet(type: .message, ttl: 7, timestamp: time ?? now, sender: id, payload: Array(text.utf8))
    }
}
