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
        place.irregular = mappingSteps.irregular.sorted()
        place.irregularBefore = relationships.irregularBefore.sorted()
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

    // MARK: Resuming

    /// Continues at the position that a killed process has left, if there is one.
    func takeOverPosition() {
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
