import Foundation

/// A manager that migrates a store by a mapping model: it makes a new store from a store of the source model.
///
/// Rows pass through in batches, so that the use of memory does not grow with the store. The source store is only read.
/// The destination is saved batch by batch. A temporary file beside the destination records which object each source
/// object became.
///
/// The migration runs on the calling thread, which holds the queues of both contexts whenever it calls a policy. Any
/// thread may use ``cancelMigrationWithError(_:)``, ``migrationProgress`` and `progress`. Use everything else on the
/// thread of the migration.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmigrationmanager)
open class NSMigrationManager: NSObject {
    /// The model of the source store: a copy of the given model, in which all entities have the class
    /// ``NSManagedObject``.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmigrationmanager/sourcemodel)
    open private(set) var sourceModel: NSManagedObjectModel
    /// The model of the destination store: a copy of the given model, in which all entities have the class
    /// ``NSManagedObject``.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmigrationmanager/destinationmodel)
    open private(set) var destinationModel: NSManagedObjectModel

    /// The value of `progress`. The cancellation of a `Progress` cannot be undone, so ``reset()`` makes a new one.
    final var ownProgress: Progress { cancellationLock.withLock { storedProgress } }
    private var storedProgress = Progress(totalUnitCount: -1)

    /// Whether SQL may carry out an inferred mapping between SQLite stores; true unless set otherwise.
    ///
    /// SQL works in a copy of the store, many times faster, and with the same result. It does not call methods of this
    /// class.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmigrationmanager/usesstorespecificmigrationmanager)
    open var usesStoreSpecificMigrationManager = true

    /// Free information from the application to its policies.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmigrationmanager/userinfo)
    open var userInfo: [AnyHashable: Any]?

    /// The migration being carried out.
    final var run: MappedMigrationRun?
    private let idleSourceContext = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    private let idleDestinationContext = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    private var lastMapping: NSMappingModel?
    private let cancellationLock = NSLock()
    private var cancellation: (any Error)?
    let progressObservers = Locked(ProgressObservers())
    /// Another `Progress` that gets the same updates, and may cancel too.
    final var follower: Progress?
    /// Whether the manager makes a file for a migration that holds all locks and that removes the file after a failure.
    final var isCopyStage = false
    /// Whether another process may resume the migration if this one is killed.
    final var isKept = false
    /// The number of rows of each entity that the last migration has written, if it was carried out object by object.
    final var madeRows: [String: Int]?
    /// The configuration of the destination model whose entities the destination store holds.
    final var destinationConfiguration: String?

    /// Creates a manager for migrations from one model to another.
    ///
    /// - Parameters:
    ///   - sourceModel: The model of the source store.
    ///   - destinationModel: The model of the destination store.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmigrationmanager/init(sourcemodel:destinationmodel:))
    public init(sourceModel: NSManagedObjectModel, destinationModel: NSManagedObjectModel) {
        sourceModel.resolveReferences()
        destinationModel.resolveReferences()
        self.sourceModel = sourceModel.withPlainClasses()
        self.destinationModel = destinationModel.withPlainClasses()
        super.init()
    }

    // MARK: Migrating

