import Foundation

// Merges changes that other contexts have saved.
extension NSManagedObjectContext {
    /// Does the work of `mergeChanges(fromContextDidSave:)` unless a subclass overrides it.
    final func _mergeChanges(fromContextDidSave notification: Notification) {
        checkConfinement()
        if notification.object as? NSManagedObjectContext === self { return }
        merge(changes(in: notification.userInfo ?? [:]))
    }

    /// Does the work of `mergeChanges(fromRemoteContextSave:into:)` unless a subclass overrides it.
    static func _mergeChanges(
        fromRemoteContextSave changeNotificationData: [AnyHashable: Any], into contexts: [NSManagedObjectContext]
    ) {
        for context in contexts where context.persistentStoreCoordinator != nil {
            if context.isHeldByCaller || context.queue == nil {
                context.merge(context.changes(in: changeNotificationData))
                continue
            }
            let data = UncheckedSendable(changeNotificationData)
            context.enqueue { $0.merge($0.changes(in: data.value)) }
        }
    }

    // MARK: The contents of a notification

    private static let insertedKeys = [NSInsertedObjectsKey, NSInsertedObjectIDsKey]
    private static let updatedKeys = [
        NSUpdatedObjectsKey, NSUpdatedObjectIDsKey, NSRefreshedObjectsKey, NSRefreshedObjectIDsKey,
        NSInvalidatedObjectsKey, NSInvalidatedObjectIDsKey,
    ]
    private static let deletedKeys = [NSDeletedObjectsKey, NSDeletedObjectIDsKey]

    /// The changes in the user info of a notification, or in a dictionary of its form.
    private func changes(in userInfo: [AnyHashable: Any]) -> MergedChanges {
        if let saved = userInfo[SavedKeys.userInfoKey] as? SavedKeys { return saved.changes(for: self) }
        func keys(_ names: [String]) -> [ObjectKey] {
            names.flatMap { name in userInfo[name].map { Self.elements(of: $0) } ?? [] }.compactMap { key(of: $0) }
        }
        var changes = MergedChanges(
            inserted: keys(Self.insertedKeys), updated: keys(Self.updatedKeys), deleted: keys(Self.deletedKeys))
        changes.invalidatesAll = userInfo[NSInvalidatedAllObjectsKey] != nil
        changes.isCached = false
        return changes
    }

    private static func elements(of collection: Any) -> [Any] {
        switch collection {
        case let ids as [NSManagedObjectID]: ids
        case let ids as Set<NSManagedObjectID>: Array(ids)
        case let objects as Set<NSManagedObject>: Array(objects)
        case let urls as Set<URL>: Array(urls)
        case let set as NSSet: set.allObjects
        case let set as NSOrderedSet: set.array
        case let set as Set<AnyHashable>: set.map(\.base)
        case let array as [Any]: array
        default: []
        }
    }

    private func key(of element: Any) -> ObjectKey? {
        switch element {
        case let id as NSManagedObjectID: localKey(of: id)
        case let object as NSManagedObject: localKey(of: object.objectID)
        case let url as URL:
            persistentStoreCoordinator?.managedObjectID(forURIRepresentation: url).flatMap { localKey(of: $0) }
        default: nil
        }
    }

    // MARK: Taking over

    /// Takes changes over. On this context's queue.
    final func merge(_ received: MergedChanges) {
        observed { take(received) }
    }

    private func take(_ received: MergedChanges) {
        applyPendingUpdates()
        processPendingChanges()
        let changes = received.renamed(keysAbove(received)).withLastChanges()
        if changes.isEmpty { return }
        advanceGeneration()
        // Merged changes are committed.
        if settings.readsFromStandbys { persistentStoreCoordinator?.requireNewStandbys() }
        if !changes.isCached { forgetCachedRows(changes) }
        if changes.invalidatesAll { refreshAllObjects() }
        acceptDeletions(of: changes.deleted.compactMap { registeredObject(for: $0) })
        var known: [NSManagedObject] = []
        for key in changes.updated {
            if let object = registeredObject(for: key) {
                known.append(object)
            } else if isFollowed(key.layoutIndex) {
                // A fetched-results controller has to check whether the object matches now.
                noteRefresh(of: object(for: key))
            }
        }
        for key in changes.inserted {
            if let object = registeredObject(for: key) {
                known.append(object)
            } else {
                tracked.mergedInsertions.append(object(for: key))
            }
        }
        toleratingReadErrors { renew(known) }
        // This is announced at once, also if the context has no other changes.
        processPendingChanges()
        announceMerge(changes, refreshed: known)
        announceToChildren(changes)
    }

