#if PostgreSQL
import CoreData
import Foundation

/// Opens the store of a database, or makes it where there is none.
struct PostgreSQLOpening {
    private let opening: StoreOpening
    private let address: PostgreSQLAddress
    /// The URL without its password, for errors.
    private let url: URL
    private let connection: PostgreSQLConnection
    private let entities: Set<String>?
    /// Whether the options ask for a store that is read only.
    private let isReadOnly: Bool
    private let tracksHistory: Bool

    init(_ opening: StoreOpening, _ address: PostgreSQLAddress, _ url: URL) throws {
        self.url = address.shown
        var opening = opening
        opening.url = self.url
        self.opening = opening
        self.address = address
        connection = try PostgreSQLConnection(address.direct)
        entities = try opening.entities()
        isReadOnly = opening.isReadOnly
        tracksHistory = opening.tracksHistory
    }

    func store() throws -> any NSPersistentStore & RowStore {
        try PostgreSQLWatch.shared.watching(connection) { try opened() }
    }

    private func opened() throws -> any NSPersistentStore & RowStore {
        let layout = opening.layout
        let found = try share()
        let actual = try IntrospectedSchema(connection)
        let version = try found.flatMap { try servedVersion(of: $0) }
        let numbers = version?.places.numbers ?? actual.numbers
        let isPresent = found != nil
        if isPresent, !actual.tables.contains(SQLBookkeeping.Keys.table) { throw SQLStoreMetadata.damaged(url) }
        let names = layout.entities.map(\.name)
        let ownNumbers = Set(names).isSubset(of: numbers.keys) ? numbers : nil
        if isPresent { try requireSameKind() }
        let isReadOnly = isPresent ? try mustOnlyRead() : isReadOnly
        let existing =
            ExistingTables.isWanted(opening.options)
            ? try ExistingTables(
                connection, layout, entities: entities, numbers: ownNumbers, isReadOnly: isReadOnly, url: url) : nil
        let schema =
            try existing?.schema
            ?? SQLSchemaBuilder.schema(
                of: layout, entities: entities, numbers: ownNumbers,
                style: PostgreSQLStyle(
                    isPresent ? version?.places.names ?? PostgreSQLNames(of: connection) : nil))
        let derivedAttributes = try DerivedAttributes(
            layout: layout, schema: schema, storeNumber: opening.number,
            missing: PostgreSQLDialect.missingFunctions)
        if !isReadOnly { for index in layout.model.missingIndexes { index.report() } }
        let labels = EntityLabels(schema, layout, version?.places.labels ?? [:])
        connection.labels = labels
        if !isPresent, isReadOnly, existing == nil { throw SQLStoreMetadata.notAStore(url) }
        if let found { try requireFit(found, existing, version) }
        let metadata = try found ?? create(schema, existing)
        let lock = PostgreSQLConnection.versionLock(of: metadata)
        let admitted = try admitted(lock, version)
        let history =
            tracksHistory && !isReadOnly
            ? try HistoryTables.prepare(connection, for: layout) : try HistoryTables.read(from: connection)
        // The database writes history by functions, which expect the rows.
        if tracksHistory, !isReadOnly { try HistoryTables.prepareNumbers(connection) }
        if !isReadOnly {
            if isPresent, existing == nil { try PostgreSQLTables.renewDefaults(on: connection) }
            try PostgreSQLBookkeeping.install(on: connection)
        }
        let offset =
            history == nil ? 0 : try PostgreSQLBookkeeping.historyOffset(on: connection, isReadOnly: isReadOnly)
        connection.historyOffset = offset
        let due = isReadOnly ? [] : try PostgreSQLUpkeep.due(on: connection, PostgreSQLOptions(opening))
        let failoverDetector = PostgreSQLFailoverDetector(isReadOnly: isReadOnly)
        try failoverDetector.check(connection)
        var told = metadata
        // Afterwards the connection may be used by a listener on another thread.
        told[NSPostgreSQLSynchronousReplicationKey] = try connection.isSynchronous()
        let existingReferences = try existing?.referencesCheckedAtOnce(on: connection) ?? []
        let database = PostgreSQLDatabase(
            address, labels: labels, first: connection, isReadOnly: isReadOnly, versionLock: lock,
            identifier: metadata[NSStoreUUIDKey] as? String, failoverDetector: failoverDetector,
            historyOffset: connection.historyOffset,
            admitted: admitted,
            tables: existing == nil ? schema.allTables.map { PostgreSQLDialect().quoted($0.name) } : [],
            views: (existing?.views ?? [], existingReferences),
            timeout: timeout, options: PostgreSQLOptions(opening))
        let parts = SQLStore.Parts(
            layout: layout, storeNumber: opening.number, typeName: opening.type, schema: schema, use: opening.use,
            derivedAttributes: derivedAttributes, historyTables: history, tracksHistory: tracksHistory,
            metadata: told, externalData: nil, configurationName: opening.configuration, url: url,
            options: opening.options, name: address.description, isShared: true)
        let store = SQLStore.opened(parts, database: database)
        store.isReadOnly = isReadOnly
        if !isReadOnly { database.upkeep.begin(for: store, database, due: due) }
        database.upkeep.beginToLog(database)
        return store
    }

