import Foundation

extension NSManagedObjectContext {
    /// Saves the unsaved changes: to the coordinator's stores in one transaction per store, or to the parent context
    /// (which then has them as its own unsaved changes).
    ///
    /// Order: the will-save notification, pending changes, `willSave()` of every object until nothing new changes,
    /// validation, the write, `didSave()`, the did-save notification. A conflict goes to the `mergePolicy`, and the save
    /// goes on with what that leaves. When it throws, nothing was written (with several stores: nothing to the one that
    /// refused and those after it) and everything is still unsaved: validation errors (1550…1690, several as 1560),
    /// conflicts (133020, 133021), store errors (134030…). Called while the same context is being saved, by an observer
    /// or from `willSave()`, it throws 134060.
    public final func save() throws {
        checkConfinement()
        drainMailbox()
        guard !isSaving else {
            throw NSError.coreData(
                NSCoreDataError,
                reason: "attempt to recursively call -save: on the context aborted; \(debugName) is being saved")
        }
        processPendingChanges(isBeforeSave: true)
        guard hasChanges || !watchedObjects.isEmpty else { return dropCleanObjects() }
        isSaving = true
        defer { endSaving() }
        if !isQuiet { NotificationCenter.default.post(name: .NSManagedObjectContextWillSave, object: self) }
        try prepareObjects()
        var work = presentWork
        try validate(work)
        switch source {
        case .parent(let parent): try save(&work, to: parent)
        case .coordinator(let coordinator): try save(&work, to: coordinator)
        case nil:
            throw NSError.coreData(
                NSPersistentStoreSaveError,
                reason: "\(debugName) has no coordinator and no parent; its changes cannot be saved")
        }
        finish(work)
    }

    /// What one save is about.
    struct SaveWork {
        var inserted: [NSManagedObject]
        var updated: [NSManagedObject]
        var deleted: [NSManagedObject]

        /// The same as keys.
        var changes: MergedChanges {
            MergedChanges(
                inserted: inserted.map(\.objectKey), updated: updated.map(\.objectKey),
                deleted: deleted.map(\.objectKey))
        }
    }

    /// What is to be saved as things are now.
    final var presentWork: SaveWork {
        SaveWork(inserted: livingInserted, updated: livingUpdated, deleted: livingDeleted)
    }

    private func endSaving() {
        isSaving = false
        watchedObjects = []
        reinsertedObjects = []
        temporaryKeys = [:]
    }

    /// Calls `willSave()` until it changes nothing new; gives up after a thousand rounds, as a loop would never end.
    private func prepareObjects() throws {
        var prepared: Set<ObjectIdentifier> = []
        var isFirstRound = true
        for _ in 0..<1000 {
            let objects = (livingInserted + livingUpdated + livingDeleted)
                .filter { isFirstRound || !prepared.contains(ObjectIdentifier($0)) }
            if objects.isEmpty { return }
            for object in objects {
                if !isFirstRound { prepared.insert(ObjectIdentifier(object)) }
                object.willSave()
            }
            if isFirstRound, !pendingList.isEmpty || !pendingDeletions.isEmpty {
                for object in objects { prepared.insert(ObjectIdentifier(object)) }
            }
            let isSettled = pendingList.isEmpty && pendingDeletions.isEmpty
            processPendingChanges()
            if isSettled { return }
            isFirstRound = false
        }
        throw NSError.coreData(
            NSCoreDataError, reason: "Failed to process pending changes before save: willSave() keeps changing objects")
    }

    final func validate(_ work: SaveWork) throws {
        if let deferredValidation { return deferredValidation(work) }
        var errors: [NSError] = []
        func collect(_ body: () throws -> Void) {
            do { try body() } catch { errors.append(error as NSError) }
        }
        for object in work.deleted { collect(object.validateForDelete) }
        for object in work.inserted { collect(object.validateForInsert) }
        for object in work.updated { collect(object.validateForUpdate) }
        if !deletedList.isEmpty || hasMetInaccessible {
            for object in work.inserted + work.updated {
                collect { try ObjectValidation.validateReferences(of: object, in: self) }
            }
        }
        try ObjectValidation.raise(errors)
    }

    // MARK: To the coordinator

    /// How often a save is tried again: each time somebody else has saved in between, or the policy has left a conflict.
    static var maximumOfAttempts: Int { 1_000 }

    /// What the attempts of one save have in common.
    private struct Attempts {
        /// The keys that new objects are written under, by their temporary ones.
        var permanent: [Int64: Int64] = [:]
        /// Stores that have committed: where there are several, each has a transaction of its own.
        var written: Set<Int> = []
        var rows: [(object: NSManagedObject, row: Snapshot)] = []
    }

