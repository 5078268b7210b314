import Domain
import Support
import Testing

@Suite("Judging courier packets")
struct DepositJudgementTests {
    private static let us = PeerID(rawValue: 1)
    private static let friend = PeerID(rawValue: 2)
    private static let stranger = PeerID(rawValue: 3)

    /// What is asked of the registry and of cryptography.
    private final class Questions {
        var asked: [String] = []
        func answer<Value>(_ name: String, _ value: Value) -> Value {
            asked.append(name)
            return value
        }
    }

    private func judge(
        from linkPeer: PeerID? = friend, to recipient: PeerID? = us, isAlive: Bool = true, isTagOurs: Bool = false,
        depositor: DepositJudgement.Depositor? = .init(isBlocked: false, isMutualFavorite: true, isVerified: true),
        isSigned: Bool = true, _ questions: Questions = Questions()
    ) -> DepositJudgement {
        DepositJudgement(
            of: .init(sender: Self.friend, recipient: recipient, linkPeer: linkPeer), us: Self.us,
            isAlive: questions.answer("alive", isAlive), isTagOurs: questions.answer("tag", isTagOurs),
            depositor: questions.answer("depositor", depositor), isSigned: questions.answer("signature", isSigned))
    }

    @Test("vectors", arguments: Vectors.cases("staircase", op: "deposit_trust"))
    func vector(_ vector: VectorCase) throws {
        let flag: (String) throws -> Bool = { try Pouch.flag(vector.input, $0) }
        let depositor = DepositJudgement.Depositor(
            isBlocked: false, isMutualFavorite: try flag("mutual_favorite"), isVerified: try flag("verified"))
        let judgement = judge(
            from: try flag("sender_is_link_peer") ? Self.friend : Self.stranger,
            to: try flag("recipient_is_us") ? Self.us : Self.stranger, isAlive: try !flag("expired"),
            isTagOurs: try flag("tag_is_ours"), depositor: try flag("noise_key_known") ? depositor : nil,
            isSigned: try vector.input.text("signature") == "valid")
        vector.expect(described(judgement))
    }

    private func described(_ judgement: DepositJudgement) -> JSONValue {
        let (verdict, tier, reason): (String, String?, String?) =
            switch judgement {
            case .relay: ("relay", nil, nil)
            case .ignore: ("ignore", nil, nil)
            case .open: ("open", nil, nil)
            case .deposit(let tier): ("deposit", tier == .favorite ? "favorite" : "verified", nil)
            case .refuse(let distrust): ("refuse", nil, name(distrust))
            }
        return .object(["verdict": .string(verdict), "tier": .optional(tier), "reason": .optional(reason)])
    }

    private func name(_ distrust: DepositJudgement.Distrust) -> String {
        switch distrust {
        case .senderNotLinkPeer: "sender-not-link-peer"
        case .unknownPeer: "unknown-peer"
        case .blocked: "blocked"
        case .signature: "signature"
        case .untrusted: "untrusted"
        }
    }

    @Test("REF-GAP: nothing is carried for whom the user has blocked, favorite or not", arguments: [true, false])
    func blocked(isMutualFavorite: Bool) {
        let depositor = DepositJudgement.Depositor(
            isBlocked: true, isMutualFavorite: isMutualFavorite, isVerified: true)
        #expect(judge(depositor: depositor) == .refuse(.blocked))
        #expect(judge(isTagOurs: true, depositor: depositor) == .open, "for us, the seal decides on its sender")
    }

    @Test("on a link that is bound to nobody yet, the claimed sender counts")
    func unbound() {
        #expect(judge(from: nil) == .deposit(.favorite))
        #expect(judge(from: nil, isSigned: false) == .refuse(.signature))
        #expect(judge(to: nil) == .relay)
    }

    @Test("the first reason counts, and what costs something is asked for last")
    func order() {
        let questions = Questions()
        #expect(judge(to: Self.stranger, isAlive: false, questions) == .relay)
        #expect(questions.asked.isEmpty)
        #expect(judge(isAlive: false, isTagOurs: true, questions) == .ignore)
        #expect(questions.asked == ["alive"])
        questions.asked = []
        #expect(judge(from: Self.stranger, depositor: nil, isSigned: false, questions) == .refuse(.senderNotLinkPeer))
        #expect(questions.asked == ["alive", "tag"])
        questions.asked = []
        #expect(judge(depositor: nil, isSigned: false, questions) == .refuse(.unknownPeer))
        let nobody = DepositJudgement.Depositor(isBlocked: true, isMutualFavorite: false, isVerified: false)
        #expect(judge(depositor: nobody, isSigned: false, questions) == .refuse(.blocked))
        #expect(!questions.asked.contains("signature"))
        let unknown = DepositJudgement.Depositor(isBlocked: false, isMutualFavorite: false, isVerified: false)
        #expect(judge(depositor: unknown, isSigned: false) == .refuse(.signature))
        #expect(judge(depositor: unknown) == .refuse(.untrusted))
    }

    @Test("mutual favorites come before verified peers, and have more places")
    func tiers() {
        #expect(TrustTier(isMutualFavorite: true, isVerified: false) == .favorite)
        #expect(TrustTier(isMutualFavorite: false, isVerified: true) == .verified)
        #expect(TrustTier(isMutualFavorite: false, isVerified: false) == nil)
        #expect(TrustTier.favorite.quota == 5 && TrustTier.verified.quota == 2)
    }
}
