import Foundation

/// Brings a store's tables to another version of its model, on a connection whose transaction is open, without a
/// mapping model. The caller commits or rolls back.
///
/// The database rewrites the rows. Rows are read into the program only for derived attributes that the database does
/// not compute.
struct MigrationTransaction {
    var request: MigrationRequest
    /// Whether steps that only clean up are left to a later moment
    /// (`NSPersistentStoreDeferredLightweightMigrationOptionKey`).
    var defersCleaning = false
    /// Makes the forecast of the hop to a version, for callers that follow the progress.
    var forecast: ((NSManagedObjectModel) throws -> MigrationForecast?)?
    /// Records files that no row will name any more.
    var forget: (ForgottenFiles) throws -> Void = { _ in }

    init(_ request: MigrationRequest) { self.request = request }

    private var url: URL { request.url }
    private var model: NSManagedObjectModel { request.model }
    private var configuration: String? { request.configuration }

    /// Applies the hops through the versions to the model, in the open transaction.
    func apply(
        through versions: [NSManagedObjectModel], from source: NSManagedObjectModel, on connection: any SQLConnection,
        _ progress: Progress?
    ) throws {
        let metadata = try SQLStoreMetadata.read(from: connection, url: url)
        let stored = metadata[NSStoreModelVersionHashesKey] as? [String: Data]
        let merged = MergedHops.merge(
            from: source, storing: stored.map { Set($0.keys) }, through: versions + [model],
            configuration: configuration)
        let record = record(in: metadata, after: source, through: versions)
        if merged.count == 1 {
            return try applyHop(
                from: source, merged[0].origins, isLast: true, record, on: connection, MigrationProgress(progress))
        }
        let parts = MigrationParts(progress, weights: [Double](repeating: 1, count: merged.count))
        var source = source
        for (number, hops) in merged.enumerated() {
            var next = self
            next.request = request.to(hops.target)
            let isLast = number == merged.count - 1
            do {
                try parts.run(number) { part in
                    try next.applyHop(
                        from: source, hops.origins, isLast: isLast, record, on: connection, MigrationProgress(part))
                }
            } catch let error as NSError where MigrationErrors.isAboutRows(error) && !isLast {
                throw MigrationErrors.onTheWay(error, through: hops.target)
            }
            source = hops.target
        }
    }

    /// The versions that the store will have left.
    func record(
        in metadata: [String: Any], after source: NSManagedObjectModel, through versions: [NSManagedObjectModel]
    ) -> VersionRecord {
        var record = VersionRecord(metadata)
        let stored = metadata[NSStoreModelVersionHashesKey] as? [String: Data] ?? [:]
        var left = [stored, source.entityVersionHashesByName.filter { stored[$0.key] != nil }]
        for version in versions + [model] {
            let next = version.versionHashes(ofConfiguration: configuration)
            record.leave(left, for: next)
            left = [next]
        }
        return record
    }

    /// Applies the hop from one version to the model's, in the open transaction.
    private func applyHop(
        from source: NSManagedObjectModel, _ origins: ModelOrigins?, isLast: Bool, _ record: VersionRecord,
        on connection: any SQLConnection, _ progress: MigrationProgress
    ) throws {
        let present = try SQLStoreMetadata.read(from: connection, url: url)
        try DeferredStatements.finish(present, on: connection)
        var (plan, newMetadata) = try planHop(
            source, origins: origins, metadata: present, on: connection, progress: progress)
        newMetadata[DeferredStatements.metadataKey] = nil
        record.write(to: &newMetadata)
        if isLast, defersCleaning {
            let later = DeferredStatements.takeDeferrable(from: &plan)
            if !later.isEmpty { newMetadata[DeferredStatements.metadataKey] = later }
        }
        if let forecast { progress.expect(rows: plan.totalUnits) { try forecast(model) } }
        let runner = MigrationRunner(
            connection: connection, url: url, progress: progress, metadata: newMetadata,
            modelCache: try ModelArchive.encodeDeflated(model))
        try connection.changingTables { try runner.run(plan) }
        progress.finish()
    }

    private func planHop(
        _ source: NSManagedObjectModel, origins: ModelOrigins?, metadata: [String: Any],
        on connection: any SQLConnection, progress: MigrationProgress
    ) throws -> (plan: MigrationPlan, metadata: [String: Any]) {
        let newNames = try entityNames()
        let (old, catalog) = try state(of: source, metadata, on: connection)
        let new = try schema(newNames, after: old, source, origins, style: connection.style)
        let (difference, plan) = try self.plan(
            from: source.layout, oldSchema: old, to: model.layout, newSchema: new, catalog: catalog,
            in: connection.dialect, origins: origins)
        try forget(ForgottenFiles(of: difference, in: old))
        connection.nameEntities(
            old.entityNames(in: source.layout).merging(new.entityNames(in: model.layout)) { old, _ in old })
        progress.name(tablesOf: old, source.layout)
        progress.name(tablesOf: new, model.layout)
        return (plan, newMetadata(metadata, difference, newNames))
    }

