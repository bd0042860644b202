import Foundation

extension NSManagedObjectContext {
    /// Does the work of `save()` unless a subclass overrides it.
    final func _save() throws {
        checkConfinement()
        try observed { try saveAll() }
    }

    private func saveAll() throws {
        applyPendingUpdates()
        guard !saveState.isRunning else {
            throw NSError.coreData(
                NSCoreDataError,
                reason: "attempt to recursively call -save: on the context aborted; \(debugName) is being saved")
        }
        defer { saveState.objectSets = ObjectSets() }
        saveState.objectSets = tracked.deletedSets
        try throwingReadErrors { processPendingChanges(isBeforeSave: true) }
        saveState.isRunning = true
        defer { endSaving() }
        if !settings.isQuiet { NotificationCenter.default.post(name: .NSManagedObjectContextWillSave, object: self) }
        guard hasChanges || !tracked.watched.isEmpty else { return try finishWithoutChanges() }
        var work = try throwingReadErrors {
            try prepareObjects()
            let work = presentWork
            try validate(work)
            return work
        }
        saveState.rowsOfDeletedFaults = rows(ofFaultsIn: work.deleted)
        var isForLater = false
        // The errors are thrown before anything is written or handed to the parent. After that everything is saved.
        try collectingReadErrors {
            guard let rowSource else {
                throw NSError.coreData(
                    NSPersistentStoreSaveError,
                    reason: "\(debugName) has no coordinator and no parent; its changes cannot be saved")
            }
            isForLater = try rowSource.save(&work, of: self)
        }
        finish(work)
        // The take-over begins only now, because two processors that work on the same rows slow each other down.
        if isForLater { rowSource?.takeOverSoon() }
    }

    /// Ends a save that has nothing to write. It posts the notifications all the same, as on a Mac.
    private func finishWithoutChanges() throws {
        try ownCoordinator?.saveMetadata()
        advanceGeneration()
        dropCleanObjects()
        if settings.isQuiet { return }
        for name in [Notification.Name.NSManagedObjectContextDidSave, .NSManagedObjectContextDidSaveObjectIDs] {
            NotificationCenter.default.post(name: name, object: self, userInfo: [:])
        }
    }

    /// The objects of one save.
    struct SaveWork {
        var inserted: [NSManagedObject]
        var updated: [NSManagedObject]
        var deleted: [NSManagedObject]

        /// The changes of the save as keys.
        var changes: MergedChanges {
            MergedChanges(
                inserted: inserted.map(\.objectKey), updated: updated.map(\.objectKey),
                deleted: deleted.map(\.objectKey))
        }
    }

    /// The objects to be saved in the context's present state.
    final var presentWork: SaveWork {
        SaveWork(inserted: livingInserted, updated: livingUpdated, deleted: livingDeleted)
    }

    private func endSaving() {
        saveState.isRunning = false
        tracked.watched = []
        saveState.reinserted = []
        saveState.temporaryKeys = [:]
        saveState.rowsOfDeletedFaults = [:]
    }

    /// Calls `willSave()` until it changes nothing new; gives up after a thousand rounds, as a loop would never end.
    private func prepareObjects() throws {
        var prepared: Set<ObjectIdentifier> = []
        var isFirstRound = true
        for _ in 0..<1000 {
            let lists = [livingInserted, livingUpdated, livingDeleted].map { objects in
                isFirstRound ? objects : objects.filter { !prepared.contains(ObjectIdentifier($0)) }
            }
            if lists.allSatisfy(\.isEmpty) { return }
            for objects in lists {
                objects.eachAhead { object in
                    if !isFirstRound { prepared.insert(ObjectIdentifier(object)) }
                    object.willSave()
                }
            }
            if isFirstRound, !tracked.pending.isEmpty || !tracked.pendingDeletions.isEmpty {
                for object in lists.joined() { prepared.insert(ObjectIdentifier(object)) }
            }
            let isLastRound = tracked.pending.isEmpty && tracked.pendingDeletions.isEmpty
            processPendingChanges()
            if isLastRound { return }
            isFirstRound = false
        }
        throw NSError.coreData(
            NSCoreDataError, reason: "Failed to process pending changes before save: willSave() keeps changing objects")
    }

    final func validate(_ work: SaveWork) throws {
        if let deferredValidation = saveState.deferredValidation { return deferredValidation(work) }
        // An object that only gained or lost members may still be a fault, and the checks need its row. The check of a
        // row that cannot be read throws.
        if persistentStoreCoordinator?.readsAhead == true { try? loadRows(of: work.updated) }
        var errors: [NSError] = []
        work.deleted.eachAhead { object in
            do { try object.validateForDelete() } catch { errors.append(error as NSError) }
        }
        work.inserted.eachWithRowAhead { object in
            do { try object.validateForInsert() } catch { errors.append(error as NSError) }
        }
        work.updated.eachWithRowAhead { object in
            // A fault without a row has no values to check. Only its members have changed, and it is not saved.
            _ = object.firedRow()
            if object.flags.contains(.inaccessible) { return }
            do { try object.validateForUpdate() } catch { errors.append(error as NSError) }
        }
        if !tracked.deleted.isEmpty || fetchState.hasMetInaccessible {
            for object in [work.inserted, work.updated].joined() {
                do {
                    try ObjectValidation.validateReferences(of: object, in: self)
                } catch {
                    errors.append(error as NSError)
                }
            }
        }
        try ObjectValidation.raise(errors)
    }

    // MARK: Afterwards

