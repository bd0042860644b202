/// The hooks that a policy class overrides.
///
/// If no class overrides a hook, the work of the framework's own version can be done for many objects at a time.
enum PolicyOverrides {
    /// Whether a class, or a superclass of it below the framework's, overrides
    /// `createRelationships(forDestination:in:manager:)`.
    static func createRelationships(_ policy: NSEntityMigrationPolicy.Type) -> Bool {
        createRelationships.isOverridden(by: policy)
    }

    private static let createRelationships = VTableSlot(
        in: NSEntityMigrationPolicy.self, same: NothingOverridden.self, other: RelationshipsOverridden.self)

    private final class NothingOverridden: NSEntityMigrationPolicy {}
    private final class RelationshipsOverridden: NSEntityMigrationPolicy {
        override func createRelationships(
            forDestination dInstance: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
        ) throws {
            manager.cancelMigrationWithError(CancellationError())
        }
    }
}
