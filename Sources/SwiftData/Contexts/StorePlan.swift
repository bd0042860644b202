import CoreData
import Foundation

/// The stores that a container opens.
struct StorePlan {
    private let configurations: [ModelConfiguration]
    private let schema: Schema
    /// The versions of the container's plan; nil without one.
    private let versions: PlanVersions?

    init(
        _ configurations: [ModelConfiguration], _ schema: Schema, _ plan: (any SchemaMigrationPlan.Type)?
    ) throws {
        self.configurations = configurations
        versions = try plan.map { try PlanVersions($0, for: schema) }
        // Stores note the version's identifier, not the one that a schema of classes has by default.
        self.schema = versions.map { Schema(schema.types, version: $0.versions[$0.target].schema.version) } ?? schema
        var names: Set<String> = []
        var places: Set<URL> = []
        for configuration in configurations {
            if configurations.count > 1, !names.insert(configuration.name).inserted {
                throw SwiftDataError.duplicateConfiguration.because(
                    "two configurations are named '\(configuration.name)'")
            }
            if !configuration.isStoredInMemoryOnly, !places.insert(configuration.url).inserted {
                throw SwiftDataError.duplicateConfiguration.because("two configurations are at \(configuration.url)")
            }
            if configuration.name.contains("/") || configuration.name.contains("\0") {
                throw SwiftDataError.configurationFileNameContainsInvalidCharacters.because(configuration.name)
            }
            if configuration.url.lastPathComponent.utf8.count > 255 {
                throw SwiftDataError.configurationFileNameTooLong.because(configuration.name)
            }
        }
        try checkPartition()
    }

    private func checkPartition() throws {
        let parts = configurations.compactMap(\.schema)
        if parts.isEmpty { return }
        let all = schema.typeSet
        let covered = parts.map(\.typeSet).reduce(into: Set()) { $0.formUnion($1) }
        if !covered.isSubset(of: all) || (parts.count == configurations.count && covered != all) {
            throw SwiftDataError.configurationSchemaNotFoundInContainerSchema.because(
                "the schemas of the configurations have other classes than the container's")
        }
    }

    /// The model of the schema. Several stores have configurations of their own in it.
    func managedSchema() throws -> ManagedSchema {
        let parts = configurations.filter { $0.schema != nil }
        if parts.count < 2 {
            guard configurations.count == 1 else { return try ManagedSchema.of(schema) }
            let adoption = StoreAdoption(schema: schema, url: configurations[0].url)
            return try adoption?.managedSchema() ?? laterSchema(adoption) ?? ManagedSchema.of(schema)
        }
        ModelPredicates.installation
        let model = try ModelBuilder(schema: schema).model()
        for part in parts {
            let names = Set(part.schema?.entities.map(\.name) ?? [])
            model.setEntities(
                model.entities.filter { names.contains($0.name ?? "") }, forConfigurationName: part.name)
        }
        return ManagedSchema(schema, model)
    }

    /// The schema with the forms of a store that is at an older version of the plan; nil if there are none.
    private func laterSchema(_ adoption: StoreAdoption?) throws -> ManagedSchema? {
        guard adoption != nil, let versions, let store = StoreVersion(of: configurations[0]),
            try ManagedSchema.of(schema).model.entityVersionHashesByName != store.hashes,
            let (place, stored) = try store.place(in: versions),
            let way = versions.way(from: place, to: versions.target)
        else { return nil }
        return try way.reduce(stored) { older, stage in
            let later = stage.end == versions.target ? schema : versions.versions[stage.end].schema
            return try StoreAdoption.managedSchema(later, after: older)
        }
    }

    // MARK: Opening

    /// The places of the stores that this thread migrates. A handler that opens one of them would wait for itself.
    @TaskLocal private static var migrating: [URL] = []

