import CoreData
import Foundation

/// What is called when results change.
struct ResultsEvents {
    let willChange: () -> Void
    let didChange: () -> Void
}

/// What an observer's results come from.
protocol ResultsSource<Element>: AnyObject {
    associatedtype Element: PersistentModel

    var events: ResultsEvents? { get set }
    var models: FetchResultsCollection<Element> { get }

    /// Brings the results up to date, where that has to wait for a reader.
    ///
    /// - Returns: Whether the results were fetched.
    func renew() throws -> Bool
    /// The models of each section, by the name that a model has.
    func sections(named name: (Element) -> String) -> [(name: String, models: FetchResultsCollection<Element>)]
    /// The place of a model among the models.
    func place(of model: Element) -> Int?
}

extension ModelContext {
    /// Takes over what other contexts and processes have committed, and processes the own changes.
    func takeOverCommits() {
        using("takeOverCommits()") {
            mergeCommits()
            managed.processPendingChanges()
        }
    }

    /// Fetches models, and follows them.
    func resultsSource<T: PersistentModel>(
        _ descriptor: FetchDescriptor<T>, sectionedBy keyPath: PartialKeyPath<T>?
    ) throws -> any ResultsSource<T> {
        if try customFetch(descriptor) != nil { return try RepeatedResults(descriptor, in: self) }
        let fetch = try modelFetch(descriptor)
        let isWhole = descriptor.fetchLimit == nil && descriptor.fetchOffset == nil && descriptor.includePendingChanges
        let section = keyPath.flatMap { ModelKeyPaths.keys(of: $0) }
        if isWhole, fetch.isOfStore, keyPath == nil || section != nil,
            // Names that differ can be equal in the order. Such models are grouped without the controller.
            let followed = try? FollowedResults<T>(try request(fetch), in: managed, section)
        {
            return followed
        }
        return try RepeatedResults(descriptor, in: self)
    }
}

/// Results that a fetched-results controller follows.
private final class FollowedResults<Element: PersistentModel>: ResultsSource {
    private final class Delegate: NSObject, NSFetchedResultsControllerDelegate {
        var events: ResultsEvents?

        func controllerWillChangeContent(_ controller: NSFetchedResultsController<any NSFetchRequestResult>) {
            events?.willChange()
        }

        func controllerDidChangeContent(_ controller: NSFetchedResultsController<any NSFetchRequestResult>) {
            events?.didChange()
        }
    }

    private let controller: NSFetchedResultsController<NSManagedObject>
    private let delegate = Delegate()

    init(
        _ request: NSFetchRequest<NSManagedObject>, in context: NSManagedObjectContext, _ section: String?
    ) throws {
        if request.sortDescriptors == nil { request.sortDescriptors = [] }
        controller = NSFetchedResultsController(
            fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: section, cacheName: nil)
        controller.delegate = delegate
        try controller.performFetch()
    }

    var events: ResultsEvents? {
        get { delegate.events }
        set { delegate.events = newValue }
    }

    func renew() -> Bool { false }

    private static func collection(_ objects: [NSManagedObject]) -> FetchResultsCollection<Element> {
        FetchResultsCollection(count: objects.count) { ModelFetch<Element>.model(objects[$0]) }
    }

    var models: FetchResultsCollection<Element> { Self.collection(controller.fetchedObjects ?? []) }

    func sections(named name: (Element) -> String) -> [(name: String, models: FetchResultsCollection<Element>)] {
        (controller.sections ?? []).map { section in
            (section.name, Self.collection(section.objects as? [NSManagedObject] ?? []))
        }
    }

    func place(of model: Element) -> Int? {
        guard let path = controller.indexPath(forObject: model.managedObject) else { return nil }
        let before = controller.sections?.prefix(path[0]) ?? []
        return before.reduce(path[1]) { $0 + $1.numberOfObjects }
    }
}

/// Results that are fetched again when they are read after a change of their context.
private final class RepeatedResults<Element: PersistentModel>: ResultsSource {
    private let descriptor: FetchDescriptor<Element>
    private unowned let context: ModelContext
    private var found: [Element]
    private var isOutdated = false
    private var observers: [any NSObjectProtocol] = []
    var events: ResultsEvents?

    init(_ descriptor: FetchDescriptor<Element>, in context: ModelContext) throws {
        self.descriptor = descriptor
        self.context = context
        found = try context.fetch(descriptor)
        let names: [Notification.Name] = [.NSManagedObjectContextObjectsDidChange, .NSManagedObjectContextDidSave]
        observers = names.map { name in
            let results = UncheckedReference(self)
            return NotificationCenter.default.addObserver(forName: name, object: context.managed, queue: nil) { _ in
                results.object?.outdate()
            }
        }
    }

    deinit {
        for observer in observers { NotificationCenter.default.removeObserver(observer) }
    }

    private func outdate() {
        events?.willChange()
        isOutdated = true
        events?.didChange()
    }

    func renew() throws -> Bool {
        guard isOutdated else { return false }
        found = try context.fetch(descriptor)
        isOutdated = false
        return true
    }

    var models: FetchResultsCollection<Element> {
        let found = found
        return FetchResultsCollection(count: found.count) { found[$0] }
    }

    func sections(named name: (Element) -> String) -> [(name: String, models: FetchResultsCollection<Element>)] {
        var names: [String] = []
        let groups = Dictionary(grouping: found) { model in
            let text = name(model)
            if names.last != text { names.append(text) }
            return text
        }
        var known: Set<String> = []
        return names.filter { known.insert($0).inserted }.map { name in
            let group = groups[name] ?? []
            return (name, FetchResultsCollection(count: group.count) { group[$0] })
        }
    }

    func place(of model: Element) -> Int? { found.firstIndex(of: model) }
}
