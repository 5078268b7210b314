/// The messages that were opened out of envelopes lately, so that the copies of one message show once.
///
/// The copies of a message differ in their ciphertexts, so only what is inside tells. A message is named by its sender's
/// key, which the seal proves, and its identifier, which the sender chose.
///
/// [ours], REF-GAP: the reference looks at the identifier alone, and before it looks whether the sender is blocked, so that
/// anybody who knows a message's identifier can keep it from being shown.
///
/// Source: spec, store-and-forward §3.8 steps 3 and 4.
public struct OpenedMail: Sendable {
    /// Names a message.
    public struct Key: Hashable, Sendable {
        /// The sender's Noise static key.
        public let sender: AgreementPublicKey
        /// The sender's identifier of the message.
        public let message: MessageID

        /// Names a message.
        public init(sender: AgreementPublicKey, message: MessageID) {
            self.sender = sender
            self.message = message
        }
    }

    /// What to do with a message.
    public enum Admission: Hashable, Sendable {
        /// Deliver it. It is remembered now; the one that made room, if any, is forgotten.
        case new(forgotten: Key?)
        /// Drop it: it was delivered.
        case known
        /// Drop it: its sender is blocked. It is not remembered, and will be new when the block is lifted.
        case blocked
    }

    /// In the order in which they were first opened: a repetition does not make a message younger.
    private var order = RecencyOrder<Key>()
    private let capacity: Int

    /// Starts empty.
    ///
    /// - Parameter capacity: Messages remembered.
    public init(capacity: Int = CourierPolicy.openedMemory) { self.capacity = capacity }

    /// Messages remembered.
    public var count: Int { order.count }

    /// Whether a message is remembered.
    public func contains(_ key: Key) -> Bool { order.contains(key) }

    /// Judges a message that was opened, and remembers it if it is new.
    public mutating func admit(_ key: Key, isBlocked: Bool) -> Admission {
        if isBlocked { return .blocked }
        if order.contains(key) { return .known }
        return .new(forgotten: insert(key))
    }

    /// Forgets a message that could not be delivered after all; its next copy is new.
    ///
    /// - Returns: Whether it was remembered.
    public mutating func forget(_ key: Key) -> Bool { order.remove(key) }

    /// Remembers what records say, the oldest first.
    ///
    /// - Returns: Those that there is no room for: the oldest.
    public mutating func restore(_ keys: some Sequence<Key>) -> [Key] {
        keys.compactMap { order.contains($0) ? nil : insert($0) }
    }

    private mutating func insert(_ key: Key) -> Key? {
        order.touch(key)
        return order.count > capacity ? order.removeOldest() : nil
    }
}
