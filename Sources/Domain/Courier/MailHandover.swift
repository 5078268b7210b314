/// What an announce lets us do with the mail that we carry.
///
/// A recorded announce can be played back, on any link and with any TTL. So an envelope leaves us for good only on a link
/// whose far end has proved by a Noise handshake that it is the recipient; everything else is a guess, which costs a flood
/// now and then and nothing more.
///
/// Source: spec, store-and-forward §3.7.
public struct MailHandover: Hashable, Sendable {
    /// How mail goes to the peer that the announce is of.
    public enum Way: Hashable, Sendable {
        /// Over the link that proved it, once and for all.
        case direct
        /// As a flooded copy; ours stays.
        case remote
        /// Not at all.
        case none
    }

    /// Where the Noise session with the announcing peer stands.
    public enum Session: Hashable, Sendable {
        /// There is none.
        case none
        /// A handshake is under way.
        case handshaking
        /// It stands.
        case established
    }

    /// An announce, as it is seen after the link it came on may have been bound anew.
    public struct Announce: Hashable, Sendable {
        /// Whether its signature and its keys were accepted.
        public let isVerified: Bool
        /// Whether it looks as if it had not been relayed: not signed, and so no proof.
        public let isDirect: Bool
        /// Where the session with the peer stands.
        public let session: Session
        /// Whether the link it came on is bound to the peer and has completed a handshake with it.
        public let isLinkProved: Bool
        /// Whether any other link has.
        public let isOtherLinkProved: Bool
        /// Whether the peer is blocked.
        public let isPeerBlocked: Bool

        /// States what is known of an announce.
        public init(
            isVerified: Bool, isDirect: Bool, session: Session, isLinkProved: Bool, isOtherLinkProved: Bool,
            isPeerBlocked: Bool = false
        ) {
            self.isVerified = isVerified
            self.isDirect = isDirect
            self.session = session
            self.isLinkProved = isLinkProved
            self.isOtherLinkProved = isOtherLinkProved
            self.isPeerBlocked = isPeerBlocked
        }
    }

    /// How mail goes to the peer.
    public let way: Way
    /// Whether the peer may have shares of our copies.
    ///
    /// Not a blocked one: it would learn that mail exists. [ours], as for the couriers of our own mail (§1.4).
    public let sprays: Bool
    /// Whether a handshake is to be started, so that a later announce comes on a link that is proved.
    public let startsHandshake: Bool

    /// Decides on an announce.
    ///
    /// - Parameter hasMail: Whether we carry anything.
    public init(for announce: Announce, hasMail: Bool) {
        guard announce.isVerified, hasMail else {
            (way, sprays, startsHandshake) = (.none, false, false)
            return
        }
        let isProved = announce.isDirect && announce.session == .established && announce.isLinkProved
        way = isProved ? .direct : .remote
        // A verified peer is trusted with mail by itself, so there is no tier to ask for.
        sprays = isProved && !announce.isPeerBlocked
        let isSomeLinkProved = announce.isLinkProved || announce.isOtherLinkProved
        startsHandshake = announce.isDirect && !isSomeLinkProved && announce.session == .none
    }
}
