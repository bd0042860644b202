/// The option that lets a migration change entities of a store that CloudKit mirrors (`Bool`).
///
/// OpenCoreData only, and only for a store that never returns to a device of Apple's. By default a migration fails with
/// `NSMigrationError` (134110) if it would renumber, rename, remove or move an entity of such a store, or if it uses a
/// mapping model. With the option the migration is carried out. An inferred migration leaves CloudKit's tables as they
/// are. These tables then name other objects, so that a device would overwrite records or upload them again. The file
/// that a mapping model makes has none of these tables.
public let NSMigrationIgnoresCloudKitOption = "OpenCoreDataMigrationIgnoresCloudKitOption"

extension StoreOptions {
    /// Whether a migration may leave CloudKit's tables of a store in a state that no longer fits its objects.
    static func ignoresCloudMirror(_ options: [AnyHashable: Any]?) -> Bool {
        bool(options, NSMigrationIgnoresCloudKitOption) == true
    }
}

/// The line of code by which a program sets the option, in errors. `coredata` puts its own option in its place.
package enum CloudMirrorAdvice {
    package static let line =
        "description.setOption(true as NSNumber, forKey: NSMigrationIgnoresCloudKitOption)"
}