    func open(
        _ configuration: ModelConfiguration, of managed: ManagedSchema, in coordinator: NSPersistentStoreCoordinator
    ) throws {
        let place = configuration.url.isFileURL ? configuration.url.standardizedFileURL : configuration.url
        if !configuration.isStoredInMemoryOnly, Self.migrating.contains(place) {
            throw SwiftDataError.loadIssueModelContainer.because(
                "A handler of a migration cannot open the store that is being migrated, “\(place.lastPathComponent)”: it "
                    + "uses the context that it is given.")
        }
        let migration = migration(of: configuration, managed)
        var attempts = 5
        while true {
            let version = StoreVersion(of: configuration)
            let beginning = ContinuousClock.now
            do {
                let description = try description(of: configuration)
                try StoreAdoption(schema: schema, url: configuration.url)?.check(managed.model)
                if configuration.allowsSave, let manager = try migration.manager() {
                    description.setOption(manager, forKey: NSPersistentStoreStagedMigrationManagerOptionKey)
                }
                try Self.$migrating.withValue(Self.migrating + [place]) { try add(description, to: coordinator) }
                #if DEBUG
                sayIfMainQueueWaited(since: beginning, configuration, version)
                #endif
                return
            } catch {
                // Another process may have migrated the store since its version was read.
                attempts -= 1
                guard attempts > 0, let version, StoreVersion(of: configuration).map({ $0 != version }) ?? true else {
                    throw migration.translated(error, version)
                }
            }
        }
    }

    #if DEBUG
    /// Says for how long a migration has kept the main queue waiting. Users would see a program that does not start.
    private func sayIfMainQueueWaited(
        since beginning: ContinuousClock.Instant, _ configuration: ModelConfiguration, _ before: StoreVersion?
    ) {
        guard MainQueue.isCurrent, let before, let after = StoreVersion(of: configuration), after != before else {
            return
        }
        let line =
            "SwiftData: note: the store “\(configuration.url.lastPathComponent)” was migrated on the main queue for "
            + "\(ContinuousClock.now - beginning). ModelContainer.opening(for:migrationPlan:configurations:) migrates in "
            + "the background.\n"
        FileHandle.standardError.write(Data(line.utf8))
    }
    #endif

    /// The first store that is kept in a file or a database, and how it comes to the schema.
    func firstMigration(_ managed: ManagedSchema) -> PlannedMigration? {
        guard let first = configurations.first(where: { !$0.isStoredInMemoryOnly }) else { return nil }
        return migration(of: first, managed)
    }

    private func migration(of configuration: ModelConfiguration, _ managed: ManagedSchema) -> PlannedMigration {
        let part = configurations.count { $0.schema != nil } > 1 ? configuration.schema : nil
        return PlannedMigration(configuration, versions, managed, part: part)
    }

    func description(of configuration: ModelConfiguration) throws -> NSPersistentStoreDescription {
        let description = NSPersistentStoreDescription(url: configuration.url)
        description.shouldAddStoreAsynchronously = false
        description.isReadOnly = !configuration.allowsSave
        description.shouldMigrateStoreAutomatically = true
        description.shouldInferMappingModelAutomatically = true
        if !configuration.allowedLosses.isEmpty {
            description.setOption(
                Array(configuration.allowedLosses).sorted() as NSArray, forKey: NSMigrationAllowedLossesOption)
        }
        if configuration.isStoredInMemoryOnly {
            description.type = NSInMemoryStoreType
        } else {
            description.setOption(true as NSNumber, forKey: NSPersistentHistoryTrackingKey)
            description.setOption(true as NSNumber, forKey: NSPersistentStoreRemoteChangeNotificationPostOptionKey)
            if configuration.allowsSave, configuration.url.isFileURL {
                try FileManager.default.createDirectory(
                    at: configuration.url.deletingLastPathComponent(), withIntermediateDirectories: true)
            }
        }
        if configurations.filter({ $0.schema != nil }).count > 1 { description.configuration = configuration.name }
        return description
    }

    private func add(_ description: NSPersistentStoreDescription, to coordinator: NSPersistentStoreCoordinator) throws {
        var failure: (any Error)?
        coordinator.addPersistentStore(with: description) { failure = $1 }
        if let failure { throw failure }
    }
}
