// Implementation notes: Mapping.
//
// A mapping model makes a new store of an old one, object by object, with the policies' help (`PolicyCalls`). The model
// comes from a `.cdm`, an `.xcmappingmodel`, or inference. An `EntityMappingStep` has the slots, expressions and policy
// of one entity mapping.
// - Three passes go over all entity mappings, as documented: instances (`InstancePass`), relationships
//   (`RelationshipPass`), validation (`ValidationPass`). Each batch (some
//   hundred objects, fewer if rows are large) runs while the thread holds both contexts, and ends with a save. Objects
//   without another strong reference are released with the batch.
// - In the second pass a batch is also saved whenever some thousand objects have changed. All members of one owner are
//   in memory at the same time.
// - Most relationships need no second pass. A to-one relationship to objects of an earlier mapping is set when its
//   object is saved (`InstancePass+Links`); its to-many inverse is then left out.
// - That applies to mappings whose policy class does not override `createRelationships` (`VTableSlot` compares
//   pointers in the vtable slots of class metadata) and whose objects were made as expected. If an object is made of
//   two, changed after its save, or made without a source, the mapping has its second pass.
// - One connection writes the destination, in one transaction; a new one without a -wal. `finishDestination()` sets its
//   journal mode.
// - A call of `migrateStore` is a `MigrationPass`. It holds the lock of the destination's `MigrationFolder`, in which
//   it builds a new SQLite destination. It leaves a note in the metadata, so that a repeated pass is detected. The
//   coordinator's own migrations call the manager for their copy stages, under their own lock (`isCopyStage`).
// - Saves of the destination do not validate, because an object may get a mandatory value in a later pass. The
//   temporary file lists the objects that are not valid yet, and only those are validated at the end.
// - `$source.key` between slots of one kind copies the stored value. `FUNCTION($manager, …)` over a relationship reads
//   the keys in the associations. All other expressions are evaluated. A to-many side that another mapping fills is
//   left out.
// - An inferred mapping that no code has changed is carried out in a copy of the store, by `LightweightMigrator`.
//   Adding a store with a mapping model (`MappedMigration`) makes a copy as `CopyingMigration` describes.

import Foundation

/// One migration by a mapping model: the two stores and what its three passes share.
final class MappedMigrationRun {
    unowned let manager: NSMigrationManager
    let ends: MappedMigrationEnds
    let sourceContext: NSManagedObjectContext
    let destinationContext: NSManagedObjectContext
    let associations: MigrationAssociations
    var mappingSteps = EntityMappingSteps()
    private let madeDestination: Bool
    /// The position at which a killed process stopped; the beginning if there was none.
    let position: MappedPosition
    private let mappings: NSMappingModel
    /// Counts the rows that are written to the new store.
    let counters: RowCounters

    private(set) lazy var instances = InstancePass(self)
    private(set) lazy var relationships = RelationshipPass(self)
    private(set) lazy var validation = ValidationPass(self)
    private(set) lazy var report = MigrationReport(
        [manager.ownProgress, manager.follower].compactMap(\.self),
        afterUpdate: { [unowned manager] in manager.noteProgress() })

    private(set) var currentMapping: NSEntityMapping?
    private(set) var currentStep: EntityMappingStep?
    /// The object being migrated.
    var currentSource: NSManagedObject?
    /// The relationship whose value an expression computes.
    var currentRelationship: NSRelationshipDescription?
    /// The error that an expression could not throw.
    private var noted: (any Error)?
    var objectsOfPolicies = ObjectsOfPolicies()
    var compositeMappings: [String: CompositeMapping] = [:]
    private var deletedKeys: [ObjectKey] = []
    /// The time at which the last position was kept.
    var lastKept = ContinuousClock.now

    var steps: [EntityMappingStep] { mappingSteps.all }

    /// The migration that calls policies on this thread.
    static var current: MappedMigrationRun? { Thread.current.threadDictionary[threadKey] as? MappedMigrationRun }
    private static let threadKey = "CoreData.MappedMigrationRun"

    // MARK: Opening

