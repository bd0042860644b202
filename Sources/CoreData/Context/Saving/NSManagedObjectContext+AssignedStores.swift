import Foundation

// The store into which a new object is saved.
extension NSManagedObjectContext {
    /// The store that was chosen for a new object. The object is held, because another object at its address was not
    /// assigned.
    struct AssignedStore {
        let object: NSManagedObject
        let store: NSPersistentStore
    }

    /// Does the work of `assign(_:to:)` unless a subclass overrides it.
    final func _assign(_ object: Any, to store: NSPersistentStore) {
        checkConfinement()
        guard let object = object as? NSManagedObject else { return }
        require(object.key < 0, "Can't reassign an object to a different store once it has been saved.")
        require(
            object.binding.context === self,
            "Cannot assign an object of another context (\(object.binding.layout.name))")
        // A save would not find the store, and would write the object to another one.
        require(
            persistentStoreCoordinator.map { $0.number(of: store) != nil } ?? true,
            "Can't assign an object (\(object.binding.layout.name)) to a store that is not in the context's coordinator: "
                + "\(store.url?.shown.absoluteString ?? store.type)")
        idState.assignedStores[ObjectIdentifier(object)] = AssignedStore(object: object, store: store)
    }

    /// The store into which a new object is saved: the assigned one, or the first that holds its entity.
    final func storeNumber(forNew object: NSManagedObject, _ coordinator: NSPersistentStoreCoordinator) throws -> Int {
        if let assigned = idState.assignedStores[ObjectIdentifier(object)],
            let number = coordinator.number(of: assigned.store)
        {
            return number
        }
        return try coordinator.storeNumber(forNew: object.binding.layout)
    }

    /// The stores, by entity, into which a save writes the new objects that have no assigned store.
    final func storesByObject(
        _ inserted: [NSManagedObject], _ coordinator: NSPersistentStoreCoordinator
    ) throws -> [Int: Int] {
        var numbers: [Int: Int] = [:]
        for object in inserted where object.key < 0 {
            if idState.assignedStores[ObjectIdentifier(object)] != nil { continue }
            let index = object.binding.layout.index
            if numbers[index] == nil { numbers[index] = try coordinator.storeNumber(forNew: object.binding.layout) }
        }
        return numbers
    }
}
