import CSQLite

// A file may come from an untrusted source, and a SQLite file holds more than rows: triggers, views, indexes and
// defaults are programs that run when a connection reads or writes. These programs may call only SQLite's harmless
// functions.
extension SQLiteConnection {
    /// Levels of triggers that start each other. Those of Apple's stores need two.
    private static let triggerDepth: Int32 = 32

    /// Restricts what the file's own schema can execute.
    func distrustFile() {
        // A schema may then use only functions and virtual tables that are marked as innocuous.
        set(SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)
        // Then no statement can write the schema's own table, or the tables behind virtual tables.
        set(SQLITE_DBCONFIG_DEFENSIVE, true)
        // Views stay enabled: the framework reads from no view, and SQLite checks them when a column is renamed. Both
        // of the following settings would reach code by its address or by its file's name.
        set(SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, false)
        set(SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER, false)
        // A connection that only reads needs no trigger.
        if access == .readOnly || access == .immutable || access == .readOnlySharedMemory {
            set(SQLITE_DBCONFIG_ENABLE_TRIGGER, false)
        }
        sqlite3_limit(handle, SQLITE_LIMIT_TRIGGER_DEPTH, Self.triggerDepth)
        // VACUUM attaches one database.
        sqlite3_limit(handle, SQLITE_LIMIT_ATTACHED, 1)
        sqlite3_limit(handle, SQLITE_LIMIT_WORKER_THREADS, 0)
    }

    /// Lets triggers write into the text and spatial indexes (FTS, R-trees) of the file.
    ///
    /// Triggers of Apple's stores, and of other programs, keep such an index up to date. SQLite lets only a trusted
    /// schema write to one. The functions that a trigger can call are harmless nevertheless: all functions of this
    /// framework are for statements only.
    func trustIndexTables() throws {
        let indexes = """
            SELECT 1 FROM sqlite_master WHERE rootpage = 0 AND type = 'table'
            AND (sql LIKE '%USING fts%' OR sql LIKE '%USING rtree%')
            """
        if try integer(indexes) != nil { set(SQLITE_DBCONFIG_TRUSTED_SCHEMA, true) }
    }

    /// Runs a body that may turn the journal off, which defensive mode does not allow.
    func withoutDefense<Result>(_ body: () throws -> Result) rethrows -> Result {
        set(SQLITE_DBCONFIG_DEFENSIVE, false)
        defer { set(SQLITE_DBCONFIG_DEFENSIVE, true) }
        return try body()
    }

    private func set(_ setting: Int32, _ isOn: Bool) { _ = opencoredata_db_config(handle, setting, isOn ? 1 : 0) }
}
