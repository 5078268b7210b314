import Application
import Dispatch
import Domain
import Foundation
import NativeCryptography
import Support
import Synchronization
import Testing

@testable import SQLiteStores

typealias TestedJournal = SQLiteJournal<NativeCryptography>

/// A journal's place in a temporary directory, with a clock that tests turn.
final class JournalHome: Sendable {
    let directory: TemporaryDirectory
    let time = Mutex(WallTime(milliseconds: 1_700_000_000_000))
    private let randomness = SystemRandomness()
    private let cryptography = NativeCryptography()

    init() throws { directory = try TemporaryDirectory() }

    var path: String { directory.file("satchel.db") }

    func open(
        policy: JournalPolicy = JournalPolicy(), key: UInt8 = 7, path: String? = nil
    ) throws(JournalError) -> TestedJournal {
        try SQLiteJournal(
            path: path ?? self.path, dataKey: cryptography.importSecret([UInt8](repeating: key, count: 32).span),
            cryptography: cryptography, policy: policy, makeNonce: makeNonce, now: { [self] in time.withLock { $0 } })
    }

    /// Seals as the journal does, under the key that it is opened with unless a test says otherwise.
    func seal() -> JournalSeal<NativeCryptography> {
        JournalSeal(
            dataKey: cryptography.importSecret([UInt8](repeating: 7, count: 32).span), cryptography: cryptography,
            makeNonce: makeNonce)
    }

    private var makeNonce: @Sendable () -> AEADNonce {
        { [randomness] in AEADNonce(prefix: UInt32(truncatingIfNeeded: randomness.next()), suffix: randomness.next()) }
    }

    /// A connection beside the journal's own, for looking and for doing harm.
    func database() throws(JournalError) -> SQLiteConnection { try SQLiteConnection(path: path) }

    /// A connection as the journal's own, with the schema in place.
    func schema() throws(JournalError) -> SQLiteConnection {
        try JournalSchema.open(path, pageLimit: nil) { _ in }
    }

    func passDays(_ days: Int64) { time.withLock { $0 = $0.adding(.seconds(86_400) * days) } }

    /// Appends events numbered like this, and closes when all are reported.
    @discardableResult
    func log(_ numbers: ClosedRange<Int>, policy: JournalPolicy = JournalPolicy()) throws -> [Report] {
        let journal = try open(policy: policy)
        let recorder = Recorder()
        for number in numbers { _ = journal.append(.event(event(number))) }
        journal.start(reporting: recorder.reports)
        journal.close()
        return recorder.all
    }
}

func event(_ number: Int, text: String = "hello") -> Event {
    .publicMessage(
        ChatMessage(
            id: "m\(number)", sender: PeerID(rawValue: 1), senderName: "alice", text: text,
            sentAt: WallTime(milliseconds: 1), receivedAt: WallTime(milliseconds: 2), isOwn: false))
}

func identity(_ number: Int, isAuthenticated: Bool = false, nickname: String = "bob") -> PeerIdentity {
    PeerIdentity(
        noiseKey: AgreementPublicKey(Bytes32(high: 1, low: UInt128(number))), signingKey: nil,
        isSigningKeyAuthenticated: isAuthenticated, nickname: nickname)
}

/// One thing that the journal reported.
enum Report: Hashable, Sendable {
    case committed(UInt64)
    case failed(UInt64)
    case logged(UInt64)
}

/// Keeps what a journal reports, in order.
final class Recorder: Sendable {
    private let list = Mutex<[Report]>([])
    private let lastReason = Mutex("")
    private let news = DispatchSemaphore(value: 0)

    var all: [Report] { list.withLock { $0 } }
    var reason: String { lastReason.withLock { $0 } }
    var reports: JournalReports {
        JournalReports(
            committed: { [self] id in note(.committed(id.rawValue)) },
            commitFailed: { [self] id, reason in
                lastReason.withLock { $0 = reason }
                note(.failed(id.rawValue))
            },
            logged: { [self] sequence in note(.logged(sequence)) })
    }

    private func note(_ report: Report) {
        list.withLock { $0.append(report) }
        news.signal()
    }

    /// Blocks until the report has come; half a minute without any is a failure.
    func wait(for report: Report) throws { try wait("\(report)") { $0 == report } }

    /// Blocks until an append is reported on; whether it was committed, by a report of its own.
    func isCommitted(_ id: CommitID) throws -> Bool {
        let outcomes: [Report] = [.committed(id.rawValue), .failed(id.rawValue)]
        try wait("\(id)") { outcomes.contains($0) }
        return all.contains(outcomes[0])
    }

    private func wait(_ what: String, where isWanted: (Report) -> Bool) throws {
        while !all.contains(where: isWanted) {
            try #require(news.wait(timeout: .now() + 30) == .success, "\(what) did not come")
        }
    }
}
