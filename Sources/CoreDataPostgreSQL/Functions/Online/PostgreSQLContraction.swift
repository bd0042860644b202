#if PostgreSQL
@_spi(MigrationTesting) import CoreData
import Foundation

/// Ends versions that no program has any more, and removes what only they need.
struct PostgreSQLContraction {
    let connection: PostgreSQLConnection
    let timeout: TimeInterval
    /// Whether a transaction is open in which no other program has the store open.
    private let isWithin: Bool
    /// The names of the entities and properties whose values may be lost.
    private var allowed: Set<String> = []
    /// Whether all values may be lost.
    var allowsLosses = false

    init(_ connection: PostgreSQLConnection, _ options: [AnyHashable: Any]?) {
        self.init(
            connection,
            timeout: (options?[NSPersistentStoreTimeoutOption] as? NSNumber)?.doubleValue ?? 60)
        allowed = MigrationLossOptions(options).allowed
    }

    init(_ connection: PostgreSQLConnection, timeout: TimeInterval, isWithin: Bool = false) {
        self.connection = connection
        self.isWithin = isWithin
        self.timeout = timeout
    }

    private var shortLockTransaction: PostgreSQLShortLockTransaction {
        PostgreSQLShortLockTransaction(connection: connection, timeout: timeout, progress: nil, isWithin: isWithin)
    }

    private var url: URL { connection.address.shown }

    /// Ends all versions except the newest that no program has used for a number of seconds.
    ///
    /// - Parameter removesAbandoned: whether to remove a version, too, whose migration was begun and is not under
    ///   way.
    /// - Returns: whether only the newest is left. False where another process ends versions at the same time.
    func end(after delay: TimeInterval, removingAbandoned removesAbandoned: Bool = false) throws -> Bool {
        try PostgreSQLWatch.shared.watching(connection) {
            try endOtherVersions(after: delay, removingAbandoned: removesAbandoned)
        }
    }

    private func endOtherVersions(after delay: TimeInterval, removingAbandoned removesAbandoned: Bool) throws -> Bool {
        try connection.endWithProgram()
        guard try connection.tryOnlineLock() else { return false }
        defer { connection.giveBackOnlineLock() }
        let versions = try PostgreSQLVersion.all(on: connection)
        let metadata = try SQLStoreMetadata.read(from: connection, url: url)
        let lock = PostgreSQLConnection.versionLock(of: metadata)
        guard let newest = versions.first(where: { $0.lock == lock && $0.state == .served }) else { return true }
        for version in versions where removesAbandoned && version.state == .coming {
            try remove(version, keeping: newest)
        }
        return try endOtherVersions(than: newest, after: delay)
    }

    /// Ends all versions except one, for a caller that holds the lock of online migrations.
    func endOtherVersions(than newest: PostgreSQLVersion, after delay: TimeInterval) throws -> Bool {
        var isAlone = true
        for version in try PostgreSQLVersion.all(on: connection) where version.lock != newest.lock {
            switch version.state {
            case .served:
                if try end(version, after: delay, keeping: newest) {
                    try removeEnded(version, keeping: newest)
                } else {
                    isAlone = false
                }
            case .ended: try removeEnded(version, keeping: newest)
            // The process that began it, or another one, resumes it.
            case .coming, .removed: continue
            }
        }
        return isAlone
    }

    // MARK: Ending

    /// Ends a version if no program of it is running. Programs that are suspended can then no longer write.
    private func end(
        _ version: PostgreSQLVersion, after delay: TimeInterval, keeping newest: PostgreSQLVersion
    ) throws -> Bool {
        guard try isDue(version, delay) else { return false }
        let users = try connection.usersOfVersion(version.lock)
        if !users.living.isEmpty {
            try connection.execute(
                "UPDATE coredata.model_versions SET seen = now() WHERE lock = \(version.lock)")
            return false
        }
        try requireNoLoss(of: version, keeping: newest)
        // Their open transactions would be written after the end. A role that may not end them waits for them.
        for process in users.asleep { _ = try? connection.texts("SELECT pg_terminate_backend($1)", [process]) }
        return try end(version) { try isUnused(version, delay) }
    }

