// Implementation notes: CoreDataPostgreSQL/Online.
//
// - With `NSPostgreSQLOnlineMigrationOption` a store serves two versions of its model. `OnlinePlan` has the additions
//   that a newer version needs, as a value made of the `ModelDifference`. `OnlinePlan+Refusals` has the changes that
//   are impossible, and the reasons.
// - `OnlinePlaces` chooses the columns. A property with the same values keeps its column, so a renaming changes the map
//   alone. A property with other values gets a shadow column (`OnlinePlan.ShadowColumn`).
// - Where a to-one relationship becomes to-many, triggers keep the column and the pairs of the join table in step
//   (`PostgreSQLStep+Links`). Where a mapping model makes two entities of one (`OnlineMapping`), triggers keep the rows
//   of both tables in step (`PostgreSQLStep+Splits`). The older version keeps some values in another row than the newer
//   one. If a program of the newer version changes such a value, it raises the version of that other row
//   (`VersionedLinks`).
// - `coredata.model_versions` has a row for each version with its model and its map (`PostgreSQLPlaces`). Rows may have
//   older names of entities (`EntityLabels`).
// - `OnlineMigrator` adds tables, columns and triggers in short lock transactions: a lock that is not granted within 50
//   ms is requested again (`PostgreSQLShortLockTransaction`). It moves rows in slices (`PostgreSQLMove`), and marks the
//   newer version as served. Each step can be run once more, so the process after a killed one resumes the migration.
// - Each writing transaction calls `coredata.admit`, which refuses a version that has ended, and passes the writing
//   version to the triggers.
// - `PostgreSQLLease` records that a program is running. `PostgreSQLContraction` ends a version that has no running
//   program, unless rows hold values whose loss the options do not allow (`PostgreSQLLosses`). It drops the tables and
//   columns that only that version needs, and names those that views and foreign keys of other programs depend on
//   (`PostgreSQLDependent`).
// - New tables get the rights that roles have to the store's existing tables (`PostgreSQLGrants`). A later migration
//   without the option first restores the names of a new store (`PostgreSQLNormalization`).

#if PostgreSQL
@_spi(MigrationTesting) import CoreData
import Foundation

/// Brings a store to a newer version while programs continue to use it as the present one. It adds what only the
/// newer version needs, keeps both versions in step, moves rows, and marks the newer version as served.
///
/// The database has the steps that are done. A killed process leaves them as they are, and the next one resumes.
struct OnlineMigrator {
    let migration: OnlineMigration
    let connection: PostgreSQLConnection
    let timeout: TimeInterval
    let progress: Progress

    private var shortLockTransaction: PostgreSQLShortLockTransaction {
        PostgreSQLShortLockTransaction(connection: connection, timeout: timeout, progress: progress)
    }

    /// - Parameter advanced: is called after each part that need not be done again.
    func carryOut(_ advanced: () -> Void) throws {
        let (present, target) = (
            PostgreSQLConnection.versionLock(of: migration.metadata),
            PostgreSQLConnection.versionLock(of: migration.newMetadata)
        )
        try connection.endWithProgram()
        try PostgreSQLAdmission.install(on: connection)
        // These locks keep every other process from migrating the store until this migration ends.
        try connection.share(version: present, timeout: timeout)
        try connection.takeAlone(version: PostgreSQLConnection.onlineLock, timeout: timeout, progress)
        let progressPublisher = PostgreSQLProgressPublisher(connection.address, progress)
        defer { progressPublisher?.end() }
        // Another process may have migrated the store while this one waited for the lock.
        let newest = try SQLStoreMetadata.read(from: connection, url: migration.url)
        guard PostgreSQLConnection.versionLock(of: newest) == present else { return }
        if target == present {
            throw OnlineMigration.refusal(
                entity: nil, reason: "the two versions differ in names alone that no hash tells",
                help: "Migrate without NSPostgreSQLOnlineMigrationOption.")
        }
        let source = try source(present, newest)
        try clear(for: target, after: present)
        let resumed = try resumable(target, from: source)
        let plan = try OnlinePlan(migration, from: source.places, resumed: resumed?.places, on: connection)
        let version = PostgreSQLVersion(
            lock: target, state: .coming, metadata: migration.newMetadata,
            model: try migration.archivedModel(), places: plan.places)
        if resumed == nil { try begin(version, from: source) }
        do {
            try add(plan, advanced)
        } catch let error as PostgreSQLError where error.isOfStopping {
            throw progress.isCancelled ? cancelled() : error
        } catch let error as NSError where error.code == NSMigrationCancelledError {
            throw cancelled()
        } catch let error as PostgreSQLError where error.kind == .refusedRow || error.isUniqueness {
            // The rows do not fit the newer version, so no process resumes this migration.
            try PostgreSQLContraction(connection, timeout: timeout).remove(version, keeping: source)
            throw migration.unfit(error)
        }
        MigrationMoment.reach(.stepsDone)
        do {
            try serve(plan, version)
        } catch let error as NSError where error.code == NSMigrationCancelledError {
            throw cancelled()
        }
        MigrationMoment.reach(.committed)
    }

