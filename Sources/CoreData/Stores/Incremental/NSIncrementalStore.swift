import Foundation

/// The base class of stores that a program writes and that read and save little by little: over a web service, a
/// database of another kind, a key-value store.
///
/// A subclass overrides `loadMetadata()`, `execute(_:with:)`, `newValuesForObject(with:with:)`,
/// `newValue(forRelationship:forObjectWith:with:)` and `obtainPermanentIDs(for:)`, and is made known by
/// `NSPersistentStoreCoordinator.registerStoreClass(_:forStoreType:)`. It is called on the queues of the contexts that
/// use it, several at a time when there are several.
open class NSIncrementalStore: NSPersistentStore, CustomStore, @unchecked Sendable {  // `storeNumber` is constant
    let storeNumber: Int

    /// Called by the coordinator that the store is added to; an overrider calls `super`.
    ///
    /// A store that was added without an address is given `file:///dev/null` here, and its `url` is nil afterwards.
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

    /// Makes sure that what lies at the address can be used, and sets `metadata`: at least `NSStoreUUIDKey` and
    /// `NSStoreTypeKey`. Unless overridden, the store is a new one.
    open override func loadMetadata() throws {}

    /// Carries out a request: an `NSFetchRequest<NSFetchRequestResult>` (an array of objects of the context, of ids, of
    /// dictionaries, or of one number, after its `resultType`), an `NSSaveChangesRequest` (an empty array), or whatever
    /// else the store understands. Sorting, limits and offsets are the store's affair.
    ///
    /// Objects are made by `context.object(with:)`. Throws when the request cannot be carried out.
    open func execute(_ request: NSPersistentStoreRequest, with context: NSManagedObjectContext?) throws -> Any {
        abstract("execute(_:with:)")
    }

    /// The values of a record. Throws when there is none (133000 makes it an object that is gone) or it cannot be read.
    open func newValuesForObject(
        with objectID: NSManagedObjectID, with context: NSManagedObjectContext
    ) throws -> NSIncrementalStoreNode {
        abstract("newValuesForObject(with:with:)")
    }

    /// What a relationship of a record leads to: an `NSManagedObjectID` or `NSNull`, for a to-many one an array (or a
    /// set) of ids.
    open func newValue(
        forRelationship relationship: NSRelationshipDescription, forObjectWith objectID: NSManagedObjectID,
        with context: NSManagedObjectContext?
    ) throws -> Any {
        abstract("newValue(forRelationship:forObjectWith:with:)")
    }

    /// The identifier of a store that has none yet; a new UUID unless overridden.
    open class func identifierForNewStore(at storeURL: URL) -> Any { UUID().uuidString }

    /// The ids of new objects that are about to be saved, in their order, made by `newObjectID(for:referenceObject:)`.
    open func obtainPermanentIDs(for array: [NSManagedObject]) throws -> [NSManagedObjectID] {
        abstract("obtainPermanentIDs(for:)")
    }

    /// Objects came into use in a context. Called on the queue of that context, unless overridden without effect.
    open func managedObjectContextDidRegisterObjects(with objectIDs: [NSManagedObjectID]) {}

    /// Objects are not used any longer in a context. Called wherever their last reference was dropped.
    open func managedObjectContextDidUnregisterObjects(with objectIDs: [NSManagedObjectID]) {}

    // MARK: Ids

    /// The id of the record that a string, number or UUID names among those of an entity.
    open func newObjectID(for entity: NSEntityDescription, referenceObject data: Any) -> NSManagedObjectID {
        makeObjectID(entity, data)
    }

    /// What names the record of an id.
    open func referenceObject(for objectID: NSManagedObjectID) -> Any {
        reference(of: objectID)
    }

    final override var references: ReferenceTable? { sharedReferences }

    open override var metadata: [String: Any]! {
        get { super.metadata }
        set {
            super.metadata = Self.keeping(super.metadata, in: newValue)
            adoptIdentifier(of: newValue)
        }
    }
}
