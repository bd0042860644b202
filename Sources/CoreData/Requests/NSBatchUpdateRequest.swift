import Foundation

/// The form in which a batch update reports its result.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsbatchupdaterequestresulttype)
public enum NSBatchUpdateRequestResultType: UInt, Sendable {
    /// Whether the update succeeded, as an `NSNumber`.
    case statusOnlyResultType = 0
    /// The ids of the changed rows: `[NSManagedObjectID]`.
    case updatedObjectIDsResultType = 1
    /// The number of changed rows, as an `NSNumber`.
    case updatedObjectsCountResultType = 2
}

/// A request that changes values of many rows of a store without making objects of them.
///
/// SQLite stores and stores in PostgreSQL execute it. Other stores throw `NSPersistentStoreUnsupportedRequestTypeError`
/// (134091). The update takes one transaction in each store. No store commits before all stores have done their part.
/// The use of memory does not grow with the number of rows.
///
/// Every matching row gets the same constants, or the result of an expression over the row as it was before the
/// request. The versions of the rows rise, so that a context with older values meets a conflict.
///
/// Nothing is changed if one of these errors occurs:
///
/// - 133021: a row would break a uniqueness constraint.
/// - `NSValidationNumberTooLargeError` (1610) or `NSValidationNumberTooSmallError` (1620): a number does not fit its
///   attribute.
/// - 1550: the object for a relationship is of another entity or store, is not saved, or is gone.
///
/// Other validation does not take place. A one-to-one relationship cannot be set: the request throws `NSCoreDataError`
/// (134060).
///
/// Contexts do not notice the update. Refresh the objects, or ask for the ids and pass them to
/// ``NSManagedObjectContext/mergeChanges(fromRemoteContextSave:into:)``.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsbatchupdaterequest)
open class NSBatchUpdateRequest: NSPersistentStoreRequest {
    /// The name of the entity whose rows are changed.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsbatchupdaterequest/entityname)
    open private(set) var entityName: String
    /// The entity, if the request was created with one; nil if it was created with a name.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsbatchupdaterequest/entity)
    open private(set) var entity: NSEntityDescription?

    /// The condition that a row has to meet; nil changes all rows.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsbatchupdaterequest/predicate)
    open var predicate: NSPredicate?
    /// Whether rows of subentities are changed, too; true unless set otherwise.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsbatchupdaterequest/includessubentities)
    open var includesSubentities = true
    /// The new values by property. A request without any fails with `NSCoreDataError` (134060).
    ///
    /// A key is the description or the name of an attribute or of a to-one relationship. For an element of a composite
    /// attribute it is the key path. A value is a constant, a managed object, the id of an object, or an
    /// ``NSExpression``. `NSNull` and an expression that gives nil clear the property.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsbatchupdaterequest/propertiestoupdate)
    open var propertiesToUpdate: [AnyHashable: Any]?
    /// The form of the result; ``NSBatchUpdateRequestResultType/statusOnlyResultType`` unless set otherwise.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsbatchupdaterequest/resulttype)
    open var resultType = NSBatchUpdateRequestResultType.statusOnlyResultType

    /// Creates a request that changes rows of the named entity.
    ///
    /// - Parameter entityName: The name of an entity in the model of the context that executes the request.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsbatchupdaterequest/init(entityname:))
    public init(entityName: String) {
        self.entityName = entityName
        self.entity = nil
        super.init()
    }

    /// Creates a request that changes rows of an entity.
    ///
    /// - Parameter entity: The entity of the rows.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsbatchupdaterequest/init(entity:))
    public init(entity: NSEntityDescription) {
        self.entityName = entity.name ?? ""
        self.entity = entity
        super.init()
    }

    /// ``NSPersistentStoreRequestType/batchUpdateRequestType``.
    open override var requestType: NSPersistentStoreRequestType { .batchUpdateRequestType }

    /// A copy that makes the same changes.
    open override func copy(with zone: NSZone? = nil) -> Any {
        let copy = NSBatchUpdateRequest(entityName: entityName)
        copy.entity = entity
        copy.affectedStores = affectedStores
        copy.predicate = predicate
        copy.includesSubentities = includesSubentities
        copy.propertiesToUpdate = propertiesToUpdate
        copy.resultType = resultType
        return copy
    }

    override func result(in context: any RequestExecutor) throws -> NSPersistentStoreResult {
        NSBatchUpdateResult(result: try context.updateBatch(self), resultType: resultType)
    }
}
