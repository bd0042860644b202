#if PostgreSQL
import CBaseline
import CPostgreSQLBaseline
import CoreData
import CoreDataPostgreSQL

extension PlainC {
    @discardableResult
    static func measurement(of result: postgresql_result) throws -> Measurement {
        let message = withUnsafeBytes(of: result.error) { bytes in
            String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
        guard message.isEmpty else { throw BenchmarkFailure(description: "plain C: \(message)") }
        var measurement = Measurement()
        measurement.seconds = result.seconds
        measurement.cpuSeconds = result.client_seconds
        measurement.serverSeconds = result.server_seconds
        measurement.checksum = result.checksum
        measurement.count = Int(result.count)
        return measurement
    }
}

extension Library {
    /// The store in a database of the benchmark's server.
    static func openedPostgreSQL(_ database: String) throws -> NSPersistentStoreCoordinator {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: BookModel.make())
        try coordinator.addPersistentStore(
            ofType: NSPostgreSQLStoreType, configurationName: nil, at: URL(string: "postgresql:///\(database)"),
            options: nil)
        return coordinator
    }

    static func close(_ coordinator: NSPersistentStoreCoordinator) throws {
        for store in coordinator.persistentStores { try coordinator.remove(store) }
    }
}

extension PostgreSQLReport {
    /// One work in a child process. Both sides have connected before the clock starts.
    static func measure(
        _ contender: Contender, _ work: Work, database: String, data: SourceData
    ) throws -> Measurement {
        if contender == .coreData {
            let coordinator = try Library.openedPostgreSQL(database)
            let context = Library.context(coordinator)
            _ = try context.performAndWait { try context.count(for: NSFetchRequest<Author>(entityName: "Author")) }
            Stopwatch.serverSeconds = { postgresql_server_seconds(database) }
            return try Library.run(work, in: coordinator, data: data)
        }
        switch work {
        case .insert:
            return try PlainC.measurement(
                of: postgresql_insert(database, data.rows, contender == .arrays ? 0 : 1))
        case .readAll: return try PlainC.measurement(of: postgresql_read_all(database))
        case .readByKey:
            let indexes = data.shuffledIndexes.map(Int64.init)
            return try PlainC.measurement(
                of: postgresql_read_by_key(database, indexes, Int64(indexes.count)))
        case .update: return try PlainC.measurement(of: postgresql_update(database))
        case .prefetched: return try PlainC.measurement(of: postgresql_read_authors(database))
        default: throw BenchmarkFailure(description: "\(work.rawValue) is no work over PostgreSQL")
        }
    }

    /// Counts the round trips to the server, in a child process.
    static func roundTrips(of kind: Conversation, database: String, count: Int) throws -> Measurement {
        let coordinator = try Library.openedPostgreSQL(database)
        let context = Library.context(coordinator)
        var measurement = Measurement()
        measurement.count = count
        measurement.roundTrips = try context.performAndWait {
            switch kind {
            case .insert:
                try insert(2, marked: "first", context)
                try context.save()
                try insert(count, marked: "", context)
                return try counted(context.save)
            case .insertFirst:
                try insert(count, marked: "", context)
                return try counted(context.save)
            case .update, .delete:
                let books = try context.fetch(NSFetchRequest<Book>(entityName: "Book"))
                func change(_ books: some Sequence<Book>) {
                    for book in books {
                        if kind == .delete { context.delete(book) } else { book.pages += 1 }
                    }
                }
                change(books.prefix(2))
                try context.save()
                change(books.dropFirst(2).prefix(count))
                // Delete rules read the objects at the other ends of relationships, before anything is saved.
                context.processPendingChanges()
                return try counted(context.save)
            case .prefetchToOne: return try prefetch("author", of: "Book", in: coordinator)
            case .prefetchToMany: return try prefetch("books", of: "Author", in: coordinator)
            case .fault:
                let request = NSFetchRequest<NSManagedObjectID>(entityName: "Book")
                request.resultType = .managedObjectIDResultType
                request.fetchLimit = 2
                let ids = try context.fetch(request)
                _ = try context.existingObject(with: ids[0])
                return try counted { _ = try context.existingObject(with: ids[1]) }
            }
        }
        return measurement
    }

    private static func counted(_ body: () throws -> Void) rethrows -> Int {
        postgresql_count_round_trips()
        let before = postgresql_round_trips()
        try body()
        return Int(postgresql_round_trips() - before)
    }

    /// Makes books with ids of the store's.
    private static func insert(_ count: Int, marked mark: String, _ context: NSManagedObjectContext) throws {
        let books = SwiftRows(SourceData(authors: 1, books: count)).books.map { row in
            let book = Book(context: context)
            row.fill(book)
            book.isbn += mark
            return book
        }
        try context.obtainPermanentIDs(for: books)
    }

    /// What a prefetched relationship adds to a fetch; each in a context that has nothing yet.
    private static func prefetch(
        _ relationship: String, of entity: String, in coordinator: NSPersistentStoreCoordinator
    ) throws -> Int {
        func trips(_ relationships: [String]) throws -> Int {
            let context = Library.context(coordinator)
            return try context.performAndWait {
                let request = NSFetchRequest<NSManagedObject>(entityName: entity)
                request.relationshipKeyPathsForPrefetching = relationships
                return try counted { _ = try context.fetch(request) }
            }
        }
        // The first fetch of each kind prepares its statements.
        _ = try trips([relationship])
        return try trips([relationship]) - trips([])
    }
}
#else
extension PostgreSQLReport {
    static func measure(
        _ contender: Contender, _ work: Work, database: String, data: SourceData
    ) throws -> Measurement {
        throw BenchmarkFailure(description: "this was built without libpq")
    }

    static func roundTrips(of kind: Conversation, database: String, count: Int) throws -> Measurement {
        throw BenchmarkFailure(description: "this was built without libpq")
    }
}
#endif
