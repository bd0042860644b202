// Implementation notes: Undo.
//
// - When pending changes are processed, `ContextUndo` compares each changed object with its state when they were last
//   processed. An `ObjectState` is the row, the overlay's arrays and the to-many lists, held and not copied. The
//   difference is one action of the undo manager.
// - Undoing writes the slots and members that differ straight into the overlays, without delete rules or inverses,
//   because the record has the changes of delete rules and inverses, too. It then processes pending changes once more,
//   which registers the redo.
// - Temporary keys in the record are translated when it is used. A saved deletion is taken back by inserting the object
//   under its former key.

import Foundation

/// The undo record of a context with an undo manager: the state of its changed objects when changes were last
/// processed.
///
/// For the context's queue only.
final class ContextUndo {
    let manager: UndoManager
    /// Changed objects as they were when changes were last processed. An object that is missing here had the values of
    /// its row.
    private var baseline: [ObjectIdentifier: Baseline] = [:]
    /// Temporary keys in recorded states, and the permanent ones that replaced them.
    private(set) var renames: PermanentKeys = [:]
    private var observer: (any NSObjectProtocol)?

    /// The state of an object that is held, because another object at its address must not be taken for it.
    private struct Baseline {
        let object: NSManagedObject
        var state: ObjectState
    }

    init(manager: UndoManager, context: NSManagedObjectContext) {
        self.manager = manager
        observer = NotificationCenter.default.addObserver(
            forName: .NSUndoManagerCheckpoint, object: manager, queue: nil
        ) { [weak context] _ in
            guard let context, context.isHeldByCaller || context.queue == nil else { return }
            context.processPendingChanges()
        }
        for object in context.tracked.inserted + context.tracked.updated + context.tracked.deleted {
            baseline[ObjectIdentifier(object)] = Baseline(object: object, state: ObjectState(of: object))
        }
    }

    deinit {
        if let observer { NotificationCenter.default.removeObserver(observer) }
    }

    /// The changes of objects since the last call; `inserted` are the objects that are new since then.
    func changes(of objects: [NSManagedObject], inserted: [NSManagedObject]) -> [ObjectChange] {
        let new = Set(inserted.map(ObjectIdentifier.init))
        return objects.compactMap { object in
            let identifier = ObjectIdentifier(object)
            // Changes before a save are complete, and the row has the present values.
            let isClean = object.flags.isDisjoint(with: [.inserted, .updated, .deleted])
            if isClean, baseline[identifier] == nil { return nil }
            if object.flags.contains(.deleted) { load(object) } else { loadLists(object) }
            // The row of the object is gone, and its values with it. Undo cannot bring the object back.
            if object.flags.contains(.inaccessible) {
                baseline[identifier] = nil
                return nil
            }
            let after = ObjectState(of: object)
            // An object that was inserted and deleted since the last call is no change.
            let wasNew =
                object.flags.contains(.inserted) && (new.contains(identifier) || object.flags.contains(.deleted))
            var before = baseline[identifier]?.state ?? ObjectState(cleanStateOf: object, isNew: wasNew)
            // The row of a fault is the one that it has got since the last call.
            if before.row == nil { before.row = after.row }
            baseline[identifier] = Baseline(object: object, state: after)
            let change = ObjectChange(object: object, before: before, after: after)
            return change.isEmpty ? nil : change
        }
    }

    /// Loads a deleted object's values and relationships. Deleting does not load all of them, and bringing the object
    /// back after a save needs them.
    private func load(_ object: NSManagedObject) {
        guard !object.flags.contains(.inserted), !object.flags.contains(.inaccessible) else { return }
        _ = object.firedRow()
        for toMany in object.binding.layout.toManys { _ = object.members(of: toMany.index) }
    }

    /// Loads ordered lists that lost members before they were read. After a save the place of a removed member is
    /// unknown.
    private func loadLists(_ object: NSManagedObject) {
        for toMany in object.binding.layout.toManys where toMany.isOrdered {
            guard let state = object.existingToManyState(toMany.index), state.isFault, !state.removed.isEmpty else {
                continue
            }
            _ = object.members(of: toMany.index)
        }
    }

    /// Notes that an object which is about to come back did not exist until now.
    func noteAbsence(of object: NSManagedObject) {
        let identifier = ObjectIdentifier(object)
        if baseline[identifier] == nil {
            baseline[identifier] = Baseline(
                object: object, state: ObjectState(cleanStateOf: object, isNew: true))
        }
    }

    /// Notes a new row of an object. Its values are not recorded as changes, and undo does not restore those of the
    /// earlier row.
    func noteNewRow(of object: NSManagedObject) {
        baseline[ObjectIdentifier(object)]?.state.row = object.row
    }

    /// Forgets all states, because nothing is unsaved any more.
    func forgetBaseline() { baseline = [:] }

    /// Forgets the state of an object that has no unsaved change any more.
    func forgetBaseline(of object: NSManagedObject) { baseline[ObjectIdentifier(object)] = nil }

    func noteRenames(_ permanent: PermanentKeys) {
        renames.merge(permanent)
    }

    func forgetRenames() { renames = [:] }
}
