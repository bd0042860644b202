import Foundation

/// The changes of another save, as keys of the context's own model and coordinator.
struct MergedChanges: Sendable {
    var inserted: [ObjectKey] = []
    var updated: [ObjectKey] = []
    var deleted: [ObjectKey] = []
    /// Whether all registered objects have to be read again.
    var invalidatesAll = false
    /// Whether the coordinator's row cache has the new rows; otherwise they are read from the store.
    var isCached = true

    var isEmpty: Bool { inserted.isEmpty && updated.isEmpty && deleted.isEmpty && !invalidatesAll }

    /// Adds the changes of a later save.
    mutating func append(_ later: MergedChanges) {
        inserted += later.inserted
        updated += later.updated
        deleted += later.deleted
        invalidatesAll = invalidatesAll || later.invalidatesAll
        isCached = isCached && later.isCached
    }

    /// Each key once, with its last change. Keys are never used again, so a deletion is the last change.
    func withLastChanges() -> MergedChanges {
        if hasEachKeyOnce { return self }
        var latest = self
        var seen = Set(deleted)
        if seen.count < deleted.count { latest.deleted = Array(seen) }
        latest.inserted = inserted.filter { seen.insert($0).inserted }
        latest.updated = updated.filter { seen.insert($0).inserted }
        return latest
    }

    /// Whether the changes are of one kind and in the order of their keys, as those of one save mostly are. Then no set
    /// of all keys has to be made.
    private var hasEachKeyOnce: Bool {
        let lists = [inserted, updated, deleted].filter { !$0.isEmpty }
        guard lists.count <= 1, let keys = lists.first else { return lists.isEmpty }
        return keys.indices.dropFirst().allSatisfy { place in
            let (former, key) = (keys[place - 1], keys[place])
            return former.layoutIndex == key.layoutIndex ? former.key < key.key : former.layoutIndex < key.layoutIndex
        }
    }

    /// The changes with the permanent keys of new objects.
    func renamed(_ permanent: PermanentKeys) -> MergedChanges {
        if permanent.isEmpty { return self }
        var renamed = self
        renamed.inserted = inserted.map { $0.renamed(permanent) }
        renamed.updated = updated.map { $0.renamed(permanent) }
        renamed.deleted = deleted.map { $0.renamed(permanent) }
        return renamed
    }
}

/// The keys of a save, inside its did-save notification. A context that merges it on another queue needs no object of
/// this one.
final class SavedKeys: Sendable {
    /// The key of the user info.
    static let userInfoKey = "_NSSavedObjectKeys"

    let changes: MergedChanges
    let modelLayout: ModelLayout
    /// Identifies the coordinator; never dereferenced.
    private let coordinator: ObjectIdentifier?
    private let storeIdentifiers: [Int: String]

    init(_ changes: MergedChanges, modelLayout: ModelLayout, coordinator: NSPersistentStoreCoordinator?) {
        self.changes = changes
        self.modelLayout = modelLayout
        self.coordinator = coordinator.map { ObjectIdentifier($0) }
        storeIdentifiers = coordinator?.storeIdentifiers ?? [:]
    }

    /// The changes with the keys of a context of any coordinator that has the stores. Rows that the context cannot have
    /// are left out.
    func changes(for context: NSManagedObjectContext) -> MergedChanges {
        let target = context.persistentStoreCoordinator
        if let target, ObjectIdentifier(target) == coordinator { return changes }
        guard let targetLayout = context.modelLayout else { return MergedChanges() }
        func converted(_ keys: [ObjectKey]) -> [ObjectKey] {
            keys.compactMap { key in
                guard !key.isTemporary, let identifier = storeIdentifiers[key.storeNumber],
                    let number = target?.storeNumber(identifier: identifier),
                    let layout = targetLayout.layout(named: modelLayout.entities[key.layoutIndex].name)
                else { return nil }
                return ObjectKey(
                    layoutIndex: layout.index,
                    key: ObjectKey.key(storeNumber: number, primaryKey: key.primaryKey))
            }
        }
        return MergedChanges(
            inserted: converted(changes.inserted), updated: converted(changes.updated),
            deleted: converted(changes.deleted), isCached: false)
    }
}