    /// Whether the store is read only, because the options ask for it, or because it keeps history and the options
    /// do not. In the second case changes would be missing from history, and programs that follow it would not get
    /// them.
    private func mustOnlyRead() throws -> Bool {
        if isReadOnly || tracksHistory { return isReadOnly }
        if try !HistoryTables.hasTransactions(connection) { return false }
        SQLStore.reportUntrackedOpening(of: url)
        return true
    }

    private var timeout: TimeInterval {
        (opening.options?[NSPersistentStoreTimeoutOption] as? NSNumber)?.doubleValue ?? 240
    }

    /// Takes the shared lock of the store's version, so that no process begins to migrate the store.
    ///
    /// - Returns: the metadata of the store; nil where there is none.
    private func share() throws -> [String: Any]? {
        // If the metadata were read before, to decide whether to migrate, they give the number of the lock.
        var expected = opening.summary?.metadata
        while let metadata = try expected ?? present() {
            expected = nil
            let lock = PostgreSQLConnection.versionLock(of: metadata)
            try connection.share(version: lock, timeout: timeout)
            // A migration may have ended while this process waited for the lock.
            if let now = try present() {
                if PostgreSQLConnection.versionLock(of: now) == lock { return now }
                if let older = try PostgreSQLVersion.served(lock, on: connection) {
                    return older.metadata(over: now)
                }
            }
            try connection.giveBack(version: lock)
        }
        return nil
    }

    /// Returns the version of some metadata if `coredata.model_versions` has a row for it: the store has come to it
    /// by an online migration, or serves another version, too.
    private func servedVersion(of metadata: [String: Any]) throws -> PostgreSQLVersion? {
        try PostgreSQLVersion.served(PostgreSQLConnection.versionLock(of: metadata), on: connection)
    }

    /// Returns the version under which transactions will write and, with the option, the lease of this program.
    private func admitted(
        _ lock: Int64, _ version: PostgreSQLVersion?
    ) throws -> (PostgreSQLAdmitted?, PostgreSQLLease?) {
        let online = PostgreSQLOnlineOptions(opening.options)
        guard online.isOn, !isReadOnly, !ExistingTables.isWanted(opening.options) else {
            return (version.map { PostgreSQLAdmitted(version: lock, generation: $0.generation) }, nil)
        }
        do {
            try PostgreSQLAdmission.install(on: connection)
        } catch let error as PostgreSQLError where error.state == PostgreSQLError.insufficientPrivilege {
            // The owner makes it when it opens the store. Until then the version's lock shows which programs run.
            return (version.map { PostgreSQLAdmitted(version: lock, generation: $0.generation) }, nil)
        }
        let lease = PostgreSQLLease(lock, generation: version?.generation ?? 0, online)
        try lease.renew(on: connection)
        if let number = lease.admitted.lease { try connection.hold(lease: number) }
        return (lease.admitted, lease)
    }

