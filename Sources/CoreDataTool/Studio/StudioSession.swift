import CoreData
import Foundation

/// The open store that the page shows, with one context, on whose queue everything is done.
final class StudioSession: @unchecked Sendable {  // what changes is touched on the context's queue
    let store: OpenedStore
    let context: NSManagedObjectContext
    let coordinator: NSPersistentStoreCoordinator
    let isWritable: Bool
    let keepsHistory: Bool
    /// The file that was opened, and, where a store is written as a whole, its state.
    private var file: StoreFileMark?
    /// Conflicts that the page has been told of: those alone it may decide.
    var toldConflicts: Set<ToldConflict> = []
    /// Counts changes, the page's and those of others. Values that were read before one may be old.
    private(set) var generation = 0
    /// What the last requests found, so that scrolling does not ask anew.
    private var results: [(query: StudioQuery, objects: FetchedObjects<NSManagedObject>)] = []
    /// The names that objects had before they were saved.
    private var renamed: [String: NSManagedObjectID] = [:]

    /// Requests for rows that the page may stop, by the names that it gave them.
    private let stops = Locked<[String: RequestStop]>([:])

    private static let keptResults = 4
    static let batchSize = 200

    init(_ store: OpenedStore, isWritable: Bool) throws {
        self.store = store
        self.isWritable = isWritable
        // History is read where the store keeps it, and kept on with where the page writes; it is never begun.
        let history = try store.context()
        keepsHistory = try history.performAndWait { try store.keepsHistory(history) }
        // Any limit makes a store look whether a request is to be stopped.
        var options: [AnyHashable: Any] = [NSPersistentStoreRequestTimeLimitOption: 1e12]
        if store.address.isInTables { options[NSPersistentStoreRemoteChangeNotificationPostOptionKey] = true }
        if keepsHistory { options[NSPersistentHistoryTrackingKey] = true }
        context = try store.context(options: options, isReadOnly: !isWritable)
        guard let coordinator = context.persistentStoreCoordinator else {
            throw ToolError(.failed, "\(store.shown): the store is not open")
        }
        self.coordinator = coordinator
        file = StoreFileMark(store)
        // Others write, and the coordinator's rows do not follow them, so each new read comes from the store.
        context.performAndWait { context.stalenessInterval = 0 }
        guard isWritable else { return }
        context.performAndWait {
            context.undoManager = UndoManager()
            context.transactionAuthor = "coredata studio"
        }
    }

    /// Lets go of the store, unless there is something that is not saved.
    /// - Returns: whether it was closed.
    func closeIfSaved() throws -> Bool {
        try context.performAndWait {
            if context.hasChanges { return false }
            results = []
            context.reset()
            for store in coordinator.persistentStores { try coordinator.remove(store) }
            return true
        }
    }

    /// Runs what asks the store, on the context's queue. A failure that the page is to be told stays what it is;
    /// errors of the library are told with the store's name.
    func perform<Value>(_ body: () throws -> Value) throws -> Value {
        try context.performAndWait {
            try store.asking {
                try context.readingFaults {
                    do throws(any Error) {
                        return Result<Value, StudioFailure>.success(try body())
                    } catch let failure as StudioFailure {
                        return .failure(failure)
                    }
                }
            }.get()
        }
    }

    /// Runs what another request may stop by a name.
    func stoppable<Value>(_ name: String?, _ body: () throws -> Value) throws -> Value {
        guard let name else { return try body() }
        let stop = stops.withLock { stops in
            let stop = stops[name] ?? RequestStop()
            stops[name] = stop
            return stop
        }
        defer { stops.withLock { $0[name] = nil } }
        do {
            return try stop.run(body)
        } catch {
            if stop.wasAsked { throw StudioFailure(409, "the request was stopped") }
            throw error
        }
    }

    /// Stops a request, or keeps one that is still to come from beginning.
    func stop(_ name: String) {
        stops.withLock { stops in
            // Those that had ended before stay here.
            if stops.count > Self.mostStops { stops = stops.filter { !$0.value.wasAsked } }
            let stop = stops[name] ?? RequestStop()
            stops[name] = stop
            stop.ask()
        }
    }

    private static let mostStops = 50

    // MARK: The file

    /// Whether the store's file is no longer what was opened: saving would write over what others wrote, or into a file
    /// that nobody finds any more.
    var isFileAnother: Bool { file != StoreFileMark(store) }

    /// Notes that the file is as this session has written it.
    func noteFile() { file = StoreFileMark(store) }

    // MARK: Finding

    func objects(_ query: StudioQuery) throws -> FetchedObjects<NSManagedObject> {
        if let found = results.first(where: { $0.query == query }) { return found.objects }
        let request = try query.options.request(for: try store.entity(query.entity))
        let objects = try context.fetch(request, batchSize: Self.batchSize)
        results.append((query, objects))
        if results.count > Self.keptResults { results.removeFirst() }
        return objects
    }

    /// The object of a name; one that has a new name since it was saved, too.
    func object(_ name: String) throws -> NSManagedObject {
        if let new = context.insertedObjects.first(where: { ObjectName.of($0.objectID) == name }) { return new }
        let gone = StudioFailure(404, "there is no object \(name)")
        // An unsaved object has a name as long as it is there.
        if renamed[name] == nil, name.split(separator: "/").last?.first == "t" { throw gone }
        let id = try renamed[name] ?? ObjectName.id(name, in: store, coordinator)
        do {
            let object = try context.existingObject(with: id)
            if object.isDeleted { throw gone }
            return object
        } catch let error as NSError where error.code == NSManagedObjectReferentialIntegrityError {
            throw gone
        }
    }

    /// How many objects each entity has, with those of its subentities.
    func counts() throws -> [(name: String, count: Int)] {
        try store.model.entities.compactMap(\.name).sorted().map { name in
            (name, try context.count(for: NSFetchRequest<NSManagedObject>(entityName: name)))
        }
    }

    // MARK: Changes

    /// The unsaved objects. The context still calls an object updated whose change was undone.
    var unsavedObjects: [(Set<NSManagedObject>, state: String)] {
        context.processPendingChanges()
        return [
            (context.insertedObjects, "new"), (context.updatedObjects.filter(\.hasPersistentChangedValues), "changed"),
            (context.deletedObjects, "deleted"),
        ]
    }

    /// How many objects are not saved; nil where the context answers a request for longer than so many seconds.
    func countUnsaved(within seconds: Double) -> Int? {
        let count = Locked<Int?>(nil)
        let end = DispatchSemaphore(value: 0)
        context.perform { [self] in
            let found = unsavedObjects.reduce(0) { $0 + $1.0.count }
            count.withLock { $0 = found }
            end.signal()
        }
        return end.wait(timeout: .now() + seconds) == .success ? count.withLock { $0 } : nil
    }

    /// Forgets the last results, because the store has changed.
    func changed() {
        generation += 1
        results = []
    }

    func rename(_ name: String, _ id: NSManagedObjectID) { renamed[name] = id }

    /// Takes in what others have saved. Objects with changes of the page's stay as they were read: whether they are in
    /// conflict is found when they are saved.
    func refresh() {
        for object in context.registeredObjects where !object.hasChanges {
            context.refresh(object, mergeChanges: false)
        }
        changed()
    }
}
