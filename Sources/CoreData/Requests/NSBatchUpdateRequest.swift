import Foundation

/// What a batch update returns.
public enum NSBatchUpdateRequestResultType: UInt, Sendable {
    /// Whether it succeeded: `NSNumber`.
    case statusOnlyResultType = 0
    /// The ids of the rows: `[NSManagedObjectID]`.
    case updatedObjectIDsResultType = 1
    /// The number of rows: `NSNumber`.
    case updatedObjectsCountResultType = 2
}

/// Changes values of many rows of SQLite stores without making objects of them, in memory that does not grow with their
/// number, and in one transaction of each store, of which none commits before all have done their part.
///
/// Every row that matches gets the same constants, or what an expression gives for it as it was before the request. The
/// rows' versions rise, so that a context that still has older values meets a conflict. Validation does not take place;
/// a broken uniqueness constraint, a number that does not fit and an object that a relationship cannot lead to (of
/// another entity or store, not saved, or gone) are errors (133021, 1610 or 1620, 1550), and nothing is changed then.
///
/// No context hears of it: refresh the objects, or pass the ids to
/// `NSManagedObjectContext.mergeChanges(fromRemoteContextSave:into:)`.
open class NSBatchUpdateRequest: NSPersistentStoreRequest {
    /// The name of the entity whose rows are changed.
    open private(set) var entityName: String
    /// The entity, where the request was made with one.
    open private(set) var entity: NSEntityDescription?

    /// Which rows; `nil` means all.
    open var predicate: NSPredicate?
    /// Whether rows of subentities are changed too; `true` unless set otherwise.
    open var includesSubentities = true
    /// What to set: from the name, description or (into a composite attribute) key path of an attribute or to-one
    /// relationship to a constant, an object, an
    /// object's id or an `NSExpression`; `NSNull` or an expression of nil clears it.
    open var propertiesToUpdate: [AnyHashable: Any]?
    /// What to return; whether it succeeded, unless set otherwise.
    open var resultType = NSBatchUpdateRequestResultType.statusOnlyResultType

    /// Changes rows of the named entity.
    public init(entityName: String) {
        self.entityName = entityName
        self.entity = nil
        super.init()
    }

    /// Changes rows of an entity.
    public init(entity: NSEntityDescription) {
        self.entityName = entity.name ?? ""
        self.entity = entity
        super.init()
    }

    open override var requestType: NSPersistentStoreRequestType { .batchUpdateRequestType }

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