    /// Ends a version if a condition is true while no program can open the store or save.
    private func end(_ version: PostgreSQLVersion, where condition: () throws -> Bool) throws -> Bool {
        try shortLockTransaction.transaction {
            // A program that opens the store first writes its lease, and saves hold the lock of writers.
            try connection.execute("LOCK TABLE coredata.leases IN SHARE ROW EXCLUSIVE MODE")
            try connection.waitForSaves()
            guard try condition() else { return false }
            try connection.execute(
                "UPDATE coredata.model_versions SET state = 'ended' WHERE lock = \(version.lock)")
            return true
        }
    }

    /// Records the statements that end a version and remove what only it needs, on a connection that takes a script.
    func record(_ version: PostgreSQLVersion, keeping newest: PostgreSQLVersion) throws {
        connection.script?.begin(.contract, "no program writes as the older version any more")
        _ = try end(version) { true }
        try remove(version, keeping: newest)
    }

    private func isUnused(_ version: PostgreSQLVersion, _ delay: TimeInterval) throws -> Bool {
        try isDue(version, delay) && connection.usersOfVersion(version.lock).living.isEmpty
    }

    /// Throws an error if a version besides the newest could not end now, as far as a short check finds out.
    ///
    /// The method changes no data.
    func requireEndOfOthers(than newest: PostgreSQLVersion, after delay: TimeInterval) throws {
        guard try connection.isThere("coredata.leases") else { return }
        for version in try PostgreSQLVersion.served(on: connection) where version.lock != newest.lock {
            guard try isUnused(version, delay) else { throw Self.olderIsServed }
            _ = try connection.readBriefly(steps: 1) { try requireNoLoss(of: version, keeping: newest) }
        }
    }

    /// The error of a third version.
    static var olderIsServed: NSError {
        OnlineMigration.refusal(
            entity: nil,
            reason: "the store still serves the version before its present one, which may go when its last program "
                + "has closed the store and the delay after that has passed",
            help: "Wait, or end it with endOlderPostgreSQLVersions.")
    }

    /// Whether a number of seconds has passed since the last lease of a version expired.
    private func isDue(_ version: PostgreSQLVersion, _ delay: TimeInterval) throws -> Bool {
        let select = """
            SELECT greatest(v.seen + $2::float8 * interval '1 second', (SELECT max(l.until) + \
            greatest($2::float8, 0) * interval '1 second' FROM coredata.leases l WHERE l.version = v.lock)) \
            <= clock_timestamp() FROM coredata.model_versions v WHERE v.lock = $1::bigint
            """
        return try connection.rows(select, ["\(version.lock)", "\(delay)"]).first?[0] == "t"
    }

    // MARK: Removing

    /// Removes a version whose programs are no longer admitted. Since the last check they may have written values
    /// that must not be lost: then the version is served again.
    private func removeEnded(_ version: PostgreSQLVersion, keeping newest: PostgreSQLVersion) throws {
        do {
            try requireNoLoss(of: version, keeping: newest)
        } catch let error as NSError where error.userInfo[NSMigrationLossesErrorKey] != nil {
            try connection.execute(
                "UPDATE coredata.model_versions SET state = 'served', seen = now() WHERE lock = \(version.lock)")
            throw error
        }
        try remove(version, keeping: newest)
    }

    /// Throws if rows hold values that only the ending version has a place for, and that must not be lost.
    func requireNoLoss(of version: PostgreSQLVersion, keeping newest: PostgreSQLVersion) throws {
        if allowsLosses { return }
        let losses = try PostgreSQLLosses(connection, version).found(
            among: newest.places.guarded.filter { !allowed.contains($0) })
        if losses.isEmpty { return }
        let names = losses.map { "\"\($0.name)\"" }.joined(separator: ", ")
        let help =
            "Keep what only that version has, by a program of it. To let it go: endOlderPostgreSQLVersions(at: url, "
            + "options: [NSMigrationAllowedLossesOption: [\(names)]])."
        throw NSError.coreData(
            NSMigrationError,
            reason: "The store still serves the version before its present one, which has no place for "
                + "\(losses.map(\.description).joined(separator: ", ")). Nothing was removed. \(help)",
            url: url,
            userInfo: [NSMigrationLossesErrorKey: losses, NSLocalizedRecoverySuggestionErrorKey: help])
    }

