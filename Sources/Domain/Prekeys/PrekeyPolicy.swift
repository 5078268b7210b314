/// The numbers of prekeys, ours and others'. Source: spec, store-and-forward §4.3, §4.4, unless a line says otherwise.
public enum PrekeyPolicy {
    // MARK: Our own

    /// Prekeys that an offer is filled up to: as many as a bundle holds.
    public static let batch = PrekeyOffer.maximumPrekeys
    /// With fewer on offer than this, new ones are made.
    public static let refillBelow = 3
    /// How long a consumed prekey still opens mail, inclusive: the same message comes by several couriers, and two senders
    /// may have picked the same prekey. Forward secrecy begins at its end.
    public static let grace: Milliseconds = .seconds(48 * 3600)
    /// How long a prekey that nobody used is kept, inclusive: no honest sender still seals to it.
    public static let retention: Milliseconds = .seconds(30 * 24 * 3600)
    /// How long a prekey is offered. [ours]: the reference offers it until the day it is deleted, so that mail sealed to the
    /// last offer arrives too late. A sender uses an offer for ``maximumBundleAge`` and its mail travels for a day, so the
    /// offer ends that much before ``retention`` does.
    public static let offerLifetime: Milliseconds = .seconds((30 - 7 - 1) * 24 * 3600)
    /// An offer older than this gets a new date. [ours]: in the reference only consumption moves the date, so who gets no
    /// mail for ``maximumBundleAge`` gets none with forward secrecy ever after. Daily, so that who last heard us yesterday
    /// still has six days.
    public static let refreshAge: Milliseconds = .seconds(24 * 3600)
    /// Consumed prekeys kept at once. [ours]: whoever has our bundle can consume prekeys at will; this is 170 batches in
    /// two days, and less than 512 KiB. The one consumed first goes.
    public static let maximumConsumed = 1_024
    /// Least time between two publications of our bundle, unless one is forced; gossip does the spreading (§4.2).
    public static let publishInterval: Milliseconds = .seconds(3600)

    // MARK: Others'

    /// Owners whose bundle is kept.
    public static let maximumOwners = 200
    /// The oldest offer that new mail is sealed to, inclusive.
    public static let maximumBundleAge: Milliseconds = .seconds(7 * 24 * 3600)
    /// Owners whose bundle waits for their signing key.
    public static let maximumDeferredOwners = 64
    /// Bytes that one waiting packet may hold. [ours]: the longest bundle makes a frame of about 500 bytes, a route 2,000
    /// more; a frame can be a megabyte.
    public static let maximumDeferredCost = 4_096
}