    init(manager: NSMigrationManager, mappings: NSMappingModel, ends: MappedMigrationEnds) throws {
        self.manager = manager
        self.mappings = mappings
        self.ends = ends
        guard ends.sourceURL != ends.destinationURL else {
            throw NSError.coreData(
                NSMigrationManagerDestinationStoreError,
                reason: "A store cannot be migrated onto itself.", url: ends.destinationURL)
        }
        let isKept = manager.isKept
        let stores = MappedMigrationStores(ends: ends, isKept: isKept)
        let unownedManager = Unowned(manager)
        let isCancelled = { unownedManager.value.isCancelled }
        let source = try stores.openSource(manager.sourceModel)
        let url = ends.associationsURL(isKept: isKept)
        let left =
            isKept ? MigrationAssociations.reopen(at: url, part: stores.leftNumber, isCancelled: isCancelled) : nil
        position = left?.position ?? MappedPosition()
        let madeDestination = isKept || stores.isDestinationMissing
        self.madeDestination = madeDestination
        do {
            if isKept, left == nil {
                // The state of these files is unknown, so they are removed.
                for suffix in ["", "-journal"] { unlink(url.path + suffix) }
                try stores.removeRemains()
            }
            let destination = try stores.openDestination(manager.destinationModel)
            counters = RowCounters(manager.destinationModel.layout)
            for store in destination.persistentStores { store.rowCounters = counters }
            sourceContext = Self.context(source, "migration source")
            destinationContext = Self.context(destination, "migration destination")
            associations =
                try left?.associations ?? MigrationAssociations(at: url, isKept: isKept, isCancelled: isCancelled)
        } catch {
            stores.close(source)
            if madeDestination { stores.removeDestination() }
            throw error
        }
    }

    private struct Unowned {
        unowned let value: NSMigrationManager
        init(_ value: NSMigrationManager) { self.value = value }
    }

    private static func context(_ coordinator: NSPersistentStoreCoordinator, _ name: String) -> NSManagedObjectContext {
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        context.name = name
        context.settings.isQuiet = true
        return context
    }

    /// Runs a body while the thread holds both contexts. A row that cannot be read ends the migration.
    func holding<Result>(_ body: () throws -> Result) throws -> Result {
        try sourceContext.performAndWait {
            try sourceContext.throwingReadErrors {
                try destinationContext.performAndWait { try destinationContext.throwingReadErrors(body) }
            }
        }
    }

    // MARK: The passes

    func runPasses() throws {
        let outer = Thread.current.threadDictionary[Self.threadKey]
        Thread.current.threadDictionary[Self.threadKey] = self
        defer { Thread.current.threadDictionary[Self.threadKey] = outer }
        do {
            try makeSteps()
            try instances.carryOut()
            try relationships.carryOut(batchSize: instances.batchSize)
            report.beginValidation()
            if position.pass != .end { try validation.carryOut() }
            try manager.checkCancellation()
            try keep(MappedPosition(pass: .end), always: true)
            report.beginEnd()
            if let coordinator = destinationContext.persistentStoreCoordinator {
                try MappedMigrationStores(ends: ends).commit(coordinator)
            }
        } catch {
            close(failed: true)
            throw failure(error)
        }
        close(failed: false)
        let stores = MappedMigrationStores(ends: ends)
        if madeDestination { try stores.finishDestination() }
        try stores.carryMetadata()
        report.finish()
    }

    private func failure(_ error: any Error) -> any Error {
        if let cancellation = manager.cancellationError { return cancellation }
        switch error {
        case let failure as MappingFailure: return failure.error
        case let failure as any SQLFailure:
            return NSError.coreData(
                NSMigrationError, reason: "The migration failed: \(failure.message)", url: ends.destinationURL,
                sqliteCode: failure.codeOfEngine)
        default: return error
        }
    }