    /// Writes, and lets the merge policy resolve conflicts until the write goes through.
    private func save(_ work: inout SaveWork, to coordinator: NSPersistentStoreCoordinator) throws {
        var attempts = Attempts()
        for attempt in 1... {
            do {
                let known = conflictsWithCache(work, coordinator)
                if !known.isEmpty {
                    try resolve(SaveConflicts(conflicts: known), isCached: true)
                } else {
                    try write(work, to: coordinator, &attempts)
                    break
                }
            } catch let conflicts as SaveConflicts {
                if attempt == Self.maximumOfAttempts { throw unresolved(conflicts) }
                try resolve(conflicts, isCached: false)
            }
            work = presentWork
            try validate(work)
        }
        for (object, row) in attempts.rows { object.row = row }
        for (key, winner) in replacedKeys {
            attempts.permanent[key] = attempts.permanent[winner.key] ?? winner.key
        }
        let replaced = Set(replacedKeys.keys)
        replacedKeys = [:]
        adoptPermanentKeys(attempts.permanent, of: work.inserted, replaced: replaced)
        for object in work.inserted + livingUpdated {
            object.overlay?.toManys.forEach { $0?.acceptChanges(renaming: attempts.permanent) }
        }
    }

    /// Writes everything to the stores, one transaction each. Throws `SaveConflicts` when a store refuses.
    private func write(
        _ work: SaveWork, to coordinator: NSPersistentStoreCoordinator, _ attempts: inout Attempts
    ) throws {
        for object in work.inserted + work.updated { try object.encodeBoxedChanges() }
        try obtainKeysFromObjectStores(work.inserted, coordinator)
        let objectStores = coordinator.objectStoreNumbers
        if !objectStores.isEmpty { deriveAttributes(work, for: objectStores) }
        assignOrders(work, except: objectStores)
        // Ordering may have touched members that were clean so far.
        let updated = livingUpdated
        let stores = try storesByObject(work.inserted, coordinator)
        try reserveKeys(work.inserted, stores, coordinator, into: &attempts.permanent)
        let permanent = attempts.permanent

        var changes: [Int: ChangeSet] = [:]
        attempts.rows = []
        attempts.rows.reserveCapacity(work.inserted.count + updated.count)
        for object in work.inserted {
            let key = permanent[object.key] ?? object.key
            let row = object.builtRow(key: key, version: 1, renaming: permanent)
            changes[ObjectKey(layoutIndex: 0, key: key).storeNumber, default: ChangeSet()].inserted.append(row)
            attempts.rows.append((object, row))
        }
        for object in updated {
            // Of a fault whose members alone were changed the version is still to be read.
            if object.row == nil, objectStores.contains(object.objectKey.storeNumber) { _ = object.firedRow() }
            let changed = object.persistentChanges()
            let isBack = reinsertedObjects.contains(ObjectIdentifier(object))
            // A program's store writes whole objects: changed relationships are changes of the record, too.
            let isChanged =
                !changed.isEmpty || isBack
                || object.hasToManyChanges && objectStores.contains(object.objectKey.storeNumber)
            guard isChanged, let old = object.row, !object.flags.contains(.inaccessible) else { continue }
            let row = object.builtRow(key: object.key, version: old.version + 1, renaming: permanent)
            attempts.rows.append((object, row))
            if isBack {
                changes[object.objectKey.storeNumber, default: ChangeSet()].inserted.append(row)
                continue
            }
            changes[object.objectKey.storeNumber, default: ChangeSet()].updated.append(
                ChangeSet.Update(old: old, new: row, changed: changed))
        }
        for object in work.deleted where !object.flags.contains(.inaccessible) {
            changes[object.objectKey.storeNumber, default: ChangeSet()].deleted.append(
                ChangeSet.Deletion(key: object.objectKey, row: object.row))
        }
        for object in watchedForSave {
            guard let row = object.row else { continue }
            changes[object.objectKey.storeNumber, default: ChangeSet()].unchanged.append(row)
        }
        collectJoins(work.inserted + updated, work.deleted, permanent, into: &changes)
        if !objectStores.isEmpty { collectObjects(work, updated: updated, for: objectStores, into: &changes) }

        var saved = SaveWork(inserted: work.inserted, updated: updated, deleted: work.deleted).changes.renamed(
            permanent)
        saved.inserted += updated.filter { reinsertedObjects.contains(ObjectIdentifier($0)) }.map(\.objectKey)
        do {
            try lending { takeBack in
                try coordinator.saving {
                    for (number, change) in changes.sorted(by: { $0.key < $1.key })
                    where !change.isEmpty && !attempts.written.contains(number) {
                        var change = change
                        change.origin = changeOrigin
                        try coordinator.write(change, toStoreNumbered: number, beforeCommit: takeBack)
                        attempts.written.insert(number)
                    }
                    coordinator.publish(saved, from: self)
                }
            }
        } catch let conflicts as SaveConflicts {
            temporaryKeys = [:]
            for object in work.inserted {
                guard let key = permanent[object.key] else { continue }
                temporaryKeys[ObjectKey(layoutIndex: object.home.layout.index, key: key)] = object.key
            }
            throw conflicts
        }
    }

