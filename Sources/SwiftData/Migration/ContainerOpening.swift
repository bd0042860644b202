import CoreData
import CoreDataManager
import Foundation

extension ModelContainer {
    /// Prepares to open a container away from the caller's thread, with a forecast, a progress and states.
    ///
    /// OpenCoreData only. Nothing is read or written before ``ContainerOpening/begin(progressScreen:completion:)`` or
    /// ``ContainerOpening/container``.
    ///
    /// - Parameters:
    ///   - forTypes: The classes. Those to which they lead are added.
    ///   - migrationPlan: The plan by which stores of other versions come to the classes. Without one the changes are
    ///     inferred.
    ///   - configurations: The stores; the default store unless given.
    /// - Returns: The opening.
    public static func opening(
        for forTypes: any PersistentModel.Type..., migrationPlan: (any SchemaMigrationPlan.Type)? = nil,
        configurations: ModelConfiguration...
    ) -> ContainerOpening {
        ContainerOpening(
            { Schema(forTypes) }, migrationPlan, configurations, settings: CoreDataManager.Configuration())
    }

    /// Prepares to open a container away from the caller's thread, with a forecast, a progress and states.
    ///
    /// OpenCoreData only. Nothing is read or written before ``ContainerOpening/begin(progressScreen:completion:)`` or
    /// ``ContainerOpening/container``.
    ///
    /// - Parameters:
    ///   - givenSchema: The classes.
    ///   - migrationPlan: The plan by which stores of other versions come to the schema. Without one the changes are
    ///     inferred.
    ///   - configurations: The stores; the default store if there are none.
    ///   - settings: The grace delay, the least time of a progress screen, and the texts. The settings of a store are
    ///     those of its configuration.
    /// - Returns: The opening.
    public static func opening(
        for givenSchema: Schema, migrationPlan: (any SchemaMigrationPlan.Type)?, configurations: [ModelConfiguration],
        settings: CoreDataManager.Configuration = CoreDataManager.Configuration()
    ) -> ContainerOpening {
        ContainerOpening({ givenSchema }, migrationPlan, configurations, settings: settings)
    }
}

/// The opening of a container away from the main thread.
///
/// OpenCoreData only. The first store that is kept in a file or a database goes through the states of a
/// `CoreDataManager`. Further stores are migrated without a progress, in the background as well. Any thread may use an
/// opening.
public final class ContainerOpening: Sendable {
    private let manager: CoreDataManager?
    private let source: Source
    private let queue = DispatchQueue(label: "SwiftData.opening", qos: .userInitiated)
    private let made = Locked<ModelContainer?>(nil)

    init(
        _ schema: @escaping @Sendable () -> Schema, _ plan: (any SchemaMigrationPlan.Type)?,
        _ configurations: [ModelConfiguration], settings: CoreDataManager.Configuration
    ) {
        let all = configurations.isEmpty ? [ModelConfiguration()] : configurations
        let source = Source(schema: schema, plan: plan, configurations: all)
        self.source = source
        guard let first = all.first(where: { !$0.isStoredInMemoryOnly }) else {
            manager = nil
            return
        }
        var settings = settings
        settings.storeType = NSPersistentStoreDescription(url: first.url).type
        settings.modelConfiguration = all.count { $0.schema != nil } > 1 ? first.name : nil
        settings.allowedLosses = first.allowedLosses.sorted()
        settings.storeOptions[NSReadOnlyPersistentStoreOption] = !first.allowsSave
        settings.storeOptions[NSPersistentHistoryTrackingKey] = true
        settings.storeOptions[NSPersistentStoreRemoteChangeNotificationPostOptionKey] = true
        settings.adapter = PlanAdapter(source: source, base: settings.adapter)
        manager = CoreDataManager(storeURL: first.url, configuration: settings) { try source.model() }
    }

    /// The state. An opening of stores in memory alone is ready.
    public var state: LaunchState { manager?.state ?? .ready }

    /// The states in order, beginning with the current one. They end when the stores are ready.
    public var states: AsyncStream<LaunchState> {
        manager?.states
            ?? AsyncStream { continuation in
                continuation.yield(.ready)
                continuation.finish()
            }
    }

