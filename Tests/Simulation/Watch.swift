import Application
import Domain
import InMemory
import SimulationHash

/// Watches a crowd and notes everything that must never happen.
final class Watch {
    private(set) var violations: [String] = []
    /// Messages and files that arrived, and how many receipts were compared with what the other side kept.
    private(set) var arrivals = 0
    private(set) var receipts = 0
    /// Relayed frames whose ingress was known.
    private(set) var relays = 0

    private unowned let crowd: Crowd
    private var people: [ObjectIdentifier: Person] = [:]
    private var arrived: Set<Arrival> = []
    private var kept: [PeerID: Set<String>] = [:]
    private var final: Set<Arrival> = []
    private var ingress: [FrameKey: LinkID] = [:]
    /// Whole packets by what their pieces repeat of them: a relay cuts what a narrow link cannot carry.
    private var wholes: [PacketKey: LinkID] = [:]

    private struct Arrival: Hashable {
        let person: String
        let life: Int
        let id: String
    }

    private struct FrameKey: Hashable {
        let person: String
        let life: Int
        let digest: Bytes32
    }

    private struct PacketKey: Hashable {
        let person: String
        let life: Int
        let sender: PeerID
        let timestamp: WallTime
        let type: MessageType
    }

    init(_ crowd: Crowd) {
        self.crowd = crowd
        for person in crowd.world.members { people[ObjectIdentifier(person.endpoint)] = person }
        crowd.logged = { [unowned self] in logged($1.event, by: $0) }
        crowd.received = { [unowned self] in received($1, on: $2, by: $0) }
        crowd.sent = { [unowned self] in sent($0) }
    }

    // MARK: Events

    private func logged(_ event: Event, by person: Person) {
        switch event {
        case .publicMessage(let message) where !message.isOwn: arrive(message.id, "public message", person)
        case .file(let file): arrive(file.id, "file", person)
        case .privateMessage(let message) where !message.isOwn:
            arrive(message.id, "private message", person)
            kept[person.id, default: []].insert(message.id)
        case .status(let change): judge(change, by: person)
        default: break
        }
    }

    private func arrive(_ id: String, _ kind: String, _ person: Person) {
        arrivals += 1
        let life = crowd.life(of: person)
        if !arrived.insert(Arrival(person: person.name, life: life, id: id)).inserted {
            violations.append("\(person.name) was given the \(kind) \(id) twice in one life")
        }
    }

    private func judge(_ change: MessageStatusChange, by person: Person) {
        guard let peer = change.peer else { return }
        let message = Arrival(person: person.name, life: crowd.life(of: person), id: change.id)
        switch change.status {
        case .delivered, .read:
            receipts += 1
            final.insert(message)
            if kept[peer]?.contains(change.id) != true {
                violations.append("\(person.name) holds a receipt for \(change.id) that its receiver did not keep")
            }
        case .sending, .sent, .carried, .partiallySent, .failed:
            if final.contains(message) {
                violations.append("\(change.id) of \(person.name) was delivered and then \(change.status)")
            }
        }
    }

    // MARK: Frames

    private func received(_ frame: [UInt8], on link: LinkID, by person: Person) {
        guard let key = key(of: frame, at: person) else { return }
        // The first link counts: a copy that comes later on another one does not change where the packet came from.
        if ingress[key] == nil { ingress[key] = link }
        guard let view = PacketView(frame) else { return }
        let whole = PacketKey(
            person: person.name, life: crowd.life(of: person), sender: view.sender, timestamp: view.timestamp,
            type: view.type)
        if wholes[whole] == nil { wholes[whole] = link }
    }

    /// The link on which the packet came whole that this frame is a piece of, if it is one that the relay cut itself.
    private func ingress(ofPiece view: PacketView, at person: Person) -> LinkID? {
        guard view.type == .fragment, let piece = FragmentHeader(view.payloadSection) else { return nil }
        return wholes[
            PacketKey(
                person: person.name, life: crowd.life(of: person), sender: view.sender, timestamp: view.timestamp,
                type: piece.originalType)]
    }

    private func sent(_ frame: FrameInFlight) {
        guard let person = people[ObjectIdentifier(frame.sender)],
            let view = PacketView(frame.bytes), view.sender != person.id,
            let key = key(of: frame.bytes, at: person)
        else { return }
        guard let first = ingress[key] ?? ingress(ofPiece: view, at: person) else {
            violations.append("\(person.name) sent a frame of \(view.sender) that it never received")
            return
        }
        relays += 1
        if first == frame.senderLink {
            violations.append("\(person.name) sent a frame of \(view.sender) back on the link that it came on")
        }
    }

    /// A frame without what relays may change: its TTL, and padding that is no padding.
    private func key(of frame: [UInt8], at person: Person) -> FrameKey? {
        guard let view = PacketView(frame) else { return nil }
        var bytes = Array(frame[..<view.end])
        bytes[2] = 0
        return FrameKey(
            person: person.name, life: crowd.life(of: person), digest: ModelCryptography().sha256(bytes.span))
    }
}
