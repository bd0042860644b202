import Foundation

/// A store that a program wrote, as its adapter presents it: besides rows it wants to see objects and contexts.
protocol ObjectStore: RowStore {
    /// Whether a fetch gives objects whose values are read one by one later, instead of rows.
    var answersWithKeys: Bool { get }

    /// The permanent keys of new objects, in their order.
    func permanentKeys(for objects: [NSManagedObject]) throws -> [Int64]

    /// The row with the key; nil when there is none. `refreshing` passes by the row cache.
    func row(for key: Int64, refreshing: Bool, in context: NSManagedObjectContext?) throws -> Snapshot?

    /// The members of a to-many relationship of one owner.
    func members(of toMany: ToManySlot, owner: ObjectKey, in context: NSManagedObjectContext?) throws -> [ObjectKey]

    /// Hands a request of another kind than fetching and saving to the store.
    func execute(_ request: NSPersistentStoreRequest, in context: NSManagedObjectContext) throws -> Any

    /// Objects of the store came into use in a context, or are used no longer.
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

    /// Keys of such a store are its references; none can be had without the objects.
    func reserveKeys(_ counts: [Int: Int]) throws -> [Int: [Range<Int64>]] {
        throw NSError.coreData(
            NSPersistentStoreUnsupportedRequestTypeError,
            reason: "This kind of store makes ids from objects and reserves none.")
    }

    func contextDidRegister(_ keys: [Int64]) {}
    func contextDidUnregister(_ keys: [Int64]) {}
}

/// The objects of a save that concern one store. Stores that programs write get them.
struct SavedObjects {
    let context: NSManagedObjectContext
    var inserted: Set<NSManagedObject> = []
    var updated: Set<NSManagedObject> = []
    var deleted: Set<NSManagedObject> = []
    /// Objects that only have to be as they were read.
    var locked: Set<NSManagedObject> = []

    var isEmpty: Bool { inserted.isEmpty && updated.isEmpty && deleted.isEmpty && locked.isEmpty }
}

/// The origin of a fetch, for the stores that programs write.
struct FetchOrigin {
    let context: NSManagedObjectContext
    let parameters: FetchParameters
}
