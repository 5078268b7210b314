import KeyfileVault

/// Keeps a second node, and whoever changes keys, away from a home that is in use.
enum HomeLocking {
    /// Takes the lock of a home; a home that is in use is refused with the number of the process that holds it.
    static func lock(_ places: Places) throws(Failure) -> HomeLock {
        do { return try HomeLock(directory: places.data) } catch {
            switch error {
            case .held(_, let process):
                let holder = process.map { "process \($0)" } ?? "another process"
                throw Failure(
                    .cannotWrite, "\(holder) holds \(places.data): a node, or a command that works on it",
                    hints: [
                        "talk to the node: satchel status\(places.options)",
                        "or run a second one elsewhere: satchel run --home DIR",
                    ])
            case .unusable: throw Failure(.cannotWrite, error.description)
            }
        }
    }
}
