import Foundation

/// The form in which a batch insertion reports its result.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsbatchinsertrequestresulttype)
public enum NSBatchInsertRequestResultType: UInt, Sendable {
    /// Whether the insertion succeeded, as an `NSNumber`.
    case statusOnly = 0
    /// The ids of the inserted rows: `[NSManagedObjectID]`.
    case objectIDs = 1
    /// The number of inserted rows, as an `NSNumber`.
    case count = 2
}

/// A request that inserts rows into a store without making objects of them.
///
/// SQLite stores and stores in PostgreSQL execute it. Other stores throw `NSPersistentStoreUnsupportedRequestTypeError`
/// (134091). The insertion takes one transaction, and its use of memory does not grow with the number of rows.
///
/// The values come from dictionaries from attribute name to value. Give all dictionaries at once, or fill one after the
/// other in a handler. A second kind of handler sets the values on a scratch object. Attributes without a given value
/// get their default value. Relationships cannot be set. A composite attribute is given as a dictionary; one element of
/// it is given under its key path.
///
/// Nothing is inserted if one of these errors occurs:
///
/// - 1550: a key is no attribute, or a value has the wrong type.
/// - `NSValidationMissingMandatoryPropertyError` (1570): a mandatory value is missing.
/// - `NSValidationNumberTooLargeError` (1610) or `NSValidationNumberTooSmallError` (1620): a number does not fit its
///   attribute.
/// - 133021: a row breaks a uniqueness constraint.
///
/// Other validation does not take place. The merge policy of the context may resolve a broken uniqueness constraint
/// instead. With object trump the given values replace those of the row that is there. With overwrite all values of
/// that row are replaced. With store trump and with rollback that row stays as it is.
///
/// Contexts do not notice the insertion. Ask for the ids, and pass them to
/// ``NSManagedObjectContext/mergeChanges(fromRemoteContextSave:into:)``.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsbatchinsertrequest)
open class NSBatchInsertRequest: NSPersistentStoreRequest {
    /// The name of the entity whose rows are inserted.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsbatchinsertrequest/entityname)
    open private(set) var entityName: String
    /// The entity, if the request was created with one; nil if it was created with a name.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsbatchinsertrequest/entity)
    open private(set) var entity: NSEntityDescription?

    /// The rows, as dictionaries from attribute name to value. They count only if there is no handler.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsbatchinsertrequest/objectstoinsert)
    open var objectsToInsert: [[String: Any]]?
    /// A closure that fills the dictionary of the next row.
    ///
    /// The closure gets an empty dictionary at each call. It returns false after it has filled the dictionary, and true
    /// if there are no more rows. It takes precedence over the other sources of values. It runs on the queue of the
    /// context that executes the request.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsbatchinsertrequest/dictionaryhandler)
    open var dictionaryHandler: ((NSMutableDictionary) -> Bool)?
    /// A closure that sets the values of the next row on an object of the entity's class.
    ///
    /// The closure gets a new object at each call. It returns false after it has set the values, and true if there are
    /// no more rows. The object belongs to no context; do not keep it. The closure runs on the queue of the context
    /// that executes the request.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsbatchinsertrequest/managedobjecthandler)
    open var managedObjectHandler: ((NSManagedObject) -> Bool)?
    /// The form of the result; ``NSBatchInsertRequestResultType/statusOnly`` unless set otherwise.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsbatchinsertrequest/resulttype)
    open var resultType = NSBatchInsertRequestResultType.statusOnly

    /// Creates a request that inserts rows of the named entity from dictionaries.
    ///
    /// - Parameters:
    ///   - entityName: The name of an entity in the model of the context that executes the request.
    ///   - dictionaries: One dictionary from attribute name to value for each row.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsbatchinsertrequest/init(entityname:objects:))
    public init(entityName: String, objects dictionaries: [[String: Any]]) {
        self.entityName = entityName
        self.entity = nil
        super.init()
        objectsToInsert = dictionaries
    }

