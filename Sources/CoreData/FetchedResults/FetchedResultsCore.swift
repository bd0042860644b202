// Implementation notes: FetchedResults.
//
// The controller fetches once, and then follows the context's did-change notification. A change passes these steps:
// notification, candidates (changed objects of the entity, and objects whose key paths lead to changed ones),
// `FetchedUpdate`, `FetchedChanges`, and the delegate in the form that it implements.
// - `FetchedArrangement` is one array of objects divided into sections. Objects that were neither removed nor changed
//   keep their order. So a changed object's place is found by binary search among the rest (`FetchedAnchors`), and its
//   old place by a note that is at most a thousand places off, or by one pass over all results. No sort key is kept: an
//   object that still fits between its neighbours has not moved.
// - While the program holds the array of the results, objects that move get a new order beside it (`FetchedList`).
// - Moves are the fewest that explain the new order (`IncreasingRun`). A section that gets other neighbours is deleted
//   and inserted, because the delegate has no method for a moved section.
// - The name of a section comes from its first object. Later objects are compared with that object by the bytes in
//   their rows. If an object has a change, or its class overrides the reading of keys, its section value is read from
//   the object.
// - `FetchedDependencies` splits the key paths of predicate, sort descriptors and sections, and follows the inverses
//   back from changed objects. If a relationship has no inverse, and after a reset, the request is fetched again and
//   the results are compared.
// - Exact results, which sequences have, are fetched again when their reader asks, and not at each change: several
//   changes need one fetch.
// - `FetchedResultsCore` has everything that does not depend on the result type, because a delegate gets the controller
//   with another result type.
// - With a batch size the store counts the sections (one grouped fetch), if the results are sorted by them first and
//   nothing is unsaved. Otherwise the section value of every object is read.
// - A section cache is a proposal: the reader compares the section values of the first and the last object of each
//   section with it.

import Foundation

/// What follows the results of a fetched-results controller beside its delegate. Called on the context's queue.
protocol FetchedResultsListener: AnyObject {
    /// `performFetch` has replaced the results.
    func resultsWereFetched()
    /// The results have changed.
    func resultsDidChange(_ changes: FetchedChanges)
    /// The ids of new objects have become permanent, as far as the listener has them.
    func resultsDidSave()
    /// The results can only be known by another fetch.
    func resultsAreOutdated()
    /// The results cannot be followed.
    func resultsDidFail(_ error: any Error)
}

/// The state and the work of a fetched-results controller, for any result type.
final class FetchedResultsCore: ContextFollower, @unchecked Sendable {  // used on the context's queue alone
    /// Methods whose absence decides the form in which the delegate gets changes.
    struct DelegateMethods: OptionSet {
        let rawValue: Int
        static let snapshot = DelegateMethods(rawValue: 1)
        static let difference = DelegateMethods(rawValue: 2)
    }

    let context: NSManagedObjectContext
    let sectionNameKeyPath: String?
    let cacheName: String?
    weak var owner: (any FetchedResultsOwner)?

    /// The methods that the delegate certainly lacks, and those that it certainly has.
    var missingDelegateMethods: DelegateMethods = []
    var presentDelegateMethods: DelegateMethods = []

    /// The results; nil before the first fetch.
    var arrangement: FetchedArrangement?
    /// Whether the context was reset since the last change. The results are then objects without a context, because the
    /// delegate was not notified.
    var isOutdated = false
    private var storedSectionInfos: [FetchedSection]?
    /// The last fetch, with which changes are compared.
    private(set) var fetched: Fetched?
    /// Ids of new objects in the results, as they were reported to the delegate.
    var temporaryIDs: [ObjectIdentifier: (object: NSManagedObject, id: NSManagedObjectID)] = [:]
    private var observers: [any NSObjectProtocol] = []
    private var listeners: [WeakListener] = []
    /// Whether the results have to be those of a fetch when they are read, also beyond the request's limit. Only
    /// listeners have such results.
    var isExact = false
    /// The results that have changed since exact results are outdated. The arrangement retains them.
    var changedSinceOutdated: Set<ObjectIdentifier> = []

    /// A request as it was when it was fetched.
    struct Fetched {
        let parameters: FetchParameters
        let affectedStores: [NSPersistentStore]?
        let layout: EntityLayout
        let order: FetchedOrder
        let dependencies: FetchedDependencies

        /// The entities whose objects may be in the results.
        var entities: Range<Int> {
            parameters.includesSubentities ? layout.subtree : layout.index..<layout.index + 1
        }