    /// Removes the parts of a version that the remaining version does not have. A part that a view or a foreign key
    /// of another program needs stays, and the error at the end names it. The next removal of the version takes the
    /// rest.
    func remove(_ version: PostgreSQLVersion, keeping kept: PostgreSQLVersion) throws {
        let (gone, goneLayout, goneSchema) = try version.schema(of: url)
        let (model, layout, schema) = try kept.schema(of: url)
        defer { withExtendedLifetime((gone, model, goneLayout)) {} }
        let (tables, goneTables) = (
            PostgreSQLTables(connection, schema, layout), PostgreSQLTables(connection, goneSchema, goneLayout)
        )
        let needed = Dictionary(schema.allTables.map { ($0.name, $0) }) { first, _ in first }
        try beginRemoving(version)
        connection.script?.begin("remove the triggers that keep both versions in step")
        // These triggers are dropped before a table that one of them writes into.
        for table in try connection.tables(withTrigger: PostgreSQLStep.linkTrigger) {
            try shortLockTransaction.run(PostgreSQLStep.linkingNoMore(table))
            MigrationMoment.reach(.stepDone)
        }
        for table in try connection.tables(withTrigger: PostgreSQLStep.splitTrigger) {
            try shortLockTransaction.run(PostgreSQLStep.splittingNoMore(table))
            MigrationMoment.reach(.stepDone)
        }
        let inStep = try connection.tables(withTrigger: PostgreSQLStep.trigger)
        let present = try connection.tableNames()
        // A script has tables that the database does not have yet.
        let existing = present.subtracting(connection.script?.newTables ?? [])
        let catalog = try connection.catalog(ofTables: existing)
        let dependents = try connection.dependents()
        var held: [PostgreSQLDependent] = []
        var removed: [String: Set<String>] = [:]
        for table in Set(goneSchema.allTables.map(\.name) + inStep).sorted() where present.contains(table) {
            guard let stays = needed[table] else {
                let others = dependents.filter { $0.table == table && !$0.isOfTable }
                if others.isEmpty {
                    removed[table] = Set(catalog.tables[table]?.columns.map(\.name) ?? [])
                    connection.script?.begin("remove the table \(table)", loss: "the rows of \(table)")
                    try shortLockTransaction.transaction { _ = try connection.run(.define(.dropTable(table))) }
                } else if inStep.contains(table) {
                    try shortLockTransaction.run(PostgreSQLStep.droppingSyncTrigger(table))
                }
                held += others
                continue
            }
            let columns = goneSchema.allTables.first { $0.name == table }?.columns.map(\.name) ?? []
            let known = Set(stays.columns.map(\.name))
            let there = Set(catalog.tables[table]?.columns.map(\.name) ?? [])
            let doomed = columns.filter { !known.contains($0) && there.contains($0) }
            let others = dependents.filter { $0.table == table && $0.column.map(doomed.contains) ?? false }
            let kept = Set(others.compactMap(\.column))
            held += others
            removed[table] = Set(doomed).subtracting(kept)
            let names = doomed.filter { !kept.contains($0) }.map { "\(table).\(PostgreSQLDialect.asGiven($0))" }
            connection.script?.begin(
                names.isEmpty ? "remove the trigger of \(table)" : "remove \(names.joined(separator: ", "))",
                loss: names.isEmpty ? nil : "the values of \(names.joined(separator: ", "))")
            try shortLockTransaction.run(
                (inStep.contains(table) ? PostgreSQLStep.droppingSyncTrigger(table) : [])
                    + PostgreSQLStep.droppingColumns(doomed.filter { !kept.contains($0) }, of: table)
                    + kept.sorted().map { PostgreSQLStep.voluntary($0, of: table) }
                    + tables.renewingDefaults(ofTable: table, unlike: goneTables))
            MigrationMoment.reach(.stepDone)
        }
        let unfinished = try connection.unfinishedIndexes()
        for index in try connection.catalog(ofTables: existing).indexes {
            let isOfGone = goneSchema.indexes.contains { PostgreSQLStep.isSame(index, $0) }
            let isHeld = held.contains { dependent in
                dependent.table == index.table
                    && (needed[index.table] == nil || index.columns.contains { $0.name == dependent.column })
            }
            // The server has dropped it with its table, or with a column.
            let isGone = removed[index.table].map { gone in
                needed[index.table] == nil || index.columns.contains { gone.contains($0.name) }
            }
            guard isOfGone, !isHeld, isGone != true,
                !schema.indexes.contains(where: { PostgreSQLStep.isSame(index, $0) })
                    || unfinished.contains(index.name)
            else { continue }
            connection.script?.begin("remove the index \(index.name)")
            if isWithin {
                try connection.execute(PostgreSQLStep.droppingNow(index: index.name))
            } else {
                try shortLockTransaction.alone(PostgreSQLStep.dropping(index: index.name))
            }
        }
        // A migration has dropped them all.
        if !isWithin { try PostgreSQLReferences(shortLockTransaction, only: schema, layout).complete() }
        connection.script?.begin("the store serves one version", loss: "the older version")
        try shortLockTransaction.transaction {
            let labels = Set(kept.places.numbers.keys.map(kept.places.label))
            try connection.removeEntities(
                version.places.numbers.filter { !labels.contains(version.places.label(of: $0.key)) }
                    .map { (version.places.label(of: $0.key), $0.value) })
            // From now on no trigger keeps links in rows of the former columns. Before, another program's
            // transaction may still.
            if version.state != .coming { try connection.execute(kept.forgettingFormerKeys()) }
            try connection.execute("DELETE FROM coredata.leases WHERE version = \(version.lock)")
            guard held.isEmpty else { return }
            try connection.execute(
                "UPDATE coredata.model_versions SET state = 'removed', model = '' WHERE lock = \(version.lock)")
        }
        if held.isEmpty { return }
        let error = PostgreSQLDependent.error(held, url)
        guard let script = connection.script else { throw error }
        script.addWork(error.localizedDescription)
    }
}

