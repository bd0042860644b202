import Foundation

extension NSManagedObjectContext {
    /// Gives new objects permanent ids with chosen numbers, which are the last part of their URIs (`…/Book/p12`).
    ///
    /// Use it to create a store whose objects have the same numbers as those of another store. Objects that are saved
    /// later get numbers above the highest one.
    ///
    /// OpenCoreData only.
    ///
    /// - Parameters:
    ///   - objects: New objects of this context that have temporary ids.
    ///   - numbers: One number for each object, from 1. Objects whose entities have a common ancestor need different
    ///     numbers, above all numbers that the store has given before.
    /// - Throws: `NSPersistentStoreOperationError` (134070) if the context has a parent or no coordinator, if the
    ///   counts differ, if an object is not new, or if the store cannot give a number. Only SQLite stores and stores in
    ///   memory can.
    public final func obtainPermanentIDs(for objects: [NSManagedObject], numbers: [Int64]) throws {
        checkConfinement()
        func refusal(_ reason: String) -> NSError { .coreData(NSPersistentStoreOperationError, reason: reason) }
        guard parent == nil, let coordinator = persistentStoreCoordinator else {
            throw refusal("\(debugName) has no coordinator of its own.")
        }
        guard objects.count == numbers.count else {
            throw refusal("There are \(numbers.count) numbers for \(objects.count) objects.")
        }
        struct StoreTable: Hashable {
            var root: Int
            var store: Int
        }
        var groups: [StoreTable: [(object: NSManagedObject, number: Int64)]] = [:]
        for (object, number) in zip(objects, numbers) {
            guard object.binding.context === self, object.key < 0 else {
                throw refusal("\(object.objectID) is no new object of \(debugName) that has a temporary id.")
            }
            let table = StoreTable(
                root: object.binding.layout.rootIndex, store: try storeNumber(forNew: object, coordinator))
            groups[table, default: []].append((object, number))
        }
        var permanent: PermanentKeys = [:]
        for (table, group) in groups {
            let root = coordinator.modelLayout.entities[table.root].name
            guard let store = coordinator.store(numbered: table.store),
                [.file, .memory].contains(StoreEngines.form(of: store.type))
            else { throw refusal("The store that holds '\(root)' gives its numbers itself.") }
            guard Set(group.map(\.number)).count == group.count else {
                throw refusal("Objects of '\(root)' were given the same number.")
            }
            let keys = try group.map { member in
                guard (1...ObjectKey.primaryKeyMask).contains(member.number) else {
                    throw refusal("\(member.number) is no number of an object of '\(root)'.")
                }
                return ObjectKey.key(storeNumber: table.store, primaryKey: member.number)
            }
            try reserve(keys, root: table.root, store: table.store, in: coordinator) {
                refusal("'\(root)' has given \($0) before.")
            }
            for (member, key) in zip(group, keys) { permanent[member.object.key] = key }
        }
        installPermanentKeys(permanent, of: objects)
    }

    /// Takes all keys of a table from the next one up to the highest of those that are given.
    private func reserve(
        _ keys: [Int64], root: Int, store: Int, in coordinator: NSPersistentStoreCoordinator,
        failing: (Int64) -> NSError
    ) throws {
        guard let lowest = keys.min(), let highest = keys.max() else { return }
        let next = try coordinator.reserveKeys([root: 1], inStoreNumbered: store)[root]?.first?.lowerBound ?? .max
        guard lowest >= next else { throw failing(lowest & ObjectKey.primaryKeyMask) }
        if highest > next { _ = try coordinator.reserveKeys([root: Int(highest - next)], inStoreNumbered: store) }
    }
}