    /// The store each new object goes to: the assigned one, or the first that holds its entity.
    private func storesByObject(
        _ inserted: [NSManagedObject], _ coordinator: NSPersistentStoreCoordinator
    ) throws -> [Int: Int] {
        var numbers: [Int: Int] = [:]
        for object in inserted where object.key < 0 {
            if assignedStores[ObjectIdentifier(object)] != nil { continue }
            let index = object.home.layout.index
            if numbers[index] == nil { numbers[index] = try coordinator.storeNumber(forNew: object.home.layout) }
        }
        return numbers
    }

    private func reserveKeys(
        _ inserted: [NSManagedObject], _ stores: [Int: Int], _ coordinator: NSPersistentStoreCoordinator,
        into permanent: inout [Int64: Int64]
    ) throws {
        struct Place: Hashable {
            var store: Int
            var root: Int
        }
        var groups: [Place: [NSManagedObject]] = [:]
        for object in inserted where object.key < 0 && permanent[object.key] == nil {
            let assigned = assignedStores[ObjectIdentifier(object)].flatMap { coordinator.number(of: $0) }
            let number = assigned ?? stores[object.home.layout.index] ?? 0
            groups[Place(store: number, root: object.home.layout.rootIndex), default: []].append(object)
        }
        var counts: [Int: [Int: Int]] = [:]
        for (place, objects) in groups { counts[place.store, default: [:]][place.root] = objects.count }
        permanent.reserveCapacity(inserted.count)
        for (number, roots) in counts {
            let first = try lending { _ in try coordinator.reserveKeys(roots, inStoreNumbered: number) }
            for (root, start) in first {
                var next = start
                for object in groups[Place(store: number, root: root)] ?? [] {
                    permanent[object.key] = next
                    next += 1
                }
            }
        }
    }

    /// Gives saved objects their permanent keys and tells the children.
    final func adoptPermanentKeys(
        _ permanent: [Int64: Int64], of objects: [NSManagedObject], replaced: Set<Int64>
    ) {
        if permanent.isEmpty { return }
        for object in objects {
            guard let key = permanent[object.key] else { continue }
            object.home.identityMap?.rekey(object, to: key)
            if !assignedStores.isEmpty { assignedStores[ObjectIdentifier(object)] = nil }
        }
        postToChildren(PermanentKeys(keys: permanent, replaced: replaced))
    }

    /// Positions of the members of changed ordered relationships. Existing numbers stay where they still rise.
    private func assignOrders(_ work: SaveWork, except objectStores: Set<Int>) {
        for owner in work.inserted + work.updated {
            guard let overlay = owner.overlay, !overlay.toManys.isEmpty else { continue }
            // Programs' stores keep the members in their order themselves.
            if owner.key > 0, objectStores.contains(owner.objectKey.storeNumber) { continue }
            for toMany in owner.home.layout.toManys where toMany.isOrdered {
                guard let state = overlay.toManys[toMany.index], state.hasChanges else { continue }
                switch toMany.kind {
                case .inverseKey(_, let order?), .ownerKey(_, let order?):
                    assignPositions(of: owner.memberObjects(of: toMany.index), at: order)
                default:
                    break
                }
            }
        }
    }

    private func assignPositions(of members: [NSManagedObject], at slot: Int) {
        let known = members.map { member -> Int64? in
            guard case .int(let position) = member.slotValue(at: slot) else { return nil }
            return position
        }
        var last: Int64 = 0
        var isRising = true
        for (index, position) in known.enumerated() {
            guard let position else {
                // A newcomer before an old member would need a gap; number everything anew.
                if known[index...].contains(where: { $0 != nil }) { isRising = false }
                break
            }
            if position <= last { isRising = false }
            last = max(last, position)
        }
        if isRising {
            for (index, member) in members.enumerated() where known[index] == nil {
                last = last == 0 ? 2048 : last + 1024
                member.setSlot(slot, to: .int(last))
            }
        } else {
            for (index, member) in members.enumerated() {
                let position = 2048 + 1024 * Int64(index)
                if known[index] != position { member.setSlot(slot, to: .int(position)) }
            }
        }
    }

