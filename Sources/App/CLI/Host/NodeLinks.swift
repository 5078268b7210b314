import Application
import BluetoothHCI
import NativeCryptography
import SocketLinks

/// All links of a node: over sockets, and over Bluetooth where there is an adapter.
///
/// Each layer has a gate of its own, so that a flood over TCP never makes a radio's thread wait.
final class NodeLinks: Sendable {
    /// Places of the layers in the router.
    private enum Place {
        static let sockets = 0
        static let radio = 1
    }

    /// What the node sends through.
    let router: LinkRouter
    private let sockets: SocketLinks
    private let radio: BluetoothHCI?

    /// Describes the links; nothing is opened before ``start()``.
    init(
        _ configuration: Configuration, _ places: Places, host: NodeHost, randomness: SystemRandomness,
        log: LogWriter
    ) throws(Failure) {
        let numbers = LinkNumbers()
        sockets = try Self.makeSockets(configuration, places, numbers, host: host, randomness: randomness, log: log)
        radio = try Self.makeRadio(configuration, numbers, host: host, randomness: randomness, log: log)
        router = LinkRouter([sockets] + (radio.map { [$0] } ?? []))
    }

    /// Opens what is configured. An adapter that cannot be had keeps nobody from starting: it is taken when it can be.
    func start() throws(Failure) {
        do { try sockets.start() } catch { throw LinkSetup.failure(error) }
        radio?.start()
    }

    /// Closes every link and waits until that is done. Further calls do nothing.
    func stop() {
        sockets.stop()
        radio?.stop()
    }

    /// How long the links stay up to carry a goodbye, in microseconds: 50 ms (spec: mesh §25); with Bluetooth four times
    /// that, since the goodbye leaves no earlier than at the connection's next turn, every 30 to 50 ms, and the controller
    /// drops what still waits when it is told to disconnect. [ours]
    var goodbyeTime: UInt32 { adapters.allSatisfy(\.connections.isEmpty) ? 50_000 : 200_000 }

    /// The TCP addresses that are listened on.
    var listeningAddresses: [String] { sockets.listeningAddresses }

    /// How the adapters stand; from any thread.
    var adapters: [AdapterStatus] { radio?.adapters ?? [] }

    private static func makeSockets(
        _ configuration: Configuration, _ places: Places, _ numbers: LinkNumbers, host: NodeHost,
        randomness: SystemRandomness, log: LogWriter
    ) throws(Failure) -> SocketLinks {
        let setup = try LinkSetup.configuration(configuration, places)
        for air in setup.airs { try LinkSetup.prepare(air, isUsual: configuration.airs.isEmpty) }
        let handlers = SocketLinksHandlers(
            linkUp: { description in host.post { $0.linkUp(description) } },
            linkDown: { link, reason in down(link, reason, host, log) }, frame: frames(for: host),
            linkWritable: { link in host.post { $0.linkWritable(link) } },
            log: { level, text in log.log(level, text) })
        do {
            return try SocketLinks(
                setup, randomness: { randomness.next() }, nextLinkID: { numbers.next(at: Place.sockets) },
                handlers: handlers)
        } catch {
            throw LinkSetup.failure(error)
        }
    }

    private static func makeRadio(
        _ configuration: Configuration, _ numbers: LinkNumbers, host: NodeHost, randomness: SystemRandomness,
        log: LogWriter
    ) throws(Failure) -> BluetoothHCI? {
        guard let setup = try AdapterSetup.configuration(configuration) else { return nil }
        try AdapterSetup.refuseOthers(setup.adapters, AdapterDirectory())
        let handlers = BluetoothHandlers(
            linkUp: { description in host.post { $0.linkUp(description) } },
            linkDown: { link, reason in down(link, reason, host, log) }, frame: frames(for: host),
            linkWritable: { link in host.post { $0.linkWritable(link) } },
            adapterDown: { host.post { $0.adapterWentDown() } },
            log: { level, text in log.log(level, text) })
        do {
            return try BluetoothHCI(
                setup, randomness: { randomness.next() }, nextLinkID: { numbers.next(at: Place.radio) },
                handlers: handlers)
        } catch {
            throw Failure(.cannotWrite, error.description, hints: error.remedy.map { [$0] } ?? [])
        }
    }

    private static func down(_ link: LinkID, _ reason: String, _ host: NodeHost, _ log: LogWriter) {
        host.post { host in
            host.linkDown(link)
            log.log(.debug, "link \(link.rawValue) ended: \(reason)")
        }
    }

    /// Hands frames to the node; waits at a gate of its own while too many of them wait.
    private static func frames(for host: NodeHost) -> @Sendable ([UInt8], LinkID) -> Void {
        let gate = FrameGate()
        return { frame, link in
            gate.enter()
            host.post { host in
                host.receive(frame, on: link)
                gate.leave()
            }
        }
    }
}
