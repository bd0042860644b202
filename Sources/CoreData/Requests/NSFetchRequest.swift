import Foundation

/// A type that a fetch request may return: managed objects, their ids, dictionaries and numbers.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsfetchrequestresult)
public protocol NSFetchRequestResult: NSObjectProtocol {}

extension NSDictionary: NSFetchRequestResult {}
extension NSNumber: NSFetchRequestResult {}

/// A description of what to read: an entity, a condition, an order, a limit and the form of the results.
///
/// `ResultType` is one of the types that conform to ``NSFetchRequestResult``, or that protocol itself. The parameter
/// has no constraint: without the Objective-C runtime a protocol does not conform to itself, and
/// `NSFetchRequest<NSFetchRequestResult>` has to stay a type.
///
/// Pass a request to `fetch(_:)` of an ``NSManagedObjectContext``, or call ``execute()`` in a block of a context. Do
/// not change a request while another thread executes it. A context reads the request when it starts a fetch, so later
/// changes have no effect on that fetch.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsfetchrequest)
open class NSFetchRequest<ResultType>: NSPersistentStoreRequest, ModelRequest {
    // Unchecked: each fetch reads them several times. A program uses a request on one thread at a time.
    @exclusivity(unchecked) final var parameters = FetchParameters() {
        // With `willSet` each setter would copy all parameters. The process stops, so the change has no effect.
        didSet { requireMutable() }
    }
    /// Whether the request is part of a model that is in use, which other threads read.
    final var isFrozen = false
    @exclusivity(unchecked) private final var entityReference: ZeroingReference<NSEntityDescription>?
    final var unretainedEntity: NSEntityDescription? {
        get { entityReference?.object }
        set { entityReference = newValue.map { ZeroingReference($0) } }
    }

    /// Creates a request without an entity. Set ``entity`` before you execute it.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsfetchrequest/init())
    public override init() {
        super.init()
    }

    /// Creates a request for an entity by name.
    ///
    /// - Parameter entityName: The name of an entity in the model of the context that executes the request. An unknown
    ///   name is an error of that execution.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsfetchrequest/init(entityname:))
    public convenience init(entityName: String) {
        self.init()
        parameters.givenEntityName = entityName
    }

    override final func requireMutable() {
        require(!isFrozen, "Can't modify a fetch request of an immutable model; change a copy of it.")
    }

    override final var fetchParameters: FetchParameters? {
        guard parameters.entity == nil, let unretainedEntity else { return parameters }
        var result = parameters
        result.entity = unretainedEntity
        return result
    }

    /// The request under the general type of results: the request itself if it has that type, otherwise a copy.
    final var ofAnyResults: NSFetchRequest<any NSFetchRequestResult> {
        if let same = self as? NSFetchRequest<any NSFetchRequestResult> { return same }
        return NSFetchRequest<any NSFetchRequestResult>(self)
    }

    /// ``NSPersistentStoreRequestType/fetchRequestType``.
    open override var requestType: NSPersistentStoreRequestType { .fetchRequestType }

    override func result(in context: any RequestExecutor) throws -> NSPersistentStoreResult {
        try context.wrappedResult(of: self)
    }

    override func output(in context: any RequestExecutor) throws -> Any { try context.fetch(self) }

    /// The entity whose objects are read. Nil if the request was created with a name.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsfetchrequest/entity)
    open var entity: NSEntityDescription? {
        get { parameters.entity ?? unretainedEntity }
        set { parameters.entity = newValue }
    }

    /// The name of the entity whose objects are read; nil if the request has no entity.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsfetchrequest/entityname)
    open var entityName: String? { parameters.entityName }

    /// The condition that an object has to meet; nil matches all objects of the entity.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsfetchrequest/predicate)
    open var predicate: NSPredicate? {
        get { parameters.predicate }
        set { parameters.predicate = newValue }
    }

    /// The order of the results, most significant first. Without sort descriptors the order is not defined.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsfetchrequest/sortdescriptors)
    open var sortDescriptors: [NSSortDescriptor]? {
        get { parameters.sortDescriptors }
        set { parameters.sortDescriptors = newValue }
    }

    /// The greatest number of results to return; 0, the value unless set, means no limit.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsfetchrequest/fetchlimit)
    open var fetchLimit: Int {
        get { parameters.fetchLimit }
        set { parameters.fetchLimit = newValue }
    }

    /// The number of results to leave out at the beginning; 0 unless set.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsfetchrequest/fetchoffset)
    open var fetchOffset: Int {
        get { parameters.fetchOffset }
        set { parameters.fetchOffset = newValue }
    }

    /// The number of objects whose rows are read together; 0, the value unless set, reads all rows at once.
    ///
    /// With a batch size, the fetch returns an array of faults. The first access to an object reads the rows of its
    /// batch. ``NSManagedObjectContext/fetch(_:batchSize:)`` needs less memory for large results. A context remembers
    /// the batches of its latest 16 fetches; objects of older ones are read one by one.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsfetchrequest/fetchbatchsize)
    open var fetchBatchSize: Int {
        get { parameters.fetchBatchSize }
        set { parameters.fetchBatchSize = newValue }
    }

    /// The form of the results; managed objects unless set otherwise.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsfetchrequest/resulttype)
    open var resultType: NSFetchRequestResultType {
        get { parameters.resultType }
        set { parameters.resultType = newValue }
    }

