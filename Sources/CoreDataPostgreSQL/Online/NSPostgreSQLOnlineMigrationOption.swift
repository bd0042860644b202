#if PostgreSQL
import CoreData
import Foundation

/// Option: `true` for a migration that lets other programs continue to use the store. OpenCoreData only.
///
/// It applies to an automatic migration that is inferred. It also applies to a mapping model that makes an
/// additional object of another entity for each object of an entity, by key paths and without policies. Programs
/// that have the store open as its present version continue, and other programs may open it. After the migration
/// the store serves both versions, and two at most.
///
/// The parts that only the older version needs remain until its last program has ended, and for
/// ``NSPostgreSQLOlderVersionDelayOption`` after that. A change that is impossible while the older version is in
/// use is refused with an `NSMigrationError` (134110), whose text has the reason and explains how to split the
/// change.
///
/// If a to-one relationship becomes to-many, the older version sees one of the objects: the one that it has set
/// last, if that is still among them, and otherwise the one with the least key. An object that it sets replaces
/// that one.
///
/// Give this option to every program of both versions. A program with the option reports at intervals that it is
/// running (see ``NSPostgreSQLLeaseOption``).
public let NSPostgreSQLOnlineMigrationOption = "NSPostgreSQLOnlineMigrationOption"

/// Option: the number of seconds that an older version remains after its last program has gone. The default is
/// 86400. OpenCoreData only.
///
/// The delay leaves time for a rollback, or for a program that runs at night. The option belongs to
/// ``NSPostgreSQLOnlineMigrationOption``.
public let NSPostgreSQLOlderVersionDelayOption = "NSPostgreSQLOlderVersionDelayOption"

/// Option: the number of seconds for which a program counts as running after its last report. The default is 60,
/// and the least is 1. OpenCoreData only.
///
/// A program reports three times in this period that it is running. If it sleeps for longer, its version may be
/// gone. Its saves then write nothing and throw an error with ``PostgreSQLFailure/versionEnded``. The option
/// belongs to ``NSPostgreSQLOnlineMigrationOption``.
public let NSPostgreSQLLeaseOption = "NSPostgreSQLLeaseOption"

/// The values of the options that concern online migrations.
struct PostgreSQLOnlineOptions: Sendable {
    var isOn = false
    var delay: TimeInterval = 86_400
    var lease: TimeInterval = 60

    init(_ options: [AnyHashable: Any]?) {
        func number(_ key: String) -> Double? { options?[key].flatMap(PostgreSQLOptions.number) }
        isOn = number(NSPostgreSQLOnlineMigrationOption).map { $0 != 0 } ?? false
        if let given = number(NSPostgreSQLOlderVersionDelayOption) { delay = given.boundedTime }
        if let given = number(NSPostgreSQLLeaseOption) { lease = max(1, given.boundedTime) }
    }
}

extension NSPersistentStoreCoordinator {
    /// Removes at once the parts of a store that only an older version needs. OpenCoreData only.
    ///
    /// It does so for a store that was migrated with ``NSPostgreSQLOnlineMigrationOption``, unless a program has
    /// the store open as the older version. Programs of the newer version continue to run. The method also removes
    /// the additions of such a migration that was cancelled, failed or was killed.
    ///
    /// If a view or a foreign key of another program needs one of these parts, that part remains, and the call
    /// throws an `NSMigrationError` that names it. Everything else is removed.
    ///
    /// Call it from any thread. It waits for the server.
    ///
    /// - Parameters:
    ///   - url: The address of the store.
    ///   - options: The options for opening the store. `NSPersistentStoreTimeoutOption` limits the wait for locks;
    ///     the default is 60 seconds. `NSMigrationAllowedLossesOption` names the values that may go.
    /// - Returns: Whether the store now serves only its newest version. False if a program uses the older one, or
    ///   if another program is removing it.
    /// - Throws: `NSMigrationError` (134110) for a view or a foreign key as above. The same error if the store went
    ///   back to an older version and values would be lost for which that version has no place.
    ///   `NSPersistentStoreTimeoutError` (134090), which names the sessions, if an older transaction keeps an
    ///   index.
    ///   `NSPersistentStoreOpenError` (134080) for an error of the server, for example if a lock was not given in
    ///   time (``PostgreSQLFailure/locked``).
    public static func endOlderPostgreSQLVersions(
        at url: URL, options: [AnyHashable: Any]? = nil
    ) throws -> Bool {
        let engine = PostgreSQLEngine()
        return try engine.reporting {
            let connection = try PostgreSQLEngine.connection(to: url)
            let contraction = PostgreSQLContraction(connection, options)
            // The server ends what a program has just closed a moment later.
            var attempts = Attempts(.polling(every: 0.05, timeout: PostgreSQLEngine.closingTime))
            while try !contraction.end(after: 0, removingAbandoned: true) {
                guard attempts.goOn() else { return false }
            }
            return true
        }
    }
}
#endif
