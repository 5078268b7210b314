/// Copies of an envelope that a courier just met may have.
///
/// Source: spec, store-and-forward §3.7 b.
public struct SprayOffer: Hashable, Sendable {
    /// The envelope in the store.
    public let id: CarriedMailID
    /// The courier.
    public let courier: Encounter
    /// The copies offered.
    public let share: SprayBudget
    /// What to send: the envelope, standing for ``share``.
    public let envelope: CourierEnvelope
    /// Tells the envelope from a later one with the same name.
    let serial: UInt64
}
