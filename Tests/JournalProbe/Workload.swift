import Application
import Domain

/// What the probe appends: numbered groups that a test can work out again.
///
/// Each group logs an event with its number, pins a peer, and puts or removes pairs of entries that only ever change
/// together.
enum Workload {
    /// Peers that take turns, so that each is overwritten again and again.
    static let peerCount: UInt64 = 97
    /// Entries that change together.
    static let pairs = stride(from: 0, to: Metric.allCases.count - 1, by: 2).map {
        (Metric.allCases[$0], Metric.allCases[$0 + 1])
    }

    /// The changes of a group, the event in their middle.
    static func group(_ number: UInt64) -> [JournalChange] {
        var changes: [JournalChange] = []
        var dice = mix(number)
        for (index, (first, second)) in pairs.enumerated() {
            if index == pairs.count / 2 { changes += [.event(event(number)), .identity(identity(number))] }
            let roll = dice % 8
            dice /= 8
            switch roll {
            case 0...2: changes += [.put(.metric(first, number)), .put(.metric(second, number))]
            case 3: changes += [first, second].map { .remove(Record.metric($0, 0).key) }
            default: break
            }
        }
        return changes
    }

    /// Scatters a number over 64 bits (the finalizer of SplitMix64).
    static func mix(_ number: UInt64) -> UInt64 {
        var bits = number &* 0x9E37_79B9_7F4A_7C15
        bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
        return bits ^ (bits >> 31)
    }

    /// Now and then one that needs many pages.
    private static func event(_ number: UInt64) -> Event {
        .publicMessage(
            ChatMessage(
                id: String(number), sender: PeerID(rawValue: number), senderName: "probe",
                text: String(repeating: "x", count: number.isMultiple(of: 100) ? 20_000 : 200),
                sentAt: WallTime(milliseconds: number), receivedAt: WallTime(milliseconds: number), isOwn: false))
    }

    private static func identity(_ number: UInt64) -> PeerIdentity {
        PeerIdentity(
            noiseKey: AgreementPublicKey(Bytes32(high: 1, low: UInt128(number % peerCount))), signingKey: nil,
            nickname: String(number))
    }
}

/// What a database must hold when certain groups are durable.
struct Replica {
    private var change = 0
    private var identitiesByKey: [AgreementPublicKey: (change: Int, value: PeerIdentity)] = [:]
    private var recordsByKey: [RecordKey: (change: Int, value: Record)] = [:]

    /// Takes over a whole group.
    mutating func take(_ number: UInt64) {
        for entry in Workload.group(number) {
            change += 1
            switch entry {
            case .event: break
            case .identity(let identity): identitiesByKey[identity.noiseKey] = (change, identity)
            case .put(let record): recordsByKey[record.key] = (change, record)
            case .remove(let key): recordsByKey[key] = nil
            }
        }
    }

    /// The peers in the order of their last changes.
    var identities: [PeerIdentity] { identitiesByKey.values.sorted { $0.change < $1.change }.map(\.value) }
    /// The entries in the order of their last changes.
    var records: [Record] { recordsByKey.values.sorted { $0.change < $1.change }.map(\.value) }
}