    /// Records the statements of the migration on a connection that takes a script.
    func record(_ plan: OnlinePlan) throws {
        let script = connection.script
        let versions = try PostgreSQLVersion.all(on: connection)
        let present = PostgreSQLConnection.versionLock(of: migration.metadata)
        for version in versions where version.lock != present && version.state != .removed {
            script?.addWork("remove what is left of another version of the store")
        }
        script?.begin(.expand, "tables of the framework for stores that serve several versions")
        try PostgreSQLAdmission.install(on: connection)
        var version = PostgreSQLVersion(
            lock: PostgreSQLConnection.versionLock(of: migration.newMetadata), state: .coming,
            metadata: migration.newMetadata, model: try migration.archivedModel(), places: plan.places)
        var source = try source(present, migration.metadata)
        try begin(version, from: source)
        try add(plan) {}
        try serve(plan, version)
        script?.triggers = [
            PostgreSQLStep.linkTrigger: Set(plan.links.flatMap { [$0.table, $0.pairs] }),
            PostgreSQLStep.splitTrigger: Set(plan.splits.flatMap { [$0.table, $0.part] }),
            PostgreSQLStep.trigger: Set(plan.shadowColumns.map(\.table) + plan.fillers.map(\.table)),
        ]
        source.state = .served
        version.state = .served
        try PostgreSQLContraction(connection, timeout: timeout).record(source, keeping: version)
    }

    /// Notes the two versions.
    private func begin(_ version: PostgreSQLVersion, from source: PostgreSQLVersion) throws {
        connection.script?.begin(.expand, "note the two versions")
        try shortLockTransaction.run([source.writing(), version.writing()])
    }

    /// Adds what the newer version needs.
    private func add(_ plan: OnlinePlan, _ advanced: () -> Void) throws {
        try expand(plan)
        try move(plan, advanced)
        try complete(plan, advanced)
    }

    /// The finished steps stay, and the triggers refuse values that the newer version cannot hold.
    private func cancelled() -> NSError {
        let help =
            "To resume it, open the store with the newer model again. endOlderPostgreSQLVersions undoes it."
        return .coreData(
            NSMigrationCancelledError,
            reason: "The migration was cancelled. Programs still use the store as its present version. The "
                + "changes for the newer one stay in the database, and values that it cannot hold are refused. "
                + help,
            url: migration.url, userInfo: [NSLocalizedRecoverySuggestionErrorKey: help])
    }

    /// The version that another process has begun to add, if it did so by the same plan. Otherwise it is removed.
    private func resumable(_ target: Int64, from source: PostgreSQLVersion) throws -> PostgreSQLVersion? {
        let begun = try PostgreSQLVersion.all(on: connection).first { $0.lock == target && $0.state == .coming }
        guard let begun else { return nil }
        let held = (migration.metadata[NSStoreModelVersionHashesKey] as? [String: Data]).map { Set($0.keys) }
        let old = SQLSchemaBuilder.schema(
            of: migration.difference.source, entities: held, numbers: source.places.numbers,
            style: PostgreSQLStyle(source.places.names))
        if OnlinePlaces(migration, old, source.places).isSame(as: begun.places) {
            let plan = try OnlinePlan(migration, from: source.places, resumed: begun.places, on: connection)
            if plan.places.plan == begun.places.plan { return begun }
        }
        try PostgreSQLContraction(connection, timeout: timeout).remove(begun, keeping: source)
        return nil
    }

