/// What is left of the copies of an envelope that is no longer in the store.
///
/// Kept for the rest of the envelope's life when copies of it had been given away. Without it, an envelope that was
/// delivered or had to make room and is brought once more, say by a replay, would have all its copies again, while others
/// carry those that we gave them.
///
/// [ours]: the reference forgets, so that the number of copies grows. It changes nothing on the wire.
public struct SpentMail: Hashable, Sendable {
    /// The envelope.
    public let id: CarriedMailID
    /// The copies that were left when it went.
    public let budget: SprayBudget
    /// Who had got copies.
    public let sprayedTo: [AgreementPublicKey]
    /// The envelope's expiry: then nobody carries a copy any more.
    public let expiry: WallTime

    /// Gathers what a record says.
    public init(id: CarriedMailID, budget: SprayBudget, sprayedTo: [AgreementPublicKey], expiry: WallTime) {
        self.id = id
        self.budget = budget
        self.sprayedTo = CarriedMail.united([], sprayedTo)
        self.expiry = expiry
    }

    /// What to remember of a mail that goes; `nil` when no copy of it was given away.
    init?(_ mail: CarriedMail) {
        guard !mail.sprayedTo.isEmpty else { return nil }
        self.init(id: mail.id, budget: mail.budget, sprayedTo: mail.sprayedTo, expiry: mail.envelope.expiry)
    }

    /// Puts what is known from two lives of the same envelope together.
    func merged(with other: SpentMail) -> SpentMail {
        SpentMail(
            id: id, budget: min(budget, other.budget), sprayedTo: CarriedMail.united(sprayedTo, other.sprayedTo),
            expiry: max(expiry, other.expiry))
    }
}
