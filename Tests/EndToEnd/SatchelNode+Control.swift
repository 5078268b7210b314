import ControlSocket
import Domain
import Support

extension SatchelNode {
    /// The control socket, where programs speak to the node without the command line.
    var controlSocket: String { home + "/run/control.sock" }

    /// Tells a peer that its messages were seen.
    func markRead(_ ids: [String], from peer: String) throws {
        let params = JSONValue.object(["ids": .array(ids.map { .string($0) }), "peer": .string(peer)])
        _ = try ControlClient(path: controlSocket).call("markRead", params)
    }
}
