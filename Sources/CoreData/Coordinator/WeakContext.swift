/// A weak reference to a context that receives changes.
struct WeakContext {
    weak var context: NSManagedObjectContext?
}
