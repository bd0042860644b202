import Foundation

/// Applies a built-in merge policy (error, store trump, object trump, overwrite, rollback) to one object whose row has
/// changed. ``UniquenessResolution`` does so for objects with equal unique values.
struct MergePolicyResolution {
    private let conflict: NSMergeConflict
    private let type: NSMergePolicyType

    init(_ conflict: NSMergeConflict, _ type: NSMergePolicyType) {
        self.conflict = conflict
        self.type = type
    }

    private var storeWins: Bool {
        type == .mergeByPropertyStoreTrumpMergePolicyType || type == .rollbackMergePolicyType
    }

    func run() {
        let object = conflict.sourceObject
        guard let context = object.binding.context else { return }
        let isDeleted = object.flags.contains(.deleted)
        guard let latest = conflict.latestRow else {
            // The row is gone. A deleted object needs nothing more. If the object wins, the save inserts it again.
            if storeWins, !isDeleted { context.acceptDeletions(of: [object]) }
            return
        }
        if isDeleted {
            if storeWins {
                context.undelete(object, as: latest)
                object.awake(fromSnapshotEvents: .mergePolicy)
            } else {
                object.row = latest
            }
            return
        }
        switch type {
        case .errorMergePolicyType: return
        case .mergeByPropertyStoreTrumpMergePolicyType: object.rebase(on: latest, keeping: .unconflicting)
        case .mergeByPropertyObjectTrumpMergePolicyType: object.rebase(on: latest, keeping: .all)
        case .overwriteMergePolicyType: object.rebase(on: latest, keeping: .everything)
        case .rollbackMergePolicyType:
            object.rebase(on: latest, keeping: .none)
            object.flags.remove(.updated)
        }
        object.awake(fromSnapshotEvents: .mergePolicy)
        context.noteRefresh(of: object)
    }
}