    /// Migrates a store by a mapping model.
    ///
    /// The source store is not changed. If the destination store does not exist, it is created. If it exists, the
    /// objects are added to it, so that several mapping models can fill one store, each in a pass of its own. If the
    /// migration fails or is killed, a SQLite destination is as it was before, or does not exist.
    ///
    /// These errors are thrown:
    ///
    /// - `NSMigrationMissingMappingModelError` (134140): `mappings` is nil.
    /// - `NSMigrationManagerSourceStoreError` (134150): the source store cannot be opened.
    /// - `NSMigrationManagerDestinationStoreError` (134160): the destination cannot be opened, or the pass is refused.
    ///   The text names the process at work.
    /// - `NSEntityMigrationPolicyError` (134170): a policy failed.
    /// - `NSMigrationCancelledError` (134120): `progress` was cancelled.
    /// - The error that was given to ``cancelMigrationWithError(_:)``.
    /// - `NSMigrationConstraintViolationError` (134111): objects break a uniqueness constraint of the destination.
    /// - `NSMigrationError` (134110): everything else.
    ///
    /// Errors about objects name the entity mapping, the property and the source object.
    ///
    /// While a pass runs, other passes into the same destination are refused, in every process. So is a pass that was
    /// completed before: the same mapping model from the same source store.
    ///
    /// - Parameters:
    ///   - sourceURL: The source store.
    ///   - sStoreType: The type of the source store, such as ``NSSQLiteStoreType``.
    ///   - sOptions: Options for opening the source store.
    ///   - mappings: The mapping model.
    ///   - dURL: The destination store.
    ///   - dStoreType: The type of the destination store.
    ///   - dOptions: Options for opening the destination store. ``NSMigrationProgressOption`` may be in the options of
    ///     either store.
    /// - Throws: One of the errors above.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmigrationmanager/migratestore(from:sourcetype:options:with:todestinationurl:destinationtype:destinationoptions:))
    open func migrateStore(
        from sourceURL: URL, sourceType sStoreType: String, options sOptions: [AnyHashable: Any]? = nil,
        with mappings: NSMappingModel?, toDestinationURL dURL: URL, destinationType dStoreType: String,
        destinationOptions dOptions: [AnyHashable: Any]? = nil
    ) throws {
        require(run == nil, "A migration manager carries out one migration at a time.")
        guard let mappings else {
            throw MigrationErrors.missingMappingModel(metadata: [:], url: sourceURL)
        }
        follower =
            (dOptions?[NSMigrationProgressOption] ?? sOptions?[NSMigrationProgressOption]) as? Progress ?? follower
        lastMapping = mappings
        let given = MappedMigrationEnds(
            sourceURL: sourceURL.standardizedFileURL, sourceType: sStoreType, sourceOptions: sOptions,
            isSourceLocked: isCopyStage,
            destinationURL: dURL.standardizedFileURL, destinationType: dStoreType, destinationOptions: dOptions,
            destinationConfiguration: destinationConfiguration, buildURL: dURL.standardizedFileURL)
        try MigrationFeed.during(follower) {
            madeRows = nil
            if isCopyStage {
                var own = given
                own.workFolder = given.buildURL.deletingLastPathComponent()
                return try migrate(own, mappings)
            }
            if try migrateInPlace(given, mappings) { return }
            let pass = try MigrationPass(given, mappings)
            do {
                try migrate(pass.ends, mappings)
            } catch {
                try pass.end(failed: true)
                throw (error as? any SQLFailure)?.nsError(doing: .saving) ?? error
            }
            try pass.end(failed: false)
        }
    }

    private func migrate(_ ends: MappedMigrationEnds, _ mappings: NSMappingModel) throws {
        if usesStoreSpecificMigrationManager, try migrateInCopy(ends, mappings) { return }
        let run = try MappedMigrationRun(manager: self, mappings: mappings, ends: ends)
        self.run = run
        defer { self.run = nil }
        try run.runPasses()
        madeRows = run.counters.rows
    }

    /// Migrates a store by a mapping model, with store types in place of their names.
    ///
    /// - Parameters:
    ///   - sourceURL: The source store.
    ///   - sourceStoreType: The type of the source store.
    ///   - options: Options for opening the source store.
    ///   - mapping: The mapping model.
    ///   - destinationURL: The destination store.
    ///   - type: The type of the destination store.
    ///   - destinationOptions: Options for opening the destination store.
    /// - Throws: The errors of the other form of this function.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmigrationmanager/migratestore(from:type:options:mapping:to:type:options:))
    public final func migrateStore(
        from sourceURL: URL, type sourceStoreType: NSPersistentStore.StoreType, options: [AnyHashable: Any]? = nil,
        mapping: NSMappingModel, to destinationURL: URL, type: NSPersistentStore.StoreType,
        options destinationOptions: [AnyHashable: Any]? = nil
    ) throws {
        try migrateStore(
            from: sourceURL, sourceType: sourceStoreType.rawValue, options: options, with: mapping,
            toDestinationURL: destinationURL, destinationType: type.rawValue, destinationOptions: destinationOptions)
    }

    /// Resets the manager after a migration, so that it can migrate again, also after a cancellation.
    ///
    /// ``migrationProgress`` begins anew, and `progress` is another object afterwards. The manager releases the
    /// `Progress` that was given by ``NSMigrationProgressOption``. Stops the process while a migration is running.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmigrationmanager/reset())
    open func reset() {
        require(run == nil, "A migration manager cannot be reset while it carries out a migration.")
        lastMapping = nil
        follower = nil
        cancellationLock.withLock {
            cancellation = nil
            storedProgress = Progress(totalUnitCount: -1)
        }
    }

