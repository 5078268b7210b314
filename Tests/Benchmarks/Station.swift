import Application
import Domain
import InMemory
import ZlibCompression

/// One node among neighbours that are nothing but links: frames go in, and what comes out is counted.
final class Station<C: Cryptography> {
    let node: Node<C>
    let cryptography: C
    let links: [LinkID]
    /// The true time; equal to the node's.
    var wall: WallTime { clock.wall }
    /// Frames that the node handed to links, and what it dropped, by counter.
    var account: Account {
        let drops = node.report.counters.filter { $0.name.hasPrefix("dropped") }.map { ($0.name, $0.value) }
        return Account(frames: sink.frames, drops: Dictionary(uniqueKeysWithValues: drops))
    }
    /// Peers that the node knows of.
    var knownPeers: Int { node.peers.count }
    private let time = VirtualTime()
    private let clock: NodeClock
    private let sink = CountingLinks()
    private let scheduler: NodeScheduler
    private let dice: SeededRandomness
    private var turn = 0
    private var number = 0

    struct Account {
        let frames: Int
        let drops: [String: UInt64]
    }

    /// A peer that only exists as keys.
    struct Peer {
        let id: PeerID
        let signing: C.Secret
        let announce: Announce
    }

    /// Starts a node with `degree` neighbours, half of them on links that it opened, all of which have announced
    /// themselves.
    init(degree: Int, cryptography: C) {
        self.cryptography = cryptography
        dice = SeededRandomness(seed: 1)
        clock = NodeClock(time)
        scheduler = NodeScheduler(time)
        let secret = { [dice] in cryptography.makeSecret(count: 32, from: dice) }
        node = Node(
            keys: IdentityKeys(noise: secret(), signing: secret(), data: secret()),
            nickname: Nickname(received: "station", normalization: IdentityNormalization()), stored: StoredState(),
            ports: NodePorts(
                clock: clock, scheduler: scheduler, randomness: dice, links: sink, journal: UnreadJournal(),
                files: UnreadFiles(), events: UnreadNotices(), compression: ZlibCompression(),
                normalization: IdentityNormalization()),
            cryptography: cryptography)
        links = (1...degree).map { LinkID(rawValue: UInt64($0)) }
        scheduler.fire = { [unowned node] in node.fired($0) }
        node.start()
        for link in links {
            node.linkUp(
                LinkDescription(
                    id: link, frameLimit: 512, isOutgoing: link.rawValue.isMultiple(of: 2), name: "\(link.rawValue)"))
            if let frame = announce(of: makePeer(), ttl: 7) { node.receive(frame, on: link) }
        }
        pass(.seconds(1))
    }

    /// Lets time pass; timers that are due fire.
    func pass(_ span: Milliseconds) { time.run(for: span) }

    /// Gives the node a frame, on each link in turn.
    func receive(_ frame: [UInt8]) {
        turn = (turn + 1) % links.count
        node.receive(frame, on: links[turn])
    }

    /// Invents a peer.
    func makePeer() -> Peer {
        number += 1
        let noise = cryptography.agreementPublicKey(of: cryptography.makeSecret(count: 32, from: dice))
        let signing = cryptography.makeSecret(count: 32, from: dice)
        return Peer(
            id: PeerID(of: noise, using: cryptography), signing: signing,
            announce: Announce(
                nickname: "peer \(number)", noiseKey: noise.bytes.bytes,
                signingKey: cryptography.signingPublicKey(of: signing).bytes.bytes))
    }

    /// A peer's announce as it is on the air now: direct with a TTL of 7, else as others pass it on.
    func announce(of peer: Peer, ttl: UInt8) -> [UInt8]? {
        peer.announce.encoded.flatMap {
            Packet(type: .announce, ttl: ttl, timestamp: wall, sender: peer.id, payload: $0)
                .signedFrame(padding: false, with: peer.signing, using: cryptography, ZlibCompression())?.frame
        }
    }

    /// A public text of 99 bytes, signed, that will be sent `span` from now.
    func text(by peer: Peer, number: Int, after span: Milliseconds) -> [UInt8]? {
        let text = "\(number)" + String(repeating: " mesh", count: 20)
        return Packet(
            type: .message, ttl: 7, timestamp: wall.adding(span), sender: peer.id, payload: Array(text.utf8.prefix(99))
        ).signedFrame(padding: false, with: peer.signing, using: cryptography, ZlibCompression())?.frame
    }
}

/// Links that take everything.
private final class CountingLinks: LinkLayer {
    private(set) var frames = 0

    func send(_ frame: [UInt8], on link: LinkID) -> SendOutcome {
        frames += 1
        consume(frame.count)
        return .accepted
    }

    func close(_ link: LinkID) {}
}

/// A journal that numbers appends and keeps none, so that what is measured is the node.
private final class UnreadJournal: Journal {
    private var count: UInt64 = 0

    func append(_ changes: [JournalChange]) -> CommitID {
        count += 1
        return CommitID(rawValue: count)
    }
}

private final class UnreadFiles: FileStore {
    func store(_ content: [UInt8], name: String, category: FileCategory) -> FileTicket { FileTicket(rawValue: 1) }
}

private final class UnreadNotices: EventSink {
    func emit(_ notice: Notice) {}
}
