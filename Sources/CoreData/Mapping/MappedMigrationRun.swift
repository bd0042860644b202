// Implementation notes: Mapping.
//
// A mapping model makes a new store of an old one, object by object, with the policies' help (`PolicyCalls`). The model
// comes from a `.cdm`, an `.xcmappingmodel`, or inference. An `EntityMappingStep` has the slots, expressions and policy
// of one entity mapping.
// - Three passes go over all entity mappings, as documented: instances, relationships, validation. Each batch (some
//   hundred objects, fewer if rows are large) runs while the thread holds both contexts, and ends with a save. Objects
//   without another strong reference are released with the batch.
// - In the second pass a batch is also saved whenever some thousand objects have changed. All members of one owner are
//   in memory at the same time.
// - Most relationships need no second pass. A to-one relationship to objects of an earlier mapping is set when its
//   object is saved (`MappedMigrationRun+Links`); its to-many inverse is then left out.
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

/// One migration by a mapping model: the two stores, the entity mappings, the three passes.
final class MappedMigrationRun {
    unowned let manager: NSMigrationManager
    let ends: MappedMigrationEnds
    let sourceContext: NSManagedObjectContext
    let destinationContext: NSManagedObjectContext
    let associations: MigrationAssociations
    private(set) var steps: [EntityMappingStep] = []
    /// The steps by the identity of their mappings, and by their names.
    private(set) var stepsByMapping: [ObjectIdentifier: EntityMappingStep] = [:]
    private(set) var stepsByName: [String: EntityMappingStep] = [:]
    private let madeDestination: Bool
    /// The position at which a killed process stopped; the beginning if there was none.
    let position: MappedPosition
    let isResumed: Bool
    private let mappings: NSMappingModel
    /// Counts the rows that are written to the new store.
    let counters: RowCounters
    /// The mappings that were not regular when the second pass of the present one began.
    private(set) var irregularBefore: Set<Int> = []

    private(set) var currentMapping: NSEntityMapping?
    private(set) var currentStep: EntityMappingStep?
    /// The destinations of relationships that are set early, as far as they have been read.
    var knownLinks: [EarlyLink: ObjectKey?] = [:]
    private(set) var hasPolicies = false
    var objectsOfPolicies = ObjectsOfPolicies()
    /// The object being migrated.
    var currentSource: NSManagedObject?
    /// The relationship whose value an expression computes.
    var currentRelationship: NSRelationshipDescription?
    /// The error that an expression could not throw.
    private var noted: (any Error)?
    /// The source objects of the batch of the second pass, by their destination objects.
    private(set) var sourcesOfBatch: [ObjectIdentifier: NSManagedObject] = [:]
    /// The steps that have objects of an entity of the source.
    var compositeMappings: [String: CompositeMapping] = [:]
    var stepsBySource: [Int: [EntityMappingStep]] = [:]
    /// The number of source objects that the steps have.
    private var counts: [Int] = []
    private var batchSize = MappedMigrationRun.firstBatch
    private lazy var report = MigrationReport([manager.ownProgress, manager.follower].compactMap(\.self))

    private static let firstBatch = 64
    private static let largestBatch = 256
    private static let bytesPerBatch = 4 << 20
    /// The number of owners of to-many relationships in a batch, and of changed objects that make a save.
    private static let ownersPerBatch = 64
    private static let changesPerSave = 2_000

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
        isResumed = left != nil
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

