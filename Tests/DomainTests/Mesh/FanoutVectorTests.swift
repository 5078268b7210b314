import Domain
import Support
import Testing

@Suite("Fanout vectors")
struct FanoutVectorTests {
    @Test("links chosen", arguments: Vectors.cases("fanout", op: "select"))
    func select(vector: VectorCase) throws {
        let request = Fanout.Request(
            type: MessageType(rawValue: UInt8(try #require(vector.input.member("packet_type").unsigned))),
            target: vector.input.member("directed_peer").string.flatMap { PeerID(hex: $0) },
            requiresDirect: try #require(vector.input.member("require_direct").bool as Bool?),
            collapses: try #require(vector.input.member("collapse").bool as Bool?),
            seed: Array(try #require(vector.input.member("message_id").string).utf8))
        let opened = try candidates("peripherals", "peripheral_peers", mark: "P:", vector)
        let accepted = try candidates("centrals", "central_peers", mark: "C:", vector)
        let places = Fanout.select(request, opened: opened, accepted: accepted, using: PacketTools.cryptography)
        let chosen = places.map { place in
            place < opened.count ? "P:" + opened[place].link : "C:" + accepted[place - opened.count].link
        }
        let expected = try links("centrals", mark: "C:", vector) + links("peripherals", mark: "P:", vector)
        #expect(chosen.sorted() == expected)
    }

    private func links(_ list: String, mark: String, _ vector: VectorCase) throws -> [String] {
        try #require(vector.output.member(list).array).map { mark + ($0.string ?? "") }
    }

    private func candidates(
        _ list: String, _ bindings: String, mark: String, _ vector: VectorCase
    ) throws -> [Fanout.Candidate] {
        let excluded = try #require(vector.input.member("excluded").array) + [vector.input.member("ingress")]
        let preferred = try #require(vector.input.member("preferred").members)
        return try #require(vector.input.member(list).array).map { element in
            let name = try #require(element.string)
            let peer = vector.input.member(bindings)[name]?.string
            return Fanout.Candidate(
                link: name, peer: peer.flatMap { PeerID(hex: $0) },
                isPreferred: mark == "P:" && preferred.contains { $0.name == peer && $0.value.string == name },
                isExcluded: excluded.contains { $0.string == mark + name })
        }
    }
}
