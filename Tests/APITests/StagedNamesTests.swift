import CoreData
import Foundation
import Testing

// Each line names a symbol with the type it has in Apple's interface: a change of either no longer compiles.

@Suite("Apple's names of staged and deferred migration")
struct StagedNamesTests {
    @Test("NSStagedMigrationManager has its members")
    func manager() {
        let _: ([NSMigrationStage]) -> NSStagedMigrationManager = NSStagedMigrationManager.init(_:)
        let _: KeyPath<NSStagedMigrationManager, [NSMigrationStage]> = \.stages
        let _: KeyPath<NSStagedMigrationManager, NSPersistentContainer?> = \.container
        #expect(NSStagedMigrationManager([]).container == nil)
    }

    @Test("the stages have their members")
    func stages() {
        let _: ReferenceWritableKeyPath<NSMigrationStage, String?> = \.label
        let _: ([String]) -> NSLightweightMigrationStage = NSLightweightMigrationStage.init(_:)
        let _: KeyPath<NSLightweightMigrationStage, [String]> = \.versionChecksums
        let _: (NSManagedObjectModelReference, NSManagedObjectModelReference) -> NSCustomMigrationStage =
            NSCustomMigrationStage.init(migratingFrom:to:)
        let _: KeyPath<NSCustomMigrationStage, NSManagedObjectModelReference> = \.currentModel
        let _: KeyPath<NSCustomMigrationStage, NSManagedObjectModelReference> = \.nextModel
        typealias Handler = (NSStagedMigrationManager, NSCustomMigrationStage) throws -> Void
        let _: ReferenceWritableKeyPath<NSCustomMigrationStage, Handler?> = \.willMigrateHandler
        let _: ReferenceWritableKeyPath<NSCustomMigrationStage, Handler?> = \.didMigrateHandler
        #expect(NSLightweightMigrationStage(["a", "b"]).versionChecksums == ["a", "b"])
    }

    @Test("NSManagedObjectModelReference has its members")
    func reference() {
        let _: (NSManagedObjectModel, String) -> NSManagedObjectModelReference = NSManagedObjectModelReference.init(
            model:versionChecksum:)
        let _: (URL, String) -> NSManagedObjectModelReference = NSManagedObjectModelReference.init(
            fileURL:versionChecksum:)
        let _: ([String: Data], Bundle?, String) -> NSManagedObjectModelReference = NSManagedObjectModelReference.init(
            entityVersionHashes:in:versionChecksum:)
        let _: (String, Bundle?, String) -> NSManagedObjectModelReference = NSManagedObjectModelReference.init(
            name:in:versionChecksum:)
        let _: KeyPath<NSManagedObjectModelReference, NSManagedObjectModel> = \.resolvedModel
        let _: KeyPath<NSManagedObjectModelReference, String> = \.versionChecksum
        #expect(NSManagedObjectModelReference(name: "A", in: nil, versionChecksum: "c").versionChecksum == "c")
    }

    @Test("the options and the coordinator's part have their names")
    func coordinator() {
        let _: (NSPersistentStoreCoordinator) -> () throws -> Void = NSPersistentStoreCoordinator
            .finishDeferredLightweightMigration
        let _: (NSPersistentStoreCoordinator) -> () throws -> Void = NSPersistentStoreCoordinator
            .finishDeferredLightweightMigrationTask
        #expect(
            NSPersistentStoreStagedMigrationManagerOptionKey == "NSPersistentStoreStagedMigrationManagerOptionKey")
        #expect(
            NSPersistentStoreDeferredLightweightMigrationOptionKey
                == "NSPersistentStoreDeferredLightweightMigrationOptionKey")
    }
}