        /// Whether the results are cut by an offset or a limit.
        var isPage: Bool { parameters.fetchLimit > 0 || parameters.fetchOffset > 0 }

        /// Only objects can be followed.
        var isTracked: Bool { parameters.resultType == .managedObjectResultType }
    }

    #if DEBUG
    private let liveEntry = LiveAccount.Entry(.controller)
    #endif

    init(context: NSManagedObjectContext, sectionNameKeyPath: String?, cacheName: String?) {
        self.context = context
        self.sectionNameKeyPath = sectionNameKeyPath
        self.cacheName = cacheName
    }

    deinit {
        for observer in observers { NotificationCenter.default.removeObserver(observer) }
    }

    weak var delegate: (any NSFetchedResultsControllerDelegate)? {
        didSet {
            if oldValue === delegate { return }
            missingDelegateMethods = []
            presentDelegateMethods = []
            storedSectionInfos = nil
            if delegate != nil { observe() }
        }
    }

    /// What follows the results beside the delegate.
    private struct WeakListener {
        weak var listener: (any FetchedResultsListener)?
    }

    final var livingListeners: [any FetchedResultsListener] { listeners.compactMap(\.listener) }

    /// Adds a listener, which is not retained.
    func add(_ listener: any FetchedResultsListener) {
        listeners.removeAll { $0.listener == nil }
        listeners.append(WeakListener(listener: listener))
        observe()
    }

    func remove(_ listener: any FetchedResultsListener) {
        listeners.removeAll { $0.listener == nil || $0.listener === listener }
    }

    /// Whether the results change with the context.
    var isFollowing: Bool { delegate != nil || listeners.contains { $0.listener != nil } }

    /// Whether changes of an entity's objects may change the results.
    func follows(_ layoutIndex: Int) -> Bool {
        guard isFollowing, let fetched, fetched.isTracked else { return false }
        return fetched.entities.contains(layoutIndex) || fetched.dependencies.contain(layoutIndex)
            || isExact && fetched.dependencies.areUnknown
    }

    func fail(_ error: any Error) {
        for listener in livingListeners { listener.resultsDidFail(error) }
    }

    private func observe() {
        guard observers.isEmpty else { return }
        context.followers.removeAll { $0.core == nil }
        context.followers.append(Follower(core: self))
        observers = [
            NotificationCenter.default.addObserver(
                forName: .NSManagedObjectContextObjectsDidChange, object: context, queue: nil
            ) { [weak self] notification in self?.contextDidChange(notification) },
            NotificationCenter.default.addObserver(
                forName: .NSManagedObjectContextDidSave, object: context, queue: nil
            ) { [weak self] notification in self?.contextDidSave(notification) },
        ]
    }

    // MARK: Fetching

    func performFetch(_ request: NSPersistentStoreRequest) throws {
        context.checkConfinement("performFetch()")
        let parameters = request.fetchParameters ?? FetchParameters()
        let layout = try context.layout(of: parameters)
        let fetched = Fetched(
            parameters: parameters, affectedStores: request.affectedStores, layout: layout,
            order: FetchedOrder(
                sortDescriptors: (parameters.sortDescriptors ?? []).map(\.byKey),
                sectionKeyPath: sectionNameKeyPath.map { KeyValuePath($0) },
                of: parameters.resultType == .managedObjectResultType ? layout : nil),
            dependencies: FetchedDependencies(of: parameters, sectionKeyPath: sectionNameKeyPath, from: layout))
        let basis = cacheBasis(of: fetched)
        let arrangement = try context.throwingReadErrors {
            let items = try self.items(of: fetched)
            return FetchedArrangement(items: items, sections: try self.sections(of: items, fetched, basis))
        }
        self.fetched = fetched
        setArrangement(arrangement)
        noteTemporaryIDs(of: arrangement)
        tellSnapshotAfterFetch()
        for listener in livingListeners { listener.resultsWereFetched() }
    }

    /// The objects (or other results) of a request now.
    func items(of fetched: Fetched) throws -> [NSObject] {
        if fetched.isTracked {
            let request = NSFetchRequest<NSManagedObject>()
            request.parameters = fetched.parameters
            request.affectedStores = fetched.affectedStores
            return try context.fetch(request)
        }
        let request = NSFetchRequest<NSObject>()
        request.parameters = fetched.parameters
        request.affectedStores = fetched.affectedStores
        return try context.fetch(request)
    }

