import CSQLite
import Glibc

/// One connection to one database file. Not thread-safe: its owner lets one thread at a time in.
final class SQLiteConnection {
    let path: String
    private let handle: OpaquePointer

    init(path: String) throws(JournalError) {
        self.path = path
        var handle: OpaquePointer?
        // NOMUTEX: the owner serialises. EXRESCODE: errors say which operation failed.
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
        let code = sqlite3_open_v2(path, &handle, flags, nil)
        guard code == SQLITE_OK, let handle else {
            let error = JournalError(path: path, code: code, reason: sqlite3_errstr(code), of: handle)
            sqlite3_close_v2(handle)
            throw error
        }
        self.handle = handle
        sqlite3_busy_timeout(handle, 5000)
    }

    deinit { sqlite3_close_v2(handle) }

    /// Runs statements that answer nothing.
    func execute(_ sql: String) throws(JournalError) {
        let code = sqlite3_exec(handle, sql, nil, nil, nil)
        guard code == SQLITE_OK else { throw failure(code) }
    }

    func prepare(_ sql: String) throws(JournalError) -> SQLiteStatement {
        var statement: OpaquePointer?
        let code = sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
        guard code == SQLITE_OK, let statement else { throw failure(code) }
        return SQLiteStatement(statement, of: self)
    }

    /// The first column of the first row.
    func number(_ sql: String) throws(JournalError) -> Int64? {
        let statement = try prepare(sql)
        defer { statement.reset() }
        return try statement.step() ? statement.number(at: 0) : nil
    }

    /// The first column of the first row, as text.
    func text(_ sql: String) throws(JournalError) -> String? {
        let statement = try prepare(sql)
        defer { statement.reset() }
        return try statement.step() ? statement.text(at: 0) : nil
    }

    /// Runs `body` in one transaction: all of it holds, or nothing.
    func transaction(_ body: () throws(JournalError) -> Void) throws(JournalError) {
        try execute("BEGIN IMMEDIATE")
        do {
            try body()
            try execute("COMMIT")
        } catch {
            // Some failures, a full disk among them, have rolled back already.
            if sqlite3_get_autocommit(handle) == 0 { sqlite3_exec(handle, "ROLLBACK", nil, nil, nil) }
            throw error
        }
    }

    /// The rows that the last statement changed.
    var changedRows: Int { Int(sqlite3_changes64(handle)) }

    fileprivate func failure(_ code: Int32) -> JournalError {
        JournalError(path: path, code: code, reason: sqlite3_errmsg(handle), of: handle)
    }
}

extension JournalError {
    /// Tells a full disk and a place that we may not write to from other failures, since a person can mend those.
    fileprivate init(path: String, code: Int32, reason: UnsafePointer<CChar>?, of handle: OpaquePointer?) {
        let reason = reason.map { String(cString: $0) } ?? "SQLite failed"
        let fault = handle.map { sqlite3_system_errno($0) } ?? 0
        // The low byte is the primary result code.
        switch (code & 0xFF, fault) {
        case (SQLITE_FULL, _), (SQLITE_IOERR, ENOSPC), (SQLITE_IOERR, EDQUOT): self = .full(path: path)
        case (SQLITE_IOERR, EROFS): self = .unusable(path: path, reason: String(cString: strerror(fault)))
        // SQLITE_READONLY_DIRECTORY, a macro that Swift does not import.
        case (SQLITE_READONLY, _) where code == SQLITE_READONLY | 6 << 8:
            self = .unusable(path: path, reason: "no files can be made in its directory")
        case (SQLITE_READONLY, _), (SQLITE_CANTOPEN, _), (SQLITE_PERM, _):
            self = .unusable(path: path, reason: fault == 0 ? reason : String(cString: strerror(fault)))
        default: self = .failed(path: path, code: code, reason: reason)
        }
    }
}

/// A prepared statement; ``reset()`` before it runs again.
final class SQLiteStatement {
    private let handle: OpaquePointer
    private let connection: SQLiteConnection

    fileprivate init(_ handle: OpaquePointer, of connection: SQLiteConnection) {
        self.handle = handle
        self.connection = connection
    }

    deinit { sqlite3_finalize(handle) }

    func bind(_ value: Int64, at index: Int32) { sqlite3_bind_int64(handle, index, value) }

    func bind(_ bytes: [UInt8], at index: Int32) {
        // The macro SQLITE_TRANSIENT, which Swift does not import: SQLite copies the bytes before the call returns.
        let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
        sqlite3_bind_blob64(handle, index, bytes, UInt64(bytes.count), transient)
    }

    /// Advances; whether there is a row.
    func step() throws(JournalError) -> Bool {
        let code = sqlite3_step(handle)
        switch code {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        default: throw connection.failure(code)
        }
    }

    /// Runs a statement that answers no rows, and makes it ready for its next run.
    func run() throws(JournalError) {
        defer { reset() }
        _ = try step()
    }

    func reset() {
        sqlite3_reset(handle)
        sqlite3_clear_bindings(handle)
    }

    /// `nil` for NULL.
    func number(at column: Int32) -> Int64? {
        sqlite3_column_type(handle, column) == SQLITE_NULL ? nil : sqlite3_column_int64(handle, column)
    }

    func bytes(at column: Int32) -> [UInt8] {
        guard let start = sqlite3_column_blob(handle, column) else { return [] }
        return Array(UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column))))
    }

    func text(at column: Int32) -> String? { sqlite3_column_text(handle, column).map { String(cString: $0) } }
}
