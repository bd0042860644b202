import Foundation

/// Option: what a migration may lose of the values that it would otherwise refuse to lose, `[String]` of `"Entity"`
/// (its objects) and `"Entity.property"` (values or links; of a composite attribute all elements, or one by
/// `"Entity.property.element"`), as the store's version calls them.
///
/// An addition to Apple's API. It matters where a store goes back to a version that it was of before, and where the
/// program does not know the store's version: where only the store itself keeps its model.
public let NSMigrationAllowedLossesOption = "OpenCoreDataMigrationAllowedLossesOption"

/// Option: versions of the model beside those among the program's resources, `[NSManagedObjectModel]`. The program
/// knows these, so that what it leaves out on purpose is no loss to be asked for, and a migration may lead through
/// them.
///
/// An addition to Apple's API, for programs whose models are made in code.
public let NSMigrationKnownVersionsOption = "OpenCoreDataMigrationKnownVersionsOption"

/// User-info key of the error of a migration that was refused because it would lose values: `[MigrationLoss]`, those
/// that nothing allows.
public let NSMigrationLossesErrorKey = "OpenCoreDataMigrationLosses"

/// What the options of a store say about losses.
package struct MigrationLossOptions {
    /// The names of what may go.
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

    /// Whether a loss is named, or the composite attribute that an element belongs to.
    func allow(_ thing: LossSearch.Lost) -> Bool {
        if allowed.contains(thing.name) { return true }
        return thing.path.indices.dropFirst().contains { end in
            allowed.contains(([thing.entity] + thing.path[..<end]).joined(separator: "."))
        }
    }
}
