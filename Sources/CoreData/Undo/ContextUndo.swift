// About the room Undo.
//
// - When pending changes are processed, `ContextUndo` compares each changed object with its state at the last time. An
//   `ObjectState` is the row, the overlay's arrays and the to-many lists, held and not copied. The difference is one
//   action of the undo manager.
// - Undoing writes the slots and members that differ straight into the overlays, without delete rules or inverses,
//   because those changes are in the record themselves. It processes pending changes once more, which registers the
//   redo.
// - Temporary keys in the record are translated when it is used. A saved deletion is taken back by inserting the object
//   under its former key.

import Foundation

/// The memory of a context with an undo manager: the state of its changed objects when changes were last processed.
///
/// For the context's queue only.
final class ContextUndo {
    let manager: UndoManager
    /// Changed objects as they were when changes were last processed; an object that is not in here was as its row
    /// says.
    private var baseline: [ObjectIdentifier: Baseline] = [:]
    /// Temporary keys in recorded states, and the permanent ones that replaced them.
    private(set) var renames: [Int64: Int64] = [:]
    private var observer: (any NSObjectProtocol)?

    /// The object is held: another one in its place in memory must not be taken for it.
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
        for object in context.insertedList + context.updatedList + context.deletedList {
            baseline[ObjectIdentifier(object)] = Baseline(object: object, state: ObjectState(of: object))
        }
    }

    deinit {
        if let observer { NotificationCenter.default.removeObserver(observer) }
    }

    /// The changes of objects since the last call; `inserted` are those that are new since.
    func changes(of objects: [NSManagedObject], inserted: [NSManagedObject]) -> [ObjectChange] {
        let new = Set(inserted.map(ObjectIdentifier.init))
        return objects.compactMap { object in
            let identifier = ObjectIdentifier(object)
            // Changes before a save are complete, and the row has the present values.
            let isClean = object.flags.isDisjoint(with: [.inserted, .updated, .deleted])
            if isClean, baseline[identifier] == nil { return nil }
            if object.flags.contains(.deleted) { load(object) } else { loadLists(object) }
            let after = ObjectState(of: object)
            // An object that was inserted and deleted since was never there.
            let wasNew =
                object.flags.contains(.inserted) && (new.contains(identifier) || object.flags.contains(.deleted))
            var before = baseline[identifier]?.state ?? ObjectState(cleanStateOf: object, isNew: wasNew)
            // The row of a fault is the one that it has got since.
            if before.row == nil { before.row = after.row }
            baseline[identifier] = Baseline(object: object, state: after)
            let change = ObjectChange(object: object, before: before, after: after)
            return change.isEmpty ? nil : change
        }
    }

    /// Deleting does not load everything; to bring the object back after a save all of it has to be known.
    private func load(_ object: NSManagedObject) {
        guard !object.flags.contains(.inserted), !object.flags.contains(.inaccessible) else { return }
        _ = object.firedRow()
        for toMany in object.home.layout.toManys { _ = object.members(of: toMany.index) }
    }

    /// Loads ordered lists that lost members before they were read. After a save the place of a removed member is
    /// unknown.
    private func loadLists(_ object: NSManagedObject) {
        for toMany in object.home.layout.toManys where toMany.isOrdered {
            guard let state = object.existingToManyState(toMany.index), state.isFault, !state.removed.isEmpty else {
                continue
            }
            _ = object.members(of: toMany.index)
        }
    }

    /// An object that is about to come back was not there until now.
    func noteAbsence(of object: NSManagedObject) {
        let identifier = ObjectIdentifier(object)
        if baseline[identifier] == nil {
            baseline[identifier] = Baseline(
                object: object, state: ObjectState(cleanStateOf: object, isNew: true))
        }
    }

    /// The object has a new row. Its values are not recorded as changes, and undo does not restore those of the earlier
    /// row.
    func noteNewRow(of object: NSManagedObject) {
        baseline[ObjectIdentifier(object)]?.state.row = object.row
    }

    /// Nothing is unsaved any more.
    func forgetBaseline() { baseline = [:] }

    /// An object has no unsaved change any more.
    func forgetBaseline(of object: NSManagedObject) { baseline[ObjectIdentifier(object)] = nil }

    func noteRenames(_ permanent: [Int64: Int64]) {
        renames.merge(permanent) { _, new in new }
    }

    func forgetRenames() { renames = [:] }
}
