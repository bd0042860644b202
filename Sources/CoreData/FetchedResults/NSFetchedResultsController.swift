import Foundation

/// The results of a fetch request in sections, which follow the changes of a context.
///
/// Create it with a sorted request, call ``performFetch()``, and read ``sections``, ``fetchedObjects`` and
/// ``object(at:)``.
///
/// A controller with a delegate follows the inserted, deleted, changed and merged objects of its context, and reports
/// every change to the delegate. An object also counts as changed if a key path of the predicate, the order or the
/// sections leads from it to a changed object. Results that are not managed objects are not followed.
///
/// Without a delegate the results stay as they were fetched. The request's limit and offset apply to the fetch; later
/// changes may lead beyond them. After a reset of the context the results are not usable until the context changes or
/// ``performFetch()`` is called.
///
/// Use a controller on its context's queue. A delegate gets it as a controller of `NSFetchRequestResult`. That is
/// another object with the same results, which `===` and `==` take for the same.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsfetchedresultscontroller)
open class NSFetchedResultsController<ResultType>: NSObject {
    let core: FetchedResultsCore
    private let request: NSFetchRequest<ResultType>
    private var cachedErasure: NSFetchedResultsController<any NSFetchRequestResult>?
    /// Whether every object of the request's entities is of the result type's class; nil until first used.
    private var isClassCertain: Bool?

    /// Creates a controller. Nothing is fetched yet.
    ///
    /// The process stops if the request's sort descriptors are nil. With a section key path the sort descriptors have
    /// to keep each section together, so the first one usually sorts by that key path.
    ///
    /// - Parameters:
    ///   - fetchRequest: The objects to fetch, and their order.
    ///   - context: The context to fetch with, whose changes the controller follows.
    ///   - sectionNameKeyPath: The key path of the values by which the objects are divided, as text; nil for one
    ///     section.
    ///   - name: A name under which the sections are kept in a file between runs of the program, or nil. Different
    ///     requests need different names.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsfetchedresultscontroller/init(fetchrequest:managedobjectcontext:sectionnamekeypath:cachename:))
    public init(
        fetchRequest: NSFetchRequest<ResultType>, managedObjectContext context: NSManagedObjectContext,
        sectionNameKeyPath: String?, cacheName name: String?
    ) {
        require(
            fetchRequest.sortDescriptors != nil,
            "An instance of NSFetchedResultsController requires a fetch request with sort descriptors")
        request = fetchRequest
        core = FetchedResultsCore(context: context, sectionNameKeyPath: sectionNameKeyPath, cacheName: name)
        super.init()
        core.owner = self
    }

    /// Creates a controller without a request, which cannot fetch.
    ///
    /// It is a placeholder until a program has the real controller.
    public override init() {
        request = NSFetchRequest()
        let context = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
        core = FetchedResultsCore(context: context, sectionNameKeyPath: nil, cacheName: nil)
        super.init()
        core.owner = self
    }

    /// The form in which a delegate gets the controller of `core`.
    private init(erasing core: FetchedResultsCore, request: NSFetchRequest<ResultType>) {
        self.core = core
        self.request = request
        super.init()
    }

    // MARK: The values it was created with

    /// The fetch request. Changes of it take effect with the next ``performFetch()``.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsfetchedresultscontroller/fetchrequest)
    open var fetchRequest: NSFetchRequest<ResultType> { request }

    /// The context to fetch with, whose changes the controller follows.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsfetchedresultscontroller/managedobjectcontext)
    open var managedObjectContext: NSManagedObjectContext { core.context }

    /// The key path of the values by which the objects are divided; nil for one section.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsfetchedresultscontroller/sectionnamekeypath)
    open var sectionNameKeyPath: String? { core.sectionNameKeyPath }

    /// The name under which the sections are kept in a file, or nil.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsfetchedresultscontroller/cachename)
    open var cacheName: String? { core.cacheName }

    /// The object that is notified of changes. It is held weakly.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsfetchedresultscontroller/delegate)
    open weak var delegate: (any NSFetchedResultsControllerDelegate)? {
        get { core.delegate }
        set { core.delegate = newValue }
    }

    /// Removes the sections that are kept under a name.
    ///
    /// - Parameter name: The name; nil removes all sections that this program keeps.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsfetchedresultscontroller/deletecache(withname:))
    open class func deleteCache(withName name: String?) { SectionCache.remove(named: name) }

    // MARK: Results

