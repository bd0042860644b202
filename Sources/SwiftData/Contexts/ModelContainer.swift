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
    /// The plan by which stores of other versions come to the schema; nil if changes are inferred.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/modelcontainer/migrationplan)
    public let migrationPlan: (any SchemaMigrationPlan.Type)?
    /// The configurations of the stores.
    public let configurations: Set<ModelConfiguration>
    let managed: ManagedSchema
    let coordinator: NSPersistentStoreCoordinator
    /// What looks for the commits of other processes; nil if all stores are in memory.
    let remoteCommits: RemoteCommits?
    /// The stores of programs by the names of their entities.
    let customRows: [String: CustomRows]
    private nonisolated(unsafe) var storedMainContext: ModelContext?  // used on the main actor only

    /// What a container is made of.
    struct Parts {
        let schema: Schema
        let migrationPlan: (any SchemaMigrationPlan.Type)?
        let configurations: Set<ModelConfiguration>
        let managed: ManagedSchema
        let coordinator: NSPersistentStoreCoordinator
        let remoteCommits: RemoteCommits?
        var customRows: [String: CustomRows] = [:]
    }

    var parts: Parts {
        Parts(
            schema: schema, migrationPlan: migrationPlan, configurations: configurations, managed: managed,
            coordinator: coordinator, remoteCommits: remoteCommits, customRows: customRows)
    }

    /// Creates a container of parts, for a main context that has outlived its container.
    init(_ parts: Parts, mainContext: ModelContext?) {
        schema = parts.schema
        migrationPlan = parts.migrationPlan
        configurations = parts.configurations
        managed = parts.managed
        coordinator = parts.coordinator
        remoteCommits = parts.remoteCommits
        customRows = parts.customRows
        storedMainContext = mainContext
    }

    /// Creates a container for classes, and opens its stores.
    ///
    /// - Parameters:
    ///   - forTypes: The classes. Those to which they lead are added.
    ///   - migrationPlan: The plan by which stores of other versions come to the classes. Without one the changes are
    ///     inferred.
    ///   - configurations: The stores; the default store unless given.
    /// - Throws: `SwiftDataError.loadIssueModelContainer` with the underlying error, `backwardMigration` for a store of
    ///   a later version, and the errors of configurations.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/modelcontainer/init(for:migrationplan:configurations:)-8s4ts)
    public convenience init(
        for forTypes: any PersistentModel.Type..., migrationPlan: (any SchemaMigrationPlan.Type)? = nil,
        configurations: ModelConfiguration...
    ) throws {
        try self.init(for: Schema(forTypes), migrationPlan: migrationPlan, configurations: configurations)
    }

    /// Creates a container for a schema, and opens its stores.
    ///
    /// - Parameters:
    ///   - givenSchema: The classes.
    ///   - migrationPlan: The plan by which stores of other versions come to the schema. Without one the changes are
    ///     inferred.
    ///   - configurations: The stores; the default store unless given.
    /// - Throws: As ``init(for:migrationPlan:configurations:)-(Schema,_,[ModelConfiguration])``.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/modelcontainer/init(for:migrationplan:configurations:)-qof9)
    public convenience init(
        for givenSchema: Schema, migrationPlan: (any SchemaMigrationPlan.Type)? = nil,
        configurations: ModelConfiguration...
    ) throws {
        try self.init(for: givenSchema, migrationPlan: migrationPlan, configurations: configurations)
    }

    /// Creates a container for a schema, and opens its stores.
    ///
    /// - Parameters:
    ///   - givenSchema: The classes.
    ///   - configurations: The stores; the default store if there are none.
    /// - Throws: As ``init(for:migrationPlan:configurations:)-(Schema,_,[ModelConfiguration])``.
    public convenience init(for givenSchema: Schema, configurations: [ModelConfiguration]) throws {
        try self.init(for: givenSchema, migrationPlan: nil, configurations: configurations)
    }

    /// Creates a container for a schema, and opens its stores.
    ///
    /// A store of another version is migrated before it is opened. After any failure or kill it is as it was, or of the
    /// schema's version.
    ///
    /// - Parameters:
    ///   - givenSchema: The classes. With a plan they are those of its last version, or of another one.
    ///   - migrationPlan: The plan by which stores of other versions come to the schema. Without one the changes are
    ///     inferred.
    ///   - configurations: The stores; the default store if there are none.
    /// - Throws: `SwiftDataError.loadIssueModelContainer` with the underlying error, `backwardMigration` for a store of
    ///   a later version, and the errors of configurations.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/swiftdata/modelcontainer/init(for:migrationplan:configurations:)-1czix)
    public init(
        for givenSchema: Schema, migrationPlan: (any SchemaMigrationPlan.Type)?, configurations: [ModelConfiguration]
    ) throws {
        schema = givenSchema
        self.migrationPlan = migrationPlan
        let all = configurations.isEmpty ? [ModelConfiguration()] : configurations
        self.configurations = Set(all)
        customRows = [:]
        do {
            let plan = try StorePlan(all, givenSchema, migrationPlan)
            managed = try plan.managedSchema()
            coordinator = NSPersistentStoreCoordinator(managedObjectModel: managed.model)
            for configuration in all { try plan.open(configuration, of: managed, in: coordinator) }
            let files = all.filter { !$0.isStoredInMemoryOnly }
            remoteCommits =
                files.isEmpty ? nil : RemoteCommits(of: coordinator, at: files.map(\.url))
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
        for rows in Set(customRows.values) {
            do {
                try rows.adapter.erase()
            } catch DataStoreError.unsupportedFeature {
                continue
            }
        }
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