    private func close(failed: Bool) {
        let stores = MappedMigrationStores(ends: ends)
        currentSource = nil
        relationships.releaseObjects()
        objectsOfPolicies = ObjectsOfPolicies()
        for context in [sourceContext, destinationContext] {
            context.performAndWait {
                context.saveState.deferredValidation = nil
                context.reset()
            }
            if let coordinator = context.persistentStoreCoordinator { stores.close(coordinator) }
        }
        if failed, madeDestination { stores.removeDestination() }
    }

    private func makeSteps() throws {
        destinationContext.performAndWait {
            destinationContext.undoManager = nil
            destinationContext.saveState.deferredValidation = { [unowned self] in self.sort($0) }
        }
        // If whole objects are written, both sides of a relationship must be set.
        let keepsRecords = destinationContext.persistentStoreCoordinator?.hasObjectStores ?? false
        mappingSteps = try EntityMappingSteps(mappings, manager, linksEarly: !keepsRecords)
        let counts = try instances.countObjects()
        report.begin(rows: counts.reduce(0, +), later: relationships.work(for: counts).reduce(0, +))
        takeOverPosition()
    }

    // MARK: Steps and their errors

    func begin(_ step: EntityMappingStep) throws {
        if step !== currentStep { instances.forgetLinks() }
        currentMapping = step.mapping
        currentStep = step
        currentSource = nil
        try manager.checkCancellation()
    }

    /// Leaves the last entity mapping.
    func end() {
        currentMapping = nil
        currentStep = nil
    }

    /// An error of the migration itself, which is not the policy's even if the policy's hook throws it.
    struct MappingFailure: Error {
        let error: NSError
    }

    /// Runs a throwing body in a place where errors cannot be thrown. The error ends the migration at the next step.
    func noting<Value>(_ substitute: Value, _ body: (MappedMigrationRun) throws -> Value) -> Value {
        do {
            return try body(self)
        } catch {
            if noted == nil { noted = error }
            return substitute
        }
    }

    func rethrow() throws {
        guard let error = noted else { return }
        noted = nil
        throw error
    }

    // MARK: Saving

    /// Takes the place of a save's validation.
    private func sort(_ work: NSManagedObjectContext.SaveWork) {
        noteIrregularities(work)
        if currentStep?.isPlain == false { objectsOfPolicies.hold(work.inserted) }
        validation.sort(work)
        deletedKeys += work.deleted.map(\.objectKey)
    }

    /// Saves all changes and releases the objects.
    func flush(_ step: EntityMappingStep) throws {
        if !report.isSecondPass { try instances.setEarlyLinks(step) }
        defer {
            validation.releaseObjects()
            deletedKeys = []
            objectsOfPolicies.endBatch()
        }
        do {
            if destinationContext.hasChanges { try destinationContext.save() }
        } catch {
            throw MappingErrors.notSaved(error, place(step))
        }
        try associations.flush()
        try associations.forget(deletedKeys)
        if !deletedKeys.isEmpty { instances.forgetLinks() }
        MigrationMoment.reach(.batchSaved)
        try validation.record()
    }

    // MARK: Irregular mappings

    /// Records an association for another mapping than the one being carried out.
    func noteAssociation(in step: EntityMappingStep) {
        if step === currentStep { return }
        step.isRegular = false
        instances.forgetLinks()
    }

    /// Finds objects of a save that the mappings do not explain. The mappings of their entities need the whole second
    /// pass.
    func noteIrregularities(_ work: NSManagedObjectContext.SaveWork) {
        guard mappingSteps.hasPolicies else { return }
        let entries = associations.pending.entries
        let areAsExpected =
            work.inserted.count == entries.count
            && zip(work.inserted, entries).allSatisfy {
                $0 === $1.destination && $1.source.mapping == currentStep?.number
            }
        for object in areAsExpected ? [] : work.inserted {
            if !associations.isPending(object, mapping: currentStep?.number) { noteIrregular(object) }
        }
        for object in work.updated where !object.persistentChanges().isEmpty { noteIrregular(object) }
        for object in work.deleted { noteIrregular(object) }
    }

    private func noteIrregular(_ object: NSManagedObject) {
        let index = object.binding.layout.index
        for step in steps where step.destination?.subtree.contains(index) ?? false { step.isRegular = false }
    }
}
