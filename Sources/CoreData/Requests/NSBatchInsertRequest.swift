import Foundation

/// What a batch insertion returns.
public enum NSBatchInsertRequestResultType: UInt, Sendable {
    /// Whether it succeeded: `NSNumber`.
    case statusOnly = 0
    /// The ids of the rows: `[NSManagedObjectID]`.
    case objectIDs = 1
    /// The number of rows: `NSNumber`.
    case count = 2
}

/// Inserts rows into a SQLite store without making objects of them, in one transaction and in memory that does not grow
/// with their number.
///
/// The values come from dictionaries from attribute name to value, all at once or one by one from a handler, or are set
/// on a scratch object that a handler gets. Attributes that are not given have their default value; relationships are
/// not set. A composite attribute is given as a dictionary, or one of its elements by a key path. A key that is no
/// attribute, a value of the wrong type, a missing mandatory value and a number that does not fit are errors (1550,
/// 1570, 1610, 1620), and nothing is inserted then; other validation does not take place. A row that breaks a
/// uniqueness constraint is an error (133021) unless the merge policy of the context says otherwise: with object trump
/// the given values replace those of the row that is there, with store trump that row stays.
///
/// No context hears of it: pass the ids to `NSManagedObjectContext.mergeChanges(fromRemoteContextSave:into:)`.
open class NSBatchInsertRequest: NSPersistentStoreRequest {
    /// The name of the entity whose rows are inserted.
    open private(set) var entityName: String
    /// The entity, where the request was made with one.
    open private(set) var entity: NSEntityDescription?

    /// The rows, as dictionaries from attribute name to value.
    open var objectsToInsert: [[String: Any]]?
    /// Fills the next row's dictionary, which is empty at each call, and returns false; returns true after the last
    /// one.
    open var dictionaryHandler: ((NSMutableDictionary) -> Bool)?
    /// Sets the next row's values on an object of the entity's class, which is new at each call, and returns false;
    /// returns true after the last one. The object belongs to no context and is not to be kept.
    open var managedObjectHandler: ((NSManagedObject) -> Bool)?
    /// What to return; whether it succeeded, unless set otherwise.
    open var resultType = NSBatchInsertRequestResultType.statusOnly

    /// Inserts rows of the named entity from dictionaries.
    public init(entityName: String, objects dictionaries: [[String: Any]]) {
        self.entityName = entityName
        self.entity = nil
        super.init()
        objectsToInsert = dictionaries
    }

    /// Inserts rows of an entity from dictionaries.
    public init(entity: NSEntityDescription, objects dictionaries: [[String: Any]]) {
        self.entityName = entity.name ?? ""
        self.entity = entity
        super.init()
        objectsToInsert = dictionaries
    }

    /// Inserts rows of the named entity, each filled in by the handler until it returns true.
    public init(entityName: String, dictionaryHandler handler: @escaping (NSMutableDictionary) -> Bool) {
        self.entityName = entityName
        self.entity = nil
        super.init()
        dictionaryHandler = handler
    }

    /// Inserts rows of an entity, each filled in by the handler until it returns true.
    public init(
        entity: NSEntityDescription, dictionaryHandler handler: @escaping (NSMutableDictionary) -> Bool
    ) {
        self.entityName = entity.name ?? ""
        self.entity = entity
        super.init()
        dictionaryHandler = handler
    }

    /// Inserts rows of the named entity, each set on a scratch object by the handler until it returns true.
    public init(entityName: String, managedObjectHandler handler: @escaping (NSManagedObject) -> Bool) {
        self.entityName = entityName
        self.entity = nil
        super.init()
        managedObjectHandler = handler
    }

    /// Inserts rows of an entity, each set on a scratch object by the handler until it returns true.
    public init(
        entity: NSEntityDescription, managedObjectHandler handler: @escaping (NSManagedObject) -> Bool
    ) {
        self.entityName = entity.name ?? ""
        self.entity = entity
        super.init()
        managedObjectHandler = handler
    }

    /// Inserts no rows, of no entity.
    @available(*, deprecated, renamed: "init(entityName:objects:)")
    public override convenience init() {
        self.init(entityName: "", objects: [])
    }

    open override var requestType: NSPersistentStoreRequestType { .batchInsertRequestType }

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
