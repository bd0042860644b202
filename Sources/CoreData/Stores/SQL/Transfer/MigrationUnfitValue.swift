import Foundation

/// A value of a store that the database to which the store is to be moved cannot hold.
///
/// An addition to Apple's API: a plain value. The error of a move that such values stand in the way of has them under
/// `NSMigrationUnfitValuesErrorKey`.
public struct MigrationUnfitValue: Sendable, Equatable {
    /// The object's entity.
    public var entity: String
    /// The property; nil where it is not known.
    public var property: String?
    /// The object in the store that was to be moved, for `managedObjectID(forURIRepresentation:)`.
    public var uri: URL?
    /// What stands in the way, as the rest of a sentence.
    public var reason: String
}

extension MigrationUnfitValue: CustomStringConvertible {
    /// The property, the object's key, the reason.
    public var description: String {
        "“\(entity)\(property.map { "." + $0 } ?? "")” of \(uri?.lastPathComponent ?? "an object") \(reason)"
    }
}

/// User-info key of the error 134110 of moving a store whose values another database cannot hold: the first hundred of
/// them, `[MigrationUnfitValue]`.
public let NSMigrationUnfitValuesErrorKey = "OpenCoreDataMigrationUnfitValues"

/// User-info key of the same error: how many there are, an `Int`.
public let NSMigrationUnfitValueCountErrorKey = "OpenCoreDataMigrationUnfitValueCount"