    /// The permanent keys for temporary ones that this context does not have.
    private func keysAbove(_ changes: MergedChanges) -> PermanentKeys {
        guard rowSource?.hasUnsavedRows == true else { return [:] }
        return (changes.inserted + changes.updated + changes.deleted).reduce(into: [:]) { known, key in
            if key.isTemporary, registeredObject(for: key) == nil { known[key.key] = keyAbove(key)?.key }
        }
    }

    /// Gives objects the rows that their source has now; unsaved changes stay on top.
    final func renew(_ objects: [NSManagedObject]) {
        for object in objects { object.overlay?.forgetBases() }
        let real = objects.filter { $0.row != nil && !$0.flags.contains(.inserted) }
        guard let rows = try? readRows(for: real.map(\.objectKey)) else {
            // The store cannot be read now. Objects without changes are read when they are next used.
            for object in real where object.overlay?.hasChangedValues != true && !object.flags.contains(.deleted) {
                object.row = nil
            }
            return noteRenewal(of: objects)
        }
        let found = real.map { rows[$0.rootKey] }
        // The rows have the keys that the parent uses by now.
        applyPendingUpdates()
        acceptDeletions(of: zip(real, found).filter { $1 == nil }.map(\.0))
        for (object, row) in zip(real, found) {
            guard let row else { continue }
            if object.flags.contains(.deleted) {
                // The save has to meet partners that the object was given since, because the rules of the deletion did
                // not apply to them. The records of programs' stores do not name them.
                if !keepsMembersInRecord(object), !object.isGivenPartner(by: row) { object.rebaseDeleted(on: row) }
            } else {
                object.rebase(on: row, keeping: .all)
            }
        }
        noteRenewal(of: objects)
    }

    private func noteRenewal(of objects: [NSManagedObject]) {
        for object in objects where !object.flags.contains(.mergedAway) { noteRefresh(of: object) }
    }

    /// The rows behind many objects, by the keys they have under their root entities; objects without a row are left
    /// out.
    final func readRows(for keys: [ObjectKey]) throws -> [ObjectKey: Snapshot] {
        if keys.isEmpty { return [:] }
        return try rowSource?.rows(for: keys, in: self) ?? [:]
    }

    final func rootIndex(of key: ObjectKey) -> Int { binding(at: key.layoutIndex).layout.rootIndex }

    private func forgetCachedRows(_ changes: MergedChanges) {
        guard let coordinator = persistentStoreCoordinator, let modelLayout else { return }
        for key in changes.updated + changes.deleted where !key.isTemporary {
            coordinator.forgetCachedRow(key, rootIndex: modelLayout.entities[key.layoutIndex].rootIndex)
        }
        // A parent has registered rows of its own, and a merge of its own brings these up to date.
    }

    private func announceMerge(_ changes: MergedChanges, refreshed: [NSManagedObject]) {
        var info = identifiers(of: changes)
        // These are usually the objects that the other context updated. A second set of ids would cost as much as the
        // merge itself.
        let isWhole =
            refreshed.count == changes.updated.count
            && zip(refreshed, changes.updated).allSatisfy { $0.objectKey == $1 && !$0.flags.contains(.mergedAway) }
        if isWhole {
            info[NSRefreshedObjectIDsKey] = info[NSUpdatedObjectIDsKey]
        } else {
            let renewed = refreshed.filter { !$0.flags.contains(.mergedAway) }
            if !renewed.isEmpty { info[NSRefreshedObjectIDsKey] = Set(renewed.map(\.objectID)) }
        }
        if changes.invalidatesAll { info[NSInvalidatedAllObjectsKey] = NSNumber(value: true) }
        NotificationCenter.default.post(
            name: .NSManagedObjectContextDidMergeChangesObjectIDs, object: self, userInfo: info)
    }

    /// The user info of the notifications with object ids.
    final func identifiers(of changes: MergedChanges) -> [AnyHashable: Any] {
        func ids(_ keys: [ObjectKey]) -> Set<NSManagedObjectID> { setOfObjectIDs(for: keys) }
        var info: [AnyHashable: Any] = [:]
        if !changes.inserted.isEmpty { info[UserInfoKeys.all.insertedObjectIDs] = ids(changes.inserted) }
        if !changes.updated.isEmpty { info[UserInfoKeys.all.updatedObjectIDs] = ids(changes.updated) }
        if !changes.deleted.isEmpty { info[UserInfoKeys.all.deletedObjectIDs] = ids(changes.deleted) }
        return info
    }
}
