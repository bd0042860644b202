import CSQLite

// A file may come from anybody, and a file of SQLite's holds more than rows: triggers, views, indexes and defaults are
// programs that run when somebody reads or writes. They get nothing to work with but SQLite's harmless functions.
extension SQLiteConnection {
    /// Levels of triggers that start each other. Those of Apple's stores need two.
    private static let triggerDepth: Int32 = 32

    /// Keeps the file's own schema from doing harm.
    func distrustFile() {
        // Functions of a schema are those that are marked as innocuous; so are virtual tables.
        set(SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)
        // No statement writes the schema's own table, or the tables behind virtual tables.
        set(SQLITE_DBCONFIG_DEFENSIVE, true)
        // Views stay on: nothing of ours reads from one, and SQLite looks into them when a column gets another name.
        // Both of these reach code by its address or by its file's name.
        set(SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, false)
        set(SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER, false)
        // A connection that only reads starts no trigger.
        if access == .readOnly || access == .immutable || access == .frozen {
            set(SQLITE_DBCONFIG_ENABLE_TRIGGER, false)
        }
        sqlite3_limit(handle, SQLITE_LIMIT_TRIGGER_DEPTH, Self.triggerDepth)
        // VACUUM attaches one.
        sqlite3_limit(handle, SQLITE_LIMIT_ATTACHED, 1)
        sqlite3_limit(handle, SQLITE_LIMIT_WORKER_THREADS, 0)
    }

    /// Lets triggers write into the text and spatial indexes (FTS, R-trees) that lie in the file.
    ///
    /// Apple's stores and programs beside the framework keep such an index by triggers. SQLite takes it for something
    /// that only a trusted schema may write to. The functions that a trigger calls are harmless all the same: all
    /// functions of ours are for statements only.
    func trustIndexTables() throws {
        let indexes = """
            SELECT 1 FROM sqlite_master WHERE rootpage = 0 AND type = 'table'
            AND (sql LIKE '%USING fts%' OR sql LIKE '%USING rtree%')
            """
        if try integer(indexes) != nil { set(SQLITE_DBCONFIG_TRUSTED_SCHEMA, true) }
    }

    /// Runs a body in which the journal may be left out, which defensive mode does not allow.
    func withoutDefense<Result>(_ body: () throws -> Result) rethrows -> Result {
        set(SQLITE_DBCONFIG_DEFENSIVE, false)
        defer { set(SQLITE_DBCONFIG_DEFENSIVE, true) }
        return try body()
    }

    private func set(_ setting: Int32, _ isOn: Bool) { _ = opencoredata_db_config(handle, setting, isOn ? 1 : 0) }
}
