import Foundation

/// The results of a fetch request, in sections, kept up to date while the context changes, for a list on a screen.
///
/// Make it with a sorted request, call `performFetch()`, read `sections`, `fetchedObjects` and `object(at:)`. While it
/// has a delegate it follows its context: objects that are inserted, deleted or changed, there or by merging, that
/// begin or cease to match the predicate (also by a change of an object that a key path leads to), and it tells the
/// delegate. Without a delegate the results stay as they were fetched. The request's limit and offset say what is
/// fetched; changes may lead beyond them.
///
/// For the context's queue only. `ResultType` has no constraint, for the reason of `NSFetchRequest`. Delegates get the
/// controller as one of `NSFetchRequestResult`: another object, with the same results, that `===` and `==` take for the
/// same.
open class NSFetchedResultsController<ResultType>: NSObject {
    let core: FetchedResultsCore
    private let request: NSFetchRequest<ResultType>
    private var cachedErasure: NSFetchedResultsController<any NSFetchRequestResult>?
    /// Whether every object of the request's entities is of the result type's class; nil until asked.
    private var isClassCertain: Bool?

    /// Makes a controller; nothing is fetched yet.
    ///
    /// The request must have sort descriptors (the process stops without). With a section key path the objects are
    /// divided by the values there, taken as text; the sort descriptors must keep each section together, so begin with
    /// one for it. With a cache name the sections are kept in a file between runs of the program; different requests
    /// need different names.
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

    /// Makes a controller of nothing, which cannot fetch: a value for a variable until the right one is there.
    public override init() {
        request = NSFetchRequest()
        let context = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
        core = FetchedResultsCore(context: context, sectionNameKeyPath: nil, cacheName: nil)
        super.init()
        core.owner = self
    }

    /// The form in which a delegate sees the controller of `core`.
    private init(erasing core: FetchedResultsCore, request: NSFetchRequest<ResultType>) {
        self.core = core
        self.request = request
        super.init()
    }

    // MARK: What it was made of

    /// What is fetched. A change of it counts from the next `performFetch()` on.
    open var fetchRequest: NSFetchRequest<ResultType> { request }

    /// Where it is fetched, and whose changes are followed.
    open var managedObjectContext: NSManagedObjectContext { core.context }

    /// What the objects are divided by; nil for a single section.
    open var sectionNameKeyPath: String? { core.sectionNameKeyPath }

    /// Under which name the sections are kept in a file.
    open var cacheName: String? { core.cacheName }

    /// Who is told about changes. Not retained.
    open weak var delegate: (any NSFetchedResultsControllerDelegate)? {
        get { core.delegate }
        set { core.delegate = newValue }
    }

    /// Removes the sections kept under a name; nil removes all of this program's.
    open class func deleteCache(withName name: String?) { SectionCache.remove(named: name) }

    // MARK: Results

    /// Fetches; may be called again, for instance after the request was changed. The delegate is told nothing, unless
    /// it takes snapshots.
    ///
    /// Throws what the fetch throws, and an error (134060) when the objects are not sorted by section.
    open func performFetch() throws {
        isClassCertain = nil
        try core.performFetch(request)
    }

    /// The results; nil before the first `performFetch()`.
    open var fetchedObjects: [ResultType]? {
        guard let items = core.items else { return nil }
        if isCertain { return unsafeBitCast(items, to: [ResultType].self) }
        return items.map { typed($0) }
    }

    /// The object at an index path of section and place. Stops the process when there is none.
    open func object(at indexPath: IndexPath) -> ResultType { typed(core.object(at: indexPath)) }

    /// The index path of an object in the results; nil when it is not in them.
    open func indexPath(forObject object: ResultType) -> IndexPath? { core.indexPath(of: object) }

    /// The sections; nil before the first `performFetch()`. Without a section key path there is always one, even empty.
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

    /// What stands for a section in an index: the first letter of its name as a capital. Subclasses may answer
    /// otherwise.
    open func sectionIndexTitle(forSectionName sectionName: String) -> String? {
        sectionName.first.map { String($0).uppercased() }
    }

    /// The index titles of the sections in order, each once. Subclasses may answer otherwise.
    open var sectionIndexTitles: [String] {
        var known: Set<String> = []
        return (core.sectionInfos ?? []).compactMap(\.indexTitle).filter { known.insert($0).inserted }
    }

    /// The first section of an index title at a place of `sectionIndexTitles`. Stops the process when title and place
    /// do not belong together.
    open func section(forSectionIndexTitle title: String, at sectionIndex: Int) -> Int {
        let titles = sectionIndexTitles
        require(
            titles.indices.contains(sectionIndex) && titles[sectionIndex] == title,
            "Index title at \(sectionIndex) is not equal to '\(title)'")
        return core.sectionInfos?.firstIndex { $0.indexTitle == title } ?? 0
    }

    // MARK: Identity

    /// Whether the other object is this controller, or the form of it that delegates see.
    open override func isEqual(_ object: Any?) -> Bool {
        (object as? any FetchedResultsOwner)?.core === core
    }

    open override var hash: Int { ObjectIdentifier(core).hashValue }
}

/// A controller of whatever result type, as its core knows it.
protocol FetchedResultsOwner: AnyObject {
    var core: FetchedResultsCore { get }
    /// The form that delegates see.
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