    func run() throws {
        let outer = Thread.current.threadDictionary[Self.threadKey]
        Thread.current.threadDictionary[Self.threadKey] = self
        defer { Thread.current.threadDictionary[Self.threadKey] = outer }
        do {
            try prepare()
            for step in steps {
                if step.number < firstStep(in: .instances) {
                    report.advance(counts[step.number])
                } else {
                    try createInstances(step)
                }
            }
            let links = try steps.map { try associations.count(mapping: $0.number) }
            let work = workOfLinks(links)
            report.beginSecondPass(of: work.reduce(0, +))
            for (step, count) in zip(steps, links) {
                if step.number < firstStep(in: .relationships) {
                    report.begin(step.destination?.name, rows: count, work: work[step.number])
                    report.advance(count)
                } else {
                    try createRelationships(step, count, work[step.number])
                }
            }
            report.beginValidation()
            if position.pass != .end { try validate() }
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
        sourcesOfBatch = [:]
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

    private func prepare() throws {
        destinationContext.performAndWait {
            destinationContext.undoManager = nil
            destinationContext.saveState.deferredValidation = { [unowned self] in self.sort($0) }
        }
        for mapping in mappings.entityMappings ?? [] {
            let step = try EntityMappingStep(
                mapping, number: steps.count, manager: manager, isInferred: mappings.isInferred)
            steps.append(step)
            stepsByMapping[ObjectIdentifier(mapping)] = step
            if stepsByName[step.name] == nil { stepsByName[step.name] = step }
        }
        // If whole objects are written, both sides of a relationship must be set.
        let keepsRecords = destinationContext.persistentStoreCoordinator?.hasObjectStores ?? false
        if !keepsRecords { for step in steps { step.findLinks(among: steps) } }
        hasPolicies = steps.contains { !$0.isPlain }
        counts = try holding { try steps.map { try count($0) } }
        report.begin(rows: counts.reduce(0, +), later: workOfLinks(counts).reduce(0, +))
        takeOverPosition()
    }

    /// The number of source objects that a step has; 0 if only its expression can give it.
    private func count(_ step: EntityMappingStep) throws -> Int {
        guard step.hasSourceObjects, holds(step), case .request(let request)? = try sources(of: step) else { return 0 }
        return try sourceContext.count(try sourceContext.plan(for: request))
    }

    /// Whether the source store has objects of the step's entity. The store may have only a part of the model's
    /// entities.
    private func holds(_ step: EntityMappingStep) -> Bool {
        guard let layout = step.source, let coordinator = sourceContext.persistentStoreCoordinator else { return false }
        return (try? coordinator.attachedStores(for: layout, in: nil).isEmpty) == false
    }

    private enum Sources {
        case request(NSFetchRequest<NSManagedObject>)
        case objects([NSManagedObject])
    }

    /// The source of a step's objects. A fetch without further arguments is not executed here, but read in batches.
    private func sources(of step: EntityMappingStep) throws -> Sources? {
        guard let expression = step.mapping.sourceExpression else {
            guard let name = step.mapping.sourceEntityName else { return nil }
            return .request(try fetchRequest(name, predicate: nil, includesSubentities: false))
        }
        let context = evaluationContext(
            source: nil, destination: nil, mapping: step.mapping, property: nil, policy: step.policy)
        if case .fetch(let request, _, countOnly: false) = expression.payload {
            let value = request.value(in: context)
            try rethrow()
            if let request = value as? NSFetchRequest<NSManagedObject> { return .request(request) }
        }
        let value = expression.value(in: context)
        try rethrow()
        return .objects(try objects(value, of: "sourceExpression"))
    }

    private func createInstances(_ step: EntityMappingStep) throws {
        try begin(step)
        report.begin(step.source?.name, rows: counts[step.number])
        if firstKey(of: step) == 0 { try callBegin(step) }
        if step.hasSourceObjects, holds(step) {
            switch try holding({ try sources(of: step) }) {
            case .request(let request): try stream(request, step)
            case .objects(let objects): try holding { try create(objects, step) }
            case nil: break
            }
        }
        try callEndInstanceCreation(step)
        let isLast = step === steps.last
        try keep(
            isLast ? MappedPosition(pass: .relationships) : MappedPosition(step: step.number + 1), always: true)
    }

    private func stream(_ request: NSFetchRequest<NSManagedObject>, _ step: EntityMappingStep) throws {
        // A request with an order or a limit keeps them, so only its keys are read in advance.
        let isOrdered = request.sortDescriptors?.isEmpty == false || request.fetchLimit > 0 || request.fetchOffset > 0
        guard !isOrdered, sourceContext.canReadByKey else {
            let keys = try holding { try sourceContext.storedKeys(of: request) }
            for start in stride(from: 0, to: keys.count, by: batchSize) {
                try holding {
                    let objects = keys[start..<min(start + batchSize, keys.count)].map { sourceContext.object(for: $0) }
                    try sourceContext.loadRows(of: objects)
                    try create(objects, step)
                }
            }
            return
        }
        var last = firstKey(of: step)
        while true {
            let isLast = try holding {
                let objects = try sourceContext.objects(of: request, after: last, limit: batchSize)
                guard let final = objects.last else { return true }
                last = final.objectKey.primaryKey
                let isLast = objects.count < batchSize
                adaptBatch(objects)
                try create(objects, step)
                return isLast
            }
            if isLast { return }
            try keep(MappedPosition(step: step.number, last: last))
        }
    }

    /// Sets the size of the next batch to what memory allows, by the rows of this one.
    private func adaptBatch(_ objects: [NSManagedObject]) {
        let bytes = objects.reduce(1) { $0 + ($1.row?.byteCount ?? 0) }
        let fitting = Self.bytesPerBatch / max(1, bytes / max(1, objects.count))
        batchSize = max(1, min(Self.largestBatch, min(fitting, batchSize * 4)))
    }

    private func create(_ objects: [NSManagedObject], _ step: EntityMappingStep) throws {
        for object in objects {
            try manager.checkCancellation()
            try callCreateInstances(from: object, step)
            report.advance()
        }
        currentSource = nil
        try flush(step)
    }

    private func createRelationships(_ step: EntityMappingStep, _ count: Int, _ work: Double) throws {
        try begin(step)
        report.begin(step.destination?.name, rows: count, work: work)
        irregularBefore = firstPair(of: step) == nil ? irregularSteps : Set(position.irregularBefore)
        step.decideLinksToLeaveOut(irregular: irregularBefore)
        let limit = step.sourceToManys.isEmpty && step.destinationToManys.isEmpty ? batchSize : Self.ownersPerBatch
        let isIdle = step.needsNoRelationships
        var last = firstPair(of: step)
        while !isIdle {
            let pairs = try associations.pairs(mapping: step.number, after: last, limit: min(limit, batchSize))
            guard let final = pairs.last else { break }
            last = final
            try holding { try createRelationships(pairs, step) }
            try keep(step, after: final)
        }
        if isIdle { report.advance(count) }
        try callEndRelationshipCreation(step)
        let isLast = step === steps.last
        try keep(
            isLast
                ? MappedPosition(pass: .validation) : MappedPosition(pass: .relationships, step: step.number + 1),
            always: true)
    }

    private func createRelationships(_ pairs: [MigrationAssociations.Pair], _ step: EntityMappingStep) throws {
        let sources = pairs.map { sourceContext.object(for: $0.source) }
        let destinations = pairs.map { destinationContext.object(for: $0.destination) }
        try sourceContext.loadRows(of: sources)
        try destinationContext.loadRows(of: destinations)
        sourceContext.prefetchMembers(of: sources, step.sourceToManys)
        destinationContext.prefetchMembers(of: destinations, step.destinationToManys)
        sourcesOfBatch = Dictionary(
            zip(destinations.map { ObjectIdentifier($0) }, sources), uniquingKeysWith: { first, _ in first })
        defer { sourcesOfBatch = [:] }
        for (destination, source) in zip(destinations, sources) {
            try manager.checkCancellation()
            // A policy may have deleted the destination.
            guard destination.row != nil else {
                report.advance()
                continue
            }
            try callCreateRelationships(of: destination, from: source, step)
            report.advance()
            if destinationContext.tracked.updated.count >= Self.changesPerSave { try flush(step) }
        }
        currentSource = nil
        try flush(step)
    }

    private func validate() throws {
        for step in steps where step.number >= firstStep(in: .validation) {
            try begin(step)
            try callValidationAndEnd(step)
            try keep(MappedPosition(pass: .validation, step: step.number + 1), always: true)
        }
        currentMapping = nil
        currentStep = nil
        try holding { try requireValidObjects() }
    }

    // MARK: Steps and their errors

    private func begin(_ step: EntityMappingStep) throws {
        if step !== currentStep { knownLinks.removeAll(keepingCapacity: true) }
        currentMapping = step.mapping
        currentStep = step
        currentSource = nil
        try manager.checkCancellation()
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

    private var invalidOnes: [NSManagedObject] = []
    private var validOnes: [NSManagedObject] = []
    private var deletedKeys: [ObjectKey] = []
    /// The time at which the last position was kept.
    var lastKept = ContinuousClock.now

    /// Takes the place of a save's validation, because an object that is not valid yet may become so by the end.
    private func sort(_ work: NSManagedObjectContext.SaveWork) {
        noteIrregularities(work)
        if currentStep?.isPlain == false { objectsOfPolicies.hold(work.inserted) }
        for object in work.inserted + work.updated {
            if (try? object.validateForInsert()) != nil {
                // A valid object is recorded only if objects were invalid before.
                if associations.knowsInvalid { validOnes.append(object) }
            } else {
                invalidOnes.append(object)
            }
        }
        if associations.knowsInvalid { validOnes += work.deleted }
        deletedKeys += work.deleted.map(\.objectKey)
    }

    /// Saves all changes and releases the objects.
    func flush(_ step: EntityMappingStep) throws {
        if !report.isSecondPass { try setEarlyLinks(step) }
        defer {
            validOnes = []
            invalidOnes = []
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
        if !deletedKeys.isEmpty { knownLinks.removeAll(keepingCapacity: true) }
        MigrationMoment.reach(.batchSaved)
        try associations.note(valid: validOnes.map(\.objectKey), invalid: invalidOnes.map(\.objectKey))
    }
}
