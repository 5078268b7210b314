import Application
import Domain
import NativeCryptography

/// What a node that only relays has instead of an identity: keys that nobody keeps, and a folder that is emptied.
enum RelayFolder {
    /// The stores of such a node; beside those of an identity that may be in the same home, never among them.
    static func path(in places: Places) -> String { places.data + "/relay" }

    /// Makes the folder, without anything that an earlier run left: its keys are gone, so nobody can read it.
    static func prepare(in places: Places) throws(Failure) -> String {
        let path = path(in: places)
        try SystemFile.makePrivateDirectory(path)
        try SystemFile.emptyDirectory(path)
        return path
    }

    /// Keys for one run.
    static func makeKeys(
        _ cryptography: NativeCryptography, from randomness: SystemRandomness
    ) -> IdentityKeys<NativeCryptography> {
        func secret() -> NativeCryptography.Secret {
            cryptography.makeSecret(count: Bytes32.count, from: randomness)
        }
        return IdentityKeys(noise: secret(), signing: secret(), data: secret())
    }

    /// The name under which it announces itself, unless its operator chose one.
    static func nickname(
        of keys: IdentityKeys<NativeCryptography>, _ cryptography: NativeCryptography
    ) -> String {
        let id = PeerID(of: cryptography.agreementPublicKey(of: keys.noise), using: cryptography)
        return "relay-" + id.hex.prefix(4)
    }

    /// Why a chat is refused.
    static var refusal: Failure {
        Failure(
            .refused, "the node of this home only relays (relayOnly); it has no identity to chat with",
            hints: ["chat in another home: satchel chat --home DIR", "or run this one without --relay-only"])
    }
}