    /// Creates a request that inserts rows of an entity from dictionaries.
    ///
    /// - Parameters:
    ///   - entity: The entity of the rows.
    ///   - dictionaries: One dictionary from attribute name to value for each row.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsbatchinsertrequest/init(entity:objects:))
    public init(entity: NSEntityDescription, objects dictionaries: [[String: Any]]) {
        self.entityName = entity.name ?? ""
        self.entity = entity
        super.init()
        objectsToInsert = dictionaries
    }

    /// Creates a request that inserts rows of the named entity from dictionaries which a handler fills.
    ///
    /// - Parameters:
    ///   - entityName: The name of an entity in the model of the context that executes the request.
    ///   - handler: Fills the empty dictionary that it gets, and returns false; returns true if there are no more rows.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsbatchinsertrequest/init(entityname:dictionaryhandler:))
    public init(entityName: String, dictionaryHandler handler: @escaping (NSMutableDictionary) -> Bool) {
        self.entityName = entityName
        self.entity = nil
        super.init()
        dictionaryHandler = handler
    }

    /// Creates a request that inserts rows of an entity from dictionaries which a handler fills.
    ///
    /// - Parameters:
    ///   - entity: The entity of the rows.
    ///   - handler: Fills the empty dictionary that it gets, and returns false; returns true if there are no more rows.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsbatchinsertrequest/init(entity:dictionaryhandler:))
    public init(
        entity: NSEntityDescription, dictionaryHandler handler: @escaping (NSMutableDictionary) -> Bool
    ) {
        self.entityName = entity.name ?? ""
        self.entity = entity
        super.init()
        dictionaryHandler = handler
    }

    /// Creates a request that inserts rows of the named entity with the values that a handler sets on a scratch object.
    ///
    /// - Parameters:
    ///   - entityName: The name of an entity in the model of the context that executes the request.
    ///   - handler: Sets values on the object that it gets, and returns false; returns true if there are no more rows.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsbatchinsertrequest/init(entityname:managedobjecthandler:))
    public init(entityName: String, managedObjectHandler handler: @escaping (NSManagedObject) -> Bool) {
        self.entityName = entityName
        self.entity = nil
        super.init()
        managedObjectHandler = handler
    }

    /// Creates a request that inserts rows of an entity with the values that a handler sets on a scratch object.
    ///
    /// - Parameters:
    ///   - entity: The entity of the rows.
    ///   - handler: Sets values on the object that it gets, and returns false; returns true if there are no more rows.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsbatchinsertrequest/init(entity:managedobjecthandler:))
    public init(
        entity: NSEntityDescription, managedObjectHandler handler: @escaping (NSManagedObject) -> Bool
    ) {
        self.entityName = entity.name ?? ""
        self.entity = entity
        super.init()
        managedObjectHandler = handler
    }

    /// Creates a request that inserts no rows, and names no entity.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsbatchinsertrequest)
    @available(*, deprecated, renamed: "init(entityName:objects:)")
    public override convenience init() {
        self.init(entityName: "", objects: [])
    }

    /// ``NSPersistentStoreRequestType/batchInsertRequestType``.
    open override var requestType: NSPersistentStoreRequestType { .batchInsertRequestType }

    /// A copy that inserts the same rows, from the same handler where there is one.
    open override func copy(with zone: NSZone? = nil) -> Any {
        let copy = NSBatchInsertRequest(entityName: entityName, objects: [])
        copy.entity = entity
        copy.affectedStores = affectedStores
        copy.objectsToInsert = objectsToInsert
        copy.dictionaryHandler = dictionaryHandler
        copy.managedObjectHandler = managedObjectHandler
        copy.resultType = resultType
        return copy
    }

    override func result(in context: any RequestExecutor) throws -> NSPersistentStoreResult {
        NSBatchInsertResult(result: try context.insertBatch(self), resultType: resultType)
    }
}
