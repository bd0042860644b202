/// An object whose life depends on a context's objects, such as a fetched-results controller. The context does not
/// retain it.
protocol ContextFollower: AnyObject {
    /// Whether changes of an entity's objects can change the follower's results.
    func follows(_ layoutIndex: Int) -> Bool
    /// Takes an error that keeps the context from following the stores. Called on the context's queue.
    func fail(_ error: any Error)
}

/// A context's weak reference to a follower.
struct Follower {
    weak var core: (any ContextFollower)?
}

extension NSManagedObjectContext {
    /// Whether a fetched-results controller shows objects of the entity, or depends on them.
    final func isFollowed(_ layoutIndex: Int) -> Bool {
        followers.contains { $0.core?.follows(layoutIndex) == true }
    }
}
