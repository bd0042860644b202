import Foundation

/// The first pass of a migration by a mapping model: makes the destination objects, batch by batch.
final class InstancePass {
    unowned let run: MappedMigrationRun
    /// The number of source objects that the steps have.
    private var counts: [Int] = []
    private(set) var batchSize = InstancePass.firstBatch
    /// The destinations of relationships that are set early, as far as they have been read.
    var knownLinks: [EarlyLink: ObjectKey?] = [:]

    private static let firstBatch = 64
    private static let largestBatch = 256
    private static let bytesPerBatch = 4 << 20

    init(_ run: MappedMigrationRun) { self.run = run }

    private var sourceContext: NSManagedObjectContext { run.sourceContext }

    /// Counts the source objects of each step.
    func countObjects() throws -> [Int] {
        counts = try run.holding { try run.steps.map { try count($0) } }
        return counts
    }

    func carryOut() throws {
        for step in run.steps {
            if step.number < run.firstStep(in: .instances) {
                run.report.advance(counts[step.number])
            } else {
                try createInstances(step)
            }
        }
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
            return .request(try run.fetchRequest(name, predicate: nil, includesSubentities: false))
        }
        let context = run.evaluationContext(
            source: nil, destination: nil, mapping: step.mapping, property: nil, policy: step.policy)
        if case .fetch(let request, _, countOnly: false) = expression.payload {
            let value = request.value(in: context)
            try run.rethrow()
            if let request = value as? NSFetchRequest<NSManagedObject> { return .request(request) }
        }
        let value = expression.value(in: context)
        try run.rethrow()
        return .objects(try run.objects(value, of: "sourceExpression"))
    }

    private func createInstances(_ step: EntityMappingStep) throws {
        try run.begin(step)
        run.report.begin(step.source?.name, rows: counts[step.number])
        if run.firstKey(of: step) == 0 { try run.callBegin(step) }
        if step.hasSourceObjects, holds(step) {
            switch try run.holding({ try sources(of: step) }) {
            case .request(let request): try stream(request, step)
            case .objects(let objects): try run.holding { try create(objects, step) }
            case nil: break
            }
        }
        try run.callEndInstanceCreation(step)
        let isLast = step === run.steps.last
        try run.keep(
            isLast ? MappedPosition(pass: .relationships) : MappedPosition(step: step.number + 1), always: true)
    }

    private func stream(_ request: NSFetchRequest<NSManagedObject>, _ step: EntityMappingStep) throws {
        // A request with an order or a limit keeps them, so only its keys are read in advance.
        let isOrdered = request.sortDescriptors?.isEmpty == false || request.fetchLimit > 0 || request.fetchOffset > 0
        guard !isOrdered, sourceContext.canReadByKey else {
            let keys = try run.holding { try sourceContext.storedKeys(of: request) }
            for start in stride(from: 0, to: keys.count, by: batchSize) {
                try run.holding {
                    let objects = keys[start..<min(start + batchSize, keys.count)].map { sourceContext.object(for: $0) }
                    try sourceContext.loadRows(of: objects)
                    try create(objects, step)
                }
            }
            return
        }
        var last = run.firstKey(of: step)
        while true {
            let isLast = try run.holding {
                let objects = try sourceContext.objects(of: request, after: last, limit: batchSize)
                guard let final = objects.last else { return true }
                last = final.objectKey.primaryKey
                let isLast = objects.count < batchSize
                adaptBatch(objects)
                try create(objects, step)
                return isLast
            }
            if isLast { return }
            try run.keep(MappedPosition(step: step.number, last: last))
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
            try run.manager.checkCancellation()
            try run.callCreateInstances(from: object, step)
            run.report.advance()
        }
        run.currentSource = nil
        try run.flush(step)
    }
}
