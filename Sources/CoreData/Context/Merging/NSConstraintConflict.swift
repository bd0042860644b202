import Foundation

/// Objects that cannot be saved because they break a uniqueness constraint: with a row of the store, or among
/// themselves.
open class NSConstraintConflict: NSObject {
    /// The names of the attributes and to-one relationships that have to be unique together.
    open private(set) var constraint: [String]
    /// The values that are not unique, by name; `NSNull` for nil, ids for relationships.
    open private(set) var constraintValues: [String: Any]
    /// The object whose row has the values already; nil when only objects of the save clash with each other.
    open private(set) var databaseObject: NSManagedObject?
    /// The values of that row; nil when only objects of the save clash with each other.
    open private(set) var databaseSnapshot: [String: Any]?
    /// The objects that are being saved with the values.
    open private(set) var conflictingObjects: [NSManagedObject]
    /// The values that the conflicting objects had before they were changed, in the same order.
    open private(set) var conflictingSnapshots: [[AnyHashable: Any]]

    /// Describes a conflict.
    public init(
        constraint contraint: [String], database databaseObject: NSManagedObject?,
        databaseSnapshot: [AnyHashable: Any]?, conflicting conflictingObjects: [NSManagedObject],
        conflictingSnapshots: [Any]
    ) {
        constraint = contraint
        self.databaseObject = databaseObject
        self.databaseSnapshot = databaseSnapshot as? [String: Any]
        self.conflictingObjects = conflictingObjects
        self.conflictingSnapshots = conflictingSnapshots.compactMap { $0 as? [AnyHashable: Any] }
        let present = conflictingObjects.first?.currentSnapshotValues() ?? [:]
        constraintValues = Dictionary(
            contraint.map { ($0, present[$0] ?? databaseSnapshot?[$0] ?? NSNull()) },
            uniquingKeysWith: { first, _ in first })
        super.init()
    }

    /// Describes nothing: no constraint, no objects.
    public convenience override init() {
        self.init(
            constraint: [], database: nil, databaseSnapshot: nil, conflicting: [], conflictingSnapshots: [])
    }

    open override var description: String {
        let values = constraint.map { "\($0) = \(constraintValues[$0] ?? "(null)")" }.joined(separator: ", ")
        let ids = conflictingObjects.map { "'\($0.objectID)'" }.joined(separator: ", ")
        let rival = databaseObject.map { "the database object '\($0.objectID)'" } ?? "each other"
        return "NSConstraintConflict for the constraint (\(values)) of \(ids) with \(rival)"
    }

    /// The error of a save that met these conflicts: 133021.
    static func error(_ list: [NSConstraintConflict]) -> NSError {
        let constraint = list.first?.constraint.joined(separator: ", ") ?? ""
        return .coreData(
            NSManagedObjectConstraintMergeError,
            reason: "Could not merge changes: the uniqueness constraint (\(constraint)) is violated",
            userInfo: [
                NSPersistentStoreSaveConflictsErrorKey: list,
                NSAffectedObjectsErrorKey: list.flatMap { $0.conflictingObjects.map(\.objectID) },
            ])
    }
}