    /// Returns the present version of the store: from its row, or from the tables where it has no row.
    private func source(_ lock: Int64, _ metadata: [String: Any]) throws -> PostgreSQLVersion {
        if let known = try PostgreSQLVersion.served(lock, on: connection) { return known }
        let places = PostgreSQLPlaces(
            names: try PostgreSQLNames(of: connection) ?? PostgreSQLNames(),
            numbers: try IntrospectedSchema(connection).numbers)
        guard let model = try StoredModel.archive(from: connection) else {
            throw SQLStoreMetadata.damaged(migration.url)
        }
        return PostgreSQLVersion(lock: lock, metadata: metadata, model: model, places: places)
    }

    /// Removes what another migration has left half done, and the version before, if it may go.
    private func clear(for target: Int64, after present: Int64) throws {
        let contraction = PostgreSQLContraction(connection, timeout: timeout)
        let versions = try PostgreSQLVersion.all(on: connection)
        guard let newest = versions.first(where: { $0.lock == present && $0.state == .served }) else { return }
        for version in versions where version.state == .coming && version.lock != target {
            try contraction.remove(version, keeping: newest)
        }
        let delay = PostgreSQLOnlineOptions(migration.options).delay
        guard try contraction.endOtherVersions(than: newest, after: delay) else {
            throw PostgreSQLContraction.olderIsServed
        }
    }

    // MARK: Steps

    private func expand(_ plan: OnlinePlan) throws {
        let present = try connection.tableNames()
        let tables = plan.newTables.filter { !present.contains($0.name) }
        if !tables.isEmpty {
            connection.script?.begin(.expand, "new tables: \(tables.map(\.name).joined(separator: ", "))")
            try shortLockTransaction.transaction {
                for table in tables { try connection.run(.define(.createTable(table))) }
                let names = Set(tables.map(\.name))
                for var index in plan.new.indexes where names.contains(index.table) {
                    index.name = try ownName(index.name)
                    try connection.run(.define(.createIndex(index)))
                }
                try PostgreSQLTables(
                    connection, plan.new, plan.destination, labels: plan.places.labels,
                    expecting: connection.script?.expected
                ).install(newTables: names)
                let dialect = PostgreSQLDialect()
                for table in tables {
                    try connection.execute(
                        PostgreSQLGrants.copying(
                            to: dialect.quoted(table.name),
                            from: neighbours(of: table.name, plan).map(dialect.quoted)
                        ))
                }
            }
            MigrationMoment.reach(.stepDone)
        }
        for (table, columns) in Dictionary(grouping: plan.newColumns, by: \.table).sorted(by: { $0.key < $1.key }) {
            let known = try Set(connection.columnNames(of: table))
            let missing = columns.filter { !known.contains($0.column.name) }
            if missing.isEmpty { continue }
            connection.script?.begin(.expand, "new columns of \(table)")
            try shortLockTransaction.run(
                PostgreSQLStep.adding(missing, to: table) + [PostgreSQLMove.beginningAnew(table)])
            MigrationMoment.reach(.stepDone)
        }
        for table in Set(plan.shadowColumns.map(\.table) + plan.fillers.map(\.table)).sorted() {
            connection.script?.begin(.expand, "a trigger keeps both versions of \(table) in step")
            try shortLockTransaction.run(
                PostgreSQLStep.syncTrigger(
                    table, plan.shadowColumns.filter { $0.table == table },
                    plan.fillers.filter { $0.table == table },
                    newer: plan.lock))
            MigrationMoment.reach(.stepDone)
        }
        try link(plan)
        try split(plan)
    }

    /// The tables of the older version whose roles also need rights to a new table: the one whose triggers write
    /// into it, or those that a join table leads to. A new table without such neighbours is for roles that have the
    /// same rights to all of them.
    private func neighbours(of table: String, _ plan: OnlinePlan) -> [String] {
        if let split = plan.splits.first(where: { $0.part == table }) { return [split.table] }
        if let link = plan.links.first(where: { $0.pairs == table }) { return [link.table] }
        let present = Set(plan.old.entityTables.map(\.name))
        let ends = plan.destination.entities.filter { entity in
            entity.toManys.contains { plan.new.joinEnds[entity.index][$0.index]?.table == table }
        }.compactMap { plan.new.table(ofRoot: $0.rootIndex)?.name }
        let known = present.intersection(ends)
        return (known.isEmpty ? present : known).sorted()
    }

