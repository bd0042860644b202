import Foundation

/// The second pass of a migration by a mapping model: sets the relationships that the first pass has left open, batch
/// by batch.
final class RelationshipPass {
    unowned let run: MappedMigrationRun
    /// The mappings that were not regular when the pass over the present one began.
    private(set) var irregularBefore: Set<Int> = []
    /// The source objects of the batch, by their destination objects.
    private(set) var sourcesOfBatch: [ObjectIdentifier: NSManagedObject] = [:]

    /// The number of owners of to-many relationships in a batch, and of changed objects that make a save.
    private static let ownersPerBatch = 64
    private static let changesPerSave = 2_000

    init(_ run: MappedMigrationRun) { self.run = run }

    private var sourceContext: NSManagedObjectContext { run.sourceContext }
    private var destinationContext: NSManagedObjectContext { run.destinationContext }
    private var report: MigrationReport { run.report }

    /// - Parameter batchSize: the size of a batch that memory allows.
    func carryOut(batchSize: Int) throws {
        let steps = run.steps
        let links = try steps.map { try run.associations.count(mapping: $0.number) }
        let work = work(for: links)
        report.beginSecondPass(of: work.reduce(0, +))
        for (step, count) in zip(steps, links) {
            if step.number < run.firstStep(in: .relationships) {
                report.begin(step.destination?.name, rows: count, work: work[step.number])
                report.advance(count)
            } else {
                try createRelationships(step, count, work[step.number], batchSize: batchSize)
            }
        }
    }

    func releaseObjects() { sourcesOfBatch = [:] }

    private func createRelationships(
        _ step: EntityMappingStep, _ count: Int, _ work: Double, batchSize: Int
    ) throws {
        try run.begin(step)
        report.begin(step.destination?.name, rows: count, work: work)
        irregularBefore =
            run.firstPair(of: step) == nil ? run.mappingSteps.irregular : Set(run.position.irregularBefore)
        step.decideLinksToLeaveOut(irregular: irregularBefore)
        let limit = step.sourceToManys.isEmpty && step.destinationToManys.isEmpty ? batchSize : Self.ownersPerBatch
        let isIdle = step.needsNoRelationships
        var last = run.firstPair(of: step)
        while !isIdle {
            let pairs = try run.associations.pairs(mapping: step.number, after: last, limit: min(limit, batchSize))
            guard let final = pairs.last else { break }
            last = final
            try run.holding { try createRelationships(pairs, step) }
            try run.keep(step, after: final)
        }
        if isIdle { report.advance(count) }
        try run.callEndRelationshipCreation(step)
        let isLast = step === run.steps.last
        try run.keep(
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
            try run.manager.checkCancellation()
            // A policy may have deleted the destination.
            guard destination.row != nil else {
                report.advance()
                continue
            }
            try run.callCreateRelationships(of: destination, from: source, step)
            report.advance()
            if destinationContext.tracked.updated.count >= Self.changesPerSave { try run.flush(step) }
        }
        run.currentSource = nil
        try run.flush(step)
    }

    /// The approximate work of the second pass for the objects of each step, in units of a row of the first pass.
    /// Measured: twice as much for an object, and less than half for a member of a list.
    func work(for counts: [Int]) -> [Double] {
        let steps = run.steps
        let irregular = run.mappingSteps.irregular
        return steps.map { step in
            step.decideLinksToLeaveOut(irregular: irregular)
            if step.needsNoRelationships { return 0.05 * Double(counts[step.number]) }
            let members = step.destinationToManys.reduce(0) { sum, number in
                guard let layout = step.destination,
                    let target = layout.toManys[number].relationship.destinationEntity,
                    let members = layout.model.layout(of: target)?.subtree
                else { return sum }
                return sum
                    + steps.filter { $0.destination.map { members.contains($0.index) } ?? false }
                    .reduce(0) { $0 + counts[$1.number] }
            }
            return 2 * Double(counts[step.number]) + 0.8 * Double(members)
        }
    }
}