    /// Marks saved objects as unchanged and informs observers. If it is not the whole, the other objects stay unsaved.
    final func finish(_ work: SaveWork, isWhole: Bool = true) {
        let updated = isWhole ? livingUpdated : work.updated
        let isChild = parent != nil
        // Lists of lists: one list of all would be a copy. All that is done to each object is done at once: by the next
        // time that a large save comes to it, it has left the processor's cache.
        for objects in [work.inserted, updated] {
            objects.eachAhead { object in
                object.flags.subtract([.inserted, .updated, .listedInserted, .listedUpdated])
                if let overlay = object.overlay {
                    overlay.forgetSavedChanges()
                    if overlay.canBeDropped { object.overlay = nil }
                }
                if isChild { noteTemporaries(of: object) }
            }
        }
        work.deleted.eachAhead { object in
            takeRow(ofDeleted: object)
            object.flags.subtract([.listedDeleted, .updated, .listedUpdated])
            object.flags.insert(.gone)
        }
        leaveRelationships(ofDeleted: work.deleted)
        undoRecordDidSave()
        keepForBlock(work.inserted)
        keepForBlock(updated)
        // New objects that were deleted again never were in the store.
        let vanished = isWhole ? tracked.deleted.filter { $0.flags.contains([.inserted, .deleted]) } : []
        // Usually the lists hold exactly the saved objects, and every one of them was handled above.
        let leavesInserted = !ObjectSets.isSame(tracked.inserted, work.inserted)
        let leavesUpdated = !ObjectSets.isSame(tracked.updated, updated)
        if isWhole {
            // Also objects that have no changes after a merge, or whose changes were dropped.
            if leavesInserted { for object in tracked.inserted { object.flags.remove(.listedInserted) } }
            if leavesUpdated { for object in tracked.updated { unlistUpdated(object) } }
            tracked.deleted.eachAhead { $0.flags.remove(.listedDeleted) }
        }
        noteTemporaries(of: [
            leavesInserted ? tracked.inserted : [], leavesUpdated ? tracked.updated : [], tracked.deleted,
        ])
        tracked.unsavedIndex = nil
        tracked.inserted = leavesInserted ? tracked.inserted.filter { $0.flags.contains(.listedInserted) } : []
        tracked.updated = leavesUpdated ? tracked.updated.filter { $0.flags.contains(.listedUpdated) } : []
        tracked.deleted.removeAll { !$0.flags.contains(.listedDeleted) }
        for object in vanished { object.detach(unregister: true) }
        let saved = SaveWork(inserted: work.inserted, updated: updated, deleted: work.deleted)
        let changes = saved.changes
        announceToChildren(changes)
        advanceGeneration()
        for objects in [work.inserted, updated, work.deleted] {
            objects.eachAhead { $0.didSave() }
        }
        settings.savedObjects?(
            SavedObjectIDs(
                inserted: objectIDs(for: changes.inserted), updated: objectIDs(for: changes.updated),
                deleted: objectIDs(for: changes.deleted)))
        if !settings.isQuiet { announce(saved, changes) }
        work.deleted.eachAhead { if $0.binding.context === self { $0.detach(unregister: true) } }
    }

    /// Posts the saved changes, as objects and as ids.
    private func announce(_ work: SaveWork, _ changes: MergedChanges) {
        let keys = UserInfoKeys.all
        var info = [AnyHashable: Any](minimumCapacity: 6)
        if !work.inserted.isEmpty { info[keys.insertedObjects] = saveState.objectSets.set(of: work.inserted) }
        if !work.updated.isEmpty { info[keys.updatedObjects] = saveState.objectSets.set(of: work.updated) }
        if !work.deleted.isEmpty { info[keys.deletedObjects] = saveState.objectSets.set(of: work.deleted) }
        var ids: [AnyHashable: Any] = [:]
        if let modelLayout {
            info[keys.savedKeys] = SavedKeys(
                changes, modelLayout: modelLayout, coordinator: persistentStoreCoordinator)
            ids = identifiers(of: changes)
        }
        if let token = ownCoordinator?.savedHistoryToken { info[keys.historyToken] = token }
        if let generation = try? generation() {
            info[keys.queryGeneration] = NSQueryGenerationToken(generation)
        }
        NotificationCenter.default.post(name: .NSManagedObjectContextDidSave, object: self, userInfo: info)
        NotificationCenter.default.post(name: .NSManagedObjectContextDidSaveObjectIDs, object: self, userInfo: ids)
    }

    /// Changes of an object whose row is gone end with the save that could not write them.
    private func unlistUpdated(_ object: NSManagedObject) {
        object.flags.remove(.listedUpdated)
        if object.flags.contains(.inaccessible) { object.flags.remove(.updated) }
    }

    /// Objects that were changed and taken back need not be kept any longer.
    private func dropCleanObjects() {
        for object in tracked.inserted { object.flags.subtract([.inserted, .listedInserted, .updated]) }
        for object in tracked.updated { unlistUpdated(object) }
        for object in tracked.deleted {
            object.flags.remove(.listedDeleted)
            if object.flags.contains(.deleted) { object.detach(unregister: true) }
        }
        noteTemporaries(of: [tracked.inserted, tracked.updated, tracked.deleted])
        tracked.unsavedIndex = nil
        tracked.inserted = []
        tracked.updated = []
        tracked.deleted = []
    }
}

extension NSManagedObject {
    /// Detaches the object from its context. The object keeps the values it has in memory.
    final func detach(unregister: Bool) {
        if unregister, flags.contains(.registered) { binding.identityMap?.unregister(self) }
        flags.subtract([
            .registered, .inserted, .updated, .listedInserted, .listedUpdated, .listedDeleted, .pendingEvent,
        ])
        flags.insert(.detached)
        overlay?.toManys = []
        if binding.observation?.tracksReads == true { flags.insert(.tracksReads) }
        move(to: binding.bindingOfDetached(isShared: flags.isDisjoint(with: [.watched, .tracksReads])))
    }
}