    private func split(_ plan: OnlinePlan) throws {
        if plan.splits.isEmpty { return }
        let schema = try connection.schemaOfTables()
        for split in plan.splits {
            connection.script?.begin(.expand, "triggers keep \(split.table) and \(split.part) in step")
            try shortLockTransaction.run(PostgreSQLStep.splitting(split, newer: plan.lock, in: schema))
            MigrationMoment.reach(.stepDone)
        }
    }

    /// Makes triggers that keep the pairs of former to-one relationships in step with their columns. From the first
    /// pair on, the deletion of an object removes its pairs.
    private func link(_ plan: OnlinePlan) throws {
        if plan.links.isEmpty { return }
        try PostgreSQLReferences(shortLockTransaction, plan, of: Set(plan.links.map(\.pairs))).complete()
        let schema = try connection.schemaOfTables()
        for link in plan.links {
            connection.script?.begin(.expand, "triggers keep \(link.table) and \(link.pairs) in step")
            try shortLockTransaction.run(PostgreSQLStep.linking(pairsOf: link, in: schema))
            MigrationMoment.reach(.stepDone)
        }
        for (table, links) in Dictionary(grouping: plan.links, by: \.table).sorted(by: { $0.key < $1.key }) {
            try shortLockTransaction.run(PostgreSQLStep.linking(rowsOf: table, links, newer: plan.lock, in: schema))
            MigrationMoment.reach(.stepDone)
        }
    }

    private func move(_ plan: OnlinePlan, _ advanced: () -> Void) throws {
        let moves: [(table: String, link: OnlinePlan.Link?)] =
            plan.movedTables.map { ($0, nil) } + plan.links.map { ($0.table, $0) }
        let catalog = try connection.catalog(ofTables: Set(moves.map(\.table)))
        func rows(_ table: String) -> Int { catalog.tables[table]?.rows ?? 0 }
        let follower = OnlineProgress(progress, rows: moves.reduce(0) { $0 + rows($1.table) })
        for (table, link) in moves {
            connection.script?.begin(
                .move, "values of the newer version for \(link?.pairs ?? table)", table: (table, rows(table)))
            let entity = plan.destination.entities.first {
                $0.superIndex == nil && plan.new.table(ofRoot: $0.index)?.name == table
            }
            follower.begin(entity?.name ?? table, rows: rows(table))
            var done = 0
            try PostgreSQLMove(
                shortLockTransaction: shortLockTransaction, table: table, link: link, version: plan.lock
            ).moveRows { count in
                done += count
                advanced()
                follower.moved(count, ofEntity: done)
                try MigrationCancellation.check(progress)
            }
        }
    }

    private func complete(_ plan: OnlinePlan, _ advanced: () -> Void) throws {
        for shadow in plan.shadowColumns where shadow.isMandatory {
            let name = PostgreSQLDialect.asGiven(shadow.new.name)
            connection.script?.begin(.move, "\(shadow.table).\(name) is mandatory")
            let (before, look, after) = PostgreSQLStep.mandatory(shadow.new.name, of: shadow.table)
            try shortLockTransaction.run(before)
            try shortLockTransaction.run([look])
            try shortLockTransaction.run(after)
            MigrationMoment.reach(.stepDone)
        }
        try PostgreSQLReferences(shortLockTransaction, plan).complete()
        try dropKeys(of: plan.links)
        for index in plan.newIndexes {
            connection.script?.begin(.move, "index \(index.name), while other sessions write")
            if index.isUnique { try loosen(columnsOf: index, plan) }
            try make(index)
            advanced()
            MigrationMoment.reach(.stepDone)
        }
    }

