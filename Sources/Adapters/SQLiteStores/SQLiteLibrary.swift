import CSQLite

/// The SQLite that the stores run with.
public enum SQLiteLibrary {
    /// Its version, as it names itself.
    public static var version: String { String(cString: sqlite3_libversion()) }
}
