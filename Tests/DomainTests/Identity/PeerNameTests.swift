import Domain
import Support
import Testing

@Suite("Peer names")
struct PeerNameTests {
    private let cryptography = PacketTools.cryptography

    @Test("vectors: parsing", arguments: Vectors.cases("peer-id", op: "parse"))
    func parse(vector: VectorCase) throws {
        let name = PeerName(parsing: try #require(vector.input.member("text").string))
        #expect(name.prefix.rawValue == vector.output.member("prefix").string)
        #expect(name.bare == vector.output.member("bare").string)
        #expect(name.id == vector.output.member("id").string)
        #expect(name.isValid == vector.output.member("valid").bool)
        #expect(name.isShort == vector.output.member("short").bool)
        #expect(name.noiseKey?.bytes.hex == vector.output.member("noise_key").string)
        #expect(name.toShort(using: cryptography).id == vector.output.member("to_short").string)
        // A routing value that is not eight bytes long never reaches a packet: none is right there too.
        let routing = vector.output.member("routing").string.flatMap { $0.count == 16 ? $0 : nil }
        #expect(name.routing(using: cryptography)?.hex == routing)
    }

    @Test("vectors: derivation", arguments: Vectors.cases("peer-id", op: "derive"))
    func derive(vector: VectorCase) throws {
        let bytes = try #require(vector.input.member("noise_key").hex)
        let fingerprint = Fingerprint(ofKeyBytes: bytes.span, using: cryptography)
        #expect(PeerID(fingerprint).hex == vector.output.member("peer_id").string)
        #expect(fingerprint.hex == vector.output.member("fingerprint").string)
        // Values of other lengths are hashed like keys, but no key is made of them.
        guard let key = Bytes32(bytes).map({ AgreementPublicKey($0) }) else { return }
        #expect(PeerID(of: key, using: cryptography) == PeerID(fingerprint))
        #expect(PeerName(key).routing(using: cryptography)?.hex == vector.output.member("routing").string)
        #expect(PeerName(key).toShort(using: cryptography) == PeerName(PeerID(fingerprint)))
    }

    @Test("vectors: making", arguments: Vectors.cases("peer-id", op: "make"))
    func make(vector: VectorCase) throws {
        let source = try #require(vector.input.member("source").hex)
        let name: PeerName?
        switch vector.input.member("kind").string {
        case "geo_dm": name = Bytes32(source).map { .geohashPrivate($0) }
        case "geo_chat": name = Bytes32(source).map { .geohashChat($0) }
        case "bridge": name = Bytes32(source).map { .bridge($0) }
        default: name = .group(source.reduce(0) { $0 << 8 | UInt128($1) })
        }
        #expect(name?.id == vector.output.member("id").string)
        #expect(name?.isValid == true)
    }

    @Test("a key is hashed, never cut")
    func hashed() throws {
        let key = AgreementPublicKey(try #require(Bytes32([UInt8](repeating: 0x11, count: 32))))
        #expect(PeerName(key).toShort(using: cryptography).id == "02d449a31fbb267c")
        #expect(PeerID(of: key, using: cryptography).hex == "02d449a31fbb267c")
    }

    @Test("case does not matter, the prefix does")
    func equality() {
        #expect(PeerName(parsing: "AAA") == PeerName(parsing: "aaa"))
        #expect(PeerName(parsing: "nostr:x") != PeerName(parsing: "nostr_x"))
        #expect(PeerName(parsing: "mesh:x") != PeerName(parsing: "x"))
        #expect(PeerName(parsing: "a") < PeerName(parsing: "b"))
        #expect("\(PeerName(parsing: "mesh:X"))" == "mesh:x")
    }

    @Test(
        "what is a valid name",
        arguments: [
            (String(repeating: "g", count: 16), false), (String(repeating: "a", count: 65), false),
            ("peer!@#", false), ("peer_123-ABC", true), ("noise:" + String(repeating: "a", count: 63), true),
            ("name:mesh:abcdefg", true), ("name:name:bad:name", false), ("é", true), ("日本", true), ("", false),
            ("a b", false), (String(repeating: "é", count: 16), false), (String(repeating: "é", count: 63), true),
            (String(repeating: "é", count: 64), false), (String(repeating: "a", count: 64), true),
            ("🙂", false), ("e\u{301}", true), (String(repeating: "name:", count: 10_000) + "a", true),
            ("mesh:\u{301}abc", false),
        ])
    func validity(text: String, valid: Bool) { #expect(PeerName(parsing: text).isValid == valid) }

    @Test("a group's name carries its identifier, no other does")
    func groups() {
        let id: UInt128 = 0x13E5_AAF3_C299_6B2F_6434_7EF2_605A_56C7
        #expect(PeerName.group(id).groupID == id)
        #expect(PeerName(parsing: "13e5aaf3c2996b2f64347ef2605a56c7").groupID == nil)
        #expect(PeerName(parsing: "group_13e5").groupID == nil)
        #expect(PeerName.group(id).routing(using: cryptography) == nil)
    }
}
