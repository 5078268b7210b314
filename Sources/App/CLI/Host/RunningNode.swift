import Application
import ControlSocket
import Dispatch
import Domain
import Glibc
import KeyfileVault
import MediaFolder
import NativeCryptography
import SQLiteStores
import UnistringNormalization
import ZlibCompression

/// A whole node, put together in order and taken apart in reverse: directories, lock, vault, journal, node, links,
/// control socket.
///
/// What was begun when a later step fails is taken apart again, so that a refused start leaves nothing behind.
final class RunningNode {
    private let places: Places
    /// Where it says what it does.
    let log: LogWriter
    private let output: Output
    /// Held until everything is on the disk.
    private var lock: HomeLock?
    private let journal: SQLiteJournal<NativeCryptography>
    /// Where database and received files are.
    private let stores: String
    private let nicknames: NicknameFile
    private let clockRecord: ClockRecord
    /// Keeps the time now and then.
    private var heartbeat: (any DispatchSourceTimer)?
    private let host: NodeHost
    /// What the parts were made with that a reload does not change.
    private let initial: Configuration
    private var configuration: Configuration
    private var links: NodeLinks?
    private var media: MediaFolder?
    private var server: ControlServer?
    private var isStopped = false
    private let panic: PanicRequest

    /// Starts a node; a wipe that an earlier run did not finish comes before everything else.
    init(
        _ places: Places, _ configuration: Configuration, panic: PanicRequest, log: LogWriter, output: Output
    ) throws(Failure) {
        self.places = places
        self.panic = panic
        initial = configuration
        self.configuration = configuration
        self.log = log
        self.output = output
        try SystemFile.makePrivateDirectory(places.data)
        try SystemFile.makePrivateDirectory(places.runtime)
        lock = try HomeLocking.lock(places)
        let wipe = PanicWipe(places, configuration)
        if wipe.isPending {
            try wipe.finish()
            log.log(.warning, "a wipe that was begun is finished: everything of the earlier identity is erased")
        }
        let (randomness, cryptography) = (SystemRandomness(), NativeCryptography())
        let isRelay = configuration.isRelayOnly
        stores = isRelay ? try RelayFolder.prepare(in: places) : places.data
        let keys =
            isRelay
            ? RelayFolder.makeKeys(cryptography, from: randomness)
            : try Self.openVault(places, configuration, cryptography, randomness, log: log, output: output)
        journal = try Store.open(
            stores, configuration.journalPolicy, keys: keys, cryptography: cryptography, randomness: randomness,
            log: log)
        let nicknames = NicknameFile(directory: places.data)
        self.nicknames = nicknames
        clockRecord = ClockRecord(directory: places.data)
        host = NodeHost(
            listeners: NodeHost.Listeners(
                log: { level, text in log.log(level, text) },
                nicknameChanged: { if !isRelay { nicknames.write($0, log: log) } }, panic: panic))
        do throws(Failure) {
            try start(keys, cryptography: cryptography, randomness: randomness)
        } catch {
            stop()
            throw error
        }
    }

    private static func openVault(
        _ places: Places, _ configuration: Configuration, _ cryptography: NativeCryptography,
        _ randomness: SystemRandomness, log: LogWriter, output: Output
    ) throws(Failure) -> IdentityKeys<NativeCryptography> {
        let vault = Vault(places, configuration, cryptography: cryptography, output: output)
        let (keys, isNew) = try vault.openOrCreate(from: randomness)
        if isNew { log.log(.info, "made a new identity in \(vault.files.path)") }
        return keys
    }

    // MARK: Starting

    private func start(
        _ keys: IdentityKeys<NativeCryptography>, cryptography: NativeCryptography, randomness: SystemRandomness
    ) throws(Failure) {
        let host = host
        let links = try NodeLinks(configuration, places, host: host, randomness: randomness, log: log)
        self.links = links
        let media = try makeMediaFolder(randomness)
        self.media = media
        let normalization = UnistringNormalization()
        let isRelay = configuration.isRelayOnly
        let last = isRelay ? RelayFolder.nickname(of: keys, cryptography) : nicknames.read() ?? ""
        let saved = Nickname(own: last, normalization: normalization, randomness: randomness)
        let parts = NodeHost.Parts(
            keys: keys, nickname: saved, stored: try Store.state(of: journal, clockFloor: clockRecord.floor, log: log),
            settings: configuration.nodeSettings,
            cryptography: cryptography, randomness: randomness, links: links.router, adapters: { links.adapters },
            journal: journal, files: media, compression: ZlibCompression(), normalization: normalization)
        host.perform { $0.make(parts) }
        try rename(configuration.nickname ?? saved.text)
        journal.start(
            reporting: JournalReports(
                committed: { commit in host.post { $0.committed(commit) } },
                commitFailed: { commit, reason in host.post { $0.commitFailed(commit, reason: reason) } },
                logged: { sequence in host.post { $0.logged(upTo: sequence) } }))
        media.start(
            reporting: MediaReports(
                stored: { ticket, path in host.post { $0.fileStored(ticket, path: path) } },
                failed: { ticket, reason in host.post { $0.fileFailed(ticket, reason: reason) } }))
        host.perform { $0.start() }
        try links.start()
        let server = try makeServer()
        self.server = server
        host.perform { $0.attach(server) }
        for address in links.listeningAddresses { log.log(.info, "listening on \(address)") }
        heartbeat = makeHeartbeat()
        if isRelay { log.log(.info, "only relays, under keys that nobody keeps") }
        let report = host.perform { $0.summary }
        log.log(.info, "\(report) is up, process \(getpid()), control socket \(places.controlSocket)")
    }

