import Application
import Glibc

/// Links to every other node in one air directory, exactly one each. Confined to the I/O thread once it runs.
final class Air: Watcher {
    /// A neighbour that we dial, being the one with the lower name.
    private struct Neighbour {
        var backoff: Backoff
        var redial: Reactor.TimerID?
    }

    private let path: String
    private let name: AirName
    private let table: LinkTable
    private var station: AirStation
    private var watch: AirWatch?
    private var neighbours: [AirName: Neighbour] = [:]
    private var rescan: Reactor.TimerID?
    private var isLost = false
    private var isResting = false

    /// Appears in the directory.
    init(path: String, name: AirName, table: LinkTable) throws(SocketLinksError) {
        self.path = path
        self.name = name
        self.table = table
        station = try AirStation(name, in: AirDirectory(path: path), backlog: table.policy.backlog)
    }

    var descriptor: Descriptor { station.socket }

    var interest: Int32 { isResting ? 0 : POLLIN }

    /// Begins to look for neighbours.
    func start() {
        table.reactor.add(self)
        observe()
        look(sweeping: true)
    }

    func stop() {
        table.reactor.remove(self)
        forgetWatch()
        table.reactor.cancel(rescan)
        for neighbour in neighbours.values { table.reactor.cancel(neighbour.redial) }
        neighbours = [:]
        station.withdraw()
    }

    // MARK: Being dialled

    func ready(_ events: Int32) {
        for _ in 0..<table.policy.framesPerTurn {
            let number = accept(station.socket.number, nil, nil)
            guard number >= 0 else {
                if isExhaustion(errno) { rest(errno) }
                return
            }
            let accepted = adopt(number)
            let name = "air:\(path) from process \(Self.process(accepted))"
            guard let place = table.takePlace(origin: nil, for: name) else { continue }
            open(accepted, isOutgoing: false, name: name, place: place) { _ in }
        }
    }

    /// Without a free descriptor the connection stays pending and `poll` would report it for ever.
    private func rest(_ code: Int32) {
        isResting = true
        table.handlers.log(.error, "air:\(path): cannot accept: \(errorText(code)); trying again")
        table.reactor.after(table.policy.acceptPause) { [weak self] in self?.isResting = false }
    }

    private static func process(_ descriptor: Descriptor) -> String {
        // struct ucred: process, user and group, four bytes each; the Glibc module does not show it.
        var credentials: [Int32] = [0, 0, 0]
        var length = socklen_t(12)
        let answer = getsockopt(descriptor.number, SOL_SOCKET, SO_PEERCRED, &credentials, &length)
        return answer == 0 ? String(credentials[0]) : "unknown"
    }

    // MARK: Looking

    private func observe() {
        forgetWatch()
        watch = AirWatch(station.directory) { [unowned self] in look(sweeping: false) }
        if let watch {
            table.reactor.add(watch)
        } else {
            table.handlers.log(.warning, "air:\(path): the kernel gives no notices; looking every few seconds instead")
        }
    }

    private func forgetWatch() {
        guard let watch else { return }
        table.reactor.remove(watch)
        watch.descriptor.close()
        self.watch = nil
    }

    /// Reads the directory: comes back if we were removed, sweeps the dead, dials who is new.
    ///
    /// - Parameter sweeping: Not on a notice, which most often means that a node is just starting: a sweeper may take its
    ///   fresh lock file for a dead node's, and it would have to begin again.
    private func look(sweeping: Bool) {
        table.reactor.cancel(rescan)
        defer {
            let isBlind = watch == nil || isLost
            let delay = isBlind ? table.policy.blindRescanInterval : table.policy.rescanInterval
            rescan = table.reactor.after(delay) { [unowned self] in look(sweeping: true) }
        }
        guard station.isIntact || comeBack() else { return }
        do {
            let files = try station.directory.files()
            if sweeping { station.directory.sweep(files: files, except: name) }
            for other in files.compactMap({ AirName(file: $0, suffix: .socket) }).sorted() where name < other {
                if neighbours[other] == nil { dial(other) }
            }
        } catch {
            table.handlers.log(.warning, "air:\(path): \(error)")
        }
    }

    /// Appears again after the directory or our files in it were removed. Links that are up do not notice.
    private func comeBack() -> Bool {
        table.handlers.log(isLost ? .debug : .warning, "air:\(path): our files there were removed; making them again")
        table.reactor.remove(self)
        forgetWatch()
        station.withdraw()
        do {
            station = try AirStation(name, in: AirDirectory(path: path), backlog: table.policy.backlog)
        } catch {
            if !isLost { table.handlers.log(.error, "air:\(path): unreachable for new neighbours: \(error)") }
            isLost = true
            return false
        }
        if isLost { table.handlers.log(.info, "air:\(path): reachable again") }
        isLost = false
        table.reactor.add(self)
        observe()
        return true
    }

    // MARK: Dialling

    private func dial(_ other: AirName) {
        var backoff = Backoff(first: table.policy.firstRedial, longest: table.policy.longestRedial)
        if let known = neighbours[other] { backoff = known.backoff }
        neighbours[other] = Neighbour(backoff: backoff)
        // Not through a symbolic link, which would lead out of the directory that was checked.
        guard let status = station.directory.status(of: other.file(.socket)), status.st_mode & S_IFMT == S_IFSOCK else {
            neighbours[other] = nil
            return
        }
        let target = station.directory.path(of: other, .socket)
        guard let place = table.takePlace(origin: nil, for: "air:\(target)") else { return redialLater(other) }
        let descriptor = Descriptor(airSocket())
        let code =
            (try? withUnixAddress(target) { connect(descriptor.number, $0, $1) == 0 ? 0 : errno }) ?? ENAMETOOLONG
        guard code == 0 else {
            table.giveBack(place)
            return failed(other, code)
        }
        let since = monotonicMilliseconds()
        open(descriptor, isOutgoing: true, name: "air:\(target)", place: place) { [unowned self] end in
            guard neighbours[other] != nil else { return }
            if monotonicMilliseconds() - since >= table.policy.steadyAfter { neighbours[other]?.backoff.reset() }
            if case .closed = end { neighbours[other]?.backoff.exhaust() }
            redialLater(other)
        }
    }

    private func failed(_ other: AirName, _ code: Int32) {
        switch code {
        case ENOENT:
            neighbours[other] = nil
        case ECONNREFUSED where station.directory.sweep(other):
            neighbours[other] = nil
        default:
            table.handlers.log(.debug, "air:\(path): cannot dial \(other): \(errorText(code)); trying again")
            redialLater(other)
        }
    }

    /// Dials again after a pause, if the neighbour is still there by then.
    private func redialLater(_ other: AirName) {
        guard var neighbour = neighbours[other] else { return }
        let pause = neighbour.backoff.pause(table.random())
        neighbour.redial = table.reactor.after(pause) { [unowned self] in dial(other) }
        neighbours[other] = neighbour
    }

    private func open(
        _ descriptor: Descriptor, isOutgoing: Bool, name: String, place: LinkQuota.Place,
        whenDown: @escaping (LinkEnd) -> Void
    ) {
        table.open(
            PacketSocket(descriptor, frameLimit: table.policy.frameLimit), frameLimit: table.policy.frameLimit,
            isOutgoing: isOutgoing, name: name, place: place, whenDown: whenDown)
    }
}
