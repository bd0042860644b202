import Foundation

/// A custom store, as its adapter presents it. In addition to rows it receives objects and contexts.
protocol ObjectStore: RowStore {
    /// Whether a fetch returns keys, whose values are read one by one later, instead of rows.
    var answersWithKeys: Bool { get }

    /// The permanent keys of new objects, in their order.
    func permanentKeys(for objects: [NSManagedObject]) throws -> [Int64]

    /// The row with the key; nil if there is none. `refreshing` bypasses the row cache.
    func row(for key: Int64, refreshing: Bool, in context: NSManagedObjectContext?) throws -> Snapshot?

    /// The members of a to-many relationship of one owner.
    func members(of toMany: ToManySlot, owner: ObjectKey, in context: NSManagedObjectContext?) throws -> [ObjectKey]

    /// Passes a request that is neither a fetch nor a save to the store.
    func execute(_ request: NSPersistentStoreRequest, in context: NSManagedObjectContext) throws -> Any

    /// Reports that a context has registered objects of the store, or has unregistered them.
    func contextDidRegister(_ keys: [Int64])
    func contextDidUnregister(_ keys: [Int64])
}

extension ObjectStore {
    func rows(for keys: [Int64], rootIndex: Int, refreshing: Bool) throws -> [Snapshot] {
        try keys.compactMap { try row(for: $0, refreshing: refreshing, in: nil) }
    }

    func members(of toMany: ToManySlot, owner: ObjectKey) throws -> [ObjectKey] {
        try members(of: toMany, owner: owner, in: nil)
    }

    func members(of toMany: ToManySlot, owners: [ObjectKey]) throws -> [Int64: [ObjectKey]] {
        try owners.reduce(into: [:]) { $0[$1.key] = try members(of: toMany, owner: $1, in: nil) }
    }

    /// Throws, because the keys of such a store come from its reference objects, and need the objects.
    func reserveKeys(_ counts: [Int: Int]) throws -> [Int: [Range<Int64>]] {
        throw NSError.coreData(
            NSPersistentStoreUnsupportedRequestTypeError,
            reason: "This kind of store makes ids from objects and reserves none.")
    }

    func contextDidRegister(_ keys: [Int64]) {}
    func contextDidUnregister(_ keys: [Int64]) {}
}

/// The objects of a save that belong to one store. Custom stores receive them.
struct SavedObjects {
    let context: NSManagedObjectContext
    var inserted: Set<NSManagedObject> = []
    var updated: Set<NSManagedObject> = []
    var deleted: Set<NSManagedObject> = []
    /// Objects whose rows must not have changed since they were read.
    var locked: Set<NSManagedObject> = []

    var isEmpty: Bool { inserted.isEmpty && updated.isEmpty && deleted.isEmpty && locked.isEmpty }
}

/// The context and the parameters of a fetch, for custom stores.
struct FetchOrigin {
    let context: NSManagedObjectContext
    let parameters: FetchParameters
}
