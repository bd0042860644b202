#if PostgreSQL
    import CoreData
    import Foundation

    // Options of a store in a PostgreSQL database, beside those that every store knows.

    /// Option: how many seconds to wait for a connection (number; 15 when absent). The URL may say `connect_timeout`,
    /// and where neither does, `PGCONNECT_TIMEOUT`.
    public let NSPostgreSQLConnectTimeoutOption = "NSPostgreSQLConnectTimeoutOption"
    /// Option: how many seconds a statement may take before the server cancels it (number; the server's own limit when
    /// absent). The URL may say `statement_timeout`, as the server writes it: `5s`, `500ms`.
    public let NSPostgreSQLStatementTimeoutOption = "NSPostgreSQLStatementTimeoutOption"
    /// Option: how many seconds a statement waits for a lock (number; the server's own limit when absent). The URL may
    /// say `lock_timeout`.
    public let NSPostgreSQLLockTimeoutOption = "NSPostgreSQLLockTimeoutOption"
    /// Option: how many connections a store has at most (number; 5 when absent, 2 at least): one writes, the others
    /// read, and whoever finds none free waits. A query generation, and the connection that hears of others' commits,
    /// are besides. So is the one by which a program whose readers are all busy says that it lives
    /// (`NSPostgreSQLLeaseOption`); it ends at once.
    public let NSPostgreSQLConnectionLimitOption = "NSPostgreSQLConnectionLimitOption"
    /// Option: how many seconds a query generation lasts (number; 3600 when absent). The server keeps the rows of the
    /// past as long, so that it has an end: reading a generation that has ended is an error
    /// (`PostgreSQLFailure.generationEnded`).
    public let NSPostgreSQLGenerationLifetimeOption = "NSPostgreSQLGenerationLifetimeOption"

    /// Option: how many seconds a read waits for a standby to have what it has to show (number; 1 when absent). Then
    /// the primary server is read. It concerns contexts and requests that read from standbys
    /// (`NSManagedObjectContext.readsFromStandbys`). The URL has to name all servers:
    /// `postgresql://one,two,three/database`.
    public let NSPostgreSQLStandbyTimeoutOption = "NSPostgreSQLStandbyTimeoutOption"

    /// Option: for how many seconds history is kept (number; for ever when absent, until the program deletes it). Older
    /// transactions go once an hour, by one of the programs that have the option. A token from before them is refused
    /// as one whose history was deleted (`NSPersistentHistoryTokenExpiredError`): let the time be longer than the
    /// slowest reader takes.
    public let NSPostgreSQLHistoryLifetimeOption = "NSPostgreSQLHistoryLifetimeOption"
    /// Option: after how many seconds a session that holds a snapshot, or a transaction, is named (number; 600 when
    /// absent): in ``PostgreSQLActivity/longSnapshots``, and once in a warning on standard error.
    public let NSPostgreSQLSnapshotWarningOption = "NSPostgreSQLSnapshotWarningOption"
    /// Option: how often, in seconds, the store's ``PostgreSQLActivity`` is written to standard error, as one line
    /// (number; never when absent).
    public let NSPostgreSQLLogIntervalOption = "NSPostgreSQLLogIntervalOption"

    /// The key, in a store's metadata, of whether replication is synchronous (number): a commit waits until a standby
    /// has it, and a fail-over loses nothing that was committed. The server tells it when the store is opened, when its
    /// metadata are read, and when another server goes on; it is not kept with the store, and nobody sets it.
    public let NSPostgreSQLSynchronousReplicationKey = "NSPostgreSQLSynchronousReplication"

    /// What the options of a store say of its connections.
    struct PostgreSQLOptions: Sendable {
        var maximumOfReaders = 4
        var generationLifetime: TimeInterval = 3_600
        var standbyTimeout: TimeInterval = 1
        var historyLifetime: TimeInterval?
        var snapshotWarning: TimeInterval = 600
        var logInterval: TimeInterval?

        init(_ opening: StoreOpening) {
            func number(_ key: String) -> Double? { opening.options?[key].flatMap(Self.number) }
            maximumOfReaders = opening.maximumOfReaders
            if let limit = number(NSPostgreSQLConnectionLimitOption) {
                maximumOfReaders = Int(min(max(2, limit), 1_000_000)) - 1
            }
            if let given = number(NSPostgreSQLGenerationLifetimeOption) {
                generationLifetime = max(0.001, given.boundedTime)
            }
            if let given = number(NSPostgreSQLStandbyTimeoutOption) { standbyTimeout = min(max(0, given), 86_400) }
            if let given = number(NSPostgreSQLHistoryLifetimeOption) { historyLifetime = given.boundedTime }
            if let given = number(NSPostgreSQLSnapshotWarningOption) { snapshotWarning = given.boundedTime }
            if let given = number(NSPostgreSQLLogIntervalOption), given > 0 {
                logInterval = min(max(0.1, given), 86_400)
            }
        }

        /// What a number of an option is; nil where it is none.
        static func number(_ value: Any) -> Double? {
            let number = (value as? NSNumber)?.doubleValue ?? value as? Double
            return number?.isNaN == true ? nil : number
        }
    }
#endif