    /// Whether objects of subentities are returned, too; true unless set otherwise.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsfetchrequest/includessubentities)
    open var includesSubentities: Bool {
        get { parameters.includesSubentities }
        set { parameters.includesSubentities = newValue }
    }

    /// Whether a fetch of objects reads their values along with the ids; true unless set otherwise.
    ///
    /// False has an effect only if objects come back as faults, and nothing is prefetched or refreshed.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsfetchrequest/includespropertyvalues)
    open var includesPropertyValues: Bool {
        get { parameters.includesPropertyValues }
        set { parameters.includesPropertyValues = newValue }
    }

    /// Whether unsaved changes of the context and its parents count; true unless set otherwise.
    ///
    /// Fetches of dictionaries never include unsaved changes: they read the store.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsfetchrequest/includespendingchanges)
    open var includesPendingChanges: Bool {
        get { parameters.includesPendingChanges }
        set { parameters.includesPendingChanges = newValue }
    }

    /// Whether objects come back as faults; true unless set otherwise.
    ///
    /// The values of a fault that the fetch has read are in the row cache, so that firing the fault reads nothing. With
    /// false the objects come back fired.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsfetchrequest/returnsobjectsasfaults)
    open var returnsObjectsAsFaults: Bool {
        get { parameters.returnsObjectsAsFaults }
        set { parameters.returnsObjectsAsFaults = newValue }
    }

    /// Whether equal dictionaries are returned once; false unless set otherwise. It has no effect on other forms of
    /// results.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsfetchrequest/returnsdistinctresults)
    open var returnsDistinctResults: Bool {
        get { parameters.returnsDistinctResults }
        set { parameters.returnsDistinctResults = newValue }
    }

    /// Key paths of relationships whose objects are read along with the results.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsfetchrequest/relationshipkeypathsforprefetching)
    open var relationshipKeyPathsForPrefetching: [String]? {
        get { parameters.relationshipKeyPathsForPrefetching }
        set { parameters.relationshipKeyPathsForPrefetching = newValue }
    }

    /// The columns of dictionary results; nil means all attributes.
    ///
    /// Elements are property descriptions, ``NSExpressionDescription`` objects, names or Swift key paths such as
    /// `\Book.title`. A function of several rows, such as `count:(books)`, is of all rows, or of those of a group. Its
    /// rows are joined with the members of to-many relationships on its path. So are the rows of all other functions of
    /// the request. `books.@count` is a value of each row.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsfetchrequest/propertiestofetch)
    open var propertiesToFetch: [Any]? {
        get { parameters.propertiesToFetch }
        set { parameters.propertiesToFetch = newValue }
    }

    /// The columns by which dictionary results are grouped.
    ///
    /// Elements are property descriptions, names or Swift key paths. All other columns have to be functions of several
    /// rows. The fetch throws error 134060 otherwise.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsfetchrequest/propertiestogroupby)
    open var propertiesToGroupBy: [Any]? {
        get { parameters.propertiesToGroupBy }
        set { parameters.propertiesToGroupBy = newValue }
    }

    /// The condition that a group has to meet; nil returns all groups.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsfetchrequest/havingpredicate)
    open var havingPredicate: NSPredicate? {
        get { parameters.havingPredicate }
        set { parameters.havingPredicate = newValue }
    }

    /// Whether objects that the context has already take over the values just read; false unless set otherwise.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsfetchrequest/shouldrefreshrefetchedobjects)
    open var shouldRefreshRefetchedObjects: Bool {
        get { parameters.shouldRefreshRefetchedObjects }
        set { parameters.shouldRefreshRefetchedObjects = newValue }
    }

    /// Executes the request in the context whose block calls this function.
    ///
    /// Call it inside `perform` or `performAndWait` of a context. Elsewhere it stops the process.
    ///
    /// - Returns: The results in the order of the sort descriptors.
    /// - Throws: An `NSError` if the entity is unknown, the predicate has no translation, or the store cannot be read.
    ///   See `fetch(_:)` of ``NSManagedObjectContext``.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsfetchrequest/execute())
    open func execute() throws -> [ResultType] {
        let executor: any RequestExecutor.Type = NSManagedObjectContext.self
        guard let context = executor.innermostHeld else {
            fatalError("A fetch request can only be executed inside a block of a context")
        }
        return try context.fetch(self)
    }

    /// A copy that can be changed without changing this request.
    open override func copy(with zone: NSZone? = nil) -> Any {
        NSFetchRequest<ResultType>(self)
    }

    /// Whether another request, of any result type, describes the same fetch in the same stores.
    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? NSPersistentStoreRequest, let others = other.fetchParameters else { return false }
        if self === other { return true }
        func stores(of request: NSPersistentStoreRequest) -> Set<ObjectIdentifier>? {
            request.affectedStores.map { Set($0.map { ObjectIdentifier($0) }) }
        }
        return parameters.isSame(as: others) && stores(of: self) == stores(of: other)
    }

    /// A hash of the entity's name.
    open override var hash: Int { entityName?.hashValue ?? 0 }

    /// The entity, the predicate, the order, the batch size and the form of the results.
    open override var description: String {
        "<NSFetchRequest: \(address(of: self))> (entity: \(entityName ?? "(null)"); "
            + "predicate: (\(predicate?.printed ?? "(null)")); "
            + "sortDescriptors: (\(sortDescriptors.map { "\($0)" } ?? "(null)")); "
            + "batch size: \(fetchBatchSize); type: \(resultType.rawValue); )"
    }
}