    private func makeMediaFolder(_ randomness: SystemRandomness) throws(Failure) -> MediaFolder {
        let named = configuration.isRelayOnly ? nil : configuration.mediaDirectory
        let root = named.map { Places.absolute($0, in: Environment.workingDirectory) } ?? stores + "/media"
        try SystemFile.makePrivateDirectory(root)
        do {
            return try MediaFolder(
                root: root, policy: configuration.mediaPolicy, random: { randomness.next() },
                now: { SystemClock.wall })
        } catch {
            throw Failure(.cannotWrite, error.description)
        }
    }

    private func makeHeartbeat() -> any DispatchSourceTimer {
        let (host, record, log) = (host, clockRecord, log)
        let timer = DispatchSource.makeTimerSource(queue: host.queue)
        let interval = DispatchTimeInterval.milliseconds(Int(ClockRecord.interval.count))
        timer.schedule(deadline: .now() + interval, repeating: interval)
        timer.setEventHandler {
            if let time = host.assumeIsolated({ $0.recordableTime }) { record.write(time, log: log) }
        }
        timer.resume()
        return timer
    }

    private func makeServer() throws(Failure) -> ControlServer {
        let (host, log) = (host, log)
        do {
            return try ControlServer(
                path: places.controlSocket, history: journal, log: { level, text in log.log(level, text) },
                handler: { request, reply in host.handle(request, reply) })
        } catch {
            switch error {
            case .pathTooLong: throw Failure(.configuration, error.description, hints: ["choose a shorter --home"])
            case .unsafeDirectory: throw Failure(.refused, error.description)
            case .alreadyRunning, .system: throw Failure(.cannotWrite, error.description)
            }
        }
    }

    private func rename(_ name: String) throws(Failure) {
        let refusal = host.perform { host -> Refusal? in
            do throws(Refusal) {
                try host.rename(to: name)
                return nil
            } catch {
                return error
            }
        }
        if let refusal {
            throw Failure(
                .configuration, "the nickname \"\(name)\" is refused: \(refusal.explanation)",
                hints: ["a nickname has at most 50 characters, and no @, # or control characters"])
        }
    }

    // MARK: Running

    /// Takes over what changed in the configuration file, as far as a running node can; says what needs a restart.
    func reload(_ new: Configuration, style: LogWriter.Style) {
        log.set(style)
        for key in new.changesThatNeedRestart(from: initial) {
            log.log(.warning, "the new value of \(key) needs a restart")
        }
        let old = configuration
        configuration = new
        if let name = new.nickname, name != old.nickname {
            do throws(Failure) { try rename(name) } catch { log.log(.error, error.message) }
        }
        if new.nodeSettings.trustsClock != old.nodeSettings.trustsClock {
            host.perform { $0.trustClock(new.nodeSettings.trustsClock) }
        }
        log.log(.info, "the configuration was read again")
    }

    // MARK: Stopping

    /// Leaves politely: no more clients, a goodbye on every link, everything on the disk. Further calls do nothing.
    func stop() {
        guard !isStopped else { return }
        isStopped = true
        log.log(.info, "stopping")
        host.perform { $0.attach(nil) }
        server?.stop()
        server = nil
        heartbeat?.cancel()
        heartbeat = nil
        if let time = host.perform({ $0.recordableTime }) { clockRecord.write(time, log: log) }
        if host.perform({ $0.sayGoodbye() }) { usleep(links?.goodbyeTime ?? 0) }
        links?.stop()
        links = nil
        media?.close()
        media = nil
        // What links and files reported while they went down is in the queue before this.
        host.perform { $0.discard() }
        journal.close()
        if initial.isRelayOnly {
            do throws(Failure) { try SystemFile.emptyDirectory(stores) } catch { log.log(.warning, error.message) }
        }
        nicknames.flush()
        clockRecord.flush()
        lock = nil
    }

    /// Ends all connections of clients, and keeps new ones away; from any thread.
    var endClients: @Sendable () -> Void { { [server] in server?.stop() } }

    /// Erases everything of this node: silent at once, then the keys, then the rest (spec: store-and-forward §8).
    ///
    /// - Throws: When something is left; it is marked, and the next start goes on.
    func wipe() throws(Failure) {
        guard !isStopped else { return }
        isStopped = true
        log.log(.warning, "erasing everything")
        host.perform {
            $0.attach(nil)
            $0.discard()
        }
        let wipe = PanicWipe(places, configuration)
        let faults = wipe.destroyKeys()
        server?.stop()
        server = nil
        heartbeat?.cancel()
        heartbeat = nil
        links?.stop()
        links = nil
        media?.close()
        media = nil
        journal.close()
        nicknames.flush()
        clockRecord.flush()
        defer { lock = nil }
        try wipe.erase(after: faults)
        log.log(.warning, "everything is erased")
    }

    deinit { stop() }
}
