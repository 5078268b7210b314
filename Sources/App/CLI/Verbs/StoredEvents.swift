import Application
import ControlSocket
import Domain
import KeyfileVault
import NativeCryptography
import SQLiteStores

/// Reads the event log of a home in which no node runs.
enum StoredEvents {
    /// Events read at once.
    private static let pageSize = 256

    /// What lies behind a cursor.
    private struct Found {
        let place: Place
        let events: [LoggedEvent]
        /// The highest sequence that is kept.
        let end: UInt64
    }

    /// Prints what lies behind the cursor; without one only says where the log ends.
    static func print(
        after start: UInt64?, _ places: Places, _ context: CommandContext, _ printer: inout EventPrinter
    ) throws(Failure) {
        guard SystemFile.exists(Store.path(in: places.data)) else {
            throw Failure(
                .notRunning, "no node is running, and there is no event log in \(places.data)",
                hints: ["start a node with: satchel run\(places.options)"])
        }
        let cryptography = NativeCryptography()
        let configuration = try context.configuration(in: places)
        let keys = try Vault(places, configuration, cryptography: cryptography, output: context.output).open()
        let found = try read(after: start, places, configuration, keys, cryptography)
        printer.begin((found.place.cursor, found.place.isMissed))
        for event in found.events { try printer.take(event) }
        printer.pass(to: found.end)
    }

    /// Reads all of it at once: the home is locked, so that no node starts on a database that is being looked at and
    /// mended if it must, and whoever reads what we print may take as long as they like.
    private static func read(
        after start: UInt64?, _ places: Places, _ configuration: Configuration,
        _ keys: IdentityKeys<NativeCryptography>, _ cryptography: NativeCryptography
    ) throws(Failure) -> Found {
        let lock = try HomeLocking.lock(places)
        defer { withExtendedLifetime(lock) {} }
        let journal = try Store.open(
            places.data, configuration.journalPolicy, keys: keys, cryptography: cryptography,
            randomness: SystemRandomness(),
            log: nil)
        defer { journal.close() }
        do {
            let bounds = try journal.bounds()
            let place = Place(after: start, bounds: bounds)
            var events: [LoggedEvent] = []
            var cursor = place.cursor
            while start != nil {
                let page = try journal.events(after: cursor, limit: pageSize)
                guard let last = page.last else { break }
                events += page
                cursor = last.sequence
            }
            return Found(place: place, events: events, end: bounds?.upperBound ?? cursor)
        } catch {
            throw Failure(.inputOutput, "the event log cannot be read: \(error)")
        }
    }
}
