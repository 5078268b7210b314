/// What people should know about who else can see what they do; said wherever a radio is switched on.
enum SecurityNote {
    /// What somebody with an antenna learns of a node, without being part of the mesh.
    ///
    /// Source: spec, packet §2 and mesh §12 (what is in a packet), ble-gatt §2, §3, §11 (what the radio adds).
    static let listener = """
        What anybody within earshot learns without taking part, since the links are not encrypted: that a node of \
        bitchat is here, with a Bluetooth address that is new at each start, and from its strength about where; from \
        its announces the nickname, both public keys and the peer ID, which stay the same for as long as the identity \
        does, and up to ten neighbours; every public message and file; and of private ones who writes to whom, when \
        and how much, but not what. --relay-only has a new identity at each start.
        """
}
