/// The part of a coordinator that its stores use. Stores use no other part of it.
protocol StoreHost: NSPersistentStoreCoordinator {
    /// The number of the next store, which is read while that store is created.
    var numberOfNextStore: Int { get }
    var modelLayout: ModelLayout { get }
}

extension NSPersistentStore {
    /// The coordinator that the store belongs to; nil after the store is removed.
    final var storeHost: (any StoreHost)? { persistentStoreCoordinator }
}
