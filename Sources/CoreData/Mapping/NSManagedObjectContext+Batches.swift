import Foundation

// Reading a store from end to end without holding all of its objects in memory.
extension NSManagedObjectContext {
    /// Whether the rows of the context's stores can be read in ranges of keys.
    final var canReadByKey: Bool {
        guard let coordinator = ownCoordinator else { return false }
        let stores = coordinator.lock.withLock { coordinator.attached }
        return stores.count == 1 && stores[0].rows.readsRangesOfKeys
    }

    /// The saved objects of a request with the primary keys after a given one, in the order of their keys.
    final func objects(
        of request: NSFetchRequest<NSManagedObject>, after primaryKey: Int64, limit: Int
    ) throws -> [NSManagedObject] {
        let plan = try plan(for: request).with { parameters, store in
            parameters.includesPendingChanges = false
            store.afterPrimaryKey = primaryKey
            store.limit = limit
        }
        return try objects(plan)
    }

    /// The keys of the saved objects of a request, in its order.
    final func storedKeys(of request: NSFetchRequest<NSManagedObject>) throws -> FetchedKeys {
        guard let coordinator = ownCoordinator else { return FetchedKeys() }
        let plan = try plan(for: request)
        return try coordinator.keys(for: plan.store, in: plan.affectedStores)
    }

    /// Loads to-many relationships of objects, one request for each relationship.
    final func prefetchMembers(of objects: [NSManagedObject], _ indexes: [Int]) {
        guard let coordinator = ownCoordinator, let first = objects.first else { return }
        for index in indexes where index < first.binding.layout.toManys.count {
            let toMany = first.binding.layout.toManys[index]
            if case .transient = toMany.kind { continue }
            let owners = objects.filter {
                $0.key > 0 && $0.binding.layout === first.binding.layout && $0.toManyState(index).isFault
            }
            guard !owners.isEmpty, let members = try? coordinator.members(of: toMany, owners: owners.map(\.objectKey))
            else { continue }
            for owner in owners { owner.toManyState(index).load(members[owner.key] ?? []) }
        }
    }
}
