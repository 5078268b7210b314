import Domain
import InMemory
import Testing

@testable import Application

/// The rows of the table in mesh §2: what becomes of a packet of each type that is not for us.
@Suite("What is passed on, type by type (spec: mesh §2)")
struct RelayRowTests {
    @Test(
        "an announce of the second kind, a prekey bundle, group talk and a carrier go to all like any broadcast",
        arguments: [MessageType.announceV2, .prekeyBundle, .groupMessage, .nostrCarrier])
    func ordinary(type: MessageType) throws {
        let between = Between()
        let frame = try between.unsigned(between.packet(type, payload: [1, 2, 3]))
        #expect(between.passesOn(frame))
        #expect(between.hub.publicTexts.isEmpty)
    }

    private func notice(by author: Stranger, _ text: String = "a notice") throws -> BoardNotice {
        let post = try #require(
            BoardPost(
                id: 7, geohash: "", content: text, nickname: "author", createdAt: author.now,
                expiresAt: author.now.adding(.seconds(60)), flags: 0))
        return BoardNotice(signing: .post(post), with: author.keys.signing, using: author.cryptography)
    }

    @Test("a notice for the board is passed on when it is well formed and its author's signature verifies")
    func board() throws {
        let between = Between()
        let (speaker, counter) = (between.speaker, between.hub.counter)
        let good = try notice(by: speaker)
        #expect(try between.passesOn(between.packet(.boardPost, payload: #require(good.encoded))))

        var malformed = try #require(try notice(by: speaker, "malformed").encoded)
        malformed.removeLast(70)
        #expect(try !between.passesOn(between.packet(.boardPost, payload: malformed)))
        #expect(counter(.droppedMalformedPayload) == 1)

        // Under the speaker's own packet, with the signature of another notice.
        let forged = BoardNotice(
            body: try notice(by: speaker, "forged").body, author: good.author, signature: good.signature)
        #expect(try !between.passesOn(between.packet(.boardPost, payload: #require(forged.encoded))))
        #expect(counter(.droppedBadSignature) == 1)
    }

    @Test("a voice frame is passed on when it is public, fresh and signed by somebody known")
    func voice() throws {
        let between = Between()
        let (speaker, past) = (between.speaker, between.speaker.now.milliseconds)
        func frame(_ number: UInt8, secondsAgo: UInt64 = 0) -> Packet {
            between.packet(.voiceFrame, payload: [number], at: WallTime(milliseconds: past - secondsAgo * 1000))
        }
        #expect(try between.passesOn(frame(1)))
        #expect(try between.passesOn(frame(2, secondsAgo: 29)))
        var addressedToAll = frame(3)
        addressedToAll.recipient = .broadcast
        #expect(try between.passesOn(addressedToAll))

        #expect(try !between.passesOn(frame(4, secondsAgo: 31)))
        for recipient in [between.listener.id, between.hub.id, PeerID(rawValue: 42)] {
            var directed = frame(5)
            directed.recipient = recipient
            #expect(try !between.passesOn(directed))
        }
        let unsigned = try between.unsigned(frame(6))
        #expect(!between.passesOn(unsigned))
        let nobody = Stranger(between.world, seed: 23)
        #expect(try !between.passesOn(frame(7), signedBy: nobody))
        var unknown = frame(8)
        unknown.sender = nobody.id
        #expect(try !between.passesOn(unknown, signedBy: nobody))
        var own = frame(9)
        own.sender = between.hub.id
        #expect(try !between.passesOn(own, signedBy: speaker))
    }

    @Test("a public file is passed on although it cannot be stored here")
    func file() throws {
        let between = Between()
        between.hub.files.failuresToCome = 1
        let file = try #require(
            FilePacket(
                fileName: "a.bin", mimeType: "application/octet-stream", content: SeededRandomness(seed: 2).bytes(300)))
        let packet = between.packet(.fileTransfer, payload: file.encoded)
        let frame = try #require(between.speaker.frame(packet))
        between.speaker.send(frame)
        between.world.time.run(for: .seconds(1))
        #expect(between.hub.counter(.droppedFile) == 1)
        #expect(between.hub.files.contents.isEmpty)
        // A raw file leaves in pieces always.
        let pieces = between.heard(.fragment).compactMap { FragmentHeader($0.payloadSection) }
        #expect(pieces.allSatisfy { $0.originalType == .fileTransfer })
        let rebuilt = PacketView(pieces.sorted { $0.index < $1.index }.flatMap(\.chunk))
        #expect(rebuilt?.sender == between.speaker.id)
        #expect(rebuilt.map { Array($0.payloadSection) } == PacketView(frame).map { Array($0.payloadSection) })
    }

    @Test("a file whose sender cannot be checked is not passed on")
    func unknownFile() throws {
        let between = Between()
        let (nobody, file) = (
            Stranger(between.world, seed: 23),
            try #require(FilePacket(fileName: "a.bin", mimeType: "application/octet-stream", content: [1, 2, 3]))
        )
        var packet = between.packet(.fileTransfer, payload: file.encoded)
        between.speaker.send(packet, signingWith: nobody.keys.signing)
        packet.sender = nobody.id
        between.speaker.send(packet, signingWith: nobody.keys.signing)
        between.world.time.run(for: .seconds(1))
        #expect(between.hub.counter(.droppedBadSignature) == 1)
        #expect(between.hub.counter(.droppedUnknownSigner) == 1)
        #expect(between.heard(.fragment).isEmpty && between.heard(.fileTransfer).isEmpty)
    }

    @Test("on a link that is nobody's a frame is no sign of life of the peer whose name it bears")
    func claimedSender() throws {
        let between = Between()
        let (away, visitor) = (Stranger(between.world, seed: 23), Stranger(between.world, seed: 24))
        between.speaker.send(try #require(away.frame(away.announce(name: "away", ttl: 6))))
        between.world.time.run(for: .seconds(1))
        func lastSeen(_ peer: PeerID) -> Uptime? { between.hub.node?.peers.first { $0.id == peer }?.lastSeen }
        let (before, speakerBefore) = (try #require(lastSeen(away.id)), try #require(lastSeen(between.speaker.id)))
        _ = visitor.join(between.hub)
        visitor.send(try between.unsigned(between.packet(.groupMessage, by: away.id, payload: [1])))
        between.world.time.run(for: 10)
        #expect(lastSeen(away.id) == before)
        // On a link that is bound it is one of the link's peer, whoever wrote it.
        between.speaker.send(try between.unsigned(between.packet(.groupMessage, by: away.id, payload: [2])))
        between.world.time.run(for: 10)
        #expect(lastSeen(away.id) == before)
        #expect(try #require(lastSeen(between.speaker.id)) > speakerBefore)
    }
}

/// The table in mesh §2.1.
@Suite("What is malformed and passed on all the same (spec: mesh §2.1)")
struct MalformedRelayTests {
    private let between = Between()

    /// A fragment's payload: an identifier, the place among so many, the original type, and a piece.
    private func fragment(index: UInt16, of total: UInt16) -> [UInt8] {
        var payload = [UInt8](repeating: 0xAB, count: 8)
        payload.append(bigEndian: index)
        payload.append(bigEndian: total)
        return payload + [MessageType.message.rawValue, 1, 2, 3]
    }

    @Test(
        "a fragment of no message, of too many pieces, or beyond the last one",
        arguments: [(0, 0), (0, 10_001), (2, 2), (3, 2)] as [(UInt16, UInt16)])
    func fragmentNumbers(index: UInt16, total: UInt16) throws {
        let frame = try between.unsigned(between.packet(.fragment, payload: fragment(index: index, of: total)))
        #expect(between.passesOn(frame))
        #expect(between.hub.counter(.droppedFragment) == 1)
    }

    @Test("a fragment whose header is cut short")
    func fragmentLength() throws {
        let payload = Array(fragment(index: 0, of: 2).prefix(12))
        #expect(between.passesOn(try between.unsigned(between.packet(.fragment, payload: payload))))
        #expect(between.hub.counter(.droppedFragment) == 1)
    }

    @Test("28: a ping of eight bytes for somebody else; one for us is not answered", arguments: [0, 8])
    func ping(length: Int) throws {
        let payload = [UInt8](repeating: 7, count: length)
        let other = between.packet(.ping, to: PeerID(rawValue: 42), payload: payload)
        #expect(between.passesOn(try between.unsigned(other)))
        let watch = AirWatch(between.world, of: between.hub)
        between.speaker.send(try between.unsigned(between.packet(.ping, to: between.hub.id, payload: payload)))
        between.world.time.run(for: 100)
        #expect(watch.frames(.pong, by: between.hub.id).isEmpty)
        #expect(between.hub.counter(.droppedMalformedPayload) == 1)
    }

    @Test("28: a ping of twelve bytes is good: it is passed on, or answered")
    func longPing() throws {
        let payload = PingPayload(nonce: 5, originTTL: 7).encoded + [1, 2, 3]
        let other = between.packet(.ping, to: PeerID(rawValue: 42), payload: payload)
        #expect(between.passesOn(try between.unsigned(other)))
        let watch = AirWatch(between.world, of: between.hub)
        between.speaker.send(try between.unsigned(between.packet(.ping, to: between.hub.id, payload: payload)))
        between.world.time.run(for: 100)
        #expect(watch.frames(.pong, by: between.hub.id).map { PingPayload($0.view.payloadSection)?.nonce } == [5])
    }

    @Test("an announce whose field runs past the end, or without a key")
    func announce() throws {
        let payloads: [[UInt8]] = [[1, 200, 65], [1, 2, 65, 66]]
        for payload in payloads { #expect(try between.passesOn(between.packet(.announce, payload: payload))) }
        #expect(between.hub.counter(.droppedMalformedPayload) == 2)
        #expect(between.hub.node?.peers.map(\.nickname).contains("speaker") == true)
    }

    /// What says in the flags that a route follows (spec: packet §2.3).
    private static let routeFlag: UInt8 = 0x08
    private static let flagsOffset = 11

    @Test("a packet of version 2 that has a route of no hops is flooded like one that has none")
    func emptyRoute() throws {
        var packet = between.packet(.ping, to: PeerID(rawValue: 42), payload: [UInt8](repeating: 7, count: 9))
        packet.version = 2
        var frame = try between.unsigned(packet)
        frame[Self.flagsOffset] |= Self.routeFlag
        // The count of hops stands after the recipient.
        frame.insert(0, at: 32)
        #expect(PacketView(frame)?.payloadSection.count == 9)
        #expect(between.passesOn(frame))
        #expect(between.hub.counter(.framesForwarded) == 0)
    }

    @Test("a packet of version 1 that says it has a route has none")
    func routeInVersion1() throws {
        let packet = between.packet(.ping, to: PeerID(rawValue: 42), payload: [UInt8](repeating: 7, count: 9))
        var frame = try between.unsigned(packet)
        frame[Self.flagsOffset] |= Self.routeFlag
        #expect(PacketView(frame)?.payloadSection.count == 9)
        #expect(between.passesOn(frame))
        #expect(between.hub.counter(.framesForwarded) == 0)
    }
}
