import Foundation

/// An object that cannot be saved as it is, because its row has moved on since it was read.
///
/// Found in two places. The coordinator's row cache knows a newer row, saved by another context: then the cached
/// snapshot is that row and there is no persisted one. Or the file has a newer row, saved by another coordinator or
/// process: then the cached snapshot is the row as it was read, and the persisted one the row as it is. A
/// `newVersionNumber` of 0 says that the row was deleted.
///
/// Snapshots have the values of attributes and the ids of to-one relationships by name, `NSNull` for nil, and nothing
/// of to-many relationships.
open class NSMergeConflict: NSObject {
    /// The object in conflict.
    open private(set) var sourceObject: NSManagedObject
    /// The object's values as they were read.
    open private(set) var objectSnapshot: [String: Any]?
    /// The values that the coordinator (or the parent context) has.
    open private(set) var cachedSnapshot: [String: Any]?
    /// The values that the store has; nil for a conflict with the row cache, and when the row was deleted.
    open private(set) var persistedSnapshot: [String: Any]?
    /// The version of the row as it is now; 0 when it was deleted.
    open private(set) var newVersionNumber: Int
    /// The version of the row that the object was read from.
    open private(set) var oldVersionNumber: Int
    /// The row as it is now, where the framework itself found the conflict.
    let foundRow: Snapshot?

    /// Describes a conflict.
    public init(
        source srcObject: NSManagedObject, newVersion newvers: Int, oldVersion oldvers: Int,
        cachedSnapshot cachesnap: [String: Any]?, persistedSnapshot persnap: [String: Any]?
    ) {
        sourceObject = srcObject
        newVersionNumber = newvers
        oldVersionNumber = oldvers
        cachedSnapshot = cachesnap
        persistedSnapshot = persnap
        objectSnapshot = srcObject.row.map { srcObject.snapshotValues(of: $0) }
        foundRow = nil
        super.init()
    }

    /// A conflict of an object with a row that was found, in the file or in the cache; nil when it was deleted.
    init(_ object: NSManagedObject, found: Snapshot?, isCached: Bool) {
        sourceObject = object
        objectSnapshot = object.row.map { object.snapshotValues(of: $0) }
        let values = found.map { object.snapshotValues(of: $0) }
        cachedSnapshot = isCached ? values : objectSnapshot
        persistedSnapshot = isCached ? nil : values
        newVersionNumber = Int(found?.version ?? 0)
        oldVersionNumber = Int(object.row?.version ?? 0)
        foundRow = found
        super.init()
    }

    /// The row to merge with; nil when it was deleted.
    var latestRow: Snapshot? {
        if let foundRow { return foundRow }
        guard newVersionNumber > 0, let values = persistedSnapshot ?? cachedSnapshot else { return nil }
        return sourceObject.row(fromSnapshotValues: values, version: Int32(clamping: newVersionNumber))
    }

    /// Whether the conflict is with the row cache (or the parent), not with the file.
    private var isWithCache: Bool { persistedSnapshot == nil && newVersionNumber > 0 }

    open override var description: String {
        let (old, new) = isWithCache ? ("object snapshot", "cached row") : ("cached row", "database row")
        let (oldValues, newValues) =
            isWithCache ? (objectSnapshot, cachedSnapshot) : (cachedSnapshot, persistedSnapshot)
        func text(_ values: [String: Any]?) -> String { values.map { "\($0 as NSDictionary)" } ?? "(null)" }
        return """
            NSMergeConflict for NSManagedObject with objectID '\(sourceObject.objectID)' with oldVersion = \
            \(oldVersionNumber) and newVersion = \(newVersionNumber) and old \(old) = \(text(oldValues)) and \
            new \(new) = \(text(newValues))
            """
    }

    /// The error of a save that met these conflicts: 133020.
    static func error(_ list: [NSMergeConflict]) -> NSError {
        .coreData(
            NSManagedObjectMergeError,
            reason:
                "Could not merge changes: \(list.count) objects were changed or deleted by somebody else since they "
                + "were read",
            userInfo: [
                NSPersistentStoreSaveConflictsErrorKey: list,
                NSAffectedObjectsErrorKey: list.map(\.sourceObject.objectID),
            ])
    }
}