    /// The error of a save whose policy has left conflicts however often it was asked.
    final func unresolved(_ conflicts: SaveConflicts) -> NSError {
        NSError.coreData(
            conflicts.conflicts.isEmpty ? NSManagedObjectConstraintMergeError : NSManagedObjectMergeError,
            reason: "Could not merge changes: after \(Self.maximumOfAttempts) attempts there are still conflicts",
            userInfo: [
                NSAffectedObjectsErrorKey: conflicts.conflicts.map { objectID(for: $0.key) }
                    + conflicts.constraintConflicts.map { objectID(for: $0.key) }
            ])
    }

    // MARK: Afterwards

    private func finish(_ work: SaveWork) {
        let updated = livingUpdated
        for object in work.inserted + updated {
            object.flags.subtract([.inserted, .updated, .listedInserted, .listedUpdated])
            if let overlay = object.overlay {
                overlay.mask = SlotMask()
                overlay.values = []
                overlay.boxedChanges = SlotMask()
                overlay.currentRow = nil
            }
        }
        for object in work.deleted {
            object.flags.subtract([.listedDeleted, .updated, .listedUpdated])
            object.flags.insert(.gone)
        }
        undoRecordDidSave()
        // New objects that were deleted again never were in the store.
        let vanished = deletedList.filter { $0.flags.contains([.inserted, .deleted]) }
        // Also those that a merge has made clean, or whose changes were dropped.
        for object in insertedList { object.flags.remove(.listedInserted) }
        for object in updatedList { unlistUpdated(object) }
        for object in deletedList { object.flags.remove(.listedDeleted) }
        insertedList = []
        updatedList = []
        deletedList = []
        for object in vanished { object.detach(unregister: true) }
        let saved = SaveWork(inserted: work.inserted, updated: updated, deleted: work.deleted)
        let changes = saved.changes
        announceToChildren(changes)
        advanceGeneration()
        for object in work.inserted + updated + work.deleted { object.didSave() }
        if !isQuiet { announce(saved, changes) }
        for object in work.deleted where object.home.context === self { object.detach(unregister: true) }
    }

    /// Tells observers what was saved, as objects and as ids.
    private func announce(_ work: SaveWork, _ changes: MergedChanges) {
        var info: [AnyHashable: Any] = [:]
        if !work.inserted.isEmpty { info[NSInsertedObjectsKey] = Set(work.inserted) }
        if !work.updated.isEmpty { info[NSUpdatedObjectsKey] = Set(work.updated) }
        if !work.deleted.isEmpty { info[NSDeletedObjectsKey] = Set(work.deleted) }
        var ids: [AnyHashable: Any] = [:]
        if let modelLayout {
            let keys = SavedKeys(changes, modelLayout: modelLayout, coordinator: persistentStoreCoordinator)
            info[SavedKeys.userInfoKey] = keys
            ids = identifiers(of: changes)
        }
        // The undocumented key of Apple's notifications, which history's readers use.
        if case .coordinator(let coordinator)? = source { info["newChangeToken"] = coordinator.savedHistoryToken }
        if let generation = try? generation() {
            info[NSManagedObjectContextQueryGenerationKey] = NSQueryGenerationToken(generation)
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
        for object in insertedList { object.flags.subtract([.inserted, .listedInserted, .updated]) }
        for object in updatedList { unlistUpdated(object) }
        for object in deletedList {
            object.flags.remove(.listedDeleted)
            if object.flags.contains(.deleted) { object.detach(unregister: true) }
        }
        insertedList = []
        updatedList = []
        deletedList = []
    }
}

extension NSManagedObject {
    /// Cuts the object loose from its context: it keeps the values it has in memory.
    final func detach(unregister: Bool) {
        if unregister, flags.contains(.registered) { home.identityMap?.unregister(self) }
        flags.subtract([
            .registered, .inserted, .updated, .listedInserted, .listedUpdated, .listedDeleted, .pendingEvent,
        ])
        flags.insert(.detached)
        overlay?.toManys = []
        let detached = ObjectHome(
            context: nil, layout: home.layout, identityMap: nil, modelLayout: home.modelLayout, model: home.model,
            managedClass: home.managedClass)
        detached.coordinator = home.context?.persistentStoreCoordinator ?? home.coordinator
        home = detached
    }
}