    private func sections(
        of items: [NSObject], _ fetched: Fetched, _ basis: SectionCache.Basis?
    ) throws -> [FetchedArrangement.Section] {
        if let basis, let cached = cachedSections(of: items, fetched.order, basis) { return cached }
        if let counted = countedSections(of: items, fetched) {
            if let basis { write(counted, itemCount: items.count, basis) }
            return counted
        }
        let (sections, outOfOrder) = fetched.order.sections(of: items)
        if let outOfOrder {
            throw NSError.coreData(
                NSCoreDataError,
                reason: Self.outOfOrderText(outOfOrder, fetched.order.sectionName(of: items[outOfOrder])))
        }
        if let basis { write(sections, itemCount: items.count, basis) }
        return sections
    }

    static func outOfOrderText(_ index: Int, _ name: String) -> String {
        "The fetched object at index \(index) has an out of order section name '\(name). "
            + "Objects must be sorted by section name"
    }

    // MARK: Results

    /// Replaces all results, and drops everything that was made from the former ones.
    func setArrangement(_ new: FetchedArrangement) {
        storedSectionInfos = nil
        arrangement = new
        isOutdated = false
        changedSinceOutdated = []
    }

    /// The results, in an array that can be read without a copy.
    var settledArrangement: FetchedArrangement? {
        arrangement?.settle()
        return arrangement
    }

    /// Changes the results in place.
    func updateArrangement(_ change: (inout FetchedArrangement) -> Void) {
        storedSectionInfos = nil
        if arrangement != nil { change(&arrangement!) }
    }

    var items: [NSObject]? {
        context.checkConfinement("fetchedObjects")
        return settledArrangement?.items
    }

    func object(at indexPath: IndexPath) -> NSObject {
        context.checkConfinement()
        guard let arrangement else {
            fatalError("The fetched object at \(indexPath) was asked for before performFetch()")
        }
        require(indexPath.count == 2, "An index path of a section and a place is needed, not \(indexPath)")
        let (section, place) = (indexPath[0], indexPath[1])
        require(arrangement.sections.indices.contains(section), "no section at index \(section)")
        let range = arrangement.range(ofSection: section)
        require(
            (0..<range.count).contains(place), "no object at index \(place) in section at index \(section)")
        return arrangement.objects[range.lowerBound + place]
    }

    func indexPath(of object: Any) -> IndexPath? {
        context.checkConfinement("indexPath(forObject:)")
        guard arrangement != nil, let object = object as? NSObject else { return nil }
        let index =
            fetched?.isTracked == true
            ? arrangement?.index(of: object) : arrangement?.items.firstIndex { $0.isEqual(object) }
        return index.flatMap { arrangement?.indexPath(at: $0) }
    }

    var sectionInfos: [any NSFetchedResultsSectionInfo]? {
        context.checkConfinement("sections")
        if let storedSectionInfos { return storedSectionInfos }
        guard let arrangement else { return nil }
        let infos = arrangement.sections.indices.map { sectionInfo($0, of: arrangement) }
        storedSectionInfos = infos
        return infos
    }

    func sectionInfo(_ index: Int, of arrangement: FetchedArrangement) -> FetchedSection {
        let name = arrangement.sections[index].name
        return FetchedSection(
            name: name, indexTitle: indexTitle(of: name), of: arrangement.objects,
            at: arrangement.range(ofSection: index))
    }

    /// The info of a deleted section, whose objects were deleted before.
    func emptySectionInfo(_ index: Int, of arrangement: FetchedArrangement) -> FetchedSection {
        let name = arrangement.sections[index].name
        return FetchedSection(name: name, indexTitle: indexTitle(of: name), of: FetchedList([]), at: 0..<0)
    }

    private func indexTitle(of name: String) -> String? {
        guard let delegate, let owner else { return ownIndexTitle(of: name) }
        return delegate.controller(owner.erased, sectionIndexTitleForSectionName: name)
    }

    /// The controller's own index title for a section.
    func ownIndexTitle(of name: String) -> String? { owner?.sectionIndexTitle(forSectionName: name) }

    /// Whether a condition holds for the classes of all entities whose objects may be in the results.
    func isEveryClass(_ condition: (NSManagedObject.Type) -> Bool) -> Bool {
        guard let fetched, fetched.isTracked else { return false }
        return fetched.entities.allSatisfy {
            condition(ManagedClassLookup.managedClass(of: fetched.layout.model.entities[$0].entity))
        }
    }
}
