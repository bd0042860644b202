import Foundation

/// A value of a store that another database cannot hold, found when the store is moved or migrated.
///
/// OpenCoreData only. The error has such values under ``NSMigrationUnfitValuesErrorKey``.
public struct MigrationUnfitValue: Sendable, Equatable {
    /// The name of the object's entity.
    public var entity: String
    /// The name of the property; nil if it is not known.
    public var property: String?
    /// The URI of the object in the store that was to be moved, for `managedObjectID(forURIRepresentation:)`.
    public var uri: URL?
    /// The reason, as the rest of a sentence.
    public var reason: String
}

extension MigrationUnfitValue: CustomStringConvertible {
    /// The property, the object's key and the reason.
    public var description: String {
        "“\(entity)\(property.map { "." + $0 } ?? "")” of \(uri?.lastPathComponent ?? "an object") \(reason)"
    }
}

/// The user-info key for the first hundred values that another database cannot hold: `[MigrationUnfitValue]`.
///
/// OpenCoreData only. The error is `NSMigrationError` (134110), of moving a store.
public let NSMigrationUnfitValuesErrorKey = "OpenCoreDataMigrationUnfitValues"

/// The user-info key for the number of values that another database cannot hold: `Int`.
///
/// OpenCoreData only. It is in the same error as ``NSMigrationUnfitValuesErrorKey``.
public let NSMigrationUnfitValueCountErrorKey = "OpenCoreDataMigrationUnfitValueCount"