    /// Begins to open the container in the background, or joins the opening under way. After a failure it begins anew.
    ///
    /// - Parameters:
    ///   - progressScreen: Shows the progress of a migration, and can cancel it. It is called on the main queue, and
    ///     only if a migration outlasts the grace delay.
    ///   - completion: Receives the container, or the error of the opening, on the main queue.
    public func begin(
        progressScreen: (@MainActor @Sendable (any MigrationProgressReporting) -> Void)? = nil,
        completion: @escaping @MainActor @Sendable (Result<ModelContainer, any Error>) -> Void
    ) {
        guard let manager else { return finish(.success(()), completion) }
        manager.launch(progressScreen: progressScreen) { [self] in finish($0, completion) }
    }

    private func finish(
        _ result: Result<Void, any Error>,
        _ completion: @escaping @MainActor @Sendable (Result<ModelContainer, any Error>) -> Void
    ) {
        queue.async { [self] in
            let container = result.mapError { source.translated($0) as any Error }
                .flatMap { Result { try make() } }
            DispatchQueue.main.async { completion(container) }
        }
    }

    /// The container. It is opened if that has not begun, and a caller waits until it is there.
    ///
    /// - Throws: The errors of the container's initialisers. A failed opening is not tried again;
    ///   ``begin(progressScreen:completion:)`` does that.
    public var container: ModelContainer {
        get async throws {
            if let known = made.withLock({ $0 }) { return known }
            do {
                try await manager?.ready()
            } catch is CancellationError {
                throw CancellationError()
            } catch {
                throw source.translated(error)
            }
            return try await withCheckedThrowingContinuation { continuation in
                queue.async { continuation.resume(with: Result { try self.make() }) }
            }
        }
    }

    /// Returns the container if it is open.
    ///
    /// - Returns: The container.
    /// - Throws: `CoreDataManagerError.notReady` with the state.
    public func containerOrThrow() throws -> ModelContainer {
        if let known = made.withLock({ $0 }) { return known }
        throw CoreDataManagerError.notReady(state)
    }

    /// Says what a migration would do and cost. Nothing is changed.
    ///
    /// - Returns: The forecast; of a store in memory, that nothing is to do.
    /// - Throws: The errors of the classes and of the plan, and those of reading the store.
    public func forecast() async throws -> LaunchForecast {
        do {
            return try await manager?.forecast() ?? LaunchForecast(isMigrationRequired: false)
        } catch {
            throw source.translated(error)
        }
    }

    /// Makes the container once, on the queue.
    private func make() throws -> ModelContainer {
        if let known = made.withLock({ $0 }) { return known }
        let new = try source.container()
        made.withLock { $0 = new }
        return new
    }
}

/// What a container is opened of.
private struct Source: Sendable {
    let schema: @Sendable () -> Schema
    let plan: (any SchemaMigrationPlan.Type)?
    let configurations: [ModelConfiguration]

    func container() throws -> ModelContainer {
        try ModelContainer(for: schema(), migrationPlan: plan, configurations: configurations)
    }

    func model() throws -> NSManagedObjectModel {
        let folders = configurations.filter { $0.url.isFileURL && $0.allowsSave && !$0.isStoredInMemoryOnly }
            .map { $0.url.deletingLastPathComponent() }
        for folder in folders { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true) }
        return try StorePlan(configurations, schema(), plan).managedSchema().model
    }

    /// How the first store comes to the schema.
    func migration() throws -> PlannedMigration? {
        let stores = try StorePlan(configurations, schema(), plan)
        return stores.firstMigration(try stores.managedSchema())
    }

    func translated(_ error: any Error) -> any Error {
        if error is SwiftDataError || error is CoreDataManagerError { return error }
        guard let migration = try? migration() else {
            return SwiftDataError.loadIssueModelContainer.because(nil, error)
        }
        return migration.translated(error, StoreVersion(of: migration.configuration))
    }
}

/// Migrates and forecasts by the stages of a plan.
private struct PlanAdapter: MigrationAdapter {
    let source: Source
    let base: any MigrationAdapter

    /// The job with the stages from the store's version on.
    private func staged(_ job: MigrationJob) throws -> MigrationJob {
        var job = job
        guard let manager = try source.migration()?.manager() else { return job }
        job.options[NSPersistentStoreStagedMigrationManagerOptionKey] = manager
        return job
    }

    func forecast(_ job: MigrationJob) throws -> LaunchForecast { try base.forecast(staged(job)) }

    func migrate(_ job: MigrationJob, begun: (any MigrationProgressReporting) -> Void) throws {
        try base.migrate(staged(job), begun: begun)
    }

    func cleanUp(after job: MigrationJob) { base.cleanUp(after: job) }
}
