import Foundation

/// Objects that cannot be saved because they break a uniqueness constraint, with a row of the store or among
/// themselves.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsconstraintconflict)
open class NSConstraintConflict: NSObject {
    /// The names of the attributes and to-one relationships that have to be unique together.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsconstraintconflict/constraint)
    open private(set) var constraint: [String]
    /// The values that are not unique, by name; `NSNull` for nil, ids for relationships.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsconstraintconflict/constraintvalues)
    open private(set) var constraintValues: [String: Any]
    /// The object whose row has the values already; nil if only objects of the save conflict with each other.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsconstraintconflict/databaseobject)
    open private(set) var databaseObject: NSManagedObject?
    /// The values of that row by name; nil if only objects of the save conflict with each other.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsconstraintconflict/databasesnapshot)
    open private(set) var databaseSnapshot: [String: Any]?
    /// The objects that are being saved with the values.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsconstraintconflict/conflictingobjects)
    open private(set) var conflictingObjects: [NSManagedObject]
    /// The values that the conflicting objects had before they were changed, in the same order.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsconstraintconflict/conflictingsnapshots)
    open private(set) var conflictingSnapshots: [[AnyHashable: Any]]

    /// Creates a description of a conflict.
    ///
    /// - Parameters:
    ///   - contraint: The names of the properties that have to be unique together.
    ///   - databaseObject: The object whose row has the values already, if any.
    ///   - databaseSnapshot: The values of that row by name.
    ///   - conflictingObjects: The objects that are being saved. The first one gives ``constraintValues``.
    ///   - conflictingSnapshots: A dictionary of earlier values for each of these objects; other elements are left out.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsconstraintconflict/init(constraint:database:databasesnapshot:conflicting:conflictingsnapshots:))
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

    /// Creates an empty description: no constraint, no objects.
    public convenience override init() {
        self.init(
            constraint: [], database: nil, databaseSnapshot: nil, conflicting: [], conflictingSnapshots: [])
    }

    /// Describes the constraint, its values and the objects.
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
