/// The tunables of couriers. Source: spec, store-and-forward §3.1, unless a line says otherwise.
public struct CourierPolicy: Sendable {
    /// The longest ciphertext of an envelope, in bytes: couriers carry text.
    public static let maximumCiphertextLength = 16_384
    /// How long a sender lets an envelope live: as long as a message stays in the outbox.
    public static let maximumLifetime: Milliseconds = .seconds(86_400)
    /// How much more than ``maximumLifetime`` a deposit may ask for: the depositor's clock may be ahead of ours.
    public static let expirySlack: Milliseconds = .seconds(3_600)

    /// The most copies that an envelope may claim: caps what a hostile depositor makes of us.
    public static let maximumCopies: UInt8 = 8
    /// The copies that a sender gives each courier: spread over a crowd that moves.
    public static let initialCopies: UInt8 = 4
    /// The most couriers that are remembered for one envelope.
    ///
    /// [ours]: a budget of eight can be halved three times, so three are enough for one life; two records of one envelope
    /// that are put together may have more.
    public static let maximumSprays = 8

    /// Envelopes carried at once: a node is no public mailbag.
    public static let slots = 40
    /// Of those, how many may come from peers who are merely verified: strangers cannot crowd out friends.
    public static let verifiedSlots = 20
    /// Envelopes carried for one mutual favorite: one friend cannot fill the store.
    public static let favoriteQuota = 5
    /// Envelopes carried for one verified peer.
    public static let verifiedQuota = 2

    /// How long an envelope is not flooded again towards a recipient further off.
    public static let remoteHandoverCooldown: Milliseconds = .seconds(600)
    /// How long a held envelope is not published again over the bridge: the relays have it.
    public static let bridgePublishCooldown: Milliseconds = .seconds(1_800)

    /// Opened messages remembered: copies of one message differ in their ciphertexts.
    public static let openedMemory = 512
    /// Envelopes remembered that left the store after copies of them were given away.
    ///
    /// [ours]: see ``SpentMail``. An envelope that was sprayed takes up a place for the rest of its day at most; this is a
    /// multiple of what a node carries.
    public static let spentMemory = 256
}
