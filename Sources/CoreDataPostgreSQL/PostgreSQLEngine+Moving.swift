#if PostgreSQL
@_spi(MigrationTesting) import CoreData
import Foundation

// Migrates stores in their database, fills new stores, and replaces stores with copies.
extension PostgreSQLEngine {
    func migrating(
        at url: URL, from metadata: [String: Any], changesTables: Bool, timeout: TimeInterval,
        _ progress: Progress?, _ body: (any SQLConnection) throws -> Void
    ) throws {
        try reporting {
            // The locks of the session go with the connection.
            let connection = try Self.connection(to: url)
            if try ExistingTables.isPresent(on: connection) {
                throw NSError.coreData(
                    NSPersistentStoreIncompatibleVersionHashError,
                    reason:
                        "The store lies over tables of another program, which no migration changes. Destroy it: "
                        + "the tables stay as they are. Then add it with the new model.",
                    url: shown(url), userInfo: ["metadata": metadata])
            }
            let lock = PostgreSQLConnection.versionLock(of: metadata)
            for lock in try [lock] + connection.locksOfVersions(besides: lock) {
                try connection.takeAlone(version: lock, timeout: timeout, progress)
            }
            let progressPublisher = PostgreSQLProgressPublisher(connection.address, progress)
            defer { progressPublisher?.end() }
            try connection.transaction {
                // The migration has no time limit, and the program's own code may run in it.
                try connection.liftTimeLimits()
                let normalization = try PostgreSQLNormalization(connection)
                let changesTables = changesTables || normalization != nil
                // Programs without this framework do not take the lock of the version, so the tables are locked,
                // too.
                try connection.lock(
                    PostgreSQLOpening.tables(on: connection), changesTables ? .againstAll : .againstWriters,
                    timeout: timeout, progress)
                // A table with checks that wait for the commit cannot be changed.
                if changesTables { try PostgreSQLTables.dropConstraints(on: connection) }
                try normalization?.normalize()
                try body(connection)
                if changesTables { try PostgreSQLOpening.install(on: connection) }
            }
        }
    }

    func frame(on connection: any SQLConnection) throws -> InPlaceFrame {
        var frame = InPlaceFrame()
        guard let connection = connection as? PostgreSQLConnection else { return frame }
        if try PostgreSQLNormalization(connection) != nil {
            frame.reason =
                "give the store the form of a new one, because it was migrated beside other programs before; the "
                + "statements depend on it"
            return frame
        }
        let tables = try PostgreSQLOpening.tables(on: connection)
        frame.before =
            connection.beginningOfScript.map { .init(.transaction, $0, "begin, with the settings of the framework") }
            + (tables.isEmpty
                ? [] : [.init(.lock, PostgreSQLConnection.locking(tables, .againstAll), "keep other programs out")])
        frame.before += try PostgreSQLTables.droppingConstraints(on: connection)
            .map { .init(.definition, $0, "drop a constraint that could refuse the migration") }
        let expected = try PostgreSQLExpectedTables(on: connection)
        frame.after = { schema, layout, definitions in
            var expected = expected
            for definition in definitions { expected.follow(definition) }
            return try PostgreSQLTables(connection, schema, layout, expecting: expected).statements()
                .map { .init(.definition, $0, "constraints, triggers, comments and names for other programs") }
                + PostgreSQLConnection.endingOfScript
                .map { .init(.transaction, $0, "check the references, notify other programs, commit") }
        }
        return frame
    }

    func rebuild(
        on connection: any SQLConnection, for layout: ModelLayout, entities: Set<String>?, metadata: [String: Any],
        timeout: TimeInterval, progress: Progress?, fill: (TransferEnd) throws -> Void
    ) throws {
        guard let connection = connection as? PostgreSQLConnection else { return }
        try connection.lock(
            PostgreSQLOpening.tables(on: connection), .againstAll, timeout: timeout, progress)
        // All history is removed. A program that had not read all of it has missed changes.
        let newest =
            try HistoryTables.read(from: connection) == nil
            ? nil
            : connection.highestKey(
                in: HistoryTables.transactions, ofNumber: HistoryTables.transactionEntity)
        try PostgreSQLOpening.empty(on: connection)
        let schema = SQLSchemaBuilder.schema(of: layout, entities: entities, style: PostgreSQLStyle())
        try PostgreSQLOpening.make(schema, layout, metadata, on: connection)
        if let newest { try HistoryTables.insertNumbers(connection, newest: newest) }
        connection.labels = EntityLabels(schema, layout)
        try fill(TransferEnd(connection, layout, schema, name: connection.address.description))
        try PostgreSQLTables(connection, schema, layout).installFilled()
    }

    func filling(
        _ opening: StoreOpening, note: String, timeout: TimeInterval, _ progress: Progress?,
        _ body: (any UnfinishedStore) throws -> Void
    ) throws {
        guard let url = opening.url else { return }
        // The rows would be in a store's own tables, and not in existing ones, which the option names.
        if ExistingTables.isWanted(opening.options) {
            throw NSError.coreData(
                NSPersistentStoreOperationError,
                reason: "A store moves into tables of its own, and not into those of another program: "
                    + "NSPostgreSQLExistingTablesOption is for adding a store.", url: shown(url))
        }
        try reporting {
            let connection = try Self.connection(to: url)
            try connection.takeAlone(version: PostgreSQLConnection.fillingLock, timeout: timeout, progress)
            let filling = try PostgreSQLFilling(connection, opening, note: note, shown(url))
            do {
                try body(filling)
            } catch {
                filling.giveUp()
                throw error
            }
        }
    }

