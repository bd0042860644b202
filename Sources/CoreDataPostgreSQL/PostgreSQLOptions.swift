#if PostgreSQL
import CoreData
import Foundation

// Options of a store in a PostgreSQL database, besides the options for all stores.

/// Option: the number of seconds to wait for a connection. The default is 15. OpenCoreData only.
///
/// The URL may have `connect_timeout`. Without both, the environment variable `PGCONNECT_TIMEOUT` counts.
public let NSPostgreSQLConnectTimeoutOption = "NSPostgreSQLConnectTimeoutOption"
/// Option: the number of seconds after which the server cancels a statement. OpenCoreData only.
///
/// Without it the server's own limit counts. The URL may have `statement_timeout` in the server's notation: `5s`,
/// `500ms`.
public let NSPostgreSQLStatementTimeoutOption = "NSPostgreSQLStatementTimeoutOption"
/// Option: the number of seconds that a statement waits for a lock. OpenCoreData only.
///
/// Without it the server's own limit counts. The URL may have `lock_timeout`.
public let NSPostgreSQLLockTimeoutOption = "NSPostgreSQLLockTimeoutOption"
/// Option: the maximum number of connections of a store. The default is 5, and the least is 2. OpenCoreData only.
///
/// One connection writes, and the remaining ones read. A read that finds none free waits. The limit does not count
/// query generations, connections to standbys, and the connection that listens for commits of other programs. If
/// all readers are busy, a program renews its lease (``NSPostgreSQLLeaseOption``) through one more connection,
/// which ends at once.
public let NSPostgreSQLConnectionLimitOption = "NSPostgreSQLConnectionLimitOption"
/// Option: the number of seconds that a query generation lasts. The default is 3600. OpenCoreData only.
///
/// The server keeps old rows as long as a generation may read them. Reading a generation that has ended throws an
/// error with ``PostgreSQLFailure/generationEnded``.
public let NSPostgreSQLGenerationLifetimeOption = "NSPostgreSQLGenerationLifetimeOption"

/// Option: the number of seconds that a read waits until a standby is up to date. The default is 1. OpenCoreData
/// only.
///
/// After that the primary server answers the read. The option concerns contexts and requests whose
/// `readsFromStandbys` is true. The URL must name all servers: `postgresql://one,two,three/database`.
public let NSPostgreSQLStandbyTimeoutOption = "NSPostgreSQLStandbyTimeoutOption"

/// Option: the number of seconds for which history is kept. OpenCoreData only.
///
/// Without it history remains until the program deletes it. Once an hour one of the programs with the option
/// deletes older transactions. A token from before them is then refused with `NSPersistentHistoryTokenExpiredError`
/// (134301). So choose a time that is longer than the slowest reader takes.
public let NSPostgreSQLHistoryLifetimeOption = "NSPostgreSQLHistoryLifetimeOption"
/// Option: the number of seconds after which a session that holds a snapshot is reported. The default is 600.
/// OpenCoreData only.
///
/// Such a session is in ``PostgreSQLActivity/longSnapshots``, and once in a warning on standard error. The same
/// holds for a session that holds a transaction.
public let NSPostgreSQLSnapshotWarningOption = "NSPostgreSQLSnapshotWarningOption"
/// Option: the number of seconds between two lines of the store's activity on standard error. OpenCoreData only.
///
/// Without it nothing is written. Each line is the description of a ``PostgreSQLActivity``.
public let NSPostgreSQLLogIntervalOption = "NSPostgreSQLLogIntervalOption"

/// Key of a store's metadata: whether replication is synchronous, as a number. OpenCoreData only.
///
/// With synchronous replication a commit waits until a standby has it, and a fail-over loses no committed
/// transaction. The framework reads the value from the server when the store is opened, when its metadata is read,
/// and when another server takes over. The value is not stored, and a program cannot set it.
public let NSPostgreSQLSynchronousReplicationKey = "NSPostgreSQLSynchronousReplication"

/// The values of the options that concern the connections of a store.
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

    /// The number of an option; nil where it has none.
    static func number(_ value: Any) -> Double? {
        let number = (value as? NSNumber)?.doubleValue ?? value as? Double
        return number?.isNaN == true ? nil : number
    }
}
#endif
