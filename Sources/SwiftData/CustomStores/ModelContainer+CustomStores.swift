import CoreData
import Foundation

extension ModelContainer {
    /// Creates a container for classes over stores of programs.
    ///
    /// - Parameters:
    ///   - forTypes: The classes. Those to which they lead are added.
    ///   - configurations: The stores, of which each class has one.
    /// - Throws: As ``init(for:configurations:)-(Schema,[DataStoreConfiguration])``.
    @_disfavoredOverload
    public convenience init(
        for forTypes: any PersistentModel.Type..., configurations: any DataStoreConfiguration...
    ) throws {
        try self.init(for: Schema(forTypes), configurations: configurations)
    }

    /// Creates a container for a schema over stores of programs.
    ///
    /// - Parameters:
    ///   - givenSchema: The classes.
    ///   - configurations: The stores, of which each class has one. No relationship may lead from one store to another.
    /// - Throws: `SwiftDataError.loadIssueModelContainer` with the error of a store or with what is wrong,
    ///   `unknownDataStoreSchema` for a store without one of its classes, and the errors of configurations.
    @_disfavoredOverload
    public convenience init(for givenSchema: Schema, configurations: [any DataStoreConfiguration]) throws {
        do {
            let plan = try CustomStorePlan(configurations, givenSchema)
            self.init(try plan.opened(), mainContext: nil)
        } catch let error as SwiftDataError {
            throw error
        } catch {
            throw SwiftDataError.loadIssueModelContainer.because(nil, error)
        }
        ModelType.use(managed)
    }
}

/// The stores of programs that a container opens.
private struct CustomStorePlan {
    private let schema: Schema
    private let configurations: [any DataStoreConfiguration]
    private let managed: ManagedSchema

    init(_ configurations: [any DataStoreConfiguration], _ schema: Schema) throws {
        guard !configurations.isEmpty else {
            throw SwiftDataError.loadIssueModelContainer.because("the container has no configuration")
        }
        var names: Set<String> = []
        for configuration in configurations where !names.insert(configuration.name).inserted {
            throw SwiftDataError.duplicateConfiguration.because("two configurations are named '\(configuration.name)'")
        }
        self.schema = schema
        self.configurations = configurations
        let parts = configurations.map { Self.entities(of: $0, in: schema) }
        let all = Set(schema.entities.map(\.name))
        guard parts.reduce(into: Set(), { $0.formUnion($1) }) == all, parts.reduce(0, { $0 + $1.count }) == all.count
        else {
            throw SwiftDataError.configurationSchemaNotFoundInContainerSchema.because(
                "the schemas of the configurations have other classes than the container's, or one class twice")
        }
        if configurations.count == 1 {
            managed = try ManagedSchema.of(schema)
        } else {
            ModelPredicates.installation
            let model = try ModelBuilder(schema: schema).model()
            for (configuration, names) in zip(configurations, parts) {
                model.setEntities(
                    model.entities.filter { names.contains($0.name ?? "") }, forConfigurationName: configuration.name)
            }
            managed = ManagedSchema(schema, model)
        }
        for names in parts { try checkRelationships(of: names) }
    }

    private static func entities(of configuration: any DataStoreConfiguration, in schema: Schema) -> Set<String> {
        Set((configuration.schema ?? schema).entities.map(\.name))
    }

    private func checkRelationships(of names: Set<String>) throws {
        for entity in managed.model.entities where names.contains(entity.name ?? "") {
            for relationship in entity.relationshipsByName.values {
                guard let other = relationship.destinationEntity?.name, !names.contains(other) else { continue }
                throw SwiftDataError.loadIssueModelContainer.because(
                    "'\(entity.name ?? "").\(relationship.name)' leads to '\(other)', which is in another store")
            }
        }
    }

    func opened() throws -> ModelContainer.Parts {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: managed.model)
        var plans: [String: SnapshotPlan] = [:]
        for (_, type) in managed.types { plans[type.entity.name ?? ""] = try SnapshotPlan(type) }
        var rows: [String: CustomRows] = [:]
        var identifiers: Set<String> = []
        for configuration in configurations {
            let names = Self.entities(of: configuration, in: schema)
            let adapter = try adapter(configuration, plans)
            guard identifiers.insert(adapter.identifier).inserted else {
                throw SwiftDataError.duplicateConfiguration.because(
                    "two stores have the identifier '\(adapter.identifier)'")
            }
            if let missing = names.subtracting(adapter.schema.entities.map(\.name)).min() {
                throw SwiftDataError.unknownDataStoreSchema.because(
                    "the store of the configuration “\(adapter.name)” does not have the class '\(missing)'")
            }
            let added = try CustomRows.add(
                adapter, to: coordinator, configuration: configurations.count > 1 ? configuration.name : nil)
            for name in names { rows[name] = added }
        }
        return ModelContainer.Parts(
            schema: schema, migrationPlan: nil, configurations: [], managed: managed, coordinator: coordinator,
            remoteCommits: nil, customRows: rows)
    }

    private func adapter(
        _ configuration: any DataStoreConfiguration, _ plans: [String: SnapshotPlan]
    ) throws -> any CustomStoreAdapter {
        func make<Configuration: DataStoreConfiguration>(_ given: Configuration) throws -> any CustomStoreAdapter {
            var configuration = given
            if configuration.schema == nil { configuration.schema = schema }
            return try DataStoreAdapter<Configuration.Store>(configuration, plans)
        }
        return try make(configuration)
    }
}