    /// The metadata of the store that is there; nil where there is none.
    private func present() throws -> [String: Any]? {
        do {
            return try SQLStoreMetadata.read(from: connection, url: url)
        } catch let error as NSError where SQLStoreMetadata.isNotAStore(error) {
            return nil
        }
    }

    /// Throws where a store is not whole, or another model's.
    private func requireFit(
        _ metadata: [String: Any], _ existing: ExistingTables?, _ version: PostgreSQLVersion? = nil
    ) throws {
        try SQLStoreMetadata.requireFinished(metadata, url)
        try opening.requireModel(metadata) {
            try version.map { try StoredModel.decode($0.model, of: url) } ?? Self.cachedModel(on: connection)
        }
        if let existing, try !existing.stale(on: connection).isEmpty {
            try connection.transaction { try existing.install(connection) }
        }
    }

    /// Throws an error if the option does not fit the store. A store has either tables of its own or existing
    /// tables, and does not change between them.
    private func requireSameKind() throws {
        let isWanted = ExistingTables.isWanted(opening.options)
        if try ExistingTables.isPresent(on: connection) == isWanted { return }
        throw NSError.coreData(
            NSPersistentStoreOpenError,
            reason: isWanted
                ? "The database holds a store with tables of its own, and none over existing tables."
                : "The store of the database lies over existing tables: it is opened with the option "
                    + "NSPostgreSQLExistingTablesOption.", url: url)
    }

    // MARK: A new store

    private func create(_ schema: SQLSchema, _ existing: ExistingTables?) throws -> [String: Any] {
        let metadata = SQLStoreMetadata.ofNewStore(
            of: opening.layout.model, entities: entities, type: NSPostgreSQLStoreType)
        // The lock is taken before the store is there, so that a program that destroys or migrates it waits.
        let lock = PostgreSQLConnection.versionLock(of: metadata)
        try connection.share(version: lock, timeout: timeout)
        let made = try make(metadata, schema, existing)
        let other = PostgreSQLConnection.versionLock(of: made)
        if other != lock {
            try connection.share(version: other, timeout: timeout)
            try connection.giveBack(version: lock)
        }
        return made
    }

    /// Makes the store, unless another process has made one before the lock was taken. Returns the metadata of the
    /// store.
    private func make(
        _ metadata: [String: Any], _ schema: SQLSchema, _ existing: ExistingTables?
    ) throws -> [String: Any] {
        try connection.transaction {
            try connection.makeOwnSchema()
            // Another process may have made the store while this one waited for the lock.
            if let present = try present() {
                try requireSameKind()
                try requireFit(present, nil)
                return present
            }
            try Self.make(schema, opening.layout, metadata, isExisting: existing != nil, on: connection)
            if let existing {
                try existing.install(connection)
            } else {
                try PostgreSQLTables(connection, schema, opening.layout).install()
            }
            return metadata
        }
    }

    /// Makes the tables of a store, in the transaction that is open.
    static func make(
        _ schema: SQLSchema, _ layout: ModelLayout, _ metadata: [String: Any], isExisting: Bool = false,
        on connection: PostgreSQLConnection
    ) throws {
        if !isExisting { try PostgreSQLStyle().requireOwnNames(of: schema, layout) }
        try connection.makeOwnSchema()
        var store = try NewStore(schema, layout)
        store.usesExistingTables = isExisting
        store.mayHaveBookkeeping = true
        try store.make(metadata, on: connection, url: nil)
    }

    static func cachedModel(on connection: PostgreSQLConnection) throws -> NSManagedObjectModel? {
        try StoredModel.archive(from: connection).map { try StoredModel.decode($0, of: connection.address.shown) }
    }

    /// Adds to migrated tables the constraints, default values and comments that their model calls for.
    static func install(on connection: PostgreSQLConnection) throws {
        guard let model = try cachedModel(on: connection) else { return }
        // The layout does not keep it.
        defer { withExtendedLifetime(model) {} }
        let layout = ModelLayout(model: model)
        let actual = try IntrospectedSchema(connection)
        let schema = SQLSchemaBuilder.schema(
            of: layout, entities: Set(actual.numbers.keys), numbers: actual.numbers, style: PostgreSQLStyle())
        try PostgreSQLTables(connection, schema, layout).install()
    }

