/// A weak reference to a context that is told of changes.
struct WeakContext {
    weak var context: NSManagedObjectContext?
}
