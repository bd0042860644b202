/// Something that lives with a context's objects, such as a fetched-results controller: the context does not retain it.
protocol ContextFollower: AnyObject {
    /// Whether changes of an entity's objects matter to it.
    func follows(_ layoutIndex: Int) -> Bool
}

/// A follower as its context knows it.
struct Follower {
    weak var core: (any ContextFollower)?
}

extension NSManagedObjectContext {
    /// Whether a fetched-results controller shows objects of the entity, or depends on them.
    final func isFollowed(_ layoutIndex: Int) -> Bool {
        followers.contains { $0.core?.follows(layoutIndex) == true }
    }
}