    // MARK: The running migration

    /// The mapping model of the migration; an empty one before the first migration.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmigrationmanager/mappingmodel)
    open var mappingModel: NSMappingModel { lastMapping ?? NSMappingModel() }

    /// The context with the objects of the source store.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmigrationmanager/sourcecontext)
    open var sourceContext: NSManagedObjectContext { run?.sourceContext ?? idleSourceContext }

    /// The context in which policies create the objects of the destination store.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmigrationmanager/destinationcontext)
    open var destinationContext: NSManagedObjectContext { run?.destinationContext ?? idleDestinationContext }

    /// The entity mapping that is being carried out; one without names if there is none.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmigrationmanager/currententitymapping)
    open var currentEntityMapping: NSEntityMapping { run?.currentMapping ?? NSEntityMapping() }

    /// The part of the migration that is done, from 0 to 1. Any thread may read it.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmigrationmanager/migrationprogress)
    open var migrationProgress: Float { Float(max(0, ownProgress.fractionCompleted)) }

    /// Returns the source entity of a mapping.
    ///
    /// - Parameter mEntity: An entity mapping.
    /// - Returns: The entity of ``sourceModel``; nil if the mapping is for a new entity.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmigrationmanager/sourceentity(for:))
    open func sourceEntity(for mEntity: NSEntityMapping) -> NSEntityDescription? {
        mEntity.sourceEntityName.flatMap { sourceModel.entitiesByName[$0] }
    }

    /// Returns the destination entity of a mapping.
    ///
    /// - Parameter mEntity: An entity mapping.
    /// - Returns: The entity of ``destinationModel``; nil if the mapping removes the entity.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmigrationmanager/destinationentity(for:))
    open func destinationEntity(for mEntity: NSEntityMapping) -> NSEntityDescription? {
        if let step = run?.currentStep, step.mapping === mEntity { return step.destination?.entity }
        return mEntity.destinationEntityName.flatMap { destinationModel.entitiesByName[$0] }
    }

    // MARK: Associations

    /// Records that a destination object was made from a source object.
    ///
    /// Relationships of other source objects that lead to the source object will lead to the destination object. The
    /// destination object gets relationships itself. Stops the process if no migration is running.
    ///
    /// - Parameters:
    ///   - sourceInstance: An object of the source context.
    ///   - destinationInstance: An object of the destination context.
    ///   - entityMapping: The entity mapping by which it was made.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmigrationmanager/associate(sourceinstance:withdestinationinstance:for:))
    open func associate(
        sourceInstance: NSManagedObject, withDestinationInstance destinationInstance: NSManagedObject,
        for entityMapping: NSEntityMapping
    ) {
        requireRun.associate(sourceInstance, with: destinationInstance, entityMapping)
    }

    /// Returns the destination objects that an entity mapping made from source objects.
    ///
    /// Stops the process if no migration is running. An unknown mapping, or a store that cannot be read, ends the
    /// migration with an error after this call.
    ///
    /// - Parameters:
    ///   - mappingName: The name of the entity mapping.
    ///   - sourceInstances: Source objects; nil stands for all.
    /// - Returns: The destination objects in the order of the source objects.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmigrationmanager/destinationinstances(forentitymappingname:sourceinstances:))
    open func destinationInstances(
        forEntityMappingName mappingName: String, sourceInstances: [NSManagedObject]?
    ) -> [NSManagedObject] {
        requireRun.noting([]) { try $0.destinations(ofMapping: mappingName, of: sourceInstances) }
    }

    /// Returns the source objects from which an entity mapping made destination objects.
    ///
    /// Stops the process if no migration is running. An unknown mapping, or a store that cannot be read, ends the
    /// migration with an error after this call.
    ///
    /// - Parameters:
    ///   - mappingName: The name of the entity mapping.
    ///   - destinationInstances: Destination objects; nil stands for all.
    /// - Returns: The source objects.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmigrationmanager/sourceinstances(forentitymappingname:destinationinstances:))
    open func sourceInstances(
        forEntityMappingName mappingName: String, destinationInstances: [NSManagedObject]?
    ) -> [NSManagedObject] {
        requireRun.noting([]) { try $0.sources(ofMapping: mappingName, of: destinationInstances) }
    }

    private var requireRun: MappedMigrationRun {
        guard let run else { fatalError("The migration manager carries out no migration.") }
        return run
    }

