import Foundation

/// The option that lists the content that a migration may lose: `[String]`.
///
/// OpenCoreData only. The names are those of the store's version:
///
/// - `"Entity"`: the objects of an entity.
/// - `"Entity.property"`: the values of an attribute with all its elements, or the links of a relationship.
/// - `"Entity.property.element"`: the values of one element of a composite attribute.
///
/// A migration refuses to lose values in two cases: the store is migrated back to a version that it had before, or only
/// the store itself keeps the model of its version. It then fails with `NSMigrationMissingSourceModelError` (134130),
/// and the error lists the losses under ``NSMigrationLossesErrorKey``.
public let NSMigrationAllowedLossesOption = "OpenCoreDataMigrationAllowedLossesOption"

/// The option for versions of the model beside those among the program's resources: `[NSManagedObjectModel]`.
///
/// OpenCoreData only, for programs whose models are made in code. A migration from one of these versions may drop
/// content on purpose, as from a version among the resources, and a migration may lead through them.
public let NSMigrationKnownVersionsOption = "OpenCoreDataMigrationKnownVersionsOption"

/// The user-info key for the losses that the options do not allow, in the error of a refused migration:
/// `[MigrationLoss]`.
///
/// OpenCoreData only.
public let NSMigrationLossesErrorKey = "OpenCoreDataMigrationLosses"

/// The options of a store that concern losses.
package struct MigrationLossOptions {
    /// The names of the content that may be lost.
    package let allowed: Set<String>
    /// The versions that the program gives.
    let versions: [NSManagedObjectModel]

    package init(_ options: [AnyHashable: Any]?) {
        func list(_ key: String) -> [Any] {
            switch options?[key] {
            case let array as [Any]: array
            case let array as NSArray: array.map(\.self)
            case let set as Set<String>: Array(set)
            case let set as NSSet: set.allObjects
            default: []
            }
        }
        allowed = Set(list(NSMigrationAllowedLossesOption).compactMap { $0 as? String })
        versions = list(NSMigrationKnownVersionsOption).compactMap { $0 as? NSManagedObjectModel }
    }

    /// Whether the option names a loss, or the composite attribute that an element belongs to.
    func allow(_ thing: LossSearch.Lost) -> Bool {
        if allowed.contains(thing.name) { return true }
        return thing.path.indices.dropFirst().contains { end in
            allowed.contains(([thing.entity] + thing.path[..<end]).joined(separator: "."))
        }
    }
}
