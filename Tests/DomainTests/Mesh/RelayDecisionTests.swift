import Domain
import Testing

@Suite("Relay decision")
struct RelayDecisionTests {
    private static let localPeer = PeerID(rawValue: 0x1111)
    private static let somebody = PeerID(rawValue: 0x2222)
    private static let allTypes = (0...255).map { MessageType(rawValue: UInt8($0)) }
    /// Row 5.
    private static let directedTypes: [MessageType] = [.noiseEncrypted, .courierEnvelope, .ping, .pong, .nostrCarrier]

    private func decide(
        _ type: MessageType, ttl: UInt8 = 7, to recipient: PeerID? = nil, degree: Int,
        sender: PeerID = PeerID(rawValue: 0x3333), payload: [UInt8] = []
    ) -> RelayDecision? {
        let packet = Packet.sample(type: type, ttl: ttl, sender: sender, recipient: recipient, payload: payload)
        return RelayDecision(of: packet, payload: payload[...], localPeer: Self.localPeer, degree: degree)
    }

    // MARK: Rows 1 and 2

    @Test("a sync request stays where it is, whatever TTL it claims", arguments: [1, 2, 7, 200, 255] as [UInt8])
    func requestSync(ttl: UInt8) {
        for recipient in [nil, Self.somebody, .broadcast] {
            #expect(decide(.requestSync, ttl: ttl, to: recipient, degree: 1) == nil)
        }
    }

    @Test("a packet without a hop left ends here", arguments: [0, 1] as [UInt8])
    func spent(ttl: UInt8) {
        for type in Self.allTypes {
            for degree in [0, 2, 3, 6, 10] {
                #expect(decide(type, ttl: ttl, degree: degree) == nil)
                #expect(decide(type, ttl: ttl, to: Self.somebody, degree: degree) == nil)
            }
        }
    }

    @Test("neither our own packets nor those for us are passed on")
    func own() {
        for type in Self.allTypes {
            #expect(decide(type, degree: 1, sender: Self.localPeer) == nil)
            #expect(decide(type, to: Self.localPeer, degree: 1) == nil)
        }
    }

    @Test("all else but a sync request is passed on, unknown types too")
    func others() {
        for type in Self.allTypes where type != .requestSync {
            for degree in [0, 2, 3, 5, 6, 9, 10, 200] {
                #expect(decide(type, ttl: 2, degree: degree)?.ttl == 1)
                #expect(decide(type, ttl: 2, to: Self.somebody, degree: degree)?.ttl == 1)
            }
        }
    }

    // MARK: Rows 3 to 6

    @Test("handshakes hurry over the full distance, with a recipient or without", arguments: [0, 3, 6, 12])
    func handshake(degree: Int) {
        for recipient in [nil, Self.somebody, .broadcast] {
            let decision = decide(.noiseHandshake, to: recipient, degree: degree)
            #expect(decision?.ttl == 6)
            #expect(decision?.delay == 10...35)
        }
    }

    @Test("directed traffic goes the full distance in any crowd", arguments: [0, 3, 6, 12])
    func directed(degree: Int) {
        for type in Self.directedTypes + [.fragment] {
            let decision = decide(type, to: Self.somebody, degree: degree)
            #expect(decision?.ttl == 6)
            #expect(decision?.delay == 20...60)
        }
    }

    @Test("without a recipient the directed types are broadcasts", arguments: directedTypes)
    func undirected(type: MessageType) {
        #expect(decide(type, degree: 4)?.ttl == 5)
        #expect(decide(type, degree: 4)?.delay == 60...150)
        #expect(decide(type, degree: 8)?.ttl == 4)
    }

    @Test("eight FF bytes count as a recipient", arguments: directedTypes + [.fragment])
    func everyone(type: MessageType) {
        #expect(decide(type, to: .broadcast, degree: 8)?.ttl == 6)
        #expect(decide(type, to: .broadcast, degree: 8)?.delay == 20...60)
    }

    @Test(
        "floods of fragments and voice are cut short where it is dense",
        arguments: [
            (2, 5, 1), (7, 5, 6), (255, 0, 6), (2, 6, 1), (4, 6, 3), (5, 6, 4), (6, 6, 4), (7, 6, 4), (7, 30, 4),
        ]
            as [(UInt8, Int, UInt8)])
    func media(ttl: UInt8, degree: Int, expected: UInt8) {
        for type in [MessageType.fragment, .voiceFrame] {
            #expect(decide(type, ttl: ttl, degree: degree)?.ttl == expected)
            #expect(decide(type, ttl: ttl, degree: degree)?.delay == 8...25)
        }
        // A voice frame has no directed form.
        #expect(decide(.voiceFrame, ttl: ttl, to: Self.somebody, degree: degree)?.ttl == expected)
    }

    // MARK: Row 7

