import Application
import BluetoothHCI
import ControlSocket
import Domain
import Glibc
import KernelClock
import KeyfileVault
import NativeCryptography
import SocketLinks

/// Looks at everything that a node needs, and changes nothing.
struct Examination {
    private let context: CommandContext
    private let places: Places

    /// Free space below which a warning is due, in bytes: the journal and a few files still fit.
    private static let scarceSpace: UInt64 = 64 << 20
    /// File descriptors below which links and clients may be refused.
    private static let fewDescriptors: UInt64 = 256

    /// Examines the home that the command line names.
    init(_ context: CommandContext) throws(Failure) {
        self.context = context
        places = try context.places()
    }

    /// All findings, in the order in which a start needs the things.
    func findings() -> [Finding] {
        var findings = [Finding.fine("version", versions)]
        let configuration: Configuration
        do throws(Failure) {
            configuration = try context.configuration(in: places)
            findings.append(.fine("configuration", configurationText))
        } catch {
            return findings + [.broken("configuration", error), clock(nil, isTrusted: false)]
        }
        let status = runningNode(&findings)
        findings += directories(configuration)
        findings += [vault(configuration), database()].compactMap(\.self)
        findings += links(configuration, status) + bluetooth(configuration, status)
        let clock = clock(status?["clock"], isTrusted: configuration.nodeSettings.trustsClock)
        return findings + [clock] + [descriptors()].compactMap(\.self)
    }

    private var versions: String {
        "satchel \(Version.number), Swift \(Version.swift), "
            + Version.libraries.map { "\($0.name) \($0.version)" }.joined(separator: ", ")
    }

    private var configurationText: String {
        SystemFile.exists(places.configuration)
            ? places.configuration : "defaults; there is no \(places.configuration)"
    }

    // MARK: The node

    /// Whether a node runs; its status if one does.
    private func runningNode(_ findings: inout [Finding]) -> JSONValue? {
        do throws(Failure) {
            guard let connection = try NodeConnection.openIfRunning(places) else {
                findings.append(notRunning())
                return nil
            }
            let status = try connection.call("status", timeout: .seconds(5))
            let process = status["process"]?.integer.map { "process \($0)" } ?? "running"
            findings.append(.fine("node", "\(process), answers on \(places.controlSocket)"))
            return status
        } catch {
            findings.append(.broken("node", error))
            return nil
        }
    }

    private func notRunning() -> Finding {
        let start = "satchel run\(places.options)"
        switch HomeLock.holder(of: places.data) {
        case nil: return .warning("node", "none is running", start)
        case .unusable(let path, let reason)?:
            return .broken("node", .cannotWrite, "cannot look at \(path): \(reason)", nil)
        case .held(_, let process)?:
            let holder = process.map { "process \($0)" } ?? "a process"
            return .broken(
                "node", .notRunning, "\(holder) holds \(places.data) and does not answer on \(places.controlSocket)",
                "wait for its start to end, or end it: kill \(process.map { String($0) } ?? "PID")")
        }
    }

    // MARK: The disk

    private func directories(_ configuration: Configuration) -> [Finding] {
        var paths = [("data directory", places.data), ("runtime directory", places.runtime)]
        if let media = configuration.mediaDirectory {
            paths.append(("media directory", Places.absolute(media, in: Environment.workingDirectory)))
        }
        return paths.map { subject, path in directory(subject, path) } + [space()].compactMap(\.self)
    }

    private func directory(_ subject: String, _ path: String) -> Finding {
        guard SystemFile.exists(path) else { return .fine(subject, "\(path) will be made") }
        if let problem = SystemFile.problem(ofPrivateDirectory: path) {
            return .broken(subject, .refused, problem.text, problem.remedy)
        }
        guard access(path, W_OK) == 0 else {
            return .broken(subject, .cannotWrite, "cannot write to \(path): \(SystemError.text())", nil)
        }
        return .fine(subject, path)
    }

    private func space() -> Finding? {
        var status = statvfs()
        guard statvfs(places.data, &status) == 0 else { return nil }
        let (free, overflow) = UInt64(status.f_bavail).multipliedReportingOverflow(by: UInt64(status.f_frsize))
        guard !overflow, free < Self.scarceSpace else { return nil }
        let text = "\(free >> 20) MiB are free below \(places.data)"
        guard free > 1 << 20 else { return .broken("space", .cannotWrite, text, "make room") }
        return .warning("space", text, "make room before the node cannot keep what it promises to keep")
    }

