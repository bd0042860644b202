/// The hooks that a policy class overrides.
///
/// The work of the framework's own version of a hook can be done for many objects at a time, if no class overrides it.
enum PolicyOverrides {
    /// Whether a class, or one between it and the framework's, overrides
    /// `createRelationships(forDestination:in:manager:)`.
    static func createRelationships(_ policy: NSEntityMigrationPolicy.Type) -> Bool {
        createRelationships.isOverridden(by: policy)
    }

    private static let createRelationships = MethodPlace(
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
