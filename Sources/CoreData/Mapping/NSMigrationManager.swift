import Foundation

/// Migrates a store by a mapping model: makes a new store of the destination model from a store of the source model.
///
/// Rows pass through in batches, so that memory does not grow with the store: the source store is only read, the
/// destination is saved batch by batch, and a temporary file beside it notes which object each source object became.
/// The migration runs on the calling thread, which holds the queues of both contexts whenever a policy is called.
/// `cancelMigrationWithError(_:)`, `migrationProgress` and `progress` may be used from any thread; everything else is
/// for the thread of the migration.
open class NSMigrationManager: NSObject {
    /// The model of the source store, as the migration uses it: a copy whose objects are plain `NSManagedObject`s.
    open private(set) var sourceModel: NSManagedObjectModel
    /// The model of the destination store, as the migration uses it: a copy whose objects are plain `NSManagedObject`s.
    open private(set) var destinationModel: NSManagedObjectModel

    /// What `progress` answers.
    final let ownProgress = Progress(totalUnitCount: -1)

    /// Whether a mapping that was inferred, between SQLite stores, may be done by SQL in a copy of the store: many
    /// times faster, with the same result, and without this class's methods. True unless set.
    open var usesStoreSpecificMigrationManager = true

    /// What the application wants its policies to find.
    open var userInfo: [AnyHashable: Any]?

    /// The migration being carried out.
    final var run: MappedMigrationRun?
    private let idleSourceContext = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    private let idleDestinationContext = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    private var lastMapping: NSMappingModel?
    private let cancellationLock = NSLock()
    private var cancellation: (any Error)?
    /// Another `Progress` that is told the same, and may cancel too.
    final var follower: Progress?
    /// Whether it makes a file of a migration that holds all locks, and is removed if that does not come to its end.
    final var isLeg = false
    /// Whether another process may resume the migration when this one is killed.
    final var isKept = false
    /// How many rows of each entity the last migration has written, where it was carried out object by object.
    final var madeRows: [String: Int]?
    /// The configuration of the destination model whose entities the destination store holds.
    final var destinationConfiguration: String?

    /// Makes a manager for migrations from one model to another.
    public init(sourceModel: NSManagedObjectModel, destinationModel: NSManagedObjectModel) {
        sourceModel.resolveReferences()
        destinationModel.resolveReferences()
        self.sourceModel = sourceModel.withPlainClasses()
        self.destinationModel = destinationModel.withPlainClasses()
        super.init()
    }

    // MARK: Migrating

