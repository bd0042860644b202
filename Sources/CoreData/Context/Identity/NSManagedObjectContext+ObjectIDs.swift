import Foundation

// Objects by their ids, and ids by keys.
extension NSManagedObjectContext: HistoryContext {
    /// Does the work of `registeredObject(for:)` unless a subclass overrides it.
    final func _registeredObject(for objectID: NSManagedObjectID) -> NSManagedObject? {
        checkConfinement()
        guard let key = localKey(of: objectID) else { return nil }
        applyPendingUpdates(concerning: key)
        return registeredObject(for: key)
    }

    /// Does the work of `object(with:)` unless a subclass overrides it.
    final func _object(with objectID: NSManagedObjectID) -> NSManagedObject {
        checkConfinement()
        guard let key = localKey(of: objectID) else {
            fatalError(
                """
                Object \(objectID) persistent store is not reachable from this NSManagedObjectContext's coordinator
                """)
        }
        applyPendingUpdates(concerning: key)
        return object(for: key)
    }

    /// Does the work of `existingObject(with:)` unless a subclass overrides it.
    final func _existingObject(with objectID: NSManagedObjectID) throws -> NSManagedObject {
        checkConfinement()
        applyPendingUpdates()
        guard let key = localKey(of: objectID) else { throw missingObject(objectID) }
        let binding = binding(at: key.layoutIndex)
        if let object = binding.identityMap?.object(for: key.key) {
            if object.flags.contains(.deleted) { throw missingObject(objectID) }
            if object.row == nil {
                guard let row = try existingRow(for: key) else { throw missingObject(objectID) }
                guard binding.layout.subtree.contains(row.layoutIndex) else {
                    throw unfulfilled(key, binding.layout.strangeRow(row))
                }
                object.row = row
                object.flags.insert(.unfired)
            }
            _ = object.firedRow()
            return object
        }
        if key.isTemporary {
            // The object was saved since the id was made.
            if let permanent = keyAbove(key) { return try existingObject(with: self.objectID(for: permanent)) }
            guard rowSource?.hasUnsavedRows == true, let row = try existingRow(for: key) else {
                throw missingObject(objectID)
            }
            let object = makeObject(binding: binding, key: key.key, row: row, isUnfired: true)
            _ = object.firedRow()
            return object
        }
        guard let row = try existingRow(for: key) else { throw missingObject(objectID) }
        let concrete = row.layoutIndex == binding.layout.index ? binding : self.binding(at: row.layoutIndex)
        let object = makeObject(binding: concrete, key: key.key, row: row, isUnfired: true)
        _ = object.firedRow()
        return object
    }

    /// The row for a key. A store's error names it.
    private func existingRow(for key: ObjectKey) throws -> Snapshot? {
        do { return try readRow(for: key) } catch { throw unfulfilled(key, error) }
    }

    private func missingObject(_ objectID: NSManagedObjectID) -> NSError {
        NSError.coreData(
            NSManagedObjectReferentialIntegrityError, reason: "Attempt to access an object not found in store.",
            userInfo: [NSAffectedObjectsErrorKey: [objectID]])
    }

    /// The key of an id in this context's model; ids of an equal model of another coordinator are matched by name.
    final func localKey(of objectID: NSManagedObjectID) -> ObjectKey? {
        guard let modelLayout else { return nil }
        // Stores of several coordinators may have one number: the identifier distinguishes them.
        if objectID.layout.model === modelLayout,
            objectID.isTemporaryID
                || store(numbered: objectID.objectKey.storeNumber)?.identifier == objectID.storeIdentifier
        {
            return objectID.objectKey
        }
        guard let layout = modelLayout.layout(named: objectID.layout.name) else { return nil }
        if objectID.isTemporaryID { return ObjectKey(layoutIndex: layout.index, key: objectID.objectKey.key) }
        guard let identifier = objectID.storeIdentifier,
            let number = persistentStoreCoordinator?.storeNumber(identifier: identifier)
        else { return nil }
        return ObjectKey(
            layoutIndex: layout.index,
            key: ObjectKey.key(storeNumber: number, primaryKey: objectID.objectKey.primaryKey))
    }

    /// The id for a key.
    final func objectID(for key: ObjectKey) -> NSManagedObjectID {
        guard let modelLayout else { fatalError("\(debugName) has no coordinator and no parent") }
        return NSManagedObjectID(
            objectKey: key, modelLayout: modelLayout,
            store: key.isTemporary ? nil : store(numbered: key.storeNumber))
    }

    /// The ids for many keys.
    final func objectIDs(for keys: some Sequence<ObjectKey>) -> [NSManagedObjectID] {
        var ids: [NSManagedObjectID] = []
        ids.reserveCapacity(keys.underestimatedCount)
        eachObjectID(for: keys) { ids.append($0) }
        return ids
    }

    /// The ids for many keys, as a set.
    final func setOfObjectIDs(for keys: [ObjectKey]) -> Set<NSManagedObjectID> {
        var ids = Set<NSManagedObjectID>(minimumCapacity: keys.count)
        eachObjectID(for: keys) { ids.update(with: $0) }
        return ids
    }

    /// Calls a body with the id for each of many keys. The common parts of the ids of one store are made once.
    ///
    /// - Parameter body: Takes the id over, so that no reference to it is counted.
    @inline(__always)
    private func eachObjectID(for keys: some Sequence<ObjectKey>, _ body: (consuming NSManagedObjectID) -> Void) {
        guard let modelLayout else { return keys.forEach { body(objectID(for: $0)) } }
        // By the stores' numbers; new objects have none.
        var origins: [Int: NSManagedObjectID.Origin] = [:]
        var (latest, origin): (Int?, NSManagedObjectID.Origin?)
        for key in keys {
            let number = key.isTemporary ? -1 : key.storeNumber
            if let origin, latest == number {
                body(NSManagedObjectID(objectKey: key, origin: origin))
                continue
            }
            let found =
                origins[number]
                ?? NSManagedObjectID.Origin(
                    modelLayout: modelLayout, store: key.isTemporary ? nil : store(numbered: number))
            origins[number] = found
            (latest, origin) = (number, found)
            body(NSManagedObjectID(objectKey: key, origin: found))
        }
    }

    final func store(numbered number: Int) -> NSPersistentStore? {
        persistentStoreCoordinator?.store(numbered: number)
    }
}
