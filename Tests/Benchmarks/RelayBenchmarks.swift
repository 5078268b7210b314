import Application
import Domain
import InMemory
import NativeCryptography

/// The whole way of a frame through a node that relays: received, judged, scheduled, and, when its time has come, handed
/// to the links. Links take everything, the clock is virtual.
struct RelayBenchmarks {
    let harness: Harness
    private let cryptography = NativeCryptography()
    /// Between two packets: few enough on each link for every budget, and a run that ends before peers are forgotten.
    private static let pause: Milliseconds = 5
    private static let calls = 2000
    /// Who speaks: so many that nobody speaks more often than once a second.
    private static let signers = 200

    /// Prints all lines.
    func run() {
        for degree in [8, 200] {
            unverified(degree: degree)
            verified(degree: degree)
        }
        duplicates()
        knownPeers()
    }

    // MARK: Degree

    /// A packet whose signature nobody checks: a sealed group message.
    private func groupMessage(at time: WallTime) -> [UInt8] {
        let packet = Packet(
            type: .groupMessage, ttl: 7, timestamp: time, sender: PeerID(rawValue: 1),
            payload: [UInt8](repeating: 0x5A, count: 99), signature: Signature([UInt8](repeating: 1, count: 64)))
        return packet.encoded(padding: false, using: NoCompression()) ?? []
    }

    private func unverified(degree: Int) {
        let station = Station(degree: degree, cryptography: cryptography)
        let template = groupMessage(at: station.wall)
        let before = station.framesSent
        var packets = 0
        let payload = [UInt8](repeating: 0x5A, count: 99)
        let hash = Harness.Part("SHA-256 of 99 B", times: 1) { _ in
            consume(Int(truncatingIfNeeded: cryptography.sha256(payload.span).low))
        }
        harness.compare("relay to \(degree) links, unverified", with: [hash]) { _ in
            station.pass(Self.pause)
            station.receive(template.stamped(station.wall))
            packets += 1
        }
        tell(station, frames: station.framesSent - before, packets: packets)
    }

    private func verified(degree: Int) {
        let station = Station(degree: degree, cryptography: cryptography)
        let nanoseconds = time(station, signers: announced(Self.signers, to: station))
        let (message, key, signature) = signedBytes()
        let verify = harness.nanoseconds { _ in
            consume(cryptography.verify(signature, of: message.span, by: key) ? 1 : 0)
        }
        harness.report(
            "relay to \(degree) links, public message", nanoseconds, raw: verify, of: "Ed25519 verify 256 B")
        if degree == 8 { harness.report("Ed25519 verify 256 B", verify) }
    }

    private func signedBytes() -> ([UInt8], SigningPublicKey, Signature) {
        let seed = cryptography.importSecret([UInt8](repeating: 3, count: 32).span)
        let message = [UInt8](repeating: 7, count: 256)
        return (message, cryptography.signingPublicKey(of: seed), cryptography.sign(message.span, with: seed))
    }

    /// Says what a line was measured on, so that a node that drops everything does not look fast.
    private func tell<C>(_ station: Station<C>, frames: Int, packets: Int) {
        let perPacket = (Double(frames) / Double(max(packets, 1)) * 10).rounded() / 10
        let drops = station.node.report.counters.filter { $0.name.hasPrefix("dropped") && $0.value > 0 }
        print("    \(perPacket) frames out per packet in" + drops.map { "; \($0.name) \($0.value)" }.joined())
    }

    // MARK: Duplicates

    private func duplicates() {
        let station = Station(degree: 8, cryptography: cryptography)
        let frame = groupMessage(at: station.wall)
        station.receive(frame)
        harness.report(
            "a copy of a packet, dropped at ingress", harness.nanoseconds { _ in station.receive(frame) })
    }

    // MARK: Known peers

    /// Announces peers by way of others; answers the last of them.
    private func announced<C>(
        _ count: Int, to station: Station<C>, keeping kept: Int = Self.signers
    ) -> [Station<C>.Peer] {
        var last: [Station<C>.Peer] = []
        for number in 0..<count {
            let peer = station.makePeer()
            if let frame = station.announce(of: peer, ttl: 5) { station.receive(frame) }
            station.pass(5)
            if number >= count - kept { last.append(peer) }
        }
        return last
    }

    /// Nanoseconds for a public message by a known signer.
    private func time<C>(_ station: Station<C>, signers: [Station<C>.Peer]) -> Double {
        guard !signers.isEmpty else { return 0 }
        var frames: [[UInt8]] = []
        for number in 0..<Harness.runs * Self.calls {
            let after = Milliseconds(Self.pause.count * Int64(number + 1))
            if let frame = station.text(by: signers[number % signers.count], number: number, after: after) {
                frames.append(frame)
            }
        }
        let before = station.framesSent
        var next = 0
        let result = harness.nanoseconds(calls: Self.calls) { _ in
            station.pass(Self.pause)
            station.receive(frames[next])
            next += 1
        }
        tell(station, frames: station.framesSent - before, packets: next)
        return result
    }

    /// With the model cryptography, so that the arithmetic of signatures does not hide what tables cost. The two who
    /// speak do so too often for a timeline, which a relay does not care about.
    private func knownPeers() {
        print("known peers; the registry holds \(MeshPolicy.maximumPeers) at most; model cryptography; 8 links")
        for count in [10, 1000, 100_000] {
            let station = Station(degree: 8, cryptography: ModelCryptography())
            let signers = announced(count - 8, to: station, keeping: 2)
            let known = station.knownPeers
            harness.report("\(count) announced, \(known) known: public message", time(station, signers: signers))
            let peers = (0..<Harness.runs * Self.calls / 10).map { _ in station.makePeer() }
            var next = 0
            let announce = harness.nanoseconds(calls: Self.calls / 10) { _ in
                station.pass(Self.pause)
                if let frame = station.announce(of: peers[next], ttl: 5) { station.receive(frame) }
                next += 1
            }
            harness.report("    announce of one more, made and taken", announce)
        }
    }
}

extension [UInt8] {
    /// A frame with another timestamp.
    fileprivate func stamped(_ time: WallTime) -> [UInt8] {
        var frame = self
        for index in 0..<8 { frame[3 + index] = UInt8(truncatingIfNeeded: time.milliseconds >> (56 - 8 * index)) }
        return frame
    }
}
