import CoreData
import Foundation

/// The stores of a program's classes.
///
/// Any thread may use a container. A context keeps its container.
///
/// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/modelcontainer)
public final class ModelContainer: Equatable, @unchecked Sendable {  // immutable, but for what is behind a lock
    /// The classes.
    public let schema: Schema
    /// The configurations of the stores.
    public let configurations: Set<ModelConfiguration>
    let managed: ManagedSchema
    let coordinator: NSPersistentStoreCoordinator
    let siblings = Siblings()
    @MainActor private var storedMainContext: ModelContext?

    /// Creates a container for classes, and opens its stores.
    ///
    /// - Parameters:
    ///   - forTypes: The classes. Those to which they lead are added.
    ///   - configurations: The stores; the default store unless given.
    /// - Throws: `SwiftDataError.loadIssueModelContainer` with the underlying error, and the errors of configurations.
    public convenience init(
        for forTypes: any PersistentModel.Type..., configurations: ModelConfiguration...
    ) throws {
        try self.init(for: Schema(forTypes), configurations: configurations)
    }

    /// Creates a container for a schema, and opens its stores.
    ///
    /// - Parameters:
    ///   - givenSchema: The classes.
    ///   - configurations: The stores; the default store unless given.
    /// - Throws: `SwiftDataError.loadIssueModelContainer` with the underlying error, and the errors of configurations.
    public convenience init(for givenSchema: Schema, configurations: ModelConfiguration...) throws {
        try self.init(for: givenSchema, configurations: configurations)
    }

    /// Creates a container for a schema, and opens its stores.
    ///
    /// - Parameters:
    ///   - givenSchema: The classes.
    ///   - configurations: The stores; the default store if there are none.
    /// - Throws: `SwiftDataError.loadIssueModelContainer` with the underlying error, and the errors of configurations.
    public init(for givenSchema: Schema, configurations: [ModelConfiguration]) throws {
        schema = givenSchema
        let all = configurations.isEmpty ? [ModelConfiguration()] : configurations
        self.configurations = Set(all)
        let plan = try StorePlan(all, givenSchema)
        do {
            managed = try plan.managedSchema()
            coordinator = NSPersistentStoreCoordinator(managedObjectModel: managed.model)
            for configuration in all { try plan.open(configuration, in: coordinator) }
        } catch let error as SwiftDataError {
            throw error
        } catch {
            throw SwiftDataError.loadIssueModelContainer.because(nil, error)
        }
        ModelType.use(managed)
    }

    /// The context of the main actor, which saves by itself.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/modelcontainer/maincontext)
    @MainActor public var mainContext: ModelContext {
        if let known = storedMainContext { return known }
        let new = ModelContext(self, isMain: true)
        storedMainContext = new
        return new
    }

    /// Removes all models of all stores. The files stay.
    ///
    /// - Throws: The error of a store.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/modelcontainer/erase())
    public func erase() throws {
        let context = ModelContext(self)
        for type in schema.types { try context.delete(model: type) }
        try context.save()
    }

    /// Removes all models of all stores. An error is written to standard error.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/modelcontainer/deletealldata())
    public func deleteAllData() {
        do {
            try erase()
        } catch {
            FileHandle.standardError.write(Data("SwiftData: error: deleteAllData: \(error)\n".utf8))
        }
    }

    /// Whether two containers are the same object.
    public static func == (lhs: ModelContainer, rhs: ModelContainer) -> Bool { lhs === rhs }
}

/// The stores that a container opens.
struct StorePlan {
    private let configurations: [ModelConfiguration]
    private let schema: Schema

    init(_ configurations: [ModelConfiguration], _ schema: Schema) throws {
        self.configurations = configurations
        self.schema = schema
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
            return try adoption?.managedSchema() ?? ManagedSchema.of(schema)
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

    func open(_ configuration: ModelConfiguration, in coordinator: NSPersistentStoreCoordinator) throws {
        let description = NSPersistentStoreDescription(url: configuration.url)
        description.shouldAddStoreAsynchronously = false
        description.isReadOnly = !configuration.allowsSave
        description.shouldMigrateStoreAutomatically = true
        description.shouldInferMappingModelAutomatically = true
        if configuration.isStoredInMemoryOnly {
            description.type = NSInMemoryStoreType
        } else {
            description.setOption(true as NSNumber, forKey: NSPersistentHistoryTrackingKey)
            description.setOption(true as NSNumber, forKey: NSPersistentStoreRemoteChangeNotificationPostOptionKey)
            try StoreAdoption(schema: schema, url: configuration.url)?.check(coordinator.managedObjectModel)
            if configuration.allowsSave, configuration.url.isFileURL {
                try FileManager.default.createDirectory(
                    at: configuration.url.deletingLastPathComponent(), withIntermediateDirectories: true)
            }
        }
        if configurations.filter({ $0.schema != nil }).count > 1 { description.configuration = configuration.name }
        var failure: (any Error)?
        coordinator.addPersistentStore(with: description) { failure = $1 }
        if let failure { throw failure }
    }
}
