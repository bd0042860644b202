import Foundation

// Keeping the position of the migration, and resuming where a killed process stopped.
extension MappedMigrationRun {
    private static let timeBetweenPositions = Duration.milliseconds(500)

    /// Records the position of the migration from time to time. All objects before it have been saved, and none after
    /// it.
    func keep(_ place: MappedPosition, always: Bool = false) throws {
        guard associations.isKept, canResume(at: place) else { return }
        // Tests need every position.
        let isTime = ContinuousClock.now - lastKept >= Self.timeBetweenPositions
        guard always || isTime || MigrationMoment.isObserved else { return }
        var place = place
        place.rows = counters.rows
        place.irregular = irregularSteps.sorted()
        place.irregularBefore = irregularBefore.sorted()
        let number = try associations.keep(place)
        MigrationMoment.reach(.associationsKept)
        if let coordinator = destinationContext.persistentStoreCoordinator {
            try MappedMigrationStores(ends: ends).commit(coordinator, as: number)
        }
        MigrationMoment.reach(.positionKept)
        lastKept = .now
    }

    /// Whether a position is of use. A position behind the first policy that may keep values in memory is not.
    private func canResume(at place: MappedPosition) -> Bool {
        guard let first = steps.first(where: { !$0.canResume })?.number else { return true }
        return place.pass == .instances && (place.step < first || place.step == first && place.last == 0)
    }

    /// Records that the second pass has reached a pair.
    func keep(_ step: EntityMappingStep, after pair: MigrationAssociations.Pair) throws {
        let (source, destination) = (pair.source, pair.destination)
        let numbers = [Int64(source.layoutIndex), source.key, Int64(destination.layoutIndex), destination.key]
        try keep(MappedPosition(pass: .relationships, step: step.number, pair: numbers))
    }

    var irregularSteps: Set<Int> { Set(steps.lazy.filter { !$0.isRegular }.map(\.number)) }

    // MARK: Resuming

    func takeOverPosition() {
        guard isResumed else { return }
        counters.rows = position.rows
        for number in position.irregular where number < steps.count { steps[number].isRegular = false }
    }

    /// The entity mapping with which a pass begins. The ones before it are complete.
    func firstStep(in pass: MappedPosition.Pass) -> Int {
        position.pass == pass ? position.step : position.pass.rawValue > pass.rawValue ? steps.count : 0
    }

    /// The source key after which the first pass begins; 0 if the mapping has not begun.
    func firstKey(of step: EntityMappingStep) -> Int64 {
        position.pass == .instances && position.step == step.number ? position.last : 0
    }

    /// The pair after which the second pass begins; nil if the mapping has not begun.
    func firstPair(of step: EntityMappingStep) -> MigrationAssociations.Pair? {
        guard position.pass == .relationships, position.step == step.number, position.pair.count == 4 else {
            return nil
        }
        let pair = position.pair
        return .init(
            source: ObjectKey(layoutIndex: Int(pair[0]), key: pair[1]),
            destination: ObjectKey(layoutIndex: Int(pair[2]), key: pair[3]))
    }
}

// The progress of the migration.
extension MappedMigrationRun {
    /// The approximate work of the second pass for the objects of each step, in units of a row of the first pass.
    /// Measured: twice as much for an object, and less than half for a member of a list.
    func workOfLinks(_ counts: [Int]) -> [Double] {
        steps.map { step in
            step.decideLinksToLeaveOut(irregular: irregularSteps)
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
