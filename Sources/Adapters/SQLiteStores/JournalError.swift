/// Why the journal's database cannot be used. The file is left as it is, whichever it is.
public enum JournalError: Error, Hashable, Sendable {
    /// The file cannot be opened, made or written to; why.
    case unusable(path: String, reason: String)
    /// The disk, or what we may use of it, is full.
    case full(path: String)
    /// The file is another program's database.
    case foreign(path: String)
    /// A newer program wrote the database, with this schema version.
    case newerSchema(path: String, version: Int)
    /// The database was sealed under another data key.
    case wrongDataKey(path: String)
    /// SQLite reports a failure; its result code and words.
    case failed(path: String, code: Int32, reason: String)
    /// The journal was closed.
    case closed

    /// Whether a node may start all the same and keep nothing, with a ``VolatileJournal``.
    ///
    /// Where only the keeping is impossible, a relay that runs is worth more than one that does not. Where the database
    /// belongs to something else than the vault does, something was mixed up, and a person has to say which is meant.
    public var allowsVolatileRun: Bool {
        switch self {
        case .unusable, .full, .newerSchema, .failed: true
        case .foreign, .wrongDataKey, .closed: false
        }
    }
}

extension JournalError: CustomStringConvertible {
    /// What is wrong with which file.
    public var description: String {
        switch self {
        case .unusable(let path, let reason): "cannot use \(path): \(reason)"
        case .full(let path): "\(path): the database or disk is full"
        case .foreign(let path): "\(path) is another program's database"
        case .newerSchema(let path, let version):
            "\(path) has schema \(version), which this version cannot read"
        case .wrongDataKey(let path): "\(path) belongs to another identity: its data key differs from the vault's"
        case .failed(let path, let code, let reason): "\(path): \(reason) (SQLite \(code))"
        case .closed: "the journal is closed"
        }
    }
}
