import Foundation

/// A stage of a staged migration. Use one of its two subclasses.
///
/// Any other class of stage makes the migration fail with `NSMigrationError` (134110).
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmigrationstage)
// @unchecked Sendable: `label` is set up before the stage is used.
open class NSMigrationStage: NSObject, @unchecked Sendable {
    /// The name of the stage in messages. Set it before the stage is used.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmigrationstage/label)
    open var label: String?
}

/// A stage of versions that follow one another by changes that can be inferred.
///
/// The migration includes every version whose model can be found. The changes of a version without one become part of
/// those to the next version.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nslightweightmigrationstage)
// @unchecked Sendable: immutable beyond its superclass.
open class NSLightweightMigrationStage: NSMigrationStage, @unchecked Sendable {
    /// The checksums of the versions, the oldest first.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nslightweightmigrationstage/versionchecksums)
    open private(set) var versionChecksums: [String]

    /// Creates a stage of some versions.
    ///
    /// - Parameter versionChecksums: The checksums of the versions, the oldest first. See
    ///   ``NSManagedObjectModel/versionChecksum``.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nslightweightmigrationstage/init(_:))
    public init(_ versionChecksums: [String]) {
        self.versionChecksums = versionChecksums
        super.init()
    }
}

/// A stage from one version to the next, with code of the program before and after the migration of the data.
///
/// Set the handlers before the stage is used. They run on the thread that adds the store. If the process is killed
/// before both handlers have run, the next process runs both again, on a fresh copy of the store.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nscustommigrationstage)
// @unchecked Sendable: the models are immutable; the handlers are set up before the stage is used.
open class NSCustomMigrationStage: NSMigrationStage, @unchecked Sendable {
    /// The version that the stage begins with.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nscustommigrationstage/currentmodel)
    open private(set) var currentModel: NSManagedObjectModelReference
    /// The version that the stage ends with.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nscustommigrationstage/nextmodel)
    open private(set) var nextModel: NSManagedObjectModelReference
    /// A closure that runs while the store still has the version ``currentModel``.
    ///
    /// The handler gets the store in the manager's ``NSStagedMigrationManager/container``. An error that it throws ends
    /// the migration with `NSMigrationError` (134110), as the underlying error. The store is then as it was before the
    /// first stage.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nscustommigrationstage/willmigratehandler)
    open var willMigrateHandler: ((NSStagedMigrationManager, NSCustomMigrationStage) throws -> Void)?
    /// A closure that runs when the store has the version ``nextModel``.
    ///
    /// The handler gets the store in the manager's ``NSStagedMigrationManager/container``. An error that it throws ends
    /// the migration with `NSMigrationError` (134110), as the underlying error. The store is then as it was before the
    /// first stage.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nscustommigrationstage/didmigratehandler)
    open var didMigrateHandler: ((NSStagedMigrationManager, NSCustomMigrationStage) throws -> Void)?

    /// Creates a stage from one version to another.
    ///
    /// - Parameters:
    ///   - currentModel: The version that the stage begins with.
    ///   - nextModel: The version that the stage ends with.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nscustommigrationstage/init(migratingfrom:to:))
    public init(
        migratingFrom currentModel: NSManagedObjectModelReference, to nextModel: NSManagedObjectModelReference
    ) {
        self.currentModel = currentModel
        self.nextModel = nextModel
        super.init()
    }
}

extension NSCustomMigrationStage {
    /// Whether the stage runs code of the program's own.
    var hasHandlers: Bool { willMigrateHandler != nil || didMigrateHandler != nil }
}
