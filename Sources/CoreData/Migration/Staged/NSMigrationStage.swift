import Foundation

/// A stage of a staged migration: one of its two subclasses.
///
/// Source: Apple's documentation of staged migration.
// @unchecked Sendable: `label` is set up before the stage is used.
open class NSMigrationStage: NSObject, @unchecked Sendable {
    /// What people call the stage; for messages.
    open var label: String?
}

/// Versions that follow one another by changes that can be inferred.
///
/// All of them are gone through, also when several such stages follow one another.
// @unchecked Sendable: immutable beyond its superclass.
open class NSLightweightMigrationStage: NSMigrationStage, @unchecked Sendable {
    /// The checksums of the versions, in their order.
    open private(set) var versionChecksums: [String]

    /// A stage of these versions, given by their checksums, the oldest first.
    public init(_ versionChecksums: [String]) {
        self.versionChecksums = versionChecksums
        super.init()
    }
}

/// One version to the next, with code of the program's own before and after.
// @unchecked Sendable: the models are immutable; the handlers are set up before the stage is used.
open class NSCustomMigrationStage: NSMigrationStage, @unchecked Sendable {
    /// The version the stage begins with.
    open private(set) var currentModel: NSManagedObjectModelReference
    /// The version the stage ends with.
    open private(set) var nextModel: NSManagedObjectModelReference
    /// Called with the store still at `currentModel`, in the manager's container. What it throws ends the migration.
    open var willMigrateHandler: ((NSStagedMigrationManager, NSCustomMigrationStage) throws -> Void)?
    /// Called with the store at `nextModel`, in the manager's container. What it throws ends the migration.
    open var didMigrateHandler: ((NSStagedMigrationManager, NSCustomMigrationStage) throws -> Void)?

    /// A stage from one version to another.
    public init(
        migratingFrom currentModel: NSManagedObjectModelReference, to nextModel: NSManagedObjectModelReference
    ) {
        self.currentModel = currentModel
        self.nextModel = nextModel
        super.init()
    }
}
