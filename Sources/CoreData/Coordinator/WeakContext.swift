/// A context that somebody tells of changes and does not keep alive.
struct WeakContext {
    weak var context: NSManagedObjectContext?
}
