import Domain
import Glibc
import Testing

@testable import App

extension TemporaryHome {
    /// Waits until the running node of this home has a link.
    func awaitLink() throws {
        try ask("status", until: { $0["links"]?.array?.isEmpty == false }, orElse: "no link came up")
    }

    /// Waits until the running node of this home has heard of a peer.
    func awaitPeer(_ name: String) throws {
        let isThere = { (answer: JSONValue) in
            answer["peers"]?.array?.contains { $0["nickname"]?.string == name } == true
        }
        try ask("peers", until: isThere, orElse: "\(name) did not appear")
    }

    /// Waits until the adapters of the running node stand so, in the order of its configuration.
    func awaitAdapters(_ states: [String]) throws {
        let isSo = { (answer: JSONValue) in answer["adapters"]?.array?.map { $0["state"]?.string } == states }
        try ask("status", until: isSo, orElse: "the adapters are not \(states)")
    }

    /// Asks again and again: the control protocol has no event for a link, and that of a peer may be past already.
    private func ask(_ verb: String, until isWanted: (JSONValue) -> Bool, orElse complaint: String) throws {
        let deadline = SystemClock.uptime + .seconds(20)
        while SystemClock.uptime < deadline {
            if isWanted(try JSONValue(parsing: run(verb, "--json").answer)) { return }
            usleep(20_000)
        }
        Issue.record("\(complaint)")
    }
}
