import Domain

/// Ways through the mesh: who claims to be whose neighbour, which route a packet of ours takes, and where routes failed.
///
/// Source: spec, mesh §16, §17.
final class Routes {
    private let localPeer: PeerID
    private let registry: PeerRegistry
    private let ports: NodePorts
    private(set) var topology = Topology()
    private var failures = RouteFailures()

    init(localPeer: PeerID, registry: PeerRegistry, ports: NodePorts) {
        self.localPeer = localPeer
        self.registry = registry
        self.ports = ports
    }

    // MARK: What others say

    /// A verified announce named the peer's neighbours.
    func learn(_ neighbours: [PeerID], of peer: PeerID) {
        topology.update(peer, neighbours: neighbours, at: ports.clock.uptime)
    }

    /// A packet came in, written by one peer and attributed to another; who speaks version 2 can be part of a route.
    /// Only of peers that we know: a claimed sender is free to invent.
    func heard(_ packet: Inbound) {
        failures.heard(from: packet.sender)
        guard packet.view.version >= PacketPolicy.version2 else { return }
        for peer in Set([packet.sender, packet.from]) where registry[peer] != nil {
            topology.recordVersion(packet.view.version, of: peer, at: ports.clock.uptime)
        }
    }

    /// A peer is gone.
    func forget(_ peer: PeerID) { topology.remove(peer) }

    // MARK: Our routes

    /// A packet of ours with a route, still to be signed; `nil` when it goes without.
    func attach(to packet: Packet) -> Packet? {
        guard packet.sender == localPeer, let recipient = packet.recipient, recipient != .broadcast else { return nil }
        let isConnected = registry[recipient]?.isConnected == true
        let isAllowed = !isConnected && failures.mayRoute(to: recipient, at: ports.clock.uptime)
        return RouteOrigination.routed(
            packet, localPeer: localPeer, isConnected: isConnected, isAllowed: isAllowed, route: route(to:))
    }

    /// The confirmed way to a peer, as a packet of ours would take it; none for a neighbour, `nil` when none is known.
    func route(to peer: PeerID) -> [PeerID]? {
        refreshOwnClaim()
        return topology.route(
            from: localPeer, to: peer, maximumHops: RelayPolicy.maximumHops, minimumVersion: PacketPolicy.version2,
            at: ports.clock.uptime)
    }

    /// Whether there is a confirmed way to the peer at all, whatever versions its nodes speak.
    func isConfirmed(to peer: PeerID) -> Bool {
        topology.route(
            from: localPeer, to: peer, maximumHops: RelayPolicy.maximumHops, minimumVersion: nil,
            at: ports.clock.uptime) != nil
    }

    /// A routed packet left: unless something comes back, the next ones are flooded.
    func noteRouted(to recipient: PeerID) {
        failures.noteRouted(to: recipient, at: ports.clock.uptime)
    }

    /// What was sent to a peer is known not to have arrived, whatever else came from there: an announce of the peer's own
    /// says nothing about the way of a routed packet.
    func fail(_ recipient: PeerID) { failures.suppress(recipient, at: ports.clock.uptime) }

    // MARK: Housekeeping

    /// Says in the topology who our neighbours are.
    func refreshOwnClaim() {
        topology.update(localPeer, neighbours: registry.connected.map(\.id), at: ports.clock.uptime)
    }

    /// The maintenance tick.
    func maintain() {
        refreshOwnClaim()
        topology.prune(at: ports.clock.uptime)
    }

    /// The sweep every 15 s.
    func sweep() { failures.prune(at: ports.clock.uptime) }
}
