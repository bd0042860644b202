import CoreData

/// Resolves conflicts property by property in favour of the models. A new model whose unique values are taken becomes
/// a model of the row that has them.
final class ModelMergePolicy: NSMergePolicy, @unchecked Sendable {  // has no state of its own
    static let shared = ModelMergePolicy(merge: .mergeByPropertyObjectTrumpMergePolicyType)

    override func resolve(constraintConflicts list: [NSConstraintConflict]) throws {
        let new = list.map { conflict in conflict.conflictingObjects.filter { $0.isInserted } }
        try super.resolve(constraintConflicts: list)
        for (conflict, objects) in zip(list, new) {
            let winner = conflict.databaseObject ?? conflict.conflictingObjects.first { !$0.isDeleted }
            guard let winner = winner as? _ModelCore else { continue }
            for case let core as _ModelCore in objects where core !== winner && core.isDeleted {
                core.become(winner.present)
            }
        }
    }
}
