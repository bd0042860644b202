import CoreData

// Undo and redo in the contexts of a run. Each block on a context's queue is an event, so each step is a group of its
// own.
extension GraphRun {
    func startRecording() {
        for (level, context) in contexts.enumerated() {
            // One of the contexts forgets the oldest groups.
            let limit = level == 1 ? 6 : 0
            reference.levels[level].undo.limit = limit
            context.performAndWait {
                let manager = UndoManager()
                manager.levelsOfUndo = limit
                context.undoManager = manager
            }
        }
    }

    /// Undoes or redoes. A record that no longer fits because of later changes in another context is dropped.
    func turn(_ level: Int, redoing: Bool) -> Bool {
        closeGroup(at: level)
        guard reference.allowsTurn(at: level, redoing: redoing) else { return false }
        guard reference.turn(level, redoing: redoing) else {
            dropRecord(at: level)
            return false
        }
        contexts[level].performAndWait { redoing ? contexts[level].redo() : contexts[level].undo() }
        return true
    }

    /// Opens a group that lasts over the next steps, or closes the one that is open.
    func toggleGroup(at level: Int) {
        if reference.levels[level].undo.openGroup != nil { return closeGroup(at: level) }
        reference.levels[level].undo.beginGroup()
        contexts[level].performAndWait { contexts[level].undoManager?.beginUndoGrouping() }
    }

    private func closeGroup(at level: Int) {
        guard reference.levels[level].undo.openGroup != nil else { return }
        reference.levels[level].undo.endGroup()
        contexts[level].performAndWait { contexts[level].undoManager?.endUndoGrouping() }
    }

    /// The reference reads anew; where that ends its record, the context's ends, too.
    func synchronizeReference(_ level: Int) {
        let could = reference.levels[level].undo
        reference.synchronize(level)
        let can = reference.levels[level].undo
        if can.undo.count != could.undo.count || can.redo.count != could.redo.count
            || can.openGroup?.count != could.openGroup?.count
        {
            dropRecord(at: level)
        }
    }

    private func dropRecord(at level: Int) {
        reference.levels[level].undo.clear()
        contexts[level].performAndWait { contexts[level].undoManager?.removeAllActions() }
    }

    /// Does something that cannot be undone. On the context's queue.
    func unrecorded(_ level: Int, _ body: () -> Void) {
        let context = contexts[level]
        context.processPendingChanges()
        context.undoManager?.disableUndoRegistration()
        body()
        context.processPendingChanges()
        context.undoManager?.enableUndoRegistration()
    }

    /// How far a context can go back and forth, against the reference. On the context's queue.
    func compareUndo(_ level: Int) throws {
        guard let manager = contexts[level].undoManager else { return }
        let undo = reference.levels[level].undo
        try require(
            manager.undoCount == undo.undo.count, "level \(level) can undo \(manager.undoCount), not \(undo.undo.count)"
        )
        try require(
            manager.redoCount == undo.redo.count, "level \(level) can redo \(manager.redoCount), not \(undo.redo.count)"
        )
    }
}