    /// Drops the foreign keys of columns that follow pairs. A row is deleted before its pairs go, and the column
    /// follows at the end of the transaction: the key would refuse it. The keys of the pairs check the same.
    private func dropKeys(of links: [OnlinePlan.Link]) throws {
        if links.isEmpty { return }
        for (key, name) in try PostgreSQLTables.presentForeignKeys(on: connection)
        where links.contains(where: { $0.table == key.table && $0.key == key.column }) {
            try shortLockTransaction.run([PostgreSQLStep.dropping(constraint: name, of: key.table)])
            MigrationMoment.reach(.stepDone)
        }
    }

    /// Removes the NOT NULL constraint of columns that become unique: a save that exchanges unique values writes
    /// NULL between.
    private func loosen(columnsOf index: SQLIndex, _ plan: OnlinePlan) throws {
        let dialect = PostgreSQLDialect()
        let table = dialect.quoted(index.table)
        let present = try connection.columnsWithComments(ofTable: table).filter { $0[1] == "t" }
            .map { PostgreSQLDialect.inQuotes($0[0] ?? "") }
        let added =
            plan.newColumns.filter { $0.table == index.table && $0.isMandatory }.map(\.column)
            + plan.shadowColumns.filter { $0.table == index.table && $0.isMandatory }.map(\.new)
        let mandatory = present + added.map { dialect.quoted($0.name) }
        let columns = index.columns.map { dialect.quoted($0.name) }.filter(mandatory.contains)
        try shortLockTransaction.run(columns.map { PostgreSQLStep.loosening($0, of: table) })
    }

    /// Makes an index while other sessions write. An index that a killed process has left unfinished is made again.
    private func make(_ index: SQLIndex) throws {
        let unfinished = try connection.unfinishedIndexes()
        let catalog = try connection.catalog(ofTables: [index.table])
        var index = index
        if let left = catalog.indexes.first(where: { PostgreSQLStep.isSame($0, index) }) {
            guard unfinished.contains(left.name) else { return }
            try shortLockTransaction.alone(PostgreSQLStep.dropping(index: left.name))
        }
        index.name = try ownName(index.name)
        do {
            try shortLockTransaction.alone(PostgreSQLStep.indexing(index, on: connection))
        } catch {
            // The session that held it up may hold up the removal, too. Then the next attempt removes the index.
            var briefly = shortLockTransaction
            briefly.timeout = min(timeout, 2)
            if connection.isAlive { try? briefly.alone(PostgreSQLStep.dropping(index: index.name)) }
            throw error
        }
    }

    /// The name of an index, with a number after it where another relation has that name.
    private func ownName(_ name: String) throws -> String {
        let taken = try connection.relationNames()
        var (own, number) = (name, 2)
        while taken.contains(own) {
            own = PostgreSQLDialect.fitting("\(name)\(number)")
            number += 1
        }
        return own
    }

    /// Marks the newer version as served and as the newest, so that its programs can open the store.
    private func serve(_ plan: OnlinePlan, _ version: PostgreSQLVersion) throws {
        var version = version
        version.state = .served
        connection.script?.begin(.serve, "the store serves both versions")
        try shortLockTransaction.transaction {
            try connection.execute(version.writing())
            try connection.noteServing()
            let present = try SQLStoreMetadata.read(from: connection, url: migration.url)
            let metadata = SQLStoreMetadata.changes(
                to: migration.newMetadata, since: migration.metadata, over: present)
            try SQLStoreMetadata.write(metadata, to: connection, url: migration.url)
            try connection.replaceModel(version.model)
            try connection.addEntities(plan)
            try connection.execute(
                PostgreSQLNames.statements(for: plan.new, plan.destination, labels: plan.places.labels))
        }
    }
}

extension OnlineMigration {
    /// The error of rows that do not fit the newer version.
    func unfit(_ error: PostgreSQLError) -> NSError {
        let help = "Bring the rows to what the newer version takes before the migration."
        var place = ""
        if let table = error.table, let column = error.column { place = " (“\(table).\(column)”)" }
        let detail = error.detail.map { " \($0)" } ?? ""
        return .coreData(
            NSMigrationError,
            reason: "The store cannot be migrated: \(error.message)\(place)\(detail) \(help)",
            url: url,
            underlying: error.nsError(doing: .saving),
            userInfo: [NSLocalizedRecoverySuggestionErrorKey: help])
    }
}
#endif