    /// The new TTL for a TTL of 2, 3, 4, 5, 6, 7 and 8.
    @Test(
        "a broadcast's TTL by the number of neighbours",
        arguments: [
            (0...2, [1, 2, 3, 4, 5, 6, 6], [1, 2, 3, 4, 5, 6, 6]),
            (3...5, [1, 2, 3, 4, 5, 5, 5], [1, 2, 3, 4, 5, 6, 6]),
            (6...20, [1, 2, 3, 4, 4, 4, 4], [1, 2, 3, 4, 4, 4, 4]),
        ] as [(ClosedRange<Int>, [UInt8], [UInt8])])
    func broadcast(degrees: ClosedRange<Int>, ordinary: [UInt8], urgent: [UInt8]) {
        for degree in degrees {
            for ttl in 2...8 {
                let (ttl, index) = (UInt8(ttl), ttl - 2)
                #expect(decide(.message, ttl: ttl, degree: degree)?.ttl == ordinary[index])
                #expect(decide(.message, ttl: ttl, to: .broadcast, degree: degree)?.ttl == ordinary[index])
                #expect(decide(.boardPost, ttl: ttl, degree: degree)?.ttl == ordinary[index])
                #expect(decide(.announce, ttl: ttl, degree: degree)?.ttl == urgent[index])
                #expect(decide(.boardPost, ttl: ttl, degree: degree, payload: [9, 0, 1, 1])?.ttl == urgent[index])
            }
        }
    }

    @Test(
        "a broadcast waits longer the more could have sent it first",
        arguments: [
            (0, 10...40), (2, 10...40), (3, 60...150), (5, 60...150), (6, 80...180), (9, 80...180), (10, 100...220),
            (500, 100...220),
        ] as [(Int, ClosedRange<Int64>)])
    func delay(degree: Int, expected: ClosedRange<Int64>) {
        for type in [MessageType.message, .announce, .boardPost, MessageType(rawValue: 0x7E), .announceV2] {
            #expect(decide(type, degree: degree)?.delay == expected)
        }
    }

    @Test(
        "the first flag field of one byte says whether a board post is urgent",
        arguments: [
            ([9, 0, 1, 1], true), ([9, 0, 1, 0xFF], true), ([9, 0, 1, 2], false), ([9, 0, 1, 0, 9, 0, 1, 1], false),
            ([9, 0, 1, 1, 9, 0, 1, 0], true), ([9, 0, 2, 1, 1, 9, 0, 1, 1], true), ([1, 0, 1, 0, 9, 0, 1, 1], true),
            ([9, 0, 0, 9, 0, 1, 1], true), ([1, 0, 9, 9, 0, 1, 1], false), ([9, 0, 1], false), ([9, 0], false),
            ([9, 1, 0, 1], false), ([], false),
        ] as [([UInt8], Bool)])
    func urgency(payload: [UInt8], isUrgent: Bool) {
        #expect(decide(.boardPost, degree: 4, payload: payload)?.ttl == (isUrgent ? 6 : 5))
        // Nothing else is looked into.
        #expect(decide(.message, degree: 4, payload: payload)?.ttl == 5)
    }

    // MARK: What holds for every row

    @Test("a copy always has fewer hops left than the packet, at most six, at least one, and waits 8 to 220 ms")
    func bounds() {
        for type in Self.allTypes {
            for ttl in 0...255 {
                for (recipient, degree) in [(nil, 0), (Self.somebody, 1), (nil, 3), (.broadcast, 7), (nil, 12)] {
                    guard let decision = decide(type, ttl: UInt8(ttl), to: recipient, degree: degree) else { continue }
                    #expect(decision.ttl >= 1 && decision.ttl < min(ttl, 7))
                    #expect(decision.delay.lowerBound >= 8 && decision.delay.upperBound <= 220)
                }
            }
        }
    }

    @Test("the examples of spec mesh §29")
    func examples() {
        #expect(decide(.message, ttl: 2, degree: 8)?.ttl == 1)
        #expect(decide(.message, ttl: 200, degree: 4)?.ttl == 5)
        #expect(decide(.announce, ttl: 200, degree: 4)?.ttl == 6)
        #expect(decide(.noiseHandshake, degree: 12)?.delay == 10...35)
        #expect(decide(.fragment, to: .broadcast, degree: 8)?.ttl == 6)
        #expect(decide(.fragment, to: .broadcast, degree: 8)?.delay == 20...60)
        #expect(decide(.nostrCarrier, degree: 4)?.delay == 60...150)
        #expect(decide(.nostrCarrier, to: Self.somebody, degree: 4)?.delay == 20...60)
    }

    @Test(
        "in a thin chain a neighbour's copy cancels nothing",
        arguments: [(0, false), (2, false), (3, true), (40, true)])
    func cancelling(degree: Int, cancels: Bool) {
        #expect(RelayDecision.duplicateCancels(degree: degree) == cancels)
    }
}
