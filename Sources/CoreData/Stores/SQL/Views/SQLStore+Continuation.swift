import Foundation

// The failover of a store: another server has taken the place of a lost one.
extension SQLStore: ContinuationFollower {
    package final func databaseWasContinued() {
        doubtsRows.withLock { $0 = true }
        rowCache.removeAll()
    }

    package final func metadataEntryIs(_ value: Any, forKey key: String) { metadataEntryWasSaved(value, forKey: key) }

    package final var notifier: NSPersistentStoreCoordinator? { persistentStoreCoordinator }

    package final func objectIDs(_ keys: [ObjectKey]) -> [NSManagedObjectID] {
        guard let host = storeHost else { return [] }
        return keys.map { NSManagedObjectID(objectKey: $0, modelLayout: host.modelLayout, store: self) }
    }

    package final func historyToken(_ number: Int64) -> NSPersistentHistoryToken {
        NSPersistentHistoryToken(numbers: [identifier ?? "": number])
    }

    /// Whether a row of a save may contain lost changes, because it was read before another server took over. Rows that
    /// were read since are in the row cache.
    final func isDoubtful(_ row: Snapshot) -> Bool {
        !rowCache.has(
            Unmanaged.passUnretained(row), for: row.key, rootIndex: layout.entities[row.layoutIndex].rootIndex)
    }

    package final func lostHistory(after number: Int64) throws -> LostHistory? {
        do {
            return try database.lostHistory(after: number)
        } catch let failure as any SQLFailure {
            throw failure.nsError(doing: .reading)
        }
    }
}

extension SaveSession {
    /// Checks that rows that were read before a failover still have the values that were read. Versions do not show it,
    /// because the new server gives the lost version numbers to other rows. Throws the conflicts, if there are any.
    func checkDoubtful(_ changes: ChangeSet) throws {
        let isOn = store.doubtsRows.withLock { $0 }
        if !isOn { return }
        var found: [SaveConflicts.Conflict] = []
        let rows = changes.updated.map(\.old) + changes.unchanged + changes.deleted.compactMap(\.row)
        for row in rows where store.isDoubtful(row) {
            let key = ObjectKey(layoutIndex: row.layoutIndex, key: row.key)
            let present = try presentRow(key)
            if let present, store.isSame(present, row) { continue }
            var conflict = SaveConflicts.Conflict(key: key, expected: row, found: present)
            conflict.wentBack = true
            found.append(conflict)
        }
        if !found.isEmpty { throw SaveConflicts(conflicts: found) }
    }
}
