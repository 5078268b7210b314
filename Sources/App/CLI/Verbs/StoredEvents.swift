import Application
import Domain
import KeyfileVault
import NativeCryptography

/// Reads the event log of a home in which no node runs.
enum StoredEvents {
    /// Events read at once.
    private static let pageSize = 256

    /// Prints what lies behind the cursor.
    ///
    /// The home is locked meanwhile, so that no node starts on a database that is being looked at, and mended if it must.
    static func print(
        after start: UInt64, _ places: Places, _ context: CommandContext, _ printer: inout EventPrinter
    ) throws(Failure) {
        guard SystemFile.exists(Store.path(in: places)) else {
            throw Failure(
                .notRunning, "no node is running, and there is no event log in \(places.data)",
                hints: ["start a node with: satchel run\(places.options)"])
        }
        let lock = try HomeLocking.lock(places)
        defer { withExtendedLifetime(lock) {} }
        let cryptography = NativeCryptography()
        let configuration = try context.configuration(in: places)
        let keys = try Vault(places, configuration, cryptography: cryptography, output: context.output).open()
        let journal = try Store.open(
            places, configuration.journalPolicy, keys: keys, cryptography: cryptography, randomness: SystemRandomness(),
            log: nil)
        defer { journal.close() }
        var cursor = start
        do {
            // A cursor beyond the end belongs to a log that was wiped: what is here now was never seen.
            let bounds = try journal.bounds()
            if let bounds, start > bounds.upperBound { cursor = 0 }
            let isGap = bounds.map { start > 0 && cursor < $0.lowerBound - min($0.lowerBound, 1) } ?? false
            printer.begin((cursor, isGap))
            while !printer.isFull {
                let events = try journal.events(after: cursor, limit: pageSize)
                guard let last = events.last else { return }
                for event in events where !printer.isFull { try printer.take(event.json) }
                cursor = last.sequence
            }
        } catch let failure as Failure {
            throw failure
        } catch {
            throw Failure(.inputOutput, "the event log cannot be read: \(error)")
        }
    }
}
