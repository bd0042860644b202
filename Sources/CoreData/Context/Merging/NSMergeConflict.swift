import Foundation

/// An object that cannot be saved as it is, because its row has changed since it was read.
///
/// There are two kinds of conflict. In the first, another context of the coordinator has saved a newer row.
/// ``cachedSnapshot`` is then that row, and ``persistedSnapshot`` is nil. In the second, another coordinator or process
/// has written the store. ``cachedSnapshot`` is then the row as it was read, and ``persistedSnapshot`` the row as it is
/// now.
///
/// Snapshots have the values of attributes and the ids of to-one relationships by name, with `NSNull` for nil. They
/// have no to-many relationships.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmergeconflict)
open class NSMergeConflict: NSObject {
    /// The object in conflict.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmergeconflict/sourceobject)
    open private(set) var sourceObject: NSManagedObject
    /// The object's values as they were read; nil if the object has no row in memory.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmergeconflict/objectsnapshot)
    open private(set) var objectSnapshot: [String: Any]?
    /// The values that the coordinator or the parent context has.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmergeconflict/cachedsnapshot)
    open private(set) var cachedSnapshot: [String: Any]?
    /// The values in the store; nil for a conflict with the row cache or the parent, and if the row was deleted.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmergeconflict/persistedsnapshot)
    open private(set) var persistedSnapshot: [String: Any]?
    /// The version of the row as it is now; 0 if it was deleted.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmergeconflict/newversionnumber)
    open private(set) var newVersionNumber: Int
    /// The version of the row as it was read.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmergeconflict/oldversionnumber)
    open private(set) var oldVersionNumber: Int
    /// The row as it is now, where the framework itself found the conflict.
    let foundRow: Snapshot?

    /// Creates a description of a conflict.
    ///
    /// - Parameters:
    ///   - srcObject: The object in conflict.
    ///   - newvers: The version of the row as it is now; 0 if it was deleted.
    ///   - oldvers: The version of the row as it was read.
    ///   - cachesnap: The values that the coordinator or the parent context has.
    ///   - persnap: The values in the store, or nil.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmergeconflict/init(source:newversion:oldversion:cachedsnapshot:persistedsnapshot:))
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

    /// Describes the object, the versions and the values.
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
                "Could not merge changes: \(list.count) objects were changed or deleted in the store since they "
                + "were read",
            userInfo: [
                NSPersistentStoreSaveConflictsErrorKey: list,
                NSAffectedObjectsErrorKey: list.map(\.sourceObject.objectID),
            ])
    }
}