    /// Removes the tables of the store and the framework's own data, and no other table.
    static func destroy(on connection: PostgreSQLConnection) throws {
        try connection.transaction { try dropTables(on: connection) }
    }

    /// Drops the tables of the store in the transaction that is open.
    static func dropTables(on connection: PostgreSQLConnection) throws {
        let own: Set = [
            SQLBookkeeping.Keys.table, SQLBookkeeping.Metadata.table, SQLBookkeeping.ModelCache.table,
        ]
        // A store that has lost a table is destroyed, too. A single table of these may belong to another program.
        guard try connection.tableNames().intersection(own).count > 1 else { return }
        let tables = try tables(on: connection)
        try PostgreSQLTables.dropForeignKeys(of: tables, on: connection)
        for table in tables { try connection.run(.define(.dropTable(table))) }
        try connection.dropOwnSchema()
    }

    /// Removes the tables of the store's objects, its history and its metadata, in the transaction that is open.
    /// Other connections see all of them until the commit.
    static func empty(on connection: PostgreSQLConnection) throws {
        try PostgreSQLTables.dropConstraints(on: connection)
        for table in try tables(on: connection) { try connection.run(.define(.dropTable(table))) }
        try connection.forgetVersions()
        let own = [
            SQLBookkeeping.Keys.table, SQLBookkeeping.Metadata.table, SQLBookkeeping.ModelCache.table,
            HistoryTables.changes, HistoryTables.transactions, HistoryTables.strings,
        ]
        for table in try connection.tableNames().intersection(own) {
            try connection.run(.delete(SQLDelete(from: table)))
        }
    }

    /// The tables of the store's objects, by the model that it keeps. If that cannot be read, the map of names
    /// gives them, or else their triggers. None where there is no store.
    static func tables(on connection: PostgreSQLConnection) throws -> [String] {
        let present = try connection.tableNames()
        // Existing tables belong to the program that has made them.
        if try ExistingTables.isPresent(on: connection) { return [] }
        func found(_ body: () throws -> [String]?) throws -> [String]? {
            do {
                return try connection.trying(body)
            } catch let error as PostgreSQLError where error.isOfMissingPart {
                return nil
            }
        }
        if let names = try found({ try tables(ofModelOn: connection, present) }) { return names }
        let mapped = try found {
            try PostgreSQLNames(of: connection).map { names in
                Set(Array(names.tables.values) + Array(names.joins.values)).intersection(present).sorted()
            }
        }
        return try mapped ?? connection.tablesOfTriggers()
    }

    /// The tables of the model that the store keeps; nil where that cannot be read.
    private static func tables(
        ofModelOn connection: PostgreSQLConnection, _ present: Set<String>
    ) throws -> [String]? {
        let numbers = try IntrospectedSchema(connection).numbers
        guard present.contains(SQLBookkeeping.ModelCache.table), !numbers.isEmpty else { return nil }
        let content = try connection.prepare(SQLBookkeeping.ModelCache.select).first { $0.data(0) }
        guard let content, let model = try? ModelArchive.decode(deflated: content) else { return nil }
        defer { withExtendedLifetime(model) {} }
        let versions = try PostgreSQLVersion.all(on: connection).filter { !$0.model.isEmpty }
        if !versions.isEmpty {
            let names = try versions.flatMap { version in
                let (model, _, schema) = try version.schema(of: connection.address.shown)
                return withExtendedLifetime(model) { schema.allTables.map(\.name) }
            }
            return Set(names).intersection(present).sorted()
        }
        return try SQLSchemaBuilder.schema(
            of: ModelLayout(model: model), entities: Set(numbers.keys), numbers: numbers,
            style: PostgreSQLStyle(PostgreSQLNames(of: connection))
        ).allTables.map(\.name).filter { present.contains($0) }
    }
}
#endif