    /// Carries out a function that a value expression calls by `FUNCTION($manager, "name:", argument)`.
    ///
    /// OpenCoreData only. The manager calls this method for names that are no functions of its own. See
    /// ``NSEntityMigrationPolicy/performFunction(_:arguments:)``.
    ///
    /// - Parameters:
    ///   - name: The name in the expression, with its colons.
    ///   - arguments: The values of the arguments.
    /// - Returns: The value of the function.
    /// - Throws: `NSEntityMigrationPolicyError` (134170) for a name that no class implements.
    open func performFunction(_ name: String, arguments: [Any?]) throws -> Any? {
        if let result = try NamedMethods.call(name, of: self, arguments) { return result }
        throw MappingErrors.unknownFunction(name, of: self)
    }

    // MARK: Cancelling

    /// Ends the migration. It removes what it has made, and throws the given error.
    ///
    /// Any thread may call the function, and so may policies. Of several errors the first one counts.
    ///
    /// - Parameter error: The error that the migration throws.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmigrationmanager/cancelmigrationwitherror(_:))
    open func cancelMigrationWithError(_ error: any Error) {
        cancellationLock.withLock { cancellation = cancellation ?? error }
        ownProgress.cancel()
        follower?.cancel()
    }

    final var cancellationError: (any Error)? { cancellationLock.withLock { cancellation } }

    final var isCancelled: Bool { ownProgress.isCancelled || follower?.isCancelled == true }

    final func checkCancellation() throws {
        guard isCancelled else { return }
        throw cancellationError
            ?? NSError.coreData(
                NSMigrationCancelledError, reason: "The migration was cancelled. The source store is unchanged.")
    }

    // MARK: Values

    /// Makes the destination object of a source object.
    final func makeDestination(
        _ entity: NSEntityDescription, from source: NSManagedObject, by mapping: NSEntityMapping
    ) throws -> NSManagedObject {
        try requireRun.makeDestination(entity, from: source, mapping)
    }

    /// Sets the attributes of a destination object by a mapping's value expressions.
    final func setAttributes(
        of destination: NSManagedObject, from source: NSManagedObject, by mapping: NSEntityMapping,
        policy: NSEntityMigrationPolicy
    ) throws {
        try requireRun.setAttributes(of: destination, from: source, mapping, policy)
    }

    /// Sets the relationships of a destination object by a mapping's value expressions.
    final func setRelationships(
        of destination: NSManagedObject, by mapping: NSEntityMapping, policy: NSEntityMigrationPolicy
    ) throws {
        try requireRun.setRelationships(of: destination, mapping, policy)
    }
}

/// The two ends of one migration, and the addresses at which it works.
struct MappedMigrationEnds {
    var sourceURL: URL
    var sourceType: String
    var sourceOptions: [AnyHashable: Any]?
    /// Whether this process holds the lock on the source store, which keeps other processes from changing the file.
    var isSourceLocked: Bool
    var destinationURL: URL
    var destinationType: String
    var destinationOptions: [AnyHashable: Any]?
    var destinationConfiguration: String?
    /// The address of the destination while it is made.
    var buildURL: URL
    /// The note that the destination keeps when the migration is complete.
    var note: String?

    /// The file of the associations. A file with which another process may resume is in the folder in which the
    /// migration works, beside the new store. Any other file has its name only until it is open.
    func associationsURL(isKept: Bool) -> URL {
        let name = ".\(buildURL.lastPathComponent).associations"
        if isKept { return buildURL.deletingLastPathComponent().appendingPathComponent(name) }
        return (workFolder ?? FileManager.default.temporaryDirectory)
            .appendingPathComponent("\(name)-\(UUID().uuidString)")
    }

    /// The folder of the migration, which is removed at its end, and after a kill when the destination is opened next.
    var workFolder: URL?
}

/// The type that declares the `progress` of migration managers.
///
/// OpenCoreData only. It is a protocol so that a subclass may have a `progress` of its own.
public protocol ProgressingMigration: AnyObject {}

extension NSMigrationManager: ProgressingMigration {}

extension ProgressingMigration where Self: NSMigrationManager {
    /// The progress of the migration in rows, which can also cancel it.
    ///
    /// OpenCoreData only. Any thread may use it. Cancelling ends the migration within a fraction of a second, with
    /// `NSMigrationCancelledError` (134120). The manager then migrates no more until ``NSMigrationManager/reset()``,
    /// after which this is another object.
    public var progress: Progress { ownProgress }
}
