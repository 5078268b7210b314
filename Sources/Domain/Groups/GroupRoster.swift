/// A private group's identifier: sixteen random bytes, in clear on the air.
///
/// Source: spec, noise §9.1.
public struct GroupID: Hashable, Sendable {
    /// The bytes, the first one most significant.
    public let rawValue: UInt128

    /// Takes the bytes as a number, the first one most significant.
    public init(rawValue: UInt128) { self.rawValue = rawValue }
}

/// A member as the group's creator pinned it.
///
/// Source: spec, noise §9.1.
public struct GroupMember: Hashable, Sendable {
    /// The fingerprint of the member's Noise key.
    public let fingerprint: Fingerprint
    /// The key that the member signs messages with.
    public let signingKey: SigningPublicKey
    /// The member's name as the creator knew it; untrusted text.
    public let nickname: String

    /// Makes a member.
    public init(fingerprint: Fingerprint, signingKey: SigningPublicKey, nickname: String) {
        self.fingerprint = fingerprint
        self.signingKey = signingKey
        self.nickname = nickname
    }
}

/// Who belongs to a group.
///
/// Source: spec, noise §9.1.
public struct GroupRoster: Hashable, Sendable {
    /// The members, the creator included, in the creator's order, which is signed.
    public let members: [GroupMember]

    /// The most members.
    public static let maximumMembers = 16
    /// The longest name that is written, in bytes of UTF-8.
    public static let maximumNicknameLength = 64

    /// Makes a roster; `nil` for more than sixteen members.
    public init?(_ members: [GroupMember]) {
        guard members.count <= Self.maximumMembers else { return nil }
        self.members = members
    }

    /// The roster's bytes. Names are cut to whole characters within ``maximumNicknameLength``.
    public var encoded: [UInt8] {
        var bytes = [UInt8(clamping: members.count)]
        for member in members {
            bytes += member.fingerprint.digest.bytes
            bytes += member.signingKey.bytes.bytes
            let nickname = member.nickname.prefix(utf8Bytes: Self.maximumNicknameLength)
            bytes.append(UInt8(clamping: nickname.utf8.count))
            bytes += nickname.utf8
        }
        return bytes
    }

    /// Reads a roster, also one with no member, a member twice, or a name up to 255 bytes.
    ///
    /// - Returns: `nil` for more than sixteen members, a name that is not UTF-8, and bytes missing or left over.
    public init?(_ bytes: ArraySlice<UInt8>) {
        var reader = ByteReader(bytes)
        guard let count = reader.take(UInt8.self), count <= Self.maximumMembers else { return nil }
        var members: [GroupMember] = []
        for _ in 0..<count {
            guard let fingerprint = reader.takeBytes32(), let key = reader.takeBytes32(),
                let length = reader.take(UInt8.self), let nickname = reader.take(Int(length))?.text
            else { return nil }
            members.append(
                GroupMember(
                    fingerprint: Fingerprint(digest: fingerprint), signingKey: SigningPublicKey(key), nickname: nickname
                ))
        }
        guard reader.isAtEnd else { return nil }
        self.init(members)
    }

    /// The first entry with that fingerprint.
    public func member(_ fingerprint: Fingerprint) -> GroupMember? {
        members.first { $0.fingerprint == fingerprint }
    }

    /// The first entry with that signing key.
    public func member(signingWith key: SigningPublicKey) -> GroupMember? { members.first { $0.signingKey == key } }
}
