import Application
import Dispatch
import Domain
import NativeCryptography
import SQLiteStores

/// The node's database: journal and event log.
enum Store {
    /// Where it is.
    static func path(in directory: String) -> String { directory + "/satchel.sqlite" }

    /// Opens it in a directory, and makes it where there is none.
    static func open(
        _ directory: String, _ policy: JournalPolicy, keys: IdentityKeys<NativeCryptography>,
        cryptography: NativeCryptography,
        randomness: SystemRandomness, log: LogWriter?
    ) throws(Failure) -> SQLiteJournal<NativeCryptography> {
        do {
            let journal = try SQLiteJournal(
                path: path(in: directory), dataKey: keys.data, cryptography: cryptography, policy: policy,
                makeNonce: {
                    AEADNonce(
                        prefix: UInt32(truncatingIfNeeded: randomness.next()), suffix: randomness.next())
                },
                now: { SystemClock.wall })
            if let setAside = journal.setAside {
                log?.log(.error, "the database was damaged; it lies in \(setAside) now, and a new one was made")
            }
            return journal
        } catch {
            throw failure(error)
        }
    }

    /// What a node that starts must know.
    static func state(
        of journal: any NodeJournal, clockFloor: WallTime, log: LogWriter
    ) throws(Failure) -> StoredState {
        do {
            let last = try journal.bounds()?.upperBound ?? 0
            let count = UInt64(StoredState.recentEventCount)
            let recent = try journal.events(
                after: last > count ? last - count : 0, limit: StoredState.recentEventCount)
            let (identities, damagedIdentities) = try journal.identities()
            if damagedIdentities > 0 {
                log.log(.warning, "\(damagedIdentities) records of peers were damaged and are left out")
            }
            let (records, damagedRecords) = try journal.records()
            if damagedRecords > 0 {
                log.log(.warning, "\(damagedRecords) entries of the stores were damaged and are left out")
            }
            return StoredState(
                identities: identities, recentEvents: recent.map(\.event), records: records, clockFloor: clockFloor)
        } catch {
            throw (error as? JournalError).map(failure) ?? Failure(.inputOutput, "\(error)")
        }
    }

    /// What a fault of the database means for the command.
    static func failure(_ error: JournalError) -> Failure {
        switch error {
        case .unusable, .full: Failure(.cannotWrite, error.description)
        case .foreign, .newerSchema: Failure(.badInput, error.description, hints: ["it is left as it is"])
        case .wrongDataKey:
            Failure(.badInput, error.description, hints: ["move it away, or bring back the vault that belongs to it"])
        case .failed: Failure(.inputOutput, error.description)
        case .closed: Failure(.internalFault, error.description)
        }
    }
}

/// The name that the node had last, so that one that was made up once stays.
struct NicknameFile: Sendable {
    private let path: String
    private let queue = DispatchQueue(label: "satchel.nickname")

    /// Names the file in the data directory.
    init(directory: String) { path = directory + "/nickname" }

    /// The name; `nil` when there is none, or what is there is none.
    func read() -> String? {
        guard let text = try? SystemFile.readText(path, limit: 1024) else { return nil }
        return text.split(separator: "\n").first.map(String.init)
    }

    /// Keeps a name, in its turn and without making anybody wait for the disk; what fails is logged.
    func write(_ name: String, log: LogWriter) {
        queue.async {
            do throws(Failure) {
                try SystemFile.replace(path, with: name + "\n")
            } catch {
                log.log(.warning, "the nickname was not kept: \(error.message)")
            }
        }
    }

    /// Waits until every name is kept.
    func flush() { queue.sync {} }
}
