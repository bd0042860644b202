import Foundation

// The changes of many-to-many relationships that a save writes: pairs that were added and removed, and the order of the
// lists.
extension NSManagedObjectContext {
    /// Changes of many-to-many relationships. Each pair is reported once, from the side that names the table. The order
    /// of a list is reported by its owner, on either side.
    final func collectJoins(
        _ objects: [NSManagedObject], _ permanent: PermanentKeys, into changes: inout [Int: ChangeSet]
    ) {
        for owner in objects {
            guard let overlay = owner.overlay, !overlay.toManys.isEmpty else { continue }
            for toMany in owner.binding.layout.toManys {
                guard case .join(let inverse, let isNaming) = toMany.kind, let state = overlay.toManys[toMany.index]
                else { continue }
                // The deletion of the owner's row has deleted its pairs.
                let isBack = saveState.reinserted.contains(ObjectIdentifier(owner))
                guard state.hasChanges || isBack else { continue }
                let key = owner.objectKey.renamed(permanent)
                // A member that left one list and came back has another place there. The pair stays as it was.
                let moved = state.removed.isEmpty ? [] : state.removed.intersection(state.added.keys)
                if isNaming {
                    let added = isBack ? state.members : state.added.keys.filter { !moved.contains($0) }
                    let join = ChangeSet.Join(
                        toMany: toMany, owner: key, added: added.map { $0.renamed(permanent) },
                        removed: Array(state.removed.subtracting(moved)))
                    if !join.isEmpty { changes[key.storeNumber, default: ChangeSet()].joins.append(join) }
                } else if isBack, let modelLayout {
                    for member in state.members {
                        let naming = modelLayout.entities[member.layoutIndex].toManys[inverse]
                        changes[key.storeNumber, default: ChangeSet()].joins.append(
                            ChangeSet.Join(toMany: naming, owner: member.renamed(permanent), added: [key]))
                    }
                }
                guard toMany.isOrdered else { continue }
                // New pairs are appended to every list, in the order of the naming side.
                let isToldInOrder =
                    moved.isEmpty && (isNaming && inverse != toMany.index || state.added.keys.count < 2)
                let isWhole = state.order != nil || isBack
                if isWhole || !isToldInOrder {
                    let members = isWhole ? state.members : state.added.keys
                    changes[key.storeNumber, default: ChangeSet()].arrangements.append(
                        ChangeSet.Arrangement(
                            toMany: toMany, owner: key, members: members.map { $0.renamed(permanent) }, isWhole: isWhole
                        ))
                }
            }
        }
    }

    /// The pairs of deleted objects, which are removed with them.
    final func collectJoins(ofDeleted deleted: [NSManagedObject], into changes: inout [Int: ChangeSet]) {
        for owner in deleted where owner.key > 0 {
            for toMany in owner.binding.layout.deletionRules.namingJoins {
                _ = owner.members(of: toMany.index)
                let members = owner.toManyState(toMany.index).base ?? []
                if members.isEmpty { continue }
                changes[owner.objectKey.storeNumber, default: ChangeSet()].joins.append(
                    ChangeSet.Join(toMany: toMany, owner: owner.objectKey, removed: members.filter { !$0.isTemporary }))
            }
        }
    }
}
