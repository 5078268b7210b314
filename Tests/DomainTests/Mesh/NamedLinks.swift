import Domain

/// In tests and vectors a link is what its name in the draw says.
extension Fanout.Candidate {
    init(link: String, peer: PeerID?, isPreferred: Bool = false, isExcluded: Bool = false) {
        self.init(name: Array(link.utf8), peer: peer, isPreferred: isPreferred, isExcluded: isExcluded)
    }

    var link: String { String(decoding: name, as: UTF8.self) }
}

extension Fanout {
    /// The names of the chosen links.
    static func selectLinks(
        _ request: Request, opened: [Candidate], accepted: [Candidate], using cryptography: some Cryptography
    ) -> [String] {
        let links = opened + accepted
        return select(request, opened: opened, accepted: accepted, using: cryptography).map { links[$0].link }
    }
}
