import Foundation

/// The form in which a batch deletion reports its result.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsbatchdeleterequestresulttype)
public enum NSBatchDeleteRequestResultType: UInt, Sendable {
    /// Whether the deletion succeeded, as an `NSNumber`.
    case resultTypeStatusOnly = 0
    /// The ids of the deleted rows: `[NSManagedObjectID]`.
    case resultTypeObjectIDs = 1
    /// The number of deleted rows, as an `NSNumber`.
    case resultTypeCount = 2
}

/// A request that deletes rows of a store without making objects of them.
///
/// SQLite stores and stores in PostgreSQL execute it. Other stores throw `NSPersistentStoreUnsupportedRequestTypeError`
/// (134091). The deletion takes one transaction in each store. No store commits before all stores have done their part.
///
/// The store follows the delete rules:
///
/// - Members of cascading relationships are deleted, too.
/// - Inverse to-one relationships become nil, and the versions of their rows rise.
/// - Pairs of many-to-many relationships and files of external data are removed.
///
/// Nothing is deleted if one of these errors occurs:
///
/// - `NSValidationRelationshipDeniedDeleteError` (1600): a row to delete still has members in a relationship with the
///   deny rule.
/// - `NSCoreDataError` (134060): a row that stays would lose a mandatory to-one relationship.
///
/// The first is the code of an ordinary save, too. For the second an ordinary save has
/// `NSValidationMissingMandatoryPropertyError` (1570), because it validates the object that stays.
///
/// Objects are not validated otherwise. Contexts do not notice the deletion. Ask for the ids, and pass them to
/// ``NSManagedObjectContext/mergeChanges(fromRemoteContextSave:into:)``.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsbatchdeleterequest)
open class NSBatchDeleteRequest: NSPersistentStoreRequest {
    /// The rows to delete.
    ///
    /// Entity, predicate and ``NSFetchRequest/includesSubentities`` count. So do offset and limit, over all stores
    /// together. The order counts only where there is an offset or a limit.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsbatchdeleterequest/fetchrequest)
    open private(set) var fetchRequest: NSFetchRequest<NSFetchRequestResult>
    /// The form of the result; ``NSBatchDeleteRequestResultType/resultTypeStatusOnly`` unless set otherwise.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsbatchdeleterequest/resulttype)
    open var resultType = NSBatchDeleteRequestResultType.resultTypeStatusOnly

    private static func request(
        _ parameters: FetchParameters?, _ stores: [NSPersistentStore]?
    ) -> NSFetchRequest<NSFetchRequestResult> {
        let request = NSFetchRequest<NSFetchRequestResult>()
        if let parameters { request.parameters = parameters }
        request.affectedStores = stores
        return request
    }

    /// Creates a request that deletes the rows which a fetch request describes.
    ///
    /// - Parameter fetch: The rows to delete. The request is copied, with its
    ///   ``NSPersistentStoreRequest/affectedStores``.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsbatchdeleterequest/init(fetchrequest:))
    public init(fetchRequest fetch: NSFetchRequest<NSFetchRequestResult>) {
        fetchRequest = Self.request(fetch.fetchParameters, fetch.affectedStores)
        super.init()
        affectedStores = fetch.affectedStores
    }

    /// Creates a request that deletes the rows which a fetch request of any result type describes.
    ///
    /// OpenCoreData only: on a Mac the compiler converts the request's type.
    ///
    /// - Parameter fetch: The rows to delete. The request is copied, with its
    ///   ``NSPersistentStoreRequest/affectedStores``.
    public convenience init<ResultType>(fetchRequest fetch: NSFetchRequest<ResultType>) {
        self.init(fetchRequest: Self.request(fetch.fetchParameters, fetch.affectedStores))
    }

    /// Creates a request that deletes the rows with the given ids.
    ///
    /// Stops the process if the entities of the ids have no common parent.
    ///
    /// - Parameter objects: The ids of saved objects. If there are none, the request deletes nothing.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsbatchdeleterequest/init(objectids:))
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

    /// ``NSPersistentStoreRequestType/batchDeleteRequestType``.
    open override var requestType: NSPersistentStoreRequestType { .batchDeleteRequestType }

    /// A copy that deletes the same rows.
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