    /// Migrates a store.
    ///
    /// The source store is not changed. A destination store that exists is added to, so that several mapping models can
    /// fill one, each in a pass of its own; one that is not there is made. Where the migration fails or is killed, a
    /// SQLite destination is as it was, or not there.
    ///
    /// While a pass runs, others into the same destination are refused, in every process: 134160, whose text names the
    /// process that is at work. So is a pass that the destination has had already: the same mapping model from the same
    /// source store.
    ///
    /// Throws 134140 without a mapping model, 134150 and 134160 when a store cannot be opened, 134170 when a policy
    /// fails, 134120 when `progress` is cancelled, the error given to `cancelMigrationWithError(_:)`, and 134110 for
    /// everything else: it names entity mapping, property and object.
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
            isSourceLocked: isLeg,
            destinationURL: dURL.standardizedFileURL, destinationType: dStoreType, destinationOptions: dOptions,
            destinationConfiguration: destinationConfiguration, buildURL: dURL.standardizedFileURL)
        try MigrationFeed.during(follower) {
            madeRows = nil
            if isLeg {
                var own = given
                own.workFolder = given.buildURL.deletingLastPathComponent()
                return try migrate(own, mappings)
            }
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
        try run.run()
        madeRows = run.tally.rows
    }

    /// Migrates a store.
    public final func migrateStore(
        from sourceURL: URL, type sourceStoreType: NSPersistentStore.StoreType, options: [AnyHashable: Any]? = nil,
        mapping: NSMappingModel, to destinationURL: URL, type: NSPersistentStore.StoreType,
        options destinationOptions: [AnyHashable: Any]? = nil
    ) throws {
        try migrateStore(
            from: sourceURL, sourceType: sourceStoreType.rawValue, options: options, with: mapping,
            toDestinationURL: destinationURL, destinationType: type.rawValue, destinationOptions: destinationOptions)
    }

    /// Forgets the last migration, so that another one can be made.
    open func reset() {
        lastMapping = nil
        cancellationLock.withLock { cancellation = nil }
    }

    // MARK: What is going on

    /// The mapping model of the migration; an empty one before the first.
    open var mappingModel: NSMappingModel { lastMapping ?? NSMappingModel() }

    /// The context in which policies find the objects of the source store.
    open var sourceContext: NSManagedObjectContext { run?.sourceContext ?? idleSourceContext }

    /// The context in which policies make the objects of the destination store.
    open var destinationContext: NSManagedObjectContext { run?.destinationContext ?? idleDestinationContext }

    /// The entity mapping being carried out; one without names while there is none.
    open var currentEntityMapping: NSEntityMapping { run?.currentMapping ?? NSEntityMapping() }

    /// How much is done, from 0 to 1.
    open var migrationProgress: Float { Float(max(0, ownProgress.fractionCompleted)) }

    /// The entity of the source model that a mapping begins with; nil where the entity is new.
    open func sourceEntity(for mEntity: NSEntityMapping) -> NSEntityDescription? {
        mEntity.sourceEntityName.flatMap { sourceModel.entitiesByName[$0] }
    }

    /// The entity of the destination model that a mapping leads to; nil where the entity is gone.
    open func destinationEntity(for mEntity: NSEntityMapping) -> NSEntityDescription? {
        if let step = run?.currentStep, step.mapping === mEntity { return step.destination?.entity }
        return mEntity.destinationEntityName.flatMap { destinationModel.entitiesByName[$0] }
    }

    // MARK: Associations

    /// Says that a destination object came of a source object: relationships of other objects that led to the latter
    /// will lead to the former, and it gets relationships itself.
    open func associate(
        sourceInstance: NSManagedObject, withDestinationInstance destinationInstance: NSManagedObject,
        for entityMapping: NSEntityMapping
    ) {
        requireRun.associate(sourceInstance, with: destinationInstance, entityMapping)
    }

    /// What came of source objects by an entity mapping, in their order; of all when `sourceInstances` is nil.
    open func destinationInstances(
        forEntityMappingName mappingName: String, sourceInstances: [NSManagedObject]?
    ) -> [NSManagedObject] {
        requireRun.noting([]) { try $0.destinations(ofMapping: mappingName, of: sourceInstances) }
    }

    /// The objects that destination objects came of by an entity mapping.
    open func sourceInstances(
        forEntityMappingName mappingName: String, destinationInstances: [NSManagedObject]?
    ) -> [NSManagedObject] {
        requireRun.noting([]) { try $0.sources(ofMapping: mappingName, of: destinationInstances) }
    }

    private var requireRun: MappedMigrationRun {
        guard let run else { fatalError("The migration manager carries out no migration.") }
        return run
    }

    /// What `FUNCTION($manager, "name:", argument)` in a value expression calls where the manager has no function of
    /// that name itself; see `NSEntityMigrationPolicy.performFunction(_:arguments:)`.
    open func performFunction(_ name: String, arguments: [Any?]) throws -> Any? {
        throw MappingErrors.unknownFunction(name, of: self)
    }

    // MARK: Cancelling

    /// Ends the migration: it removes what it has made and fails with this error. May be called from any thread, and by
    /// policies.
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

    /// Makes a destination object of a source object.
    final func makeDestination(
        _ entity: NSEntityDescription, from source: NSManagedObject, by mapping: NSEntityMapping
    ) throws -> NSManagedObject {
        try requireRun.makeDestination(entity, from: source, mapping)
    }

    /// Gives a destination object the attributes that a mapping's value expressions give.
    final func setAttributes(
        of destination: NSManagedObject, from source: NSManagedObject, by mapping: NSEntityMapping,
        policy: NSEntityMigrationPolicy
    ) throws {
        try requireRun.setAttributes(of: destination, from: source, mapping, policy)
    }

    /// Gives a destination object the relationships that a mapping's value expressions give.
    final func setRelationships(
        of destination: NSManagedObject, by mapping: NSEntityMapping, policy: NSEntityMigrationPolicy
    ) throws {
        try requireRun.setRelationships(of: destination, mapping, policy)
    }
}

/// The two ends of one migration, and where it works.
struct MappedMigrationEnds {
    var sourceURL: URL
    var sourceType: String
    var sourceOptions: [AnyHashable: Any]?
    /// Whether this process holds the lock on the source store, so that nobody can change the file.
    var isSourceLocked: Bool
    var destinationURL: URL
    var destinationType: String
    var destinationOptions: [AnyHashable: Any]?
    var destinationConfiguration: String?
    /// Where the destination lies while it is made.
    var buildURL: URL
    /// What the destination remembers when the migration is complete.
    var note: String?

    /// Where the associations lie. A file with which another process may resume lies in the folder in which the
    /// migration works, beside the new store; any other has its name for a moment only.
    func associationsURL(isKept: Bool) -> URL {
        let name = ".\(buildURL.lastPathComponent).associations"
        if isKept { return buildURL.deletingLastPathComponent().appendingPathComponent(name) }
        return (workFolder ?? FileManager.default.temporaryDirectory)
            .appendingPathComponent("\(name)-\(UUID().uuidString)")
    }

    /// The folder of the migration, which goes at its end, and after a kill when the destination is opened next.
    var workFolder: URL?
}

/// What migration managers offer beyond Apple's interface; a protocol, so that a subclass may have a `progress` of its
/// own.
public protocol ProgressingMigration: AnyObject {}

extension NSMigrationManager: ProgressingMigration {}

extension ProgressingMigration where Self: NSMigrationManager {
    /// How far the migration is, in rows, and a way to cancel it: from any thread, within a fraction of a second. It
    /// then fails with 134120.
    ///
    /// An addition to Apple's interface.
    public var progress: Progress { ownProgress }
}
