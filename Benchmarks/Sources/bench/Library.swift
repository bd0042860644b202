import CoreData

/// The contender that is measured: Core Data, by its public interface.
enum Library {
    // MARK: - Stores

    /// Creates an empty store and closes it.
    static func createStore(at url: URL) throws {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: BookModel.make())
        let store = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: url, options: nil)
        try coordinator.remove(store)
    }

    /// Opens a store, migrates it if `migrating` is true, and measures how long that takes.
    static func open(_ store: String, model: NSManagedObjectModel, migrating: Bool) throws -> Measurement {
        let options: [AnyHashable: Any] = [
            NSMigratePersistentStoresAutomaticallyOption: migrating, NSInferMappingModelAutomaticallyOption: migrating,
        ]
        let start = Stopwatch()
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let opened = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: URL(fileURLWithPath: store), options: options)
        var measurement = Measurement()
        start.stop(into: &measurement)
        try coordinator.remove(opened)
        return measurement
    }

    // MARK: - The workloads

    /// Opens a store in a coordinator of its own.
    /// - Parameter hasHistory: whether the store keeps its history.
    static func opened(_ store: String, hasHistory: Bool = false) throws -> NSPersistentStoreCoordinator {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: BookModel.make())
        try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: URL(fileURLWithPath: store),
            options: hasHistory ? [NSPersistentHistoryTrackingKey: true] : nil)
        return coordinator
    }

    /// A private context above a coordinator.
    static func context(_ coordinator: NSPersistentStoreCoordinator) -> NSManagedObjectContext {
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        return context
    }

    static func run(_ work: Work, store: String, data: SourceData) throws -> Measurement {
        try run(work, in: opened(store, hasHistory: work == .history), data: data)
    }

    /// A work in the store of a coordinator.
    static func run(
        _ work: Work, in coordinator: NSPersistentStoreCoordinator, data: SourceData
    ) throws -> Measurement {
        switch work {
        case .childChain: return try saveUp(SwiftRows(data.limited(to: Work.graphBooks)), through: coordinator)
        case .merge: return try merge(books: min(data.bookCount, Work.graphBooks), in: coordinator)
        case .contexts: return try useContexts(data.shuffledIndexes, in: coordinator)
        default: break
        }
        let context = context(coordinator)
        return try context.performAndWait {
            switch work {
            case .insert: try insert(SwiftRows(data), into: context)
            case .readAll: try readAll(in: context)
            case .readFaults: try readFaults(in: context)
            case .readIDs: try readIDs(in: context)
            case .readWithoutValues: try readWithoutValues(in: context)
            case .query: try query(in: context)
            case .queryByAuthor: try queryByAuthor(in: context)
            case .search: try search(Work.searchedWords, "title CONTAINS[cd] %@", in: context)
            case .searchExactly: try search(Work.exactWords, "title CONTAINS %@", in: context)
            case .count: try countBesideUnsaved(in: context)
            case .prefetched: try readAuthors(prefetching: true, in: context)
            case .lazily: try readAuthors(prefetching: false, in: context)
            case .update: try update(in: context)
            case .saveEach: try saveEach(in: context)
            case .delete: try deleteHalf(in: context)
            case .average: try average(in: context)
            case .dictionaries: try dictionaries(in: context)
            case .tuples: try tuples(in: context)
            case .readByKey: try readByKey(data.shuffledIndexes, in: context)
            case .readByISBN: try readByISBN(data.shuffledIndexes, of: SwiftRows(data), in: context)
            case .history: try readHistory(in: context)
            case .insertDictionaries: try insertDictionaries(SwiftRows(data), in: context)
            case .insertObjects: try insertObjects(SwiftRows(data), in: context)
            case .insertArray: try insertArray(SwiftRows(data), in: context)
            case .batchUpdate: try batchUpdate(in: context)
            case .batchDelete: try batchDelete(in: context)
            case .results: try fetchResults(in: context)
            case .changedResults: try changeResults(in: context)
            case .childChain, .merge, .contexts:
                throw BenchmarkFailure(description: "\(work.rawValue) makes its own contexts")
            }
        }
    }

    private static func insert(_ rows: SwiftRows, into context: NSManagedObjectContext) throws -> Measurement {
        let start = Stopwatch()
        rows.makeObjects(in: context)
        try context.save()
        var measurement = Measurement()
        start.stop(into: &measurement)
        measurement.count = rows.authors.count + rows.books.count
        return measurement
    }

    private static func readAll(in context: NSManagedObjectContext) throws -> Measurement {
        let request = NSFetchRequest<Book>(entityName: "Book")
        request.returnsObjectsAsFaults = false
        // One book first, so that statements, layouts and classes are not counted as books.
        request.fetchLimit = 1
        _ = try context.fetch(request).first?.fieldSum
        request.fetchLimit = 0
        let heap = Memory.heapBytes
        let resident = Memory.residentBytes

        var measurement = Measurement()
        let start = Stopwatch()
        var books = try context.fetch(request)
        for book in books {
            measurement.checksum += book.fieldSum
        }
        start.stop(into: &measurement)

        // The clock stands still while memory is counted, and runs again while the objects are freed.
        measurement.count = books.count
        let heapGrowth = Memory.heapBytes - heap
        measurement.bytesPerBook = Double(heapGrowth) / Double(max(books.count, 1))
        measurement.residentPerBook = Double(Memory.residentBytes - resident) / Double(max(books.count, 1))
        let restart = Stopwatch()
        books = []
        restart.stop(into: &measurement)
        return measurement
    }

    private static func readByKey(_ indexes: [Int], in context: NSManagedObjectContext) throws -> Measurement {
        let ids = try ids(in: context)
        let wanted = indexes.map { ids[$0] }
        var measurement = Measurement()
        let start = Stopwatch()
        for id in wanted {
            guard let book = try context.existingObject(with: id) as? Book else { continue }
            measurement.checksum += book.fieldSum
            measurement.count += 1
        }
        start.stop(into: &measurement)
        return measurement
    }

    private static func ids(in context: NSManagedObjectContext) throws -> [NSManagedObjectID] {
        let request = NSFetchRequest<NSManagedObjectID>(entityName: "Book")
        request.resultType = .managedObjectIDResultType
        request.includesPropertyValues = false
        return try context.fetch(request)
    }

    private static func useContexts(
        _ indexes: [Int], in coordinator: NSPersistentStoreCoordinator
    ) throws -> Measurement {
        let first = context(coordinator)
        let ids = try first.performAndWait { try Self.ids(in: first) }
        var measurement = Measurement()
        let start = Stopwatch()
        for index in indexes {
            let context = context(coordinator)
            try context.performAndWait {
                guard let book = try context.existingObject(with: ids[index]) as? Book else { return }
                measurement.checksum += book.fieldSum
                measurement.count += 1
            }
        }
        start.stop(into: &measurement)
        return measurement
    }

    private static func readByISBN(
        _ indexes: [Int], of rows: SwiftRows, in context: NSManagedObjectContext
    ) throws -> Measurement {
        let request = NSFetchRequest<Book>(entityName: "Book")
        request.fetchLimit = 1
        request.returnsObjectsAsFaults = false
        var measurement = Measurement()
        let start = Stopwatch()
        for index in indexes {
            request.predicate = NSPredicate(format: "isbn == %@", rows.books[index].isbn)
            guard let book = try context.fetch(request).first else { continue }
            measurement.checksum += book.fieldSum
            measurement.count += 1
        }
        start.stop(into: &measurement)
        return measurement
    }
}
