import Foundation

// Keeping how far the migration is, and going on where a killed process stopped.
extension MappedMigrationRun {
    private static let timeBetweenPositions = Duration.milliseconds(500)

    /// Notes now and then how far the migration is. Everything before it has been saved.
    func keep(_ place: MappedPosition, always: Bool = false) throws {
        guard associations.isKept else { return }
        // Tests want to see every one.
        let isTime = ContinuousClock.now - lastKept >= Self.timeBetweenPositions
        guard always || isTime || MigrationMoment.isObserved else { return }
        var place = place
        place.madeRows = madeRows
        place.highest = highest
        place.irregular = steps.filter { !$0.isRegular }.map(\.number)
        try associations.keep(place)
        MigrationMoment.reach(.positionKept)
        lastKept = .now
    }

    /// The second pass has come to a pair.
    func keep(_ step: EntityMappingStep, after pair: MigrationAssociations.Pair) throws {
        let (source, destination) = (pair.source, pair.destination)
        let numbers = [Int64(source.layoutIndex), source.key, Int64(destination.layoutIndex), destination.key]
        try keep(MappedPosition(isSecondPass: true, step: step.number, pair: numbers))
    }

    /// The keys of objects that have just been saved.
    func noteKeys(of objects: [NSManagedObject]) {
        guard associations.isKept else { return }
        for object in objects {
            let root = object.home.layout.rootIndex
            highest[root] = max(highest[root] ?? 0, object.objectKey.primaryKey)
        }
    }

    // MARK: Going on

    func takeOverPosition() {
        guard isResumed else { return }
        highest = position.highest
        for number in position.irregular where number < steps.count { steps[number].isRegular = false }
    }

    /// The source key after which the first pass begins.
    func firstKey(of step: EntityMappingStep) -> Int64 {
        isResumed && !position.isSecondPass && position.step == step.number ? position.last : 0
    }

    /// The first mapping whose second pass is not over.
    var firstToLink: Int { position.isSecondPass ? position.step : 0 }

    /// The pair after which the second pass begins.
    func firstPair(of step: EntityMappingStep) -> MigrationAssociations.Pair? {
        guard position.isSecondPass, position.step == step.number, position.pair.count == 4 else { return nil }
        let pair = position.pair
        return .init(
            source: ObjectKey(layoutIndex: Int(pair[0]), key: pair[1]),
            destination: ObjectKey(layoutIndex: Int(pair[2]), key: pair[3]))
    }
}