extension PostgreSQLContraction {
    /// Marks a version so that its migration cannot be resumed while it is half removed.
    ///
    /// Its columns are dropped one by one, and values that programs write in the meantime no longer reach them. The
    /// next migration removes the rest first.
    private func beginRemoving(_ version: PostgreSQLVersion) throws {
        try shortLockTransaction.transaction {
            try connection.execute(
                "UPDATE coredata.model_versions SET state = 'ended' "
                    + "WHERE lock = \(version.lock) AND state = 'coming'")
            try PostgreSQLMove.forget(on: connection)
        }
    }
}

extension PostgreSQLConnection {
    /// Replaces the model that the store keeps.
    func replaceModel(_ archive: Data) throws {
        typealias Cache = SQLBookkeeping.ModelCache
        try run(.delete(SQLDelete(from: Cache.table)))
        try prepare(Cache.insert).run { $0.bind(1, archive) }
    }

    /// Notes the entities that a newer version has more.
    func addEntities(_ plan: OnlinePlan) throws {
        let known = try Set(IntrospectedSchema(self).numbers.values)
        for entity in plan.destination.entities {
            guard let number = plan.new.numbers[entity.index], !known.contains(number) else { continue }
            let parent = entity.superIndex.flatMap { plan.new.numbers[$0] } ?? 0
            let values: [SQLExpression] = [
                .number(number), .value(.string(plan.places.label(of: entity.name))), .number(parent), .number(0),
            ]
            try run(
                .insert(SQLInsert(into: SQLBookkeeping.Keys.table, SQLBookkeeping.Keys.columns, .values(values))))
        }
    }

    /// Removes entities that only a removed version had, with their history.
    func removeEntities(_ entities: [(label: String, number: Int)]) throws {
        let tables = try tableNames()
        for (label, number) in entities {
            let name = PostgreSQLDialect().literal(.string(label))
            try execute("DELETE FROM coredata.entities WHERE name = \(name)")
            if tables.contains(HistoryTables.changes) {
                try execute("DELETE FROM coredata.changes WHERE of_entity = \(number)")
            }
        }
    }
}
#endif