    /// The tables of the model. Where rows name their entities, the numbers only stand for the names. The numbers in
    /// the store stay, and new entities get unused ones.
    func schema(
        _ names: Set<String>?, after old: SQLSchema, _ source: NSManagedObjectModel, _ origins: ModelOrigins?,
        style: any SQLSchemaStyle
    ) throws -> SQLSchema {
        let new = SQLSchemaBuilder.schema(of: model.layout, entities: names, style: style)
        try style.requireOwnNames(of: new, model.layout)
        guard new.namesEntities else { return new }
        let difference = try Self.difference(from: source.layout, old, to: model.layout, new, origins)
        var numbers: [String: Int] = [:]
        var taken = Set(old.numbers.compactMap { $0 })
        var used: Set<Int> = []
        for entity in model.layout.entities where new.numbers[entity.index] != nil {
            var number = difference.sourceOf[entity.index].flatMap { old.numbers[$0] }
            if number.map({ !used.insert($0).inserted }) ?? true {
                number = (taken.max() ?? 0) + 1
            }
            taken.insert(number ?? 0)
            numbers[entity.name] = number
        }
        return SQLSchemaBuilder.schema(
            of: model.layout, entities: names, numbers: numbers, style: style)
    }

    private static func difference(
        from source: ModelLayout, _ old: SQLSchema, to destination: ModelLayout, _ new: SQLSchema,
        _ origins: ModelOrigins?
    ) throws -> ModelDifference {
        try ModelDifference(
            from: source, to: destination,
            storedSource: Set(old.numbers.indices.filter { old.numbers[$0] != nil }),
            storedDestination: Set(new.numbers.indices.filter { new.numbers[$0] != nil }), origins: origins)
    }

    /// The tables that the source model has in the file, and the real content of the file.
    func state(
        of source: NSManagedObjectModel, _ metadata: [String: Any]? = nil, on connection: any SQLConnection
    ) throws -> (schema: SQLSchema, catalog: StoreCatalog) {
        let metadata = try metadata ?? SQLStoreMetadata.read(from: connection, url: url)
        let names = Set((metadata[NSStoreModelVersionHashesKey] as? [String: Data] ?? [:]).keys)
        let schema = try IntrospectedSchema(connection).fit(source.layout, entities: names, url: url)
        connection.nameEntities(schema.entityNames(in: source.layout))
        return (schema, try connection.catalog(ofTables: Set(schema.allTables.map(\.name) + ["ACHANGE"])))
    }

    /// The plan of the changes between two versions whose tables are these.
    func plan(
        from source: ModelLayout, oldSchema old: SQLSchema, to destination: ModelLayout, newSchema new: SQLSchema,
        catalog: StoreCatalog, in dialect: any SQLDialect, origins: ModelOrigins? = nil
    ) throws -> (difference: ModelDifference, plan: MigrationPlan) {
        let difference = try Self.difference(from: source, old, to: destination, new, origins)
        if let mirror = catalog.mirror, !request.ignoresMirror {
            let changes = MirrorCheck.changes(difference, from: old, to: new)
            if !changes.isEmpty { throw MigrationErrors.mirrored(mirror, changes.map(\.text), url: url) }
        }
        let plan = MigrationPlanner.plan(for: difference, from: old, to: new, catalog: catalog, in: dialect)
        if !plan.refusals.isEmpty { throw MigrationErrors.combined(plan.refusals) }
        return (difference, plan)
    }

    /// The names of the configuration's entities; nil for all.
    func entityNames() throws -> Set<String>? {
        try StoreOpening.entities(of: model, in: configuration, url)
    }

    /// Replaces the description of the model in the metadata. All other metadata stay.
    func newMetadata(
        _ metadata: [String: Any], _ difference: ModelDifference, _ names: Set<String>?
    ) -> [String: Any] {
        var result = metadata
        let type = metadata[NSStoreTypeKey] as? String
        for (key, value) in SQLStoreMetadata.description(of: model, entities: names, type: type) { result[key] = value }
        // Where the framework's rule for a hash is not reproduced, an entity that did not change keeps the hash that it
        // has.
        guard var hashes = result[NSStoreModelVersionHashesKey] as? [String: Data],
            let oldHashes = metadata[NSStoreModelVersionHashesKey] as? [String: Data]
        else { return result }
        for entity in difference.destination.entities
        where hashes[entity.name] != nil && !entity.entity.isVersionHashExact {
            guard let origin = difference.sourceOf[entity.index].map({ difference.source.entities[$0] }),
                StoreModelCheck.facts(of: origin.entity) == StoreModelCheck.facts(of: entity.entity),
                let hash = oldHashes[origin.name]
            else { continue }
            hashes[entity.name] = hash
        }
        result[NSStoreModelVersionHashesKey] = hashes
        result["NSStoreModelVersionHashesDigest"] = VersionHash.storeDigest(of: hashes)
        result[NSPersistentStoreModelVersionChecksumKey] = VersionHash.checksum(of: hashes)
        return result
    }
}

extension SQLSchema {
    /// The names of the entities by their numbers.
    func entityNames(in layout: ModelLayout) -> [Int: String] {
        layoutOfNumber.mapValues { layout.entities[$0].name }
    }
}