    private func vault(_ configuration: Configuration) -> Finding {
        guard !configuration.isRelayOnly else {
            return .fine("identity", "none: the node only relays, under keys that it throws away")
        }
        let cryptography = NativeCryptography()
        let vault = Vault(places, configuration, cryptography: cryptography, output: context.output)
        do throws(Failure) {
            guard try vault.exists() else { return .fine("identity", "will be made at the first start") }
            let passphrase = try vault.passphraseFromFile()
            do {
                let card = IdentityCard(of: try vault.files.open(passphrase: passphrase), cryptography: cryptography)
                return .fine("identity", "\(PeerID(card.fingerprint).hex), \(vault.files.path) opens")
            } catch .passphraseNeeded {
                return .warning(
                    "identity",
                    "\(vault.files.path) wants a passphrase, and no file holds it: a start waits for a person",
                    "name the file for a start without one: --passphrase-file or SATCHEL_PASSPHRASE_FILE")
            } catch {
                return .broken("identity", Vault.failure(error))
            }
        } catch {
            return .broken("identity", error)
        }
    }

    private func database() -> Finding? {
        let path = Store.path(in: places.data)
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        guard status.st_mode & 0o077 == 0 else {
            return .warning("database", "others may read \(path)", "chmod 600 \(ShellWord.quoted(path))")
        }
        return .fine("database", "\(path) is there, \(status.st_size >> 10) KiB")
    }

    // MARK: Links

    private func links(_ configuration: Configuration, _ status: JSONValue?) -> [Finding] {
        var findings: [Finding] = []
        do throws(Failure) {
            let setup = try LinkSetup.configuration(configuration, places)
            findings += setup.airs.map { air($0, isUsual: configuration.airs.isEmpty) }
            for address in setup.listens { findings.append(.fine("listen", "\(address) is configured")) }
            for address in setup.connects { findings.append(.fine("connect", "\(address) is configured")) }
            let isAutomatic = configuration.adapters.isEmpty || configuration.adapters == ["auto"]
            let hasRadio = isAutomatic ? hasAdapter : configuration.adapters != ["off"]
            if setup.airs.isEmpty, setup.listens.isEmpty, setup.connects.isEmpty, !hasRadio {
                findings.append(
                    .warning(
                        "links", "no way to any neighbour is configured",
                        "set links.adapter, links.air, links.listen or links.connect"))
            }
        } catch {
            findings.append(.broken("links", error))
        }
        if let links = status?["links"]?.array {
            findings.append(
                links.isEmpty
                    ? .warning(
                        "neighbours", "none; what is said now is heard by nobody", "start or connect another node")
                    : .fine("neighbours", "\(links.count)"))
        }
        return findings
    }

    private var hasAdapter: Bool { !AdapterDirectory().adapters().isEmpty }

    private func air(_ path: String, isUsual: Bool) -> Finding {
        guard !isUsual else {
            let parent = directory("air", Places.parent(of: path))
            return parent.code == nil ? directory("air", path) : parent
        }
        guard SystemFile.exists(path) else { return .fine("air", "\(path) will be made") }
        guard let problem = SocketLinks.problem(ofAir: path) else { return .fine("air", path) }
        return .broken("air", .refused, "\(path) \(problem)", nil)
    }

    private func bluetooth(_ configuration: Configuration, _ status: JSONValue?) -> [Finding] {
        do throws(Failure) {
            let chosen = try AdapterSetup.chosen(configuration)
            let surroundings = BluetoothSurroundings(AdapterDirectory(), asking: chosen)
            return BluetoothExamination(chosen: chosen, surroundings, status: status).findings()
        } catch {
            return [.broken("bluetooth", error)]
        }
    }

    // MARK: The machine

    /// The clock, as the running node judges it; without one, by what this machine alone can say.
    private func clock(_ judged: JSONValue?, isTrusted: Bool) -> Finding {
        let now = SystemClock.wall
        guard let judged else {
            let floor = ClockRecord(directory: places.data).floor
            let judgement = ClockJudgement(
                ClockEvidence(
                    wall: now, uptime: SystemClock.uptime, floor: floor,
                    isSynchronised: KernelClock.isSynchronised, neighbours: NeighbourClocks([], at: SystemClock.uptime),
                    isTrusted: isTrusted))
            return clock(
                judgement.isWrong, isDisputed: false,
                text: "\(LocalTime.full(now)): \(judgement.explanation)"
                    + StatusVerb.lastKnown(
                        .object([
                            "reason": .string(judgement.reason.rawValue), "floor": .number(floor.milliseconds),
                        ])))
        }
        return clock(
            judged["state"] == "wrong", isDisputed: judged["isDisputed"]?.bool == true,
            text: "\(LocalTime.full(now)): \(judged["explanation"]?.string ?? "?")" + StatusVerb.lastKnown(judged))
    }

    private func clock(_ isWrong: Bool, isDisputed: Bool, text: String) -> Finding {
        let remedy = "set the clock: timedatectl set-ntp true, or date -s; 'satchel help run' explains --trust-clock"
        if isWrong { return .broken("clock", .configuration, text, remedy) }
        return isDisputed ? .warning("clock", text, remedy) : .fine("clock", text)
    }

    private func descriptors() -> Finding? {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0, limit.rlim_cur < Self.fewDescriptors
        else { return nil }
        return .warning(
            "descriptors", "only \(limit.rlim_cur) files may be open", "raise the limit: ulimit -n 1024, or LimitNOFILE"
        )
    }
}