    func refusedRow(
        of schema: SQLSchema, _ layout: ModelLayout, on connection: any SQLConnection
    ) throws -> NSError? {
        guard let connection = connection as? PostgreSQLConnection else { return nil }
        return try PostgreSQLTables(connection, schema, layout).refusedRow()
    }

    func limits(of schema: SQLSchema, _ layout: ModelLayout) -> TransferLimits {
        var limits = TransferLimits()
        limits.takesZeroInTexts = false
        limits.dates = PostgreSQLParameters.dates
        limits.hasSizesOfIntegers = true
        limits.demandsValues = true
        // The server takes a gigabyte at once, and a value is not alone.
        limits.largestValue = PostgreSQLParameters.largestValue
        limits.largestIndexed = PostgreSQLDialect().largestIndexed ?? .max
        limits.references = PostgreSQLTables.wanted(schema, layout).sorted {
            ($0.table, $0.column) < ($1.table, $1.column)
        }
        return limits
    }

    func sizes(of tables: Set<String>, on connection: any SQLConnection) throws -> [String: Int64] {
        guard let connection = connection as? PostgreSQLConnection else { return [:] }
        var sizes: [String: Int64] = [:]
        for table in try connection.tableNames().intersection(tables) {
            sizes[table] = try connection.size(of: table)
        }
        return sizes
    }

    /// Replaces a store with a copy of another PostgreSQL store, in one transaction. Without `force` the method
    /// waits until no program has the replaced store open.
    func replace(
        fileAt url: URL, with source: StorePlace, _ sourceURL: URL, timeout: TimeInterval, waiting: TimeInterval,
        force: Bool
    ) throws {
        try reporting {
            let reader = try Self.connection(to: sourceURL)
            let connection = try Self.connection(to: url)
            // A copy of a store onto itself changes nothing, and one of the two connections would wait for the
            // other.
            let isItself = try connection.leadsWhere(reader)
            reader.beginReading()
            defer { reader.rollback() }
            reader.places = try reader.newestVersionIfThere()?.places
            // The layout does not keep its model.
            let (model, from) = try Self.end(of: reader, shown(sourceURL))
            defer { withExtendedLifetime(model) {} }
            if isItself { return }
            var metadata = try SQLStoreMetadata.read(from: reader, url: shown(sourceURL))
            for key in [DeferredStatements.metadataKey, SQLStoreMetadata.previousIdentifiersKey] {
                metadata[key] = nil
            }
            // The copy has no history: a token of the source means nothing in it.
            metadata[NSStoreUUIDKey] = UUID().uuidString
            /// - Parameter isAnew: whether all of the present store is removed.
            func fill(isAnew: Bool) throws {
                try alone(on: connection, shown(url), timeout: waiting, force: force) { isWhole in
                    if try isAnew || !isWhole || ExistingTables.isPresent(on: connection) {
                        try PostgreSQLOpening.dropTables(on: connection)
                    }
                    try rebuild(
                        on: connection, for: from.layout,
                        entities: Set(from.schema.layoutOfNumber.values.map { from.layout.entities[$0].name }),
                        metadata: metadata, timeout: waiting, progress: nil
                    ) { end in
                        try RowTransfer(from: from, to: end, follower: TransferFollower(nil, rows: 0)).copy {}
                        MigrationMoment.reach(.stepsDone)
                    }
                }
            }
            do {
                try fill(isAnew: false)
            } catch let error as PostgreSQLError where error.isOfOtherTables {
                // The framework's own tables of the store may be damaged, and are made anew as well.
                try fill(isAnew: true)
            }
            MigrationMoment.reach(.committed)
        }
    }

    /// The tables of a store, by the model that it keeps.
    private static func end(
        of connection: PostgreSQLConnection, _ url: URL
    ) throws -> (NSManagedObjectModel, TransferEnd) {
        let metadata = try SQLStoreMetadata.read(from: connection, url: url)
        try SQLStoreMetadata.requireFinished(metadata, url)
        if try ExistingTables.isPresent(on: connection) {
            throw NSError.coreData(
                NSPersistentStoreOperationError,
                reason: "The store lies over tables of another program, and replaces no other one.",
                remedy: "Move it.", url: url)
        }
        guard let model = try PostgreSQLOpening.cachedModel(on: connection) else {
            throw SQLStoreMetadata.notAStore(url)
        }
        let names = Set((metadata[NSStoreModelVersionHashesKey] as? [String: Data] ?? [:]).keys)
        let layout = ModelLayout(model: model)
        let schema = try IntrospectedSchema(connection).fit(layout, entities: names, url: url)
        connection.labels = EntityLabels(schema, layout)
        return (model, TransferEnd(connection, layout, schema, name: url.absoluteString))
    }
}
#endif
