import CoreData
import Foundation

/// The open store of the page, with one context, on whose queue all work runs.
final class StudioSession: @unchecked Sendable {  // what changes is touched on the context's queue
    let store: ResolvedStore
    let context: NSManagedObjectContext
    let coordinator: NSPersistentStoreCoordinator
    let isWritable: Bool
    let keepsHistory: Bool
    /// The file that was opened, with its state if the store is written as a whole.
    private var file: StoreFileMark?
    /// Conflicts that the page has shown. It may decide only these.
    var toldConflicts: Set<ToldConflict> = []
    /// The number of changes, by the page and by other programs. Values that were read before a change may be old.
    private(set) var generation = 0
    /// The results of the last requests, so that scrolling does not fetch again.
    private var results: [(query: StudioQuery, objects: FetchedObjects<NSManagedObject>)] = []
    /// The names that objects had before they were saved.
    private var renamed: [String: NSManagedObjectID] = [:]

    /// Requests for rows that the page may stop, by the names that it gave them.
    private let stops = Locked<[String: RequestStop]>([:])

    private static let keptResults = 4
    static let batchSize = 200

    init(_ store: ResolvedStore, isWritable: Bool) throws {
        self.store = store
        self.isWritable = isWritable
        // History is read if the store keeps it, and continued if the page writes. It is never begun.
        let history = try store.context()
        keepsHistory = try history.performAndWait { try store.keepsHistory(history) }
        // With any time limit, a store checks whether a request is to be stopped.
        var options: [AnyHashable: Any] = [NSPersistentStoreRequestTimeLimitOption: 1e12]
        if store.address.isInTables { options[NSPersistentStoreRemoteChangeNotificationPostOptionKey] = true }
        if keepsHistory { options[NSPersistentHistoryTrackingKey] = true }
        context = try store.context(options: options, isReadOnly: !isWritable)
        guard let coordinator = context.persistentStoreCoordinator else {
            throw ToolError(.failed, "\(store.shown): the store is not open")
        }
        self.coordinator = coordinator
        file = StoreFileMark(store)
        // Other programs write, and the coordinator's rows do not follow them, so each new read comes from the store.
        context.performAndWait { context.stalenessInterval = 0 }
        guard isWritable else { return }
        context.performAndWait {
            context.undoManager = UndoManager()
            context.transactionAuthor = "coredata studio"
        }
    }

    /// Closes the store, unless there are unsaved changes.
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

    /// Runs a body that reads the store, on the context's queue. A `StudioFailure` stays as it is; errors of the
    /// library get the store's name.
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

    /// Runs a body that another request may stop by a name.
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

    /// Stops a request, or prevents a request of that name from beginning.
    func stop(_ name: String) {
        stops.withLock { stops in
            // Entries of requests that had ended before are removed only here.
            if stops.count > Self.mostStops { stops = stops.filter { !$0.value.wasAsked } }
            let stop = stops[name] ?? RequestStop()
            stops[name] = stop
            stop.ask()
        }
    }

    private static let mostStops = 50

    // MARK: The file

    /// Whether the store's file is another one than the opened file. Saving would overwrite the changes of another
    /// program, or write into a file without a name.
    var isFileAnother: Bool { file != StoreFileMark(store) }

    /// Records the state of the file after this session has written it.
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

    /// The object of a name, which may be its name before it was saved.
    func object(_ name: String) throws -> NSManagedObject {
        if let new = context.insertedObjects.first(where: { ObjectName.of($0.objectID) == name }) { return new }
        let gone = StudioFailure(404, "there is no object \(name)")
        // An unsaved object has its name as long as it exists.
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

    /// The number of objects of each entity, including those of its subentities.
    func counts() throws -> [(name: String, count: Int)] {
        try store.model.entities.compactMap(\.name).sorted().map { name in
            (name, try context.count(for: NSFetchRequest<NSManagedObject>(entityName: name)))
        }
    }

    // MARK: Changes

    /// The unsaved objects. After an undo the context still calls the object updated.
    var unsavedObjects: [(Set<NSManagedObject>, state: String)] {
        context.processPendingChanges()
        return [
            (context.insertedObjects, "new"), (context.updatedObjects.filter(\.hasPersistentChangedValues), "changed"),
            (context.deletedObjects, "deleted"),
        ]
    }

    /// The number of unsaved objects; nil if the context is busy with a request for longer than the given seconds.
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

    /// Drops the last results, because the store has changed.
    func changed() {
        generation += 1
        results = []
    }

    func rename(_ name: String, _ id: NSManagedObjectID) { renamed[name] = id }

    /// Refreshes objects after saves of other programs. Objects with changes of the page's stay as they were read; the
    /// next save finds whether they are in conflict.
    func refresh() {
        for object in context.registeredObjects where !object.hasChanges {
            context.refresh(object, mergeChanges: false)
        }
        changed()
    }
}
