#if PostgreSQL
    import CoreData
    import Foundation

    /// An option of adding a store of the type `PostgreSQL`, true: an automatic migration that is inferred holds up
    /// nobody; nor does one by a mapping model that makes of each object of an entity one of another entity besides, by
    /// key paths without policies. Programs that have the store open as its present version go on, and open it anew;
    /// from the end of the migration on the store serves both versions.
    ///
    /// What only the older version needs stays until its last program has gone, and for
    /// ``NSPostgreSQLOlderVersionDelayOption`` after that. A store serves two versions at most. What cannot be while
    /// the older version is in use is refused with an `NSMigrationError` that says why, and how to split the change.
    /// Where a to-one relationship becomes to-many the older version sees one of the objects: the one that it has set
    /// last, as long as that is among them, then the one with the least key. What it sets takes the place of that one.
    ///
    /// Every program of both versions should have the option: it then says that it lives (``NSPostgreSQLLeaseOption``).
    public let NSPostgreSQLOnlineMigrationOption = "NSPostgreSQLOnlineMigrationOption"

    /// An option beside ``NSPostgreSQLOnlineMigrationOption``: how many seconds an older version stays after its last
    /// program has gone (number; 86400 when absent), for a rollback, or for a program that runs at night.
    public let NSPostgreSQLOlderVersionDelayOption = "NSPostgreSQLOlderVersionDelayOption"

    /// An option beside ``NSPostgreSQLOnlineMigrationOption``: for how many seconds a program that says nothing counts
    /// as living (number; 60 when absent, 1 at least). It says so three times as often. One that slept longer may find
    /// its version gone: its saves then write nothing, and throw an error with `PostgreSQLFailure.versionEnded`.
    public let NSPostgreSQLLeaseOption = "NSPostgreSQLLeaseOption"

    /// What the options of a store say of migrations beside others.
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
        /// Removes, now, what only an older version needs of the store at an address that was migrated with
        /// ``NSPostgreSQLOnlineMigrationOption``, if no program has the store open as that version. Programs of the
        /// newer version go on meanwhile. May be called from any thread; it waits for the server.
        ///
        /// A migration beside others that was cancelled, failed or was killed half-way is taken back. Where a view or a
        /// foreign key of another program needs something of it, or of the older version, that stays, and is an
        /// `NSMigrationError` that names it; all the rest is removed.
        ///
        /// - Parameters:
        ///   - url: the address of the store.
        ///   - options: those of adding the store; `NSPersistentStoreTimeoutOption` says how long to wait for locks.
        /// - Returns: whether the store serves only its newest version now. False where a program uses the older one.
        /// - Throws: the error of the server, 134030 where a lock was not given in time, or 134090 where an older
        ///   transaction keeps an index, with the sessions that have one.
        public static func endOlderPostgreSQLVersions(
            at url: URL, options: [AnyHashable: Any]? = nil
        ) throws -> Bool {
            let engine = PostgreSQLEngine()
            return try engine.reporting {
                let connection = try PostgreSQLEngine.connection(to: url)
                let contraction = PostgreSQLContraction(connection, options)
                // The server ends what a program has just closed a moment later.
                let deadline = ContinuousClock.now + .seconds(PostgreSQLEngine.closingTime)
                while try !contraction.end(after: 0, takingBack: true) {
                    guard ContinuousClock.now < deadline else { return false }
                    usleep(50_000)
                }
                return true
            }
        }
    }
#endif
