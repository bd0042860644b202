/// The part of a coordinator that its stores use. They know nothing else of it.
protocol StoreHost: NSPersistentStoreCoordinator {
    /// The number that the next store gets; asked while that store is made.
    var numberOfNextStore: Int { get }
    var modelLayout: ModelLayout { get }
}

extension NSPersistentStore {
    /// The coordinator the store belongs to; nil after it is removed.
    final var storeHost: (any StoreHost)? { persistentStoreCoordinator }
}
