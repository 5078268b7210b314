import Domain
import Support
import Testing

@Suite("What an announce lets us hand over")
struct MailHandoverTests {
    @Test("vectors", arguments: Vectors.cases("staircase", op: "announce"))
    func vector(_ vector: VectorCase) throws {
        let input = vector.input
        let flag: (String) throws -> Bool = { try Pouch.flag(input, $0) }
        let session: MailHandover.Session =
            switch try input.text("session") {
            case "none": .none
            case "handshaking": .handshaking
            case "established": .established
            case let other: throw VectorFault(description: "unknown session \(other)")
            }
        let ttl: UInt8 = try input.number("ttl")
        let isBound = try flag("link_bound_to_sender")
        let announce = MailHandover.Announce(
            isVerified: try flag("verified"), isDirect: ttl == MeshPolicy.originTTL, session: session,
            isLinkProved: try flag("link_proved") && isBound, isOtherLinkProved: try flag("other_link_proved"))
        let handover = MailHandover(for: announce, hasMail: try !flag("store_empty"))
        let way =
            switch handover.way {
            case .direct: "direct"
            case .remote: "remote"
            case .none: "none"
            }
        vector.expect(
            .object([
                "handover": .string(way), "spray": .bool(handover.sprays),
                "start_handshake": .bool(handover.startsHandshake),
            ]))
    }

    @Test("an announce that is not verified moves no mail and starts no handshake, whatever else holds")
    func unverified() {
        for session in [MailHandover.Session.none, .handshaking, .established] {
            for isProved in [true, false] {
                let announce = MailHandover.Announce(
                    isVerified: false, isDirect: true, session: session, isLinkProved: isProved,
                    isOtherLinkProved: isProved)
                let handover = MailHandover(for: announce, hasMail: true)
                #expect(handover.way == .none && !handover.sprays && !handover.startsHandshake)
            }
        }
    }

    @Test("mail leaves for good only on the very link that proved the peer, with a session that stands")
    func proof() {
        for isDirect in [true, false] {
            for session in [MailHandover.Session.none, .handshaking, .established] {
                for (isLinkProved, isOtherLinkProved) in [(true, false), (false, true), (false, false)] {
                    let announce = MailHandover.Announce(
                        isVerified: true, isDirect: isDirect, session: session, isLinkProved: isLinkProved,
                        isOtherLinkProved: isOtherLinkProved)
                    let handover = MailHandover(for: announce, hasMail: true)
                    let isProved = isDirect && session == .established && isLinkProved
                    #expect(handover.way == (isProved ? .direct : .remote))
                    #expect(handover.sprays == isProved)
                }
            }
        }
    }

    @Test("[ours] a blocked peer gets the mail that is for it, and no copies of other mail")
    func blocked() {
        let announce = MailHandover.Announce(
            isVerified: true, isDirect: true, session: .established, isLinkProved: true, isOtherLinkProved: false,
            isPeerBlocked: true)
        let handover = MailHandover(for: announce, hasMail: true)
        #expect(handover.way == .direct && !handover.sprays)
    }
}
