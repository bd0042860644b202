import Foundation

/// The number of rows of each entity of a SQLite store, which the next version must have too.
struct EntityCounts {
    private let model: NSManagedObjectModel
    /// The numbers by the names of the entities that the store holds.
    let rows: [String: Int]

    /// Counts the rows of a store to which no process writes until the count has ended.
    ///
    /// - Parameters:
    ///   - given: the model that the store was made with, if the caller has it; otherwise the count finds the model.
    ///   - isLocked: whether this process holds the lock on the store. Then the connection is immutable, because only
    ///     such a connection needs no lock.
    init(
        of store: SQLiteStoreFiles, _ given: NSManagedObjectModel? = nil, isLocked: Bool = false,
        following work: FollowedWork
    ) throws {
        let connection = try SQLiteConnection(path: store.main.path, access: isLocked ? .immutable : .readOnly)
        let metadata = try SQLStoreMetadata.read(from: connection, url: store.main)
        model = try SourceModel(metadata: metadata, url: store.main) {
            try StoreEngines.fileEngine().cachedModel(at: store.main, timeout: 0)
        }.find(given: given)
        let names = Set((metadata[NSStoreModelVersionHashesKey] as? [String: Data] ?? [:]).keys)
        let schema = try IntrospectedSchema(connection).fit(model.layout, entities: names, url: store.main)
        rows = try Self.rows(model.layout, schema, on: connection, following: work)
    }

    /// Counts the rows of all entities by one statement for each table.
    static func rows(
        _ layout: ModelLayout, _ schema: SQLSchema, on connection: any SQLConnection, following work: FollowedWork
    ) throws -> [String: Int] {
        var rows: [String: Int] = [:]
        for root in layout.entities where root.superIndex == nil {
            guard let table = schema.table(ofRoot: root.index)?.name else { continue }
            let stored = root.subtree.compactMap { index in schema.numbers[index].map { (index, $0) } }
            // SQLite's limit is 2,000 columns in a result.
            for start in stride(from: 0, to: stored.count, by: 500) {
                let part = stored[start..<min(start + 500, stored.count)]
                let query = try connection.prepare(
                    .select(SQLSelect(part.map { .count(where: .isEntity([$0.1])) }, of: table)))
                let counts = try work.run(on: connection) {
                    try query.first { row in (0..<part.count).map { row.int64($0) } }
                }
                for (entity, count) in zip(part, counts ?? []) { rows[layout.entities[entity.0].name] = Int(count) }
            }
        }
        return rows
    }

    /// The number of rows that the entities of a later version have when the store is migrated through all of them
    /// without a mapping model. Only the rows of removed entities are lost.
    func after(through versions: [NSManagedObjectModel], configuration: String?) throws -> [String: Int] {
        var (rows, source) = (rows, model)
        for version in versions {
            let (old, new) = (source.layout, version.layout)
            let held = version.entities(forConfigurationName: configuration).map { Set($0.compactMap(\.name)) }
            let difference = try ModelDifference(
                from: old, to: new,
                storedSource: Set(old.entities.lazy.filter { rows[$0.name] != nil }.map(\.index)),
                storedDestination: held.map { held in
                    Set(new.entities.lazy.filter { held.contains($0.name) }.map(\.index))
                })
            var next: [String: Int] = [:]
            for entity in new.entities where held?.contains(entity.name) ?? true {
                next[entity.name] = difference.sourceOf[entity.index].flatMap { rows[old.entities[$0].name] } ?? 0
            }
            (rows, source) = (next, version)
        }
        return rows
    }

    /// The error about the first entity whose number of rows differs from the expected one. Entities without an
    /// expected number may have any number of rows.
    static func failure(_ rows: [String: Int], expected: [String: Int], url: URL) -> NSError? {
        for (name, count) in expected.sorted(by: { $0.key < $1.key }) {
            guard let found = rows[name], found != count else { continue }
            return .coreData(
                NSMigrationError,
                reason: "The migrated store did not pass its verification: “\(name)” has \(found) rows where \(count) "
                    + "were migrated.", url: url, userInfo: [MigrationErrors.entityKey: name])
        }
        return nil
    }
}
