/// A weak reference to a context that gets notice of changes.
struct WeakContext {
    weak var context: NSManagedObjectContext?
}
