// The work that migrations have deferred.
extension NSPersistentStoreCoordinator {
    /// Does the work of `finishDeferredLightweightMigration()` unless a subclass overrides it.
    final func _finishDeferredLightweightMigration() throws {
        while try finishDeferredPieces() {}
    }

    /// Does the work of `finishDeferredLightweightMigrationTask()` unless a subclass overrides it.
    final func _finishDeferredLightweightMigrationTask() throws {
        _ = try finishDeferredPieces()
    }

    /// Finishes the deferred work, or one piece of it for each store. True if there was any.
    private func finishDeferredPieces() throws -> Bool {
        var didWork = false
        for attached in lock.withLock({ attached }) where !attached.store.isReadOnly {
            if try attached.rows.finishDeferredPiece() { didWork = true }
        }
        return didWork
    }
}
