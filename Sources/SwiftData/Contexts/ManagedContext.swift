import CoreData

/// The managed object context of a model context.
final class ManagedContext: NSManagedObjectContext, @unchecked Sendable {
    /// Cleared by the model context's deinit.
    unowned(unsafe) var modelContext: ModelContext?
}