    /// Fetches the results. Call it again after a change of the request.
    ///
    /// Only a delegate that gets snapshots is notified of it.
    ///
    /// - Throws: `NSCoreDataError` (134060) if the objects are not sorted by section, and the errors of
    ///   `NSManagedObjectContext.fetch(_:)`.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsfetchedresultscontroller/performfetch())
    open func performFetch() throws {
        isClassCertain = nil
        try core.performFetch(request)
    }

    /// The results in order; nil before the first ``performFetch()``.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsfetchedresultscontroller/fetchedobjects)
    open var fetchedObjects: [ResultType]? {
        guard let items = core.items else { return nil }
        if isCertain { return sameArray(items, of: ResultType.self) }
        return items.map { typed($0) }
    }

    /// Returns the object at an index path; stops the process if there is none.
    ///
    /// - Parameter indexPath: The section and the place in it.
    /// - Returns: The object.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsfetchedresultscontroller/object(at:))
    open func object(at indexPath: IndexPath) -> ResultType { typed(core.object(at: indexPath)) }

    /// Returns the index path of an object in the results.
    ///
    /// - Parameter object: The object.
    /// - Returns: The section and the place in it; nil if the object is not in the results.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsfetchedresultscontroller/indexpath(forobject:))
    open func indexPath(forObject object: ResultType) -> IndexPath? { core.indexPath(of: object) }

    /// The sections; nil before the first ``performFetch()``.
    ///
    /// Without a section key path there is always one section, which may be empty.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsfetchedresultscontroller/sections)
    open var sections: [any NSFetchedResultsSectionInfo]? { core.sectionInfos }

    private var isCertain: Bool {
        if let isClassCertain { return isClassCertain }
        let isCertain = ResultType.self is AnyClass && core.isEveryClass { $0 is ResultType.Type }
        isClassCertain = isCertain
        return isCertain
    }

    private func typed(_ item: NSObject) -> ResultType {
        guard let item = item as? ResultType else {
            fatalError(
                "The fetched-results controller's request yields \(type(of: item)), not \(ResultType.self)")
        }
        return item
    }

    // MARK: The index

    /// Returns the title of a section in an index: the first letter of its name as a capital.
    ///
    /// Subclasses may override it.
    ///
    /// - Parameter sectionName: The name of the section.
    /// - Returns: The title; nil for an empty name.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsfetchedresultscontroller/sectionindextitle(forsectionname:))
    open func sectionIndexTitle(forSectionName sectionName: String) -> String? {
        sectionName.first.map { String($0).uppercased() }
    }

    /// The index titles of the sections in order, each once. Subclasses may override it.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsfetchedresultscontroller/sectionindextitles)
    open var sectionIndexTitles: [String] {
        var known: Set<String> = []
        return (core.sectionInfos ?? []).compactMap(\.indexTitle).filter { known.insert($0).inserted }
    }

    /// Returns the number of the first section with an index title.
    ///
    /// The process stops if the title is not at the given place.
    ///
    /// - Parameters:
    ///   - title: The index title.
    ///   - sectionIndex: Its place in ``sectionIndexTitles``.
    /// - Returns: The number of the section.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsfetchedresultscontroller/section(forsectionindextitle:at:))
    open func section(forSectionIndexTitle title: String, at sectionIndex: Int) -> Int {
        let titles = sectionIndexTitles
        require(
            titles.indices.contains(sectionIndex) && titles[sectionIndex] == title,
            "Index title at \(sectionIndex) is not equal to '\(title)'")
        return core.sectionInfos?.firstIndex { $0.indexTitle == title } ?? 0
    }

    // MARK: Identity

    /// Whether the other object is this controller, or the form of it that delegates get.
    open override func isEqual(_ object: Any?) -> Bool {
        (object as? any FetchedResultsOwner)?.core === core
    }

    /// A hash of the controller's identity.
    open override var hash: Int { ObjectIdentifier(core).hashValue }
}

/// A controller of any result type, as its core refers to it.
protocol FetchedResultsOwner: AnyObject {
    var core: FetchedResultsCore { get }
    /// The form that delegates get.
    var erased: NSFetchedResultsController<any NSFetchRequestResult> { get }
    func sectionIndexTitle(forSectionName sectionName: String) -> String?
}

extension NSFetchedResultsController: FetchedResultsOwner {
    var erased: NSFetchedResultsController<any NSFetchRequestResult> {
        if let same = self as? NSFetchedResultsController<any NSFetchRequestResult> { return same }
        if let cachedErasure { return cachedErasure }
        let erasure = NSFetchedResultsController<any NSFetchRequestResult>(erasing: core, request: request.ofAnyResults)
        cachedErasure = erasure
        return erasure
    }
}
