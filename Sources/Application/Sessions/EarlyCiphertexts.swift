import Domain

/// Ciphertexts that came before the handshake's last message; the radio may swap them. Bounded in every direction.
///
/// Source: spec, noise §5.3.
struct EarlyCiphertexts {
    private var packets: [PeerID: [(packet: Inbound, time: Uptime)]] = [:]
    /// Packets kept.
    private(set) var count = 0
    private var bytes = 0

    /// Keeps a packet; `false` when a bound is reached and the newcomer is dropped.
    mutating func insert(_ packet: Inbound, at now: Uptime) -> Bool {
        expire(at: now)
        let size = packet.cost
        guard size <= SessionPolicy.earlyPacketBytes, count < SessionPolicy.earlyInAll,
            bytes + size <= SessionPolicy.earlyBytes, ofLink(packet.link) < SessionPolicy.earlyPerLink,
            (packets[packet.sender]?.count ?? 0) < SessionPolicy.earlyPerPeer
        else { return false }
        packets[packet.sender, default: []].append((packet, now))
        count += 1
        bytes += size
        return true
    }

    /// Takes out everything kept of a peer, in order of arrival.
    mutating func drain(_ peer: PeerID, at now: Uptime) -> [Inbound] {
        expire(at: now)
        guard let kept = packets.removeValue(forKey: peer) else { return [] }
        count -= kept.count
        bytes -= kept.reduce(0) { $0 + $1.packet.cost }
        return kept.map(\.packet)
    }

    /// Packets kept that came on a link; few are kept, so counting them costs next to nothing.
    private func ofLink(_ link: LinkID) -> Int {
        packets.values.reduce(0) { $0 + $1.count { $0.packet.link == link } }
    }

    private mutating func expire(at now: Uptime) {
        for (peer, kept) in packets {
            let fresh = kept.filter { now - $0.time <= SessionPolicy.earlyLifetime }
            guard fresh.count < kept.count else { continue }
            let freshBytes = fresh.reduce(0) { $0 + $1.packet.cost }
            count -= kept.count - fresh.count
            bytes -= kept.reduce(0) { $0 + $1.packet.cost } - freshBytes
            packets[peer] = fresh.isEmpty ? nil : fresh
        }
    }
}
