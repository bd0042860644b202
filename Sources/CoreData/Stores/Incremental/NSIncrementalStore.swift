import Foundation

/// The base class of stores that a program writes, and that read and save records one by one.
///
/// Examples are stores over a web service, another database or a key-value store. A subclass overrides
/// ``loadMetadata()``, ``execute(_:with:)``, ``newValuesForObject(with:with:)``,
/// ``newValue(forRelationship:forObjectWith:with:)`` and ``obtainPermanentIDs(for:)``. Register the class by
/// ``NSPersistentStoreCoordinator/registerStoreClass(_:forStoreType:)``.
///
/// The framework calls the store on the queues of the contexts that use it. Several contexts may call it at the same
/// time.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsincrementalstore)
open class NSIncrementalStore: NSPersistentStore, CustomStore, @unchecked Sendable {  // `storeNumber` is constant
    let storeNumber: Int

    /// Creates a store for a coordinator. The coordinator calls the initialiser; overrides call `super`.
    ///
    /// A store that was added without an address gets `file:///dev/null` here, and its `url` is nil afterwards.
    ///
    /// - Parameters:
    ///   - root: The coordinator; it is not retained.
    ///   - name: The name of a configuration; nil stands for all entities.
    ///   - url: The address of the store.
    ///   - options: The options with which the store is added.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsincrementalstore)
    public override init(
        persistentStoreCoordinator root: NSPersistentStoreCoordinator?, configurationName name: String?, at url: URL,
        options: [AnyHashable: Any]? = nil
    ) {
        let host: (any StoreHost)? = root
        storeNumber = host?.numberOfNextStore ?? 0
        super.init(persistentStoreCoordinator: root, configurationName: name, at: url, options: options)
        let identifier = Swift.type(of: self).identifierForNewStore(at: url)
        super.metadata = [NSStoreUUIDKey: "\(identifier)", NSStoreTypeKey: type]
        self.identifier = "\(identifier)"
    }

    // MARK: To override

    /// Checks that the store can be used, and sets ``metadata`` with at least ``NSStoreUUIDKey`` and
    /// ``NSStoreTypeKey``.
    ///
    /// Without an override the store counts as a new one.
    ///
    /// - Throws: An error of the subclass, which makes adding the store fail.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsincrementalstore/loadmetadata())
    open override func loadMetadata() throws {}

    /// Carries out a request.
    ///
    /// Sorting, limits and offsets are left to the store. Get objects by `object(with:)` of the context. A subclass has
    /// to override the function; the base class stops the process.
    ///
    /// - Parameters:
    ///   - request: An `NSFetchRequest<NSFetchRequestResult>`, an ``NSSaveChangesRequest``, or a request of the
    ///     program's own class.
    ///   - context: The context that makes the request.
    /// - Returns: For a fetch an array of objects of the context, of ids, of dictionaries, or of one number, after the
    ///   request's `resultType`. For a save an empty array. For a request of the program's own class any value.
    /// - Throws: An error of the subclass, if the request cannot be carried out.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsincrementalstore/execute(_:with:))
    open func execute(_ request: NSPersistentStoreRequest, with context: NSManagedObjectContext?) throws -> Any {
        abstract("execute(_:with:)")
    }

    /// Returns the values of a record.
    ///
    /// A subclass has to override the function; the base class stops the process.
    ///
    /// - Parameters:
    ///   - objectID: The id of the record.
    ///   - context: The context that needs the values.
    /// - Returns: A node with the values and their version.
    /// - Throws: `NSManagedObjectReferentialIntegrityError` (133000) if there is no such record; the object then counts
    ///   as deleted. Any other error if the record cannot be read.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsincrementalstore/newvaluesforobject(with:with:))
    open func newValuesForObject(
        with objectID: NSManagedObjectID, with context: NSManagedObjectContext
    ) throws -> NSIncrementalStoreNode {
        abstract("newValuesForObject(with:with:)")
    }

    /// Returns the destination of a relationship of a record.
    ///
    /// A subclass has to override the function; the base class stops the process.
    ///
    /// - Parameters:
    ///   - relationship: The relationship.
    ///   - objectID: The id of the record.
    ///   - context: The context that needs the value.
    /// - Returns: An `NSManagedObjectID` or `NSNull` for a to-one relationship; an array or a set of ids for a to-many
    ///   one.
    /// - Throws: An error of the subclass, if the record cannot be read.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsincrementalstore/newvalue(forrelationship:forobjectwith:with:))
    open func newValue(
        forRelationship relationship: NSRelationshipDescription, forObjectWith objectID: NSManagedObjectID,
        with context: NSManagedObjectContext?
    ) throws -> Any {
        abstract("newValue(forRelationship:forObjectWith:with:)")
    }

    /// Returns the identifier of a store that has none yet; a new UUID unless overridden.
    ///
    /// - Parameter storeURL: The address of the store.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsincrementalstore/identifierfornewstore(at:))
    open class func identifierForNewStore(at storeURL: URL) -> Any { UUID().uuidString }

    /// Returns the ids of new objects before they are saved.
    ///
    /// A subclass has to override the function; the base class stops the process.
    ///
    /// - Parameter array: The new objects.
    /// - Returns: Ids that ``newObjectID(for:referenceObject:)`` makes, in the order of the objects.
    /// - Throws: An error of the subclass, which makes the save fail.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsincrementalstore/obtainpermanentids(for:))
    open func obtainPermanentIDs(for array: [NSManagedObject]) throws -> [NSManagedObjectID] {
        abstract("obtainPermanentIDs(for:)")
    }

    /// Called when a context begins to use objects, on the queue of that context. The base class does nothing.
    ///
    /// - Parameter objectIDs: The ids of the objects.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsincrementalstore/managedobjectcontextdidregisterobjects(with:))
    open func managedObjectContextDidRegisterObjects(with objectIDs: [NSManagedObjectID]) {}

    /// Called when a context does not use objects any longer. The base class does nothing.
    ///
    /// It is called on the thread that released the last reference.
    ///
    /// - Parameter objectIDs: The ids of the objects.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsincrementalstore/managedobjectcontextdidunregisterobjects(with:))
    open func managedObjectContextDidUnregisterObjects(with objectIDs: [NSManagedObjectID]) {}

    // MARK: Ids

    /// Returns the id of a record.
    ///
    /// - Parameters:
    ///   - entity: The entity of the record.
    ///   - data: The reference object: a string, a number or a UUID that is unique among the records of the entity.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsincrementalstore/newobjectid(for:referenceobject:))
    open func newObjectID(for entity: NSEntityDescription, referenceObject data: Any) -> NSManagedObjectID {
        makeObjectID(entity, data)
    }

    /// Returns the reference object of the record with an id.
    ///
    /// - Parameter objectID: The id of a record of this store.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsincrementalstore/referenceobject(for:))
    open func referenceObject(for objectID: NSManagedObjectID) -> Any {
        reference(of: objectID)
    }

    /// Gives a record another reference object, for a store that knows the references of new records after the save.
    ///
    /// - Returns: Whether no other record has the reference.
    package final func replaceReference(of objectID: NSManagedObjectID, by reference: Any) -> Bool {
        references?.replace(objectID.objectKey.primaryKey, by: reference) ?? false
    }

    final override var references: ReferenceTable? { sharedReferences }

    /// The metadata of the store. An identifier among them becomes the identifier of the store.
    open override var metadata: [String: Any]! {
        get { super.metadata }
        set {
            super.metadata = Self.keeping(super.metadata, in: newValue)
            adoptIdentifier(of: newValue)
        }
    }
}
