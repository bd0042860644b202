import CBaseline
import CoreData

/// The contender that is measured: Core Data, by its public interface.
enum Library {
    /// The source rows as Swift values, made before the clock starts.
    private struct SwiftRows {
        struct AuthorRow {
            var name: String
            var joined: Date
            var active: Bool
        }
        struct BookRow {
            var title: String
            var isbn: String
            var note: String?
            var pages: Int64
            var price: Double
            var published: Date
            var rating: Float
            var author: Int
        }
        var authors: [AuthorRow]
        var books: [BookRow]

        init(_ data: SourceData) {
            authors = (0..<data.authorCount).map { index in
                let row = data.rows.pointee.authors[index]
                return AuthorRow(
                    name: String(cString: row.name), joined: Date(timeIntervalSinceReferenceDate: row.joined),
                    active: row.active != 0)
            }
            books = (0..<data.bookCount).map { index in
                let row = data.rows.pointee.books[index]
                return BookRow(
                    title: String(cString: row.title), isbn: String(cString: row.isbn),
                    note: row.note.map { String(cString: $0) }, pages: row.pages, price: row.price,
                    published: Date(timeIntervalSinceReferenceDate: row.published), rating: row.rating,
                    author: Int(row.author))
            }
        }
    }

    // MARK: - Stores

    /// Creates an empty store and closes it.
    static func createStore(at url: URL) throws {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: BookModel.make())
        let store = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: url, options: nil)
        try coordinator.remove(store)
    }

    /// Opens a store, and migrates it when asked to; measures how long that takes.
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

    static func run(_ work: Work, store: String, data: SourceData) throws -> Measurement {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: BookModel.make())
        _ = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: URL(fileURLWithPath: store), options: nil)
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        return try context.performAndWait {
            switch work {
            case .insert: try insert(SwiftRows(data), into: context)
            case .readAll: try readAll(in: context)
            case .readFaults: try readFaults(in: context)
            case .readIDs: try readIDs(in: context)
            case .readWithoutValues: try readWithoutValues(in: context)
            case .query: try query(in: context)
            case .prefetched: try readAuthors(prefetching: true, in: context)
            case .lazily: try readAuthors(prefetching: false, in: context)
            case .update: try update(in: context)
            case .delete: try deleteHalf(in: context)
            case .average: try average(in: context)
            case .dictionaries: try dictionaries(in: context)
            case .readByKey: try readByKey(data.shuffledIndexes, in: context)
            case .readByISBN: try readByISBN(data.shuffledIndexes, of: SwiftRows(data), in: context)
            }
        }
    }

    private static func insert(_ rows: SwiftRows, into context: NSManagedObjectContext) throws -> Measurement {
        let start = Stopwatch()
        let authors = rows.authors.map { row in
            let author = Author(context: context)
            author.name = row.name
            author.joined = row.joined
            author.active = row.active
            return author
        }
        for row in rows.books {
            let book = Book(context: context)
            book.title = row.title
            book.isbn = row.isbn
            book.note = row.note
            book.pages = row.pages
            book.price = row.price
            book.published = row.published
            book.rating = row.rating
            book.author = authors[row.author]
        }
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
        let heap = baseline_heap_bytes() - baseline_sqlite_bytes()
        let resident = residentBytes()

        var measurement = Measurement()
        let start = Stopwatch()
        var books = try context.fetch(request)
        for book in books {
            measurement.checksum += book.fieldSum
        }
        start.stop(into: &measurement)

        // The clock stands still while memory is counted, and runs again while the objects are freed.
        measurement.count = books.count
        let heapGrowth = baseline_heap_bytes() - baseline_sqlite_bytes() - heap
        measurement.bytesPerBook = Double(heapGrowth) / Double(max(books.count, 1))
        measurement.residentPerBook = Double(residentBytes() - resident) / Double(max(books.count, 1))
        let restart = Stopwatch()
        books = []
        restart.stop(into: &measurement)
        return measurement
    }

    private static func readByKey(_ indexes: [Int], in context: NSManagedObjectContext) throws -> Measurement {
        let request = NSFetchRequest<NSManagedObjectID>(entityName: "Book")
        request.resultType = .managedObjectIDResultType
        request.includesPropertyValues = false
        let ids = try context.fetch(request)
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

    // MARK: - Measuring

    private static func residentBytes() -> Int64 {
        let fields = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?.split(separator: " ") ?? []
        guard fields.count > 1, let pages = Int64(fields[1]) else { return 0 }
        return pages * Int64(sysconf(Int32(_SC_PAGESIZE)))
    }
}
