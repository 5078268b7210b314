import Domain

/// Names one append; rises with every append of a run.
public struct CommitID: Hashable, Comparable, Sendable {
    /// 1 is a run's first.
    public let rawValue: UInt64
    /// Takes a number.
    public init(rawValue: UInt64) { self.rawValue = rawValue }
    /// Orders by age.
    public static func < (left: CommitID, right: CommitID) -> Bool { left.rawValue < right.rawValue }
}

/// A change of durable state.
public enum JournalChange: Hashable, Sendable {
    /// Something that users and scripts are told; goes to the event log behind the control protocol.
    case event(Event)
    /// What is pinned of a peer: keys and name, by fingerprint; replaces what was kept before.
    case identity(PeerIdentity)
    /// An entry of a store; replaces the one with the same key.
    case put(Record)
    /// An entry of a store is gone.
    case remove(RecordKey)
}

/// Makes changes durable, in groups, on a thread of its own.
///
/// `append` returns at once. Later the node is told ``Node/committed(_:)`` with the highest identifier that is durable,
/// in order, or ``Node/commitFailed(_:reason:)`` for one that will never be.
public protocol Journal: AnyObject {
    /// Queues changes that belong together: all of them become durable, or none.
    func append(_ changes: [JournalChange]) -> CommitID
}

extension Journal {
    /// Queues a change.
    public func append(_ change: JournalChange) -> CommitID { append([change]) }
}

/// What survives restarts about a peer (trust on first use).
///
/// Source: spec, mesh §12.3; noise §1.3, §6.6.
public struct PeerIdentity: Hashable, Sendable {
    /// The Noise static key; its fingerprint names the record.
    public var noiseKey: AgreementPublicKey
    /// The signing key pinned by the first verified announce.
    public var signingKey: SigningPublicKey?
    /// Whether a Noise session proved the signing key (payload 0x21): then no announce can replace it.
    public var isSigningKeyAuthenticated: Bool
    /// Whether a session proved support for private media; never forgotten, so that nobody can talk us down.
    public var provedPrivateMedia: Bool
    /// The last verified nickname, NFC.
    public var nickname: String

    /// Makes a record.
    public init(
        noiseKey: AgreementPublicKey, signingKey: SigningPublicKey?, isSigningKeyAuthenticated: Bool = false,
        provedPrivateMedia: Bool = false, nickname: String
    ) {
        self.noiseKey = noiseKey
        self.signingKey = signingKey
        self.isSigningKeyAuthenticated = isSigningKeyAuthenticated
        self.provedPrivateMedia = provedPrivateMedia
        self.nickname = nickname
    }
}
