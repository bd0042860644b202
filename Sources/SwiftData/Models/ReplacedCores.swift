import CoreData

/// The cores whose models show the values of another core.
///
/// A new model whose unique values are taken becomes a model of the row that has them, while that row may have another
/// model already. The values are in the core of the row.
enum ReplacedCores {
    private static let winners = Locked<[ObjectIdentifier: _ModelCore]>([:])

    static func note(_ core: _ModelCore, _ winner: _ModelCore) {
        winners.withLock { $0[ObjectIdentifier(core)] = winner }
    }

    static func winner(of core: _ModelCore) -> _ModelCore {
        guard let winner = winners.withLock({ $0[ObjectIdentifier(core)] }) else {
            fatalError("The core \(core.objectID) was replaced by no other one")
        }
        return winner.present
    }

    static func forget(_ core: _ModelCore) {
        // The winner is released outside the lock, because its own end may take the lock.
        _ = winners.withLock { $0.removeValue(forKey: ObjectIdentifier(core)) }
    }
}

extension _ModelCore {
    /// Lets the model of this new core show the values of another core from now on: that of the row that has its unique
    /// values. A row of a class above the model's has too few values, so there the model keeps its last ones.
    func become(_ winner: _ModelCore) {
        guard winner !== self, !isReplaced, winner.entity.isKindOf(entity: entity) else { return }
        GivenIdentifiers.replace(self, by: winner)
        ReplacedCores.note(self, winner)
        isReplaced = true
        if let model = livingModel, type(of: model) == winner.modelType.type { winner.bind(model) }
        winner.hold()
    }
}
