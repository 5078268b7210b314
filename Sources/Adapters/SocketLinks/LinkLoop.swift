import Glibc

/// Everything that runs on the I/O thread, from its first turn to its last.
final class LinkLoop {
    /// Wakes the loop when other threads left work.
    private final class Waker: Watcher {
        let descriptor: Descriptor
        init(_ descriptor: Descriptor) { self.descriptor = descriptor }
        var interest: Int32 { POLLIN }
        // The loop looks into the inbox in every turn: having been woken is enough.
        func ready(_ events: Int32) {}
    }

    private let inbox: Inbox
    private let waker: Waker
    private let table: LinkTable
    private var airs: [Air] = []
    private var listeners: [StreamListener] = []
    private var connectors: [StreamConnector] = []

    /// The TCP addresses that are listened on, with their real ports.
    var listeningAddresses: [String] { listeners.map(\.address.description) }

    /// Opens everything that may fail for a reason that a person must mend. Nothing of it stays when it throws.
    init(_ configuration: SocketLinksConfiguration, inbox: Inbox, table: LinkTable) throws(SocketLinksError) {
        self.inbox = inbox
        self.table = table
        // A descriptor of its own, for the inbox keeps and closes its one.
        let number = fcntl(inbox.waker, F_DUPFD_CLOEXEC, 0)
        guard number >= 0 else { throw .system(action: "duplicate", subject: "a descriptor", code: errno) }
        waker = Waker(Descriptor(number))
        let random = table.random
        let hello = Hello(frameLimit: UInt32(clamping: table.policy.frameLimit), node: random())
        do throws(SocketLinksError) {
            for path in configuration.airs {
                airs.append(try Air(path: path, name: AirName(rawValue: random()), table: table))
            }
            for target in configuration.listens { try listen(on: target, hello: hello) }
            for target in configuration.connects where target.port == 0 {
                throw SocketLinksError.badAddress(target.description, reason: "nobody can be reached at port 0")
            }
        } catch {
            shut()
            throw error
        }
        let resolver = Resolver()
        for (number, target) in configuration.connects.enumerated() {
            connectors.append(
                StreamConnector(target, number: number, hello: hello, resolver: resolver, table: table))
        }
    }

    private func listen(on target: HostPort, hello: Hello) throws(SocketLinksError) {
        switch Resolver.addresses(of: target, forListening: true) {
        case .failure(let failure): throw .noSuchHost(target.description, detail: failure.description)
        case .success(let addresses):
            for address in addresses { listeners.append(try StreamListener(address, hello: hello, table: table)) }
        }
    }

    /// The I/O thread's life.
    func run() {
        table.reactor.add(waker)
        for listener in listeners { table.reactor.add(listener) }
        for air in airs { air.start() }
        for connector in connectors { connector.start() }
        while true {
            let work = inbox.take()
            table.perform(work)
            for resolution in work.resolutions where connectors.indices.contains(resolution.connector) {
                connectors[resolution.connector].resolved(resolution.result)
            }
            if work.isStopping { break }
            table.reactor.turn()
        }
        shut()
        waker.descriptor.close()
    }

    /// Closes what was opened, without ever having run.
    func abandon() { shut() }

    private func shut() {
        for connector in connectors { connector.stop() }
        for listener in listeners { listener.stop() }
        // Airs first, their links after: so that nobody dials us again meanwhile.
        for air in airs { air.stop() }
        table.stop()
    }
}
