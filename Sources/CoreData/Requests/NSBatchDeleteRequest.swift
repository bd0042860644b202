import Foundation

/// What a batch deletion returns.
public enum NSBatchDeleteRequestResultType: UInt, Sendable {
    /// Whether it succeeded: `NSNumber`.
    case resultTypeStatusOnly = 0
    /// The ids of the rows: `[NSManagedObjectID]`.
    case resultTypeObjectIDs = 1
    /// The number of rows: `NSNumber`.
    case resultTypeCount = 2
}

/// Deletes rows of SQLite stores without making objects of them, in one transaction of each store, of which none
/// commits before all have done their part.
///
/// Delete rules are followed in the store: members of cascading relationships go too, inverse to-one relationships
/// become nil (their rows' versions rise), pairs of many-to-many relationships and files of external data go. When a
/// row that stays would lose a mandatory to-one relationship, or still stands in a relationship with the deny rule, the
/// request fails and nothing is deleted. Validation by objects does not take place.
///
/// No context hears of it: pass the ids to `NSManagedObjectContext.mergeChanges(fromRemoteContextSave:into:)`.
open class NSBatchDeleteRequest: NSPersistentStoreRequest {
    /// Which rows: entity, predicate, and where they are set offset, limit and order count, over all stores together.
    open private(set) var fetchRequest: NSFetchRequest<NSFetchRequestResult>
    /// What to return; whether it succeeded, unless set otherwise.
    open var resultType = NSBatchDeleteRequestResultType.resultTypeStatusOnly

    private static func request(
        _ parameters: FetchParameters?, _ stores: [NSPersistentStore]?
    ) -> NSFetchRequest<NSFetchRequestResult> {
        let request = NSFetchRequest<NSFetchRequestResult>()
        if let parameters { request.parameters = parameters }
        request.affectedStores = stores
        return request
    }

    /// Deletes the rows that a fetch request describes; it is copied.
    public init(fetchRequest fetch: NSFetchRequest<NSFetchRequestResult>) {
        fetchRequest = Self.request(fetch.fetchParameters, fetch.affectedStores)
        super.init()
        affectedStores = fetch.affectedStores
    }

    /// Deletes the rows that a fetch request of any result type describes; it is copied.
    public convenience init<ResultType>(fetchRequest fetch: NSFetchRequest<ResultType>) {
        self.init(fetchRequest: Self.request(fetch.fetchParameters, fetch.affectedStores))
    }

    /// Deletes the rows with the given ids. Stops the process when their entities have no common parent.
    public convenience init(objectIDs objects: [NSManagedObjectID]) {
        var parameters = FetchParameters()
        parameters.entity = Self.commonEntity(of: objects)
        parameters.predicate =
            objects.isEmpty ? NSPredicate(value: false) : NSPredicate(format: "self IN %@", argumentArray: [objects])
        self.init(fetchRequest: Self.request(parameters, nil))
    }

    private static func commonEntity(of objects: [NSManagedObjectID]) -> NSEntityDescription? {
        guard var common = objects.first?.entity else { return nil }
        for object in objects where !object.entity.isKindOf(entity: common) {
            var candidate: NSEntityDescription? = common
            while let entity = candidate, !object.entity.isKindOf(entity: entity) { candidate = entity.superentity }
            guard let candidate else {
                fatalError(
                    """
                    mismatched objectIDs in batch delete initializer: '\(common.name ?? "")' and \
                    '\(object.entity.name ?? "")' have no common entity
                    """)
            }
            common = candidate
        }
        return common
    }

    open override var requestType: NSPersistentStoreRequestType { .batchDeleteRequestType }

    open override func copy(with zone: NSZone? = nil) -> Any {
        let copy = NSBatchDeleteRequest(fetchRequest: fetchRequest)
        copy.affectedStores = affectedStores
        copy.resultType = resultType
        return copy
    }

    override func result(in context: any RequestExecutor) throws -> NSPersistentStoreResult {
        NSBatchDeleteResult(result: try context.deleteBatch(self), resultType: resultType)
    }
}
